-- Schema 5: records know when it was said, when it happens, and how often they were of use, and have an index of their
-- own; what models were used for.
ALTER TABLE record ADD COLUMN said INTEGER;
ALTER TABLE record ADD COLUMN said_zone INTEGER;
ALTER TABLE record ADD COLUMN event_from INTEGER;
ALTER TABLE record ADD COLUMN event_from_zone INTEGER;
ALTER TABLE record ADD COLUMN event_to INTEGER;
ALTER TABLE record ADD COLUMN event_to_zone INTEGER;
ALTER TABLE record ADD COLUMN used INTEGER NOT NULL DEFAULT 0;
ALTER TABLE record ADD COLUMN used_at INTEGER;
ALTER TABLE record ADD COLUMN used_at_zone INTEGER;
-- A context asks for the few that matter most of what holds now.
CREATE INDEX record_weight ON record (scope, kind, pinned DESC, importance DESC, recorded DESC, name DESC)
  WHERE closed IS NULL AND fresh = 0;
-- A user's few commands are asked for with every context.
CREATE INDEX message_command ON message (key) WHERE flags & 128 = 128;
CREATE TABLE spent (
  scope        INTEGER NOT NULL,
  day          TEXT NOT NULL,             -- as 2025-03-01
  purpose      TEXT NOT NULL,             -- a step's name, or "answer"
  calls        INTEGER NOT NULL,
  prompt       INTEGER NOT NULL,          -- tokens, as are the following
  completion   INTEGER NOT NULL,
  saved        INTEGER NOT NULL,
  PRIMARY KEY (scope, day, purpose)
) WITHOUT ROWID;
-- Records with a text have a seq, in the order in which they are put, so that an index of them follows them as
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
