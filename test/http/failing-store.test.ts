/** What callers get when the store fails in a way that nobody expected, or does not answer. */
import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { StoreUnavailable } from "#domain/ports/errors.ts";
import { call, KEY, type Service, startService, withKey } from "../service.ts";

type Pages = Service["store"]["fields"]["all"]["pages"];

/** A service with a field, whose fields are read by `read` instead. */
async function serving(t: TestContext, read: (pages: Pages) => Pages): Promise<Service> {
  const service = await startService();
  t.after(() => service.close());
  const field = "<fieldName>Town</fieldName><isPrivate>true</isPrivate><dataType>STRING</dataType>";
  assert.equal((await call(service, "Field.Add", withKey(field))).result, "0");
  const { all } = service.store.fields;
  all.pages = read(all.pages.bind(all));
  return service;
}
const getFields = ({ origin }: Service): Promise<Response> =>
  fetch(`${origin}/api/v1/fields`, { headers: { Authorization: `Bearer ${KEY}` } });

test("answers a SOAP call with a reference, and without the cause, on an unexpected error", async (t) => {
  const service = await serving(t, () => () => {
    throw new Error("internal detail");
  });
  const { code, body: text } = await call(service, "Field.GetFields", withKey());
  assert.equal(code, "InternalError");
  assert.match(text, /Something went wrong on our side\. .* Reference: [0-9a-f-]{36}</);
  assert.doesNotMatch(text, /internal detail/);
});

test("answers a JSON request with 503 and Retry-After while the database does not respond", async (t) => {
  const service = await serving(t, () => () => {
    throw new StoreUnavailable("internal detail");
  });
  const response = await getFields(service);
  assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "5"]);
  assert.doesNotMatch(await response.text(), /internal detail/);
});

/** Its pages come three times, so that they are streamed. */
const failsInTheMiddle = (pages: Pages): Pages =>
  async function* (args) {
    for await (const page of pages(args)) for (let n = 0; n < 3; n += 1) yield page;
    throw new Error("internal detail");
  };

test("breaks off a SOAP list that fails after it has begun, so that no client takes it for complete", async (t) => {
  const service = await serving(t, failsInTheMiddle);
  await assert.rejects(call(service, "Field.GetFields", withKey()), /aborted/);
  assert.equal((await call(service, "Client.TestApiConnection", withKey())).result, "true");
});

test("breaks off a JSON list that fails after it has begun, so that no client takes it for complete", async (t) => {
  const service = await serving(t, failsInTheMiddle);
  await assert.rejects(async () => (await getFields(service)).text(), TypeError);
  assert.equal((await call(service, "Client.TestApiConnection", withKey())).result, "true");
});
