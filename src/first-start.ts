/** The very first start: makes an account, a key and a list, so that the service can be called at once. */
import { curlCommand } from "./asmx/samples.ts";
import { contract } from "./contract/operations.ts";
import { isShort, newKey, storedForm } from "./domain/key.ts";
import type { Store } from "./domain/ports.ts";

/** What it made. */
export interface FirstStart {
  /** Shown this once and kept nowhere; null where the operator chose it, and so has it already. */
  readonly key: string | null;
  readonly isShortKey: boolean;
  readonly list: number;
  readonly listName: string;
  /** A call that can be made with them. */
  readonly curl: string;
}

export interface FirstStartOptions {
  /** The key to be taken; null: a new one is made. */
  readonly apiKey: string | null;
  /** The shell variable from which the printed call takes a key that is not printed. */
  readonly keyVariable: string;
  /** Where the service is called. */
  readonly base: string;
  readonly at: number;
}

/** null where there is an account already. */
export async function makeFirstAccount(
  store: Store,
  { apiKey, keyVariable, base, at }: FirstStartOptions,
): Promise<FirstStart | null> {
  // Read before writing: the service also starts while another process holds the write lock.
  if ((await store.read("accounts", {})).length > 0) return null;
  const key = apiKey ?? newKey();
  const stored = storedForm(key);
  const listName = "Newsletter";
  const made = await store.write("firstStart", {
    account: "Default",
    list: listName,
    key: {
      ...stored,
      label: "first",
      scope: "full",
      expiresAt: null,
      at,
    },
  });
  if (made === null) return null;
  const values = { APIKey: key, SubscribersListID: String(made.list), EMail: "ada@example.org" };
  const variables: Readonly<Record<string, string>> = apiKey === null ? {} : { APIKey: keyVariable };
  return {
    key: apiKey === null ? key : null,
    isShortKey: isShort(stored),
    list: made.list,
    listName,
    curl: curlCommand(contract, base, "Subscriber.Add", values, variables),
  };
}
