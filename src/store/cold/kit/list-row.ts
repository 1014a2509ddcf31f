/** The columns of a list. */
import { integer, text } from "./statement.ts";

export const list = { id: integer, name: text, createdAt: integer, members: integer };
export const LIST = `id, name, created_at AS "createdAt", member_count AS members`;
