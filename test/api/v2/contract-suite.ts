/**
 * Every route against the OpenAPI document: requests are made from its schemas, and replies are validated by
 * it. The validator here is not the one of the service.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { operationId } from "#api/v2/kit/openapi.ts";
import { createdPath, isCollection, isStream, type Route } from "#api/v2/kit/route.ts";
import { pageQuery } from "#api/v2/kit/schemas.ts";
import type { JsonSchema } from "#api/v2/reference/example.ts";
import { routes } from "#api/v2/routes.ts";
import type { Store } from "#domain/ports/store.ts";
import { type ApiServer, startApi } from "./api-server.ts";
import { conflictFor, exampleFor } from "./contract-requests.ts";
import { newWorld, type World } from "./contract-world.ts";
import { type Description, readDescription } from "./description.ts";
import { randomOf, validValue, wrongValues } from "./schema-values.ts";

/** Passwords are hashed slowly, and a request without a body and a query is always the same. */
const randomRequestsOf = ({ body, query, takesPassword }: Route, most: number): number => {
  if (body === undefined && query === undefined) return 1;
  return takesPassword === undefined ? most : 2;
};
const thingOf = (route: Route) => (isStream(route) ? undefined : route.thing);

/** Such as the campaign of its content: a version of the content may be expected by what is done with it. */
const above = (path: string): string => path.slice(0, path.lastIndexOf("/"));

/** The version of the thing in an ETag, without the hash of the reply. */
const versionIn = ({ headers }: Response): string | undefined =>
  /^(?:W\/)?"([^.]+)\./.exec(headers.get("etag") ?? "")?.[1];

/** The route that shows the thing which another one changes, or uses. */
function shownBy(route: Route): Route | undefined {
  const thing = thingOf(route);
  if (route.method === "GET" || (!isStream(route) && route.status === 201)) return undefined;
  const shown = routes.filter((other) => other.method === "GET" && thingOf(other) !== undefined);
  if (thing === undefined) {
    const isShown = shown.some(({ path }) => path === route.path);
    assert.ok(!isShown, "the thing at this path has a version, which the route does not compare");
    return undefined;
  }
  const shows = shown.find(
    (other) =>
      thingOf(other) === thing &&
      (`${route.path}/`.startsWith(`${other.path}/`) || above(route.path) === above(other.path)),
  );
  assert.ok(shows, `no route shows the ${thing}`);
  return shows;
}

/** The reply cannot be repeated: the first request has removed what it is about, or sent mail. */
const once = new Set(["account.delete", "subscriber.erase", "campaign.testSend"]);
/** They show when they were read, or warn of what was wrong before. */
const changing = new Set(["sender.check", "subscriber.exportAddress", "campaign.send"]);

/** It does not depend on the store. */
let described: Description | undefined;
async function bodyOf(route: Route, response: Response): Promise<unknown> {
  assert.ok(described);
  return await described.bodyOf(route, response);
}

interface Thorough {
  /** To each route; each POST is also repeated. Neither depends on the store. */
  readonly randomRequests: number;
  readonly open: (file: string) => Promise<Store>;
}

