/** The columns of a refused call. */
import { boolean, integer, nullable, text } from "./statement.ts";

export const refusal = {
  id: integer,
  operation: text,
  args: text,
  isCut: boolean,
  outcome: text,
  key: nullable(integer),
  count: integer,
  firstAt: integer,
  lastAt: integer,
};
export const REFUSAL = `
  id, operation, args, is_cut AS "isCut", outcome, key_id AS key, count,
  first_at AS "firstAt", last_at AS "lastAt"`;
