-- What readers keep in memory of a scope is true for one generation.  Triggers count, so that no writer can forget it.
ALTER TABLE scope ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;  -- grows when messages or index entries change or go
CREATE TRIGGER message_changed AFTER UPDATE ON message BEGIN
  UPDATE scope SET generation = generation + 1 WHERE id = old.key >> 32;
END;
CREATE TRIGGER message_gone AFTER DELETE ON message BEGIN
  UPDATE scope SET generation = generation + 1 WHERE id = old.key >> 32;
END;
CREATE TRIGGER indexed_gone AFTER DELETE ON indexed BEGIN
  UPDATE scope SET generation = generation + 1 WHERE id = old.key >> 32;
END;
-- A session's few instructions are asked for with every context.
CREATE INDEX message_system ON message (session, active, position) WHERE flags & 7 < 2;
-- How many messages have a term is the length of its posting list.
DROP TABLE term;
