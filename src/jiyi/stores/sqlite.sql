-- Schema 1 of a Jiyi database in SQLite; what came later is in the scripts that ``database.MIGRATIONS`` names after it.
-- Statements are run one by one in one transaction.
--
-- A message's key is scope << 32 | seq: the log of one user lies together, in order, and needs no second index.
-- Times are microseconds since 1970 UTC, with the zone's offset in minutes beside them.  JSON is NULL when empty.

-- Numbers of scopes are never used again (AUTOINCREMENT): what a reader remembers of an erased user finds nobody else.
CREATE TABLE scope (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  tenant    TEXT NOT NULL,
  agent     TEXT NOT NULL,
  user      TEXT NOT NULL,
  salt      BLOB NOT NULL,
  head      INTEGER NOT NULL DEFAULT 0,  -- newest seq that was given
  messages  INTEGER NOT NULL DEFAULT 0,  -- stored now, statements included
  documents INTEGER NOT NULL DEFAULT 0,  -- messages in the full-text index
  terms     INTEGER NOT NULL DEFAULT 0,  -- sum of their lengths
  UNIQUE (tenant, user, agent)
);

CREATE TABLE session (
  id           INTEGER PRIMARY KEY,
  scope        INTEGER NOT NULL,
  name         TEXT NOT NULL,
  title        TEXT NOT NULL DEFAULT '',
  metadata     TEXT,
  head         INTEGER,                   -- seq of the last message on the current path
  created      INTEGER, created_zone INTEGER,
  updated      INTEGER, updated_zone INTEGER,
  UNIQUE (scope, name)
);

-- id, digest and chain are blobs where they are hexadecimal, else text.
CREATE TABLE message (
  key          INTEGER PRIMARY KEY,
  session      INTEGER,                   -- NULL for statements
  active       INTEGER NOT NULL,
  position     INTEGER NOT NULL,
  parent       INTEGER,                   -- seq
  flags        INTEGER NOT NULL,          -- role, kind, pinned, incomplete, content is JSON: see rows.py
  id           BLOB NOT NULL,
  content      TEXT,
  digest       BLOB NOT NULL,
  chain        BLOB NOT NULL,
  created      INTEGER, created_zone INTEGER,
  recorded     INTEGER, recorded_zone INTEGER,
  category     TEXT,
  importance   REAL,
  extra        TEXT                       -- name, tool calls, tool call id, metadata
);
CREATE UNIQUE INDEX message_id ON message (id, key >> 32);
CREATE INDEX message_left ON message (key) WHERE active = 0;
CREATE INDEX message_path ON message (session, active, position) WHERE session IS NOT NULL;

CREATE TABLE record (
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
  UNIQUE (scope, name)
);
CREATE INDEX record_order ON record (scope, kind, recorded, name);

CREATE TABLE source (
  record       INTEGER NOT NULL,
  place        INTEGER NOT NULL,
  message      INTEGER NOT NULL,          -- key
  start        INTEGER,
  stop         INTEGER,
  quote        TEXT,
  PRIMARY KEY (record, place)
) WITHOUT ROWID;
CREATE INDEX source_message ON source (message);

-- Derivation: one row a step, one cursor a scope and step.  ``due`` is when the work may be taken next: NULL when there
-- is none, the end of the lease while somebody has it.
CREATE TABLE step (
  id           INTEGER PRIMARY KEY,
  name         TEXT NOT NULL UNIQUE,
  version      TEXT NOT NULL
);
CREATE TABLE cursor (
  scope        INTEGER NOT NULL,
  step         INTEGER NOT NULL,
  after        INTEGER NOT NULL DEFAULT 0,
  due          INTEGER,
  token        INTEGER NOT NULL DEFAULT 0,
  attempts     INTEGER NOT NULL DEFAULT 0,
  error        TEXT,
  PRIMARY KEY (scope, step)
) WITHOUT ROWID;
CREATE INDEX cursor_due ON cursor (step, due) WHERE due IS NOT NULL;

-- Full text: see postings.py.  The document number is the message's seq; terms carry the scope, so numbers may repeat.
CREATE VIRTUAL TABLE postings USING fts5(
  terms, content='', columnsize=0, detail=full,
  tokenize="ascii tokenchars '!#$%&()*+,-./:;<=>?@[\]^_`{|}~''""'"
);
CREATE VIRTUAL TABLE posting USING fts5vocab(postings, instance);
CREATE VIRTUAL TABLE term USING fts5vocab(postings, row);
CREATE TABLE indexed (
  key          INTEGER PRIMARY KEY,
  length       INTEGER NOT NULL,
  terms        BLOB NOT NULL              -- what must be said again to delete them
);

-- Vectors: see segments.py.
CREATE TABLE space (
  id           INTEGER PRIMARY KEY AUTOINCREMENT,
  scope        INTEGER NOT NULL,
  model        TEXT NOT NULL,
  size         INTEGER NOT NULL,          -- dimensions
  vectors      INTEGER NOT NULL DEFAULT 0,
  loose        INTEGER NOT NULL DEFAULT 0, -- vectors in segments that are not full
  newest       INTEGER NOT NULL DEFAULT 0, -- highest seq embedded
  last         INTEGER NOT NULL DEFAULT 0, -- highest row of ``low``
  generation   INTEGER NOT NULL DEFAULT 0, -- grows when vectors go away
  UNIQUE (scope, model)
);
CREATE TABLE segment (
  id           INTEGER PRIMARY KEY,
  space        INTEGER NOT NULL,
  last         INTEGER NOT NULL,          -- highest row of ``low`` in it
  count        INTEGER NOT NULL,
  entries      BLOB NOT NULL,             -- rows, seqs, scales
  high         BLOB NOT NULL              -- count x size bytes
);
CREATE INDEX segment_order ON segment (space, last);
CREATE TABLE low (
  row          INTEGER PRIMARY KEY AUTOINCREMENT,
  data         BLOB NOT NULL
);
