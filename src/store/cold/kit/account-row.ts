/** The columns of an account. */
import { integer, nullable, text } from "./statement.ts";

export const account = {
  id: integer,
  name: text,
  country: nullable(text),
  limitSubscribers: nullable(integer),
  limitFields: nullable(integer),
  activeSubscribers: integer,
  createdAt: integer,
};
export const ACCOUNT = `
  id, name, country, limit_subscribers AS "limitSubscribers", limit_fields AS "limitFields",
  active_subscribers AS "activeSubscribers", created_at AS "createdAt"`;
