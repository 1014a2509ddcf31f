-- Ordinary names. A no-op is a call that would change nothing: it is counted, not stored.
ALTER TABLE already_so RENAME TO no_op;
UPDATE import_batch
SET counts = replace(replace(counts, '"newPeople"', '"newSubscribers"'), '"people"', '"subscribers"');
