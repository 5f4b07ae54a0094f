-- Schema 4: what derives anew, and what was passed over.  A record knows the batch it was made in, (after, upto], and
-- whether it is ``fresh``: made by a step that derives anew, and not shown before that is done.
CREATE TABLE record_4 (
  id           INTEGER PRIMARY KEY,
  scope        INTEGER NOT NULL,
  name         TEXT NOT NULL,
  kind         TEXT NOT NULL,
  session      TEXT,
  strategy     TEXT NOT NULL,
  version      TEXT NOT NULL,
  key          TEXT,
  text         TEXT NOT NULL,
  importance   REAL,
  pinned       INTEGER NOT NULL,
  valid_from   INTEGER, valid_from_zone INTEGER,
  valid_to     INTEGER, valid_to_zone INTEGER,
  recorded     INTEGER, recorded_zone INTEGER,
  closed       INTEGER, closed_zone INTEGER,
  data         TEXT,
  fresh        INTEGER NOT NULL,
  after        INTEGER NOT NULL,
  upto         INTEGER NOT NULL,
  UNIQUE (scope, name, fresh)
);
INSERT INTO record_4
  SELECT id, scope, name, kind, session, strategy, version, key, text, importance, pinned, valid_from, valid_from_zone,
    valid_to, valid_to_zone, recorded, recorded_zone, closed, closed_zone, data, 0, 0, 0 FROM record;
DROP TABLE record;
ALTER TABLE record_4 RENAME TO record;
CREATE INDEX record_order ON record (scope, kind, recorded, name);
CREATE INDEX record_key ON record (scope, key) WHERE key IS NOT NULL;
-- Messages that are derived together; see Step.stride.
ALTER TABLE step ADD COLUMN stride INTEGER NOT NULL DEFAULT 1;
ALTER TABLE cursor ADD COLUMN stride INTEGER NOT NULL DEFAULT 1;
ALTER TABLE cursor ADD COLUMN goal INTEGER;  -- while the step derives anew, where its cursor was
-- Stretches (after, upto] of the log that were derived and are to be derived anew.
CREATE TABLE gap (
  scope        INTEGER NOT NULL,
  step         INTEGER NOT NULL,
  after        INTEGER NOT NULL,
  upto         INTEGER NOT NULL,
  PRIMARY KEY (scope, step, after)
) WITHOUT ROWID;
CREATE TABLE failure (
  scope        INTEGER NOT NULL,
  step         INTEGER NOT NULL,
  seq          INTEGER NOT NULL,
  reason       TEXT NOT NULL,
  at           INTEGER NOT NULL, at_zone INTEGER,
  PRIMARY KEY (scope, step, seq)
) WITHOUT ROWID;
