-- The import whose rejected rows an upload contains; NULL: a client has sent the upload.
ALTER TABLE upload ADD COLUMN import_id INTEGER;

-- What kind of actor started_by names. Before, only the command line recorded imports here, or it is not known.
ALTER TABLE import_batch ADD COLUMN started_kind TEXT NOT NULL DEFAULT 'operator';
