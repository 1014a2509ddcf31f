/** The columns of a custom field. */
import { dataTypes } from "#domain/field/field.ts";
import { bigint, boolean, integer, oneOf, text } from "./statement.ts";

export const field = {
  id: bigint,
  name: text,
  type: oneOf(dataTypes),
  isPrivate: boolean,
  createdAt: integer,
};
export const FIELD = `id, name, data_type AS type, is_private AS "isPrivate", created_at AS "createdAt"`;
