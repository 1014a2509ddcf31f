/** The columns of a campaign. */
import { integer, nullable, text } from "./statement.ts";

export const campaign = { id: integer, name: text, createdAt: integer, sentAt: nullable(integer) };
export const CAMPAIGN = `id, name, created_at AS "createdAt", sent_at AS "sentAt"`;
