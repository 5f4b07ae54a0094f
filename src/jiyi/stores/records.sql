-- Schema 5: records know when it was said, when it happens, and how often they were of use; what models were used for.
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
  what         TEXT NOT NULL,             -- a step's name, or "answer"
  calls        INTEGER NOT NULL,
  prompt       INTEGER NOT NULL,          -- tokens, as are the following
  completion   INTEGER NOT NULL,
  saved        INTEGER NOT NULL,
  PRIMARY KEY (scope, day, what)
) WITHOUT ROWID;
