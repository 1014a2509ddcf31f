-- The version of the service that wrote to this database last, and since when it does with this schema: one row.
CREATE TABLE program (
  name text COLLATE "C" PRIMARY KEY,
  version text NOT NULL,
  schema_version bigint NOT NULL,
  since bigint NOT NULL
);
