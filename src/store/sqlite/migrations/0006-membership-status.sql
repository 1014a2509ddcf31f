-- 0: active. 1: pending, until the person confirms: not counted and not mailed. Rows that are there already stay
-- as they are.
ALTER TABLE membership ADD COLUMN status INTEGER NOT NULL DEFAULT 0;
-- A second definition of who counts. It was computed on each read, so no row changes.
ALTER TABLE subscriber DROP COLUMN active;
