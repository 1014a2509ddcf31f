-- The version of the service that wrote to this database last, and since when it does with this schema: one row.
CREATE TABLE program (
  name TEXT PRIMARY KEY,
  version TEXT NOT NULL,
  schema_version INTEGER NOT NULL,
  since INTEGER NOT NULL
) STRICT;