export function contractSuite(name: string, thorough?: Thorough): void {
  describe(`the routes of the API on ${name}`, () => {
    let api: ApiServer;
    before(async () => {
      api = await startApi(undefined, thorough?.open);
      described ??= await readDescription(api);
    });
    after(async () => {
      await api.close();
      assert.deepEqual(api.defects, []);
    });
    /** Routes that only read share one. */
    let unchanged: Promise<World> | undefined;
    const worldFor = ({ method }: Route): Promise<World> => {
      if (method !== "GET") return newWorld(api.store);
      unchanged ??= newWorld(api.store);
      return unchanged;
    };

    for (const route of routes)
      describe(operationId(route), () => {
        let world: World;
        let example: ReturnType<typeof exampleFor>;
        before(async () => {
          world = await worldFor(route);
          example = exampleFor(world, route);
        });
        const send = (
          one: Route,
          to: string,
          body?: unknown,
          headers: Readonly<Record<string, string>> = {},
        ) => api.send(one.method, to, { token: world.token, body, headers });

        test("refuses every wrong body and parameter with the place of the error", async () => {
          const { path, query, body } = example;
          const wrongs =
            route.body === undefined
              ? []
              : wrongValues(route.body as JsonSchema, body as Record<string, unknown>);
          for (const { what, pointer, value } of wrongs) {
            const response = await send(route, `${path}${query}`, value);
            const problem = (await bodyOf(route, response)) as {
              readonly errors?: readonly { readonly pointer?: string }[];
            };
            assert.equal(response.status, 400, `${what}: ${JSON.stringify(problem)}`);
            assert.equal(problem.errors?.[0]?.pointer, pointer, what);
          }
          if (route.body !== undefined) {
            const form = { "Content-Type": "application/x-www-form-urlencoded" };
            const response = await send(route, `${path}${query}`, "a=b", form);
            await bodyOf(route, response);
            assert.equal(response.status, 415);
          }
          if (!isStream(route) && isCollection(route)) {
            const given = (route.query ?? route.body) as { readonly properties?: Record<string, object> };
            assert.deepEqual(given.properties?.limit, pageQuery.limit, "every collection has the same limit");
            if (route.method === "GET") {
              const one = await send(route, `${path}${query}${query === "" ? "?" : "&"}limit=1`);
              const { items } = (await bodyOf(route, one)) as { readonly items: readonly unknown[] };
              assert.ok(one.ok && items.length <= 1);
            }
          }
          if (route.query === undefined) return;
          const unknown = await send(route, `${path}?unknownParameter=1`, body);
          await bodyOf(route, unknown);
          assert.equal(unknown.status, 400);
        });

        test("takes the headers that are described, and refuses those that are not", async () => {
          assert.ok(described);
          const { path, query, body } = example;
          const names = described.requestHeadersOf(route);
          assert.equal(names.includes("If-Match"), shownBy(route) !== undefined);
          const isRepeatable = route.method === "POST" && route.takesPassword !== true;
          assert.equal(names.includes("Idempotency-Key"), isRepeatable);
          const wrong = {
            "If-Match": "no quotation marks",
            ...(route.method === "POST" ? { "Idempotency-Key": "x".repeat(256) } : {}),
          };
          if (route.method === "GET") return;
          for (const [header, value] of Object.entries(wrong)) {
            const response = await send(route, `${path}${query}`, body, { [header]: value });
            const problem = (await bodyOf(route, response)) as {
              readonly errors?: readonly { readonly header?: string }[];
            };
            assert.deepEqual([response.status, problem.errors?.[0]?.header], [400, header]);
          }
        });

        test("is not for somebody without a token, and shows nothing of another account", async () => {
          const { path, query, body } = example;
          const to = { token: null, body };
          if (route.logsIn === undefined) {
            const nobody = await api.send(route.method, `${path}${query}`, to);
            await bodyOf(route, nobody);
            assert.equal(nobody.status, 401);
          }
          if (!route.path.includes("{account}")) return;
          const stranger = await api.send(route.method, `${path}${query}`, { ...to, token: "owner@0" });
          await bodyOf(route, stranger);
          assert.equal(stranger.status, 403);
        });

        test("has the status 409 if the state does not allow the request, and only if that is declared", async () => {
          const conflict = conflictFor(world, route);
          assert.equal(conflict !== null, route.mayConflict === true);
          if (conflict === null) return;
          const response = await send(route, `${conflict.path}${conflict.query}`);
          await bodyOf(route, response);
          assert.equal(response.status, 409);
        });

        test("succeeds as it is described, if the thing has the expected version", async () => {
          const { path, query, body } = example;
          const shows = shownBy(route);
          const thing = shows === undefined ? "" : exampleFor(world, shows).path;
          const etag = shows === undefined ? null : (await send(shows, thing)).headers.get("etag");
          if (shows !== undefined) {
            const outdated = await send(route, `${path}${query}`, body, { "If-Match": '"another"' });
            await bodyOf(route, outdated);
            assert.equal(outdated.status, 412);
            assert.ok(etag);
          }
          const expected = etag === null ? {} : { "If-Match": etag };
          const response = await send(route, `${path}${query}`, body, expected);
          const shown = await bodyOf(route, response);
          assert.ok(response.ok, `${response.status}: ${JSON.stringify(shown)}`);
          const changed = response.headers.get("etag");
          if (route.method === "GET") assert.equal(changed !== null, thingOf(route) !== undefined);
          if (route.method === "GET" && changed !== null) {
            const headers = { "If-None-Match": `"other", ${changed}` };
            const again = await api.send("GET", `${path}${query}`, { token: world.token, headers });
            assert.deepEqual([again.status, await again.text()], [304, ""]);
          }
          if (response.status === 201) {
            assert.equal(changed !== null, thingOf(route) !== undefined);
            const created = createdPath(route, routes);
            const location = response.headers.get("location");
            assert.equal(location !== null, created !== null);
            if (location === null) return;
            const there = await api.send("GET", location.slice("/api/v2".length), { token: world.token });
            assert.equal(there.status, 200, location);
            assert.equal(versionIn(there), versionIn(response));
          }
          if (shows === undefined || changed === null || route.method === "DELETE") return;
          assert.equal(versionIn(await send(shows, thing)), versionIn(response));
        });

        if (thorough === undefined) return;
        if (route.method === "POST" && route.takesPassword !== true)
          test("is executed once if it is sent twice with a key, also if it is about nothing", async () => {
            const fresh = await newWorld(api.store);
            const { path, query, body: given } = exampleFor(fresh, route);
            const sendTo = async (to: string, key: string, body = given) => {
              const headers = { "Idempotency-Key": key };
              const response = await api.send("POST", to, { token: fresh.token, body, headers });
              return { status: response.status, shown: (await bodyOf(route, response)) as { type?: string } };
            };
            const first = await sendTo(`${path}${query}`, "twice");
            assert.ok(first.status < 300, JSON.stringify(first));
            const again = await sendTo(`${path}${query}`, "twice");
            const isOnce = !isStream(route) && (route.hasSecret === true || once.has(operationId(route)));
            if (isOnce) assert.match(again.shown.type ?? "", /#problem-already-done$/);
            else if (!changing.has(operationId(route))) assert.deepEqual(again, first);
            const isBlock = operationId(route) === "block.remove";
            const missing = isBlock ? path : path.replace(/^(.+\/)\d+(\D*)$/, "$1999999999$2");
            if (!isBlock && missing === path) return;
            const body = isBlock ? { pattern: "@missing.example" } : given;
            for (const _ of ["first", "repeat"])
              assert.equal((await sendTo(`${missing}${query}`, "missing", body)).status, 404, missing);
          });

        test("never fails for a request that its schemas allow", async () => {
          const random = randomOf(routes.indexOf(route) + 1);
          for (let n = 0; n < randomRequestsOf(route, thorough.randomRequests); n += 1) {
            const body = route.body === undefined ? undefined : validValue(route.body as JsonSchema, random);
            const response = await send(route, `${example.path}${randomQuery(route, random)}`, body);
            await bodyOf(route, response);
          }
          assert.deepEqual(api.defects.splice(0), []);
        });
      });
  });
}

function randomQuery({ query }: Route, random: () => number): string {
  if (query === undefined) return "";
  const values = Object.entries(validValue(query as JsonSchema, random) as object);
  const texts = values.map(([key, value]): [string, string] => [key, String(value)]);
  return `?${new URLSearchParams(texts).toString()}`;
}
