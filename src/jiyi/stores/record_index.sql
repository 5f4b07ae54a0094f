-- Schema 6: records with a text have a seq, in the order in which they are put, so that an index of them follows them as
-- one of messages follows the log.  NULL without a text.
ALTER TABLE scope ADD COLUMN record_head INTEGER NOT NULL DEFAULT 0;        -- newest seq that was given to a record
ALTER TABLE scope ADD COLUMN record_generation INTEGER NOT NULL DEFAULT 0;  -- grows when they change or go
ALTER TABLE record ADD COLUMN seq INTEGER;
UPDATE record SET seq = id WHERE trim(text, char(9, 10, 11, 12, 13, 32)) <> '';
UPDATE scope SET record_head = coalesce((SELECT max(seq) FROM record WHERE record.scope = scope.id), 0);
-- All that a look needs to know of them, beside their words.
CREATE INDEX record_told ON record (scope, seq, fresh, kind, closed, said, recorded) WHERE seq IS NOT NULL;
ALTER TABLE step ADD COLUMN follows_records INTEGER NOT NULL DEFAULT 0;
ALTER TABLE cursor ADD COLUMN follows_records INTEGER NOT NULL DEFAULT 0;
CREATE TRIGGER record_changed AFTER UPDATE OF closed, fresh ON record WHEN new.seq IS NOT NULL BEGIN
  UPDATE scope SET record_generation = record_generation + 1 WHERE id = new.scope;
END;
CREATE TRIGGER record_gone AFTER DELETE ON record WHEN old.seq IS NOT NULL BEGIN
  UPDATE scope SET record_generation = record_generation + 1 WHERE id = old.scope;
END;
