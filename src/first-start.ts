/** The very first start: makes an account, a key and a list, so that the service can be called at once. */
import { curlCommand } from "./asmx/samples.ts";
import { contract } from "./contract/operations.ts";
import { hashKey, hintOf, newKey } from "./domain/key.ts";
import type { Store } from "./domain/ports.ts";

/** What it made; the key is shown this once and kept nowhere. */
export interface FirstStart {
  readonly key: string;
  readonly list: number;
  readonly listName: string;
  /** A call that can be made with them. */
  readonly curl: string;
}

export interface FirstStartOptions {
  /** The key to be taken; null: a new one is made. */
  readonly apiKey: string | null;
  /** Where the service is called. */
  readonly base: string;
  readonly at: number;
}

/** null where there is an account already. */
export async function makeFirstAccount(
  store: Store,
  { apiKey, base, at }: FirstStartOptions,
): Promise<FirstStart | null> {
  const key = apiKey ?? newKey();
  const listName = "Newsletter";
  const made = await store.write("firstStart", {
    account: "Default",
    list: listName,
    key: {
      hash: hashKey(key),
      hint: hintOf(key),
      label: "first",
      scope: "full",
      expiresAt: null,
      at,
    },
  });
  if (made === null) return null;
  const values = { APIKey: key, SubscribersListID: String(made.list), EMail: "ada@example.org" };
  return { key, list: made.list, listName, curl: curlCommand(contract, base, "Subscriber.Add", values) };
}
