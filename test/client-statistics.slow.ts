/** What the service counts of the programs that call it. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { after, test } from "node:test";
import { dayOf } from "#domain/calendar.ts";
import { collect } from "#domain/paging.ts";
import { SqliteStore } from "#store/sqlite/store.ts";
import { Installation } from "./cli/program.ts";
import { sendRequest } from "./send-request.ts";
import { call, KEY, type Service, startService, withKey } from "./service.ts";

const ACCOUNT = 1;
const LIST = "<SubscribersListID>1</SubscribersListID>";
const retention = { days: 90, rows: 100, bytes: 2 ** 28 };

/** What a service has written when it is stopped. */
async function stopped(service: Service, day: number) {
  await service.stop();
  const store = await SqliteStore.open(`${service.folder}/m.db`, retention);
  const of = { account: ACCOUNT, key: null };
  const calls = await collect(store.statistics.calls.pages({ ...of, from: day - 1, to: day + 1 }));
  const quirks = await store.statistics.quirks(of);
  await store.close();
  return {
    calls: calls.map(({ day: on, program, ...counts }) => [on - day, program, ...Object.values(counts)]),
    quirks: quirks.map(({ quirk, program, seenAt }) => [quirk, program, seenAt]),
  };
}
const add = (
  service: Service,
  email: string,
  userAgent: string,
  more: Readonly<Record<string, string>> = {},
) =>
  call(service, "Subscriber.Add", withKey(`${LIST}<EMail>${email}</EMail>`), {
    "User-Agent": userAgent,
    ...more,
  });

test("counts calls, refusals and faults of a key by program and day, and writes them when it stops", async (t) => {
  let now = Date.UTC(2026, 10, 14, 23, 59);
  const day = dayOf(now);
  const service = await startService({}, () => now);
  t.after(() => service.close());
  await add(service, "ada@example.org", "PHP-SOAP/7.4.3");
  await add(service, "nobody", "PHP-SOAP/7.4.3");
  // A no-op is no refusal, and a call with a wrong key belongs to nobody.
  await call(service, "Subscriber.Remove", withKey(`${LIST}<EMail>bob@example.org</EMail>`), {
    "User-Agent": "PHP-SOAP/7.4.1",
  });
  await call(service, "Client.TestApiConnection", withKey("", "X".repeat(32)), { "User-Agent": "curl/8" });
  await call(service, "Campaign.GetUnsubscribesList", withKey("<CampaignID>9</CampaignID>"));
  now += 120_000;
  await add(service, "bob@example.org", "PHP-SOAP/7.4.3");
  await sendRequest(`${service.origin}/api/v1/fields`, {
    headers: { Authorization: `Bearer ${KEY}`, "User-Agent": "curl/8.1.2" },
  });
  assert.deepEqual((await stopped(service, day)).calls, [
    [0, "(none)", 1, 1, 0, 1],
    [0, "PHP-SOAP 7.4", 1, 3, 1, 0],
    [1, "PHP-SOAP 7.4", 1, 1, 0, 0],
    [1, "curl 8.1", 1, 1, 0, 0],
  ]);
});

/** Over HTTP/1.0, which no client of Node's speaks. */
async function addByOldClient({ port }: Service, userAgent: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  const origin = `http://127.0.0.1:${port}`;
  const body = `<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body><Subscriber.Add xmlns="${origin}">${withKey(`${LIST}<EMail>old@example.org</EMail>`)}</Subscriber.Add></e:Body></e:Envelope>`;
  socket.write(
    `POST /default.asmx HTTP/1.0\r\nHost: 127.0.0.1:${port}\r\nUser-Agent: ${userAgent}\r\nContent-Type: text/xml\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return text(socket);
}

test("notes a wrong charset, HTTP/1.0, and a program that reads the WSDL for every call", async (t) => {
  const now = Date.UTC(2026, 10, 14);
  const service = await startService({}, () => now);
  t.after(() => service.close());
  assert.match(await addByOldClient(service, "OldForm/1.2"), />0</);
  await add(service, "zoë@example.org".normalize("NFC"), "Latin/1", {
    "Content-Type": "text/xml; charset=us-ascii",
  });
  for (let n = 0; n < 5; n += 1) {
    await sendRequest(`${service.origin}/default.asmx?wsdl`);
    await add(service, "ada@example.org", "PHP-SOAP/5.6");
  }
  assert.deepEqual((await stopped(service, dayOf(now))).quirks, [
    ["charset-mismatch", "Latin 1", now],
    ["http-1.0", "OldForm 1.2", now],
    ["wsdl-every-call", "PHP-SOAP 5.6", now],
  ]);
});

const home = new Installation();
after(() => home.remove());

test("a process that is killed loses no more calls than it counted since it last wrote them", async () => {
  const server = await home.serve([], { MAILROLL_API_KEY: KEY });
  const addTo = (email: string) =>
    server.call("Subscriber.Add", { APIKey: KEY, SubscribersListID: 1, EMail: email });
  const store = await SqliteStore.open(home.database, retention);
  const counted = async () => {
    const of = { account: ACCOUNT, key: null, from: 0, to: dayOf(Date.now()) + 1 };
    return (await store.statistics.programs({ ...of, limit: 1 }))[0]?.calls ?? 0;
  };
  for (const email of ["a@example.org", "b@example.org", "c@example.org"]) await addTo(email);
  while ((await counted()) < 3);
  for (const email of ["d@example.org", "e@example.org"]) await addTo(email);
  await server.kill();
  const calls = await counted();
  assert.ok(calls >= 3 && calls <= 5, `${calls} calls`);
  // Who joined is written with the call itself.
  const range = { account: ACCOUNT, list: 1, from: 0, to: dayOf(Date.now()) + 1 };
  assert.equal((await store.statistics.days(range))?.atEnd, 5);
  const joined = (await store.statistics.days(range))?.days.reduce((sum, one) => sum + one.joined, 0);
  assert.equal(joined, 5);
  await store.close();
});
