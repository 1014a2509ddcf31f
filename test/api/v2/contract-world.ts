/** What the routes are called with: an account with one of everything, and requests that need its ids. */
import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import type { Store } from "../../../src/domain/ports/store.ts";
import { hashToken, newToken } from "../../../src/domain/user-token.ts";
import { actor, addressOf, newAccount } from "../../store/actor.ts";
import type { ApiServer } from "./api-server.ts";

export interface World {
  readonly account: number;
  /** By the names of path parameters. */
  readonly ids: Readonly<Record<string, number | bigint>>;
}

const emailOf = (account: number): string => `user${account}@example.org`;
const addressOfNew = async ({ account }: World) => ({
  body: { email: `new${account}@example.org`, role: "viewer" },
});
const emailOfUser = async ({ account }: World) => ({ body: { email: emailOf(account) } });

/** The code of a second factor that was just enrolled. */
async function codeAt(api: ApiServer, path: string, body?: object) {
  const enrolled = await api.send("POST", path, { token: "administrator", body });
  const { secret } = (await enrolled.json()) as { readonly secret: string };
  return { body: { code: new TOTP({ secret: Secret.fromBase32(secret) }).generate() } };
}

export async function newWorld(store: Store): Promise<World> {
  const account = await newAccount(store);
  const of = actor(store, account, (email) => ({
    operation: "Subscriber.Add",
    args: JSON.stringify({ EMail: email, SubscribersListID: 1 }),
    isCut: false,
    key: null,
  }));
  const list = await of.list("News");
  await of.add(list, "ada@example.org");
  await of.add(999_999_999, "grace@example.org");
  const field = await of.createField("Size");
  assert.ok(field !== null && typeof field === "object");
  await of.block("@example.com");
  const key = await store.keys.create({
    account,
    label: "Shop",
    scope: "full",
    expiresAt: null,
    hash: Buffer.from(`${account}`.padStart(32, "0")),
    hint: "0123",
    length: 32,
    at: 1,
  });
  assert.ok(key);
  const search = { account, address: { is: "ada@example.org" }, name: null, state: null, list: null };
  const [subscriber] = (await store.subscribers.search.page(search, { after: null, limit: 1 })).rows;
  assert.ok(subscriber);
  const user = await store.users.create({
    address: addressOf(emailOf(account)),
    name: "",
    isAdministrator: false,
    role: { account, role: "viewer" },
    at: 1,
  });
  assert.ok(typeof user === "object");
  const token = await store.users.createToken({
    ...{ user: user.id, name: "App", role: "viewer", isLogIn: false, expiresAt: null, at: 1 },
    hash: hashToken(newToken()),
  });
  assert.ok(token);
  return {
    account,
    ids: {
      account,
      user: user.id,
      token: token.id,
      list,
      field: field.id,
      key: key.id,
      campaign: await of.campaign([list]),
      subscriber: subscriber.id,
    },
  };
}

interface Given {
  readonly query?: string;
  readonly body?: unknown;
  readonly path?: string;
}
type Request = ((world: World, api: ApiServer) => Promise<Given>) & { readonly isBytes?: boolean };

/** Of the operations whose examples name things that do not exist here. */
export const requests: Readonly<Record<string, Request>> = {
  "user.create": addressOfNew,
  "user.create.installation": async (world) => ({ body: { email: (await addressOfNew(world)).body.email } }),
  "user.find": emailOfUser,
  "user.find.installation": emailOfUser,
  "user.totp.confirm": ({ account, ids }, api) =>
    codeAt(api, `/accounts/${account}/users/${String(ids.user)}/totp`),
  "user.totp.confirm.installation": ({ ids }, api) => codeAt(api, `/users/${String(ids.user)}/totp`),
  "me.totp.confirm": (_world, api) => codeAt(api, "/me/totp", { password: "x" }),
  "me.token.revoke": async (_world, api) => {
    const made = await api.send("POST", "/me/tokens", { token: "administrator", body: { name: "App" } });
    const { id } = (await made.json()) as { readonly id: string };
    return { path: `/me/tokens/${id}/revoke` };
  },
  "account.delete": async () => ({ body: { name: "Acme" } }),
};
