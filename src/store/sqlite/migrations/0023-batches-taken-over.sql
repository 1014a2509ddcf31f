-- How many results the campaign had when the batch was taken over from a process that died; NULL: it was not, or has
-- had a result since. If the next process dies with the same batch and the same number, the campaign is held.
ALTER TABLE delivery_batch ADD COLUMN results_before INTEGER;
