-- Schema 2: named places on the paths of a session, with whatever an agent keeps there.
CREATE TABLE checkpoint (
  id           INTEGER PRIMARY KEY,
  scope        INTEGER NOT NULL,
  session      INTEGER NOT NULL,
  name         TEXT NOT NULL,
  head         INTEGER,                   -- seq of the last message of the path to it, NULL for the very beginning
  automatic    INTEGER NOT NULL,
  created      INTEGER, created_zone INTEGER,
  state        TEXT,
  UNIQUE (scope, session, name)
);
