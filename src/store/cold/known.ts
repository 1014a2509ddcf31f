/** The columns `KNOWN`: what decisions need of a subscriber. */
import { bySuppression } from "../../domain/subscriber.ts";
import { integer, nullable } from "./statement.ts";

export const known = { since: integer, ...bySuppression(() => nullable(integer)) };
