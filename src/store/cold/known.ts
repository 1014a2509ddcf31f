/** The columns `KNOWN`: what decisions need of a subscriber. */
import { integer, nullable } from "./statement.ts";

export const known = {
  since: integer,
  unsubscribed: nullable(integer),
  bounced: nullable(integer),
  complained: nullable(integer),
  blocked: nullable(integer),
};
