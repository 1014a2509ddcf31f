-- What the undoing of an import needs beside the history: the import that created a subscriber, and the one that started
-- a membership, until a call or an operator asks for it, too. confirmed_by is the first later import that has the
-- member. All of it is unknown of earlier imports, which therefore cannot be undone.
ALTER TABLE subscriber ADD COLUMN import_id bigint;
ALTER TABLE membership ADD COLUMN import_id bigint;
ALTER TABLE membership ADD COLUMN confirmed_by bigint;

-- From undo_started_at on, the import adds no more rows.
ALTER TABLE import_batch ADD COLUMN is_undoable boolean NOT NULL DEFAULT false;
ALTER TABLE import_batch ADD COLUMN undo_started_at bigint;
ALTER TABLE import_batch ADD COLUMN undone_at bigint;
