/** A pull from an old service with the thirteen operations; here, that is Mailroll itself. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { Installation } from "../cli/program.ts";
import { sendRequest } from "../send-request.ts";
import { call, KEY, type Service, startService, withKey } from "../service.ts";

const old = new Installation();
const home = new Installation();
let service: Service;
let moved: Service | null = null;
let keyFile = "";
const url = () => `${service.origin}/default.asmx`;
const words = (...more: readonly string[]) => ["pull", "soap", url(), "--key", keyFile, ...more];

before(async () => {
  keyFile = join(home.folder, "key.txt");
  writeFileSync(keyFile, `${KEY}\n`);
  const run = (...given: readonly string[]) => old.output(...given);
  await run("account", "create", "Old");
  await run("key", "create", "--label", "Shop", "--key", KEY);
  await run("list", "create", "Customers & friends", "--id", "543181");
  await run("list", "create", "News", "--id", "77");
  await run("field", "create", "Town", "--type", "STRING", "--id", "37328");
  await run("field", "create", "Newsletter", "--type", "CONSENT", "--id", "9007199254740993");
  for (const name of ["ada", "bob", "cyd"])
    await run("subscriber", "add", "543181", `${name}@example.org`, "--first", name.toUpperCase());
  for (let number = 0; number < 3; number += 1) await run("campaign", "record", "Draft", "--list", "77");
  for (const id of [1, 2]) await run("campaign", "delete", String(id), "--yes");
  const sent = ["--sent", "2026-03-03T07:15:00Z", "--created", "2026-03-02T08:00:00Z"];
  await run("campaign", "record", "Spring <offers>", "--list", "543181", "--list", "77", ...sent);
  const event = (kind: string, name: string) =>
    run("campaign", "event", "4", kind, `${name}@example.org`, "--at", "2026-03-04T10:00:00Z");
  await event("unsubscribed", "ada");
  await event("bounced", "bob");
  service = await startService({ database: `sqlite:${old.database}` });
  await home.output("account", "create", "New");
  await home.output("key", "create", "--label", "Shop", "--key", KEY);
});
after(async () => {
  await service.close();
  await moved?.close();
  await old.remove();
  await home.remove();
});

interface Pulled {
  readonly lists: readonly { readonly id: number; readonly isNew: boolean }[];
  readonly fields: readonly { readonly id: string; readonly type: string; readonly isNew: boolean }[];
  readonly campaigns: readonly { readonly id: number; readonly isNew: boolean }[];
  readonly unsubscribed: number;
  readonly bounced: number;
  readonly notes: readonly string[];
}
const pull = async (...more: readonly string[]) =>
  JSON.parse(await home.output(...words(...more, "--json"))) as Pulled;
const json = async (...given: readonly string[]) =>
  JSON.parse(await home.output(...given, "--json")) as unknown;

test("a dry run says what would be taken, and what no operation tells, and takes nothing", async () => {
  const found = await pull("--dry-run");
  assert.deepEqual(
    found.lists.map(({ id, isNew }) => [id, isNew]),
    [
      [77, true],
      [543181, true],
    ],
  );
  assert.deepEqual(
    found.fields.map(({ id, type }) => [id, type]),
    [
      ["37328", "STRING"],
      ["9007199254740993", "CONSENT"],
    ],
  );
  assert.deepEqual([found.campaigns.map(({ id }) => id), found.unsubscribed, found.bounced], [[3, 4], 1, 1]);
  assert.match(found.notes.join(), /No operation says who is on a list/);
  assert.deepEqual(
    [await json("list", "list"), await json("campaign", "list"), await json("import", "list")],
    [[], [], []],
  );
});

test("programs get the same answers about fields, campaigns and their results as before", async () => {
  await pull();
  const now = await startService({ database: `sqlite:${home.database}` });
  const questions: readonly (readonly [operation: string, params: string])[] = [
    ["Field.GetFields", ""],
    ["Client.GetCampaignsList", ""],
    ["Client.GetLastSentCampaign", ""],
    ["Campaign.GetUnsubscribesList", "<CampaignID>4</CampaignID>"],
    ["Campaign.GetHardBouncesList", "<CampaignID>4</CampaignID>"],
  ];
  moved = now;
  for (const [operation, params] of questions) {
    const [there, here] = [
      await call(service, operation, withKey(params)),
      await call(now, operation, withKey(params)),
    ];
    assert.equal(there.status, 200, there.body);
    assert.ok((there.result ?? "").length > 50, operation);
    assert.equal(here.result, there.result, operation);
  }
  const lists = async (of: Service) =>
    [
      ...(
        (await call(of, "Campaign.GetSubscribersLists", withKey("<CampaignID>4</CampaignID>"))).result ?? ""
      ).matchAll(/ID>(\d+)<.*?Name>(.*?)</gs),
    ].map(([, id, name]) => [id, name]);
  assert.deepEqual(await lists(now), [
    ["77", "News"],
    ["543181", "Customers &amp; friends"],
  ]);
  assert.deepEqual(await lists(now), await lists(service));
  await now.stop();
});

test("a second pull changes nothing, and later campaigns get ids above those that were taken", async () => {
  const everything = async () => [
    await json("subscriber", "show", "ada@example.org"),
    await json("subscriber", "show", "bob@example.org"),
    await json("campaign", "list"),
    await json("list", "list"),
    await json("field", "list"),
  ];
  const now = await everything();
  const again = await pull();
  assert.deepEqual(
    [...again.lists, ...again.fields, ...again.campaigns].filter(({ isNew }) => isNew),
    [],
  );
  assert.deepEqual(await everything(), now);
  await home.output("campaign", "record", "Next", "--list", "77");
  assert.match(JSON.stringify(await json("campaign", "show", "5")), /Next/);
});

test("a pull that was interrupted continues behind the campaigns that it has read", async () => {
  const asked: string[] = [];
  let fails = true;
  const between = createServer((request, response) => {
    const action = String(request.headers.soapaction ?? "");
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const body = Buffer.concat(parts).toString();
      const campaign = /<CampaignID>(\d+)/.exec(body)?.[1];
      if (campaign !== undefined) asked.push(`${/[A-Za-z]+"$/.exec(action)?.[0].slice(0, -1)} ${campaign}`);
      if (fails && action.includes("GetHardBouncesList") && campaign === "4") {
        response.writeHead(404).end();
        return;
      }
      const query = request.url?.endsWith("?wsdl") === true ? "?wsdl" : "";
      void sendRequest(`${url()}${query}`, {
        method: request.method ?? "GET",
        headers: { "Content-Type": "text/xml; charset=utf-8", SOAPAction: action },
        ...(request.method === "POST" ? { body } : {}),
      }).then((answer) => response.writeHead(answer.status).end(answer.body));
    });
  });
  await new Promise<void>((resolve) => {
    between.listen(0, "127.0.0.1", resolve);
  });
  const other = new Installation({ keepsOpen: true });
  await other.output("account", "create", "Other");
  const { port } = between.address() as AddressInfo;
  const command = ["pull", "soap", `http://127.0.0.1:${port}/default.asmx`, "--key", keyFile];
  assert.match((await other.runHere(command)).err, /status 404/);
  assert.ok(asked.includes("GetUnsubscribesList 3"));
  asked.length = 0;
  fails = false;
  const { code, err } = await other.runHere(command);
  assert.deepEqual([code, /this continues the pull that began/.test(err)], [0, true]);
  assert.deepEqual(asked, ["GetUnsubscribesList 4", "GetHardBouncesList 4"]);
  const imports = JSON.parse(await other.output("import", "list", "--json")) as { endedAt: string | null }[];
  assert.deepEqual([imports.length, imports[0]?.endedAt === null], [1, false]);
  const bob = JSON.parse(await other.output("subscriber", "show", "bob@example.org", "--json")) as {
    state: string;
  };
  assert.equal(bob.state, "bounced");
  between.close();
  await other.remove();
});

test("takes nothing if an id means something else here", async () => {
  const other = new Installation({ keepsOpen: true });
  await other.output("account", "create", "Other");
  await other.output("list", "create", "L");
  for (let number = 0; number < 4; number += 1)
    await other.output("campaign", "record", "Mine", "--list", "1");
  await other.output("field", "create", "town", "--type", "STRING");
  const { code, err } = await other.runHere(words());
  assert.notEqual(code, 0);
  assert.match(
    err,
    /nothing was taken: the field 'Town' has the id 37328 in the old service, and 1 here.*campaign 4 is 'Spring <offers>'/s,
  );
  assert.equal((JSON.parse(await other.output("list", "list", "--json")) as object[]).length, 1);
  await other.remove();
});

test("says what is wrong with a key, an address and an answer", async () => {
  const wrong = join(home.folder, "wrong.txt");
  writeFileSync(wrong, "WRONG-KEY-0123456789");
  const failure = async (...given: readonly string[]) => (await home.runHere(["pull", "soap", ...given])).err;
  assert.match(await failure(url(), "--key", wrong), /says that the key is not valid/);
  assert.match(await failure(`${service.origin}/healthz`, "--key", keyFile), /not SOAP|no WSDL|status/);
  const answers = createServer(({ method }, response) => {
    response.end(
      method === "GET"
        ? '<definitions targetNamespace="http://old.example.org/"/>'
        : '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><e:Fault><faultcode>x</faultcode><faultstring>on holiday</faultstring></e:Fault></e:Body></e:Envelope>',
    );
  });
  await new Promise<void>((resolve) => {
    answers.listen(0, "127.0.0.1", resolve);
  });
  const { port } = answers.address() as AddressInfo;
  assert.match(
    await failure(`http://127.0.0.1:${port}/x.asmx`, "--key", keyFile),
    /with an error: on holiday/,
  );
  answers.close();
});
