-- Schema 6: names by which records are found, for example those of an entity.  The record keeps them in order, as JSON;
-- the table finds it by one of them.
ALTER TABLE record ADD COLUMN links TEXT;
CREATE TABLE link (
  scope        INTEGER NOT NULL,
  name         TEXT NOT NULL,
  record       INTEGER NOT NULL,
  PRIMARY KEY (scope, name, record)
) WITHOUT ROWID;
CREATE INDEX link_record ON link (record);
