/** When each of several keys, tokens or sessions was last used, written in one statement. */
import { effect, type Operation } from "./feature.ts";
import { change } from "./statement.ts";

/**
 * The rows may belong to several accounts. They are locked in order of id, like accounts elsewhere.
 * `network`: the column for the network of the last use; null: none.
 */
export function touchLastUsed(
  name: "api_key" | "user_token" | "user_session",
  network: string | null = null,
): Operation<{ readonly uses: readonly object[] }, null> {
  const touch = change(
    ({ table, lockRows }) => `
     WITH used AS (
       SELECT k.id, u.at, u.network
       FROM ${table("$1", { id: "integer", at: "integer", network: "text" })} AS u
       JOIN ${name} AS k ON k.id = u.id
       ORDER BY k.id
       ${lockRows("k")}
     )
     UPDATE ${name} SET ${network === null ? "" : `${network} = used.network, `}last_used_at = used.at
     FROM used
     WHERE ${name}.id = used.id AND (last_used_at IS NULL OR last_used_at < used.at)`,
  );
  return effect((db, { uses }) => db.run(touch, JSON.stringify(uses)));
}
