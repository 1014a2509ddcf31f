/** Senders over the API. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { hostileText } from "../../fuzz/hostile-text.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { problemOf } from "./problem-of.ts";

let api: ApiServer;
before(async () => {
  api = await startApi();
  for (const name of ["Acme", "Other"]) await api.store.accounts.create({ name, at: 1 });
});
after(async () => {
  assert.deepEqual(api.defects, []);
  await api.close();
});

const SENDERS = "/accounts/1/senders";
interface Sent {
  readonly id: string;
  readonly fromName: string | null;
  readonly relays: readonly { readonly url: string; readonly weight: number }[];
  readonly perDay: number | null;
  readonly dkimSelector: string | null;
  readonly dnsRecords: readonly { readonly type: string; readonly name: string; readonly value: string }[];
}
const values = { fromAddress: "news@example.org", postalAddress: "1 Main Street", signing: "relay" };
async function create(body: object = {}): Promise<Sent> {
  const response = await api.send("POST", SENDERS, { body: { ...values, ...body } });
  assert.equal(response.status, 201);
  return (await response.json()) as Sent;
}

test("a sender is created with the DNS records to add, shown, listed and deleted", async () => {
  const made = await create({ signing: "mailroll", fromName: "Shop", perDay: 500 });
  assert.deepEqual(
    made.dnsRecords.map(({ type, name }) => `${type} ${name}`),
    ["TXT example.org", "TXT mailroll._domainkey.example.org", "TXT _dmarc.example.org"],
  );
  assert.match(made.dnsRecords[1]?.value ?? "", /^v=DKIM1; k=rsa; p=[\w+/=]{392}$/);
  const one = `${SENDERS}/${made.id}`;
  assert.deepEqual(await (await api.send("GET", one, { token: "viewer" })).json(), made);
  const { items } = (await (await api.send("GET", SENDERS)).json()) as { readonly items: readonly Sent[] };
  const { dnsRecords: _, ...listed } = made;
  assert.deepEqual(items, [listed]);
  assert.equal((await api.send("GET", `/accounts/2/senders/${made.id}`)).status, 404);
  assert.equal((await api.send("DELETE", one, { token: "editor" })).status, 403);
  const deleted = await api.send("DELETE", one);
  assert.deepEqual([deleted.status, await deleted.json()], [200, listed]);
  assert.equal((await api.send("GET", one)).status, 404);
});

test("a password is stored, never returned, and kept by other changes", async () => {
  const url = "smtp://shop:p4ssword@mail.example.org:587";
  const made = await create({ relays: [{ url }] });
  assert.deepEqual(made.relays, [{ url: "smtp://shop@mail.example.org:587", weight: 1 }]);
  const one = `${SENDERS}/${made.id}`;
  const patched = await api.send("PATCH", one, { body: { relays: made.relays, fromName: "B" } });
  const text = await patched.text();
  assert.equal(patched.status, 200, text);
  assert.doesNotMatch(text, /p4ss/);
  const stored = await api.store.senders.toSendWith({ account: 1, id: Number(made.id) });
  assert.deepEqual([stored?.fromName, stored?.relays], ["B", [{ url, weight: 1 }]]);
  const other = await api.send("PATCH", one, { body: { relays: [{ url: "smtp://eve@mail.example.org" }] } });
  const problem = await problemOf(other);
  assert.equal(other.status, 400);
  assert.match(JSON.stringify(problem), /no password is given or stored/);
});

test("a sender takes an idempotency key, unless its relays contain a password", async () => {
  const urls = ["smtp://mail.example.org", "smtp://a:b@mail.example.org", "no address: a:b@"];
  const statuses = await Promise.all(
    urls.map(async (url, n) => {
      const body = { ...values, relays: [{ url }] };
      return (await api.send("POST", SENDERS, { body, headers: { "Idempotency-Key": `relay ${n}` } })).status;
    }),
  );
  assert.deepEqual(statuses, [201, 400, 400]);
});

test("two users who change a sender do not overwrite each other", async () => {
  const { id } = await create();
  const one = `${SENDERS}/${id}`;
  const etag = (await api.send("GET", one)).headers.get("etag") ?? "";
  const change = (perDay: number | null) =>
    api.send("PATCH", one, { body: { perDay }, headers: { "If-Match": etag } });
  assert.equal((await change(5)).status, 200);
  assert.equal((await change(6)).status, 412);
  assert.equal(((await (await api.send("GET", one)).json()) as Sent).perDay, 5);
});

test("a check is asked for by POST, and says that the DNS did not answer", async () => {
  const { id } = await create({ signing: "mailroll" });
  const path = `${SENDERS}/${id}/check`;
  assert.equal((await api.send("GET", path)).status, 405);
  assert.equal((await api.send("POST", path, { token: "viewer" })).status, 403);
  const response = await api.send("POST", path, { token: "editor" });
  const { isOk, findings } = (await response.json()) as {
    readonly isOk: boolean;
    readonly findings: readonly { readonly subject: string; readonly state: string }[];
  };
  assert.deepEqual([response.status, isOk], [200, false]);
  assert.deepEqual(
    findings.map(({ subject, state }) => `${subject} ${state}`),
    ["spf unknown", "dkim unknown", "dmarc unknown", "relay note"],
  );
});

test("a key is replaced under another selector", async () => {
  const { id, dnsRecords } = await create({ signing: "mailroll" });
  const response = await api.send("POST", `${SENDERS}/${id}/new-key`, { body: {} });
  const replaced = (await response.json()) as Sent;
  assert.deepEqual([response.status, replaced.dkimSelector], [200, "mailroll2"]);
  assert.notEqual(replaced.dnsRecords[1]?.value, dnsRecords[1]?.value);
});

test("hostile values are refused beside their names, or stored as they are", async () => {
  for (const text of hostileText)
    for (const member of ["fromName", "postalAddress", "replyTo", "bounceDomain", "fromAddress"]) {
      const response = await api.send("POST", SENDERS, { body: { ...values, [member]: text } });
      assert.ok(
        [201, 422, 400].includes(response.status),
        `${member} ${JSON.stringify(text)}: ${response.status}`,
      );
    }
});

test("a sender is created with a provider, which signs, and its password is never returned", async () => {
  const provider = { name: "postmark", userName: "PM-T-a", password: "s3cret", stream: "news" };
  const body = { fromAddress: "news@example.org", postalAddress: "1 Main Street", provider };
  const response = await api.send("POST", SENDERS, { body });
  const text = await response.text();
  assert.equal(response.status, 201, text);
  assert.doesNotMatch(text, /s3cret/);
  const made = JSON.parse(text) as Sent & { readonly signing: string };
  const url = "smtp://PM-T-a@smtp-broadcasts.postmarkapp.com:587/?stream=news";
  assert.deepEqual([made.signing, made.relays], ["relay", [{ url, weight: 1 }]]);
  const stored = await api.store.senders.toSendWith({ account: 1, id: Number(made.id) });
  assert.equal(stored?.relays[0]?.url, url.replace("@", ":s3cret@"));
  for (const [wrong, words] of [
    [{ name: "ses", userName: "a" }, /region must be the name of a region/],
    [{ name: "pigeon" }, /provider/],
  ] as const) {
    const refused = await api.send("POST", SENDERS, { body: { ...body, provider: wrong } });
    assert.equal(refused.status, 400);
    assert.match(JSON.stringify(await problemOf(refused)), words);
  }
  const both = await api.send("POST", SENDERS, { body: { ...body, relays: [{ url: "smtp://a.example" }] } });
  assert.match(JSON.stringify(await problemOf(both)), /must not be given with relays/);
  const keyed = await api.send("POST", SENDERS, { body, headers: { "Idempotency-Key": "provider" } });
  assert.equal(keyed.status, 400, "a password would be kept with the request");
});
