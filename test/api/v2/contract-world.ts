/** What the routes are called with: an account with one of everything, and requests that need its ids. */
import assert from "node:assert/strict";
import { Secret, TOTP } from "otpauth";
import type { Route } from "../../../src/api/v2/kit/route.ts";
import { exampleOf, type JsonSchema } from "../../../src/api/v2/reference/example.ts";
import type { Store } from "../../../src/domain/ports/store.ts";
import { hashToken, newToken } from "../../../src/domain/user-token.ts";
import { actor, addressOf, newAccount, newImport } from "../../store/actor.ts";
import type { ApiServer } from "./api-server.ts";

const UNKNOWN_LIST = { operation: "Subscriber.Add", outcome: "UnknownList" };

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

/** Names and addresses begin with `mark`. */
export async function newWorld(store: Store, mark = ""): Promise<World> {
  const account = await newAccount(store);
  const of = actor(store, account, (email) => ({
    operation: "Subscriber.Add",
    args: JSON.stringify({ EMail: email, SubscribersListID: 1 }),
    isCut: false,
    key: null,
  }));
  const list = await of.list(`${mark}News`);
  await of.add(list, `${mark}ada@example.org`);
  await of.add(999_999_999, `${mark}grace@example.org`);
  const field = await of.createField(`${mark}Size`);
  assert.ok(typeof field === "object");
  await of.block(`@${mark}example.com`);
  const key = await store.keys.create({
    account,
    label: `${mark}Shop`,
    scope: "full",
    expiresAt: null,
    hash: Buffer.from(`${account}`.padStart(32, "0")),
    hint: "0123",
    length: 32,
    at: 1,
  });
  assert.ok(key);
  const search = { account, address: { is: `${mark}ada@example.org` }, name: null, state: null, list: null };
  const [subscriber] = (await store.subscribers.search.page(search, { after: null, limit: 1 })).rows;
  assert.ok(subscriber);
  const user = await store.users.create({
    address: addressOf(emailOf(account)),
    name: `${mark}User`,
    isAdministrator: false,
    role: { account, role: "viewer" },
    at: 1,
  });
  assert.ok(typeof user === "object");
  const token = await store.users.createToken({
    ...{ user: user.id, name: `${mark}App`, role: "viewer", isLogIn: false, expiresAt: null, at: 1 },
    hash: hashToken(newToken()),
  });
  assert.ok(token);
  const campaign = await of.campaign([list]);
  await of.event(campaign, "complaint", `${mark}linus@example.org`);
  const [refusedCall] = (await store.refusals.all.page({ account }, { after: null, limit: 1 })).rows;
  assert.ok(refusedCall);
  const { batch } = await newImport(store, account, null);
  const job = await store.jobs.start({
    account,
    kind: "dismiss-refusals",
    name: `dismiss-refusals ${mark}${account}`,
    args: { ...UNKNOWN_LIST, key: null, upTo: refusedCall.id },
    total: 1,
    at: 1,
    lease: { owner: "nobody", until: 1 },
    audited: {},
  });
  assert.ok(job);
  const upload = await store.uploads.create({ account, name: `${mark}table.csv`, expectedSize: null, at: 1 });
  assert.ok(typeof upload === "object");
  const bytes = Buffer.from(`email\n${mark}new@example.org\n`);
  await store.uploads.append({ account, id: upload.id, offset: 0, bytes, at: 1 });
  return {
    account,
    ids: {
      account,
      user: user.id,
      token: token.id,
      list,
      field: field.id,
      key: key.id,
      campaign,
      subscriber: subscriber.id,
      refusedCall: refusedCall.id,
      import: batch,
      job: job.id,
      upload: upload.id,
    },
  };
}

interface Given {
  readonly query?: string;
  readonly body?: unknown;
  readonly path?: string;
}
type Request = ((world: World, api: ApiServer) => Promise<Given>) & { readonly isBytes?: boolean };

/** What an import of it is asked with. */
async function finishedUpload({ account, ids }: World, { store }: ApiServer) {
  const id = Number(ids.upload);
  await store.uploads.finish({ account, id, at: 1 });
  return { upload: String(id), contents: { kind: "subscribers", list: String(ids.list) } };
}

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
  "campaign.record": async ({ ids }) => ({ body: { name: "Spring", lists: [String(ids.list)] } }),
  "campaign.results": async () => ({ query: "?event=complaint" }),
  "upload.append": Object.assign(async () => ({ query: "?offset=22", body: "x" }), { isBytes: true }),
  "import.preview": async (world, api) => ({ body: await finishedUpload(world, api) }),
  "import.start": async (world, api) => ({ body: await finishedUpload(world, api) }),
  "subscriber.bulk-preview": async ({ ids }) => ({ body: { filter: { list: String(ids.list) } } }),
  "subscriber.bulk": async ({ ids }) => ({
    body: { filter: { list: String(ids.list) }, change: { kind: "unsubscribe" } },
  }),
  "subscriber.set": async () => ({ body: { firstName: "Ada" } }),
  "refused.group": async () => ({ query: `?${new URLSearchParams(UNKNOWN_LIST).toString()}` }),
  "refused.replay-group": async () => ({ body: UNKNOWN_LIST }),
  "refused.dismiss-group": async () => ({ body: UNKNOWN_LIST }),
  "subscriber.search": async ({ ids }) => ({ body: { search: "@example.org", list: String(ids.list) } }),
  "subscriber.add": async ({ ids }) => ({
    body: {
      list: String(ids.list),
      email: "new@example.org",
      firstName: "New",
      country: "GB",
      values: [{ field: "Size", value: "9" }],
    },
  }),
  "subscriber.reactivate": async ({ account }, { store }) => {
    await actor(store, account).unsubscribe("ada@example.org");
    return { body: { suppression: "unsubscribed", reason: "asked" } };
  },
  "subscriber.reactivateAddress": async ({ account }, { store }) => {
    await actor(store, account).unsubscribe("ada@example.org");
    return { body: { email: "ada@example.org", suppression: "unsubscribed", reason: "asked" } };
  },
};

export const idOf = (route: Route): string => route.id ?? route.action.name;

export const pathIn = (world: World, route: Route): string =>
  route.path.replaceAll(/\{(\w+)\}/g, (_, param: string) => {
    const id = world.ids[param];
    assert.ok(id !== undefined, `there is no ${param} in the world of these tests: add one`);
    return String(id);
  });

/** A request that succeeds. */
export async function exampleFor(world: World, route: Route, api: ApiServer) {
  const given = (await requests[idOf(route)]?.(world, api)) ?? {};
  const body = given.body ?? (route.body === undefined ? undefined : exampleOf(route.body as JsonSchema));
  return { query: given.query ?? "", body, path: given.path ?? pathIn(world, route) };
}
