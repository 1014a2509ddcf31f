/** The first start: creates an account, a key and a list, so that the service can be called at once. */
import { curlCommand } from "#asmx/samples.ts";
import { createSignInLink } from "#auth/users/sign-in-links.ts";
import { contract } from "#contract/operations.ts";
import { isShort, newKey, storedForm } from "#domain/access/key.ts";
import type { Store } from "#domain/ports/store.ts";
import { consoleLink } from "./console-link.ts";

/** What was created. */
export interface FirstStart {
  /** Shown only now and stored nowhere; null where the operator configured it. */
  readonly key: string | null;
  readonly isShortKey: boolean;
  readonly list: number;
  readonly listName: string;
  /** A curl command that makes a call with them. */
  readonly curl: string;
  /** Creates the first administrator of the console; works once, and not for long. */
  readonly consoleLink: string;
}

export interface FirstStartOptions {
  /** The configured key; null: a new one is generated. */
  readonly apiKey: string | null;
  /** The shell variable that the printed command takes the key from, where the key itself is not printed. */
  readonly keyVariable: string;
  /** The base URL of the service. */
  readonly base: string;
  readonly at: number;
}

/** null where an account exists already. */
export async function makeFirstAccount(
  store: Store,
  { apiKey, keyVariable, base, at }: FirstStartOptions,
): Promise<FirstStart | null> {
  // Read before writing, so that the service also starts while another process holds the write lock.
  if ((await store.accounts.all.page({}, { after: null, limit: 1 })).rows.length > 0) return null;
  const key = apiKey ?? newKey();
  const stored = storedForm(key);
  const listName = "Newsletter";
  const made = await store.accounts.firstStart({
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
    consoleLink: consoleLink(base, (await createSignInLink(store, null, at)).secret),
    curl: curlCommand(contract, base, "Subscriber.Add", values, variables),
  };
}
