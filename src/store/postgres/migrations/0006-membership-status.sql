-- 0: active. 1: pending, until the person confirms: not counted and not mailed. The default is a constant, so
-- that PostgreSQL stores it once and rewrites no row.
ALTER TABLE membership ADD COLUMN status bigint NOT NULL DEFAULT 0;
