/**
 * What a long text costs in any text field of the API and of the console: repeated characters, and repeated
 * pieces of the syntax that some field has. The fields are those that the routes declare and the pages show.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { operationId } from "#api/v2/kit/openapi.ts";
import { exampleOf, type JsonSchema } from "#api/v2/reference/example.ts";
import { routes } from "#api/v2/routes.ts";
import { DO } from "#console/kit/form.ts";
import type { AnyPage } from "#console/kit/page.ts";
import { pages } from "#console/pages.ts";
import { ROUTE_BODY_LIMIT } from "#http/route-requests.ts";
import { startApi } from "./api/v2/api-server.ts";
import { exampleFor } from "./api/v2/contract-requests.ts";
import { newWorld } from "./api/v2/contract-world.ts";
import { startConsole } from "./console/console-server.ts";
import { sendRequest } from "./send-request.ts";

/** A text has four of them, each repeated: what is quadratic takes far too long for a quarter of it, too. */
const PIECES = [
  [" ", '"', "<", "@"],
  ["-", ".", "1", "["],
  ["a@a.", '"a" <', "%", "é"],
  ["{{ a", "smtp://a:", "1.1.", "\n"],
];
const LENGTH = 16 * 1024;
const MAX_MS = 5;

/** Milliseconds of CPU time of this thread. The least of some tries: others use the processor, too. */
async function costOf(send: () => Promise<unknown>, enough: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < 20 && least > enough; tries += 1) {
    const before = process.threadCpuUsage();
    await send();
    const { user, system } = process.threadCpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}

/**
 * Tries all texts in a field of a request that may have so many bytes. On a slow machine, any text of this
 * length may cost more than the limit. So a text may also cost three times as much as a harmless one.
 */
async function checkField(
  field: string,
  limit: number,
  send: (text: string) => Promise<unknown>,
): Promise<void> {
  const length = limit > ROUTE_BODY_LIMIT ? 4 * LENGTH : Math.min(LENGTH, limit);
  const most = MAX_MS * Math.max(1, length / LENGTH);
  const plain = await costOf(() => send("a".repeat(length)), 4 * most);
  assert.ok(plain <= 4 * most, `${field}: ${plain} ms for ${length} times "a"`);
  const enough = Math.max(most, 3 * plain);
  for (const pieces of PIECES) {
    const text = pieces.map((piece) => piece.repeat(length).slice(0, length / pieces.length)).join("");
    const ms = await costOf(() => send(text), enough);
    assert.ok(
      ms <= enough,
      `${field}: ${ms} ms for ${length} characters of ${pieces.join(" ")}, ${plain} ms for "a"`,
    );
  }
}

type Change = (text: string) => unknown;

/** For each text within a value of the schema: the value with another text there. */
function* textsIn(schema: JsonSchema, value: unknown, path = ""): Generator<readonly [string, Change]> {
  if (schema.enum !== undefined || schema.const !== undefined) return;
  for (const one of schema.anyOf ?? []) yield* textsIn(one, value, path);
  if (schema.type === "string" && schema.pattern === undefined) yield [path, (text) => text];
  if (schema.type === "array" && schema.items !== undefined) {
    const [first = exampleOf(schema.items)] = Array.isArray(value) ? (value as unknown[]) : [];
    for (const [place, change] of textsIn(schema.items, first, `${path}/0`))
      yield [place, (text) => [change(text)]];
  }
  if (schema.type !== "object") return;
  const given = (value ?? {}) as Readonly<Record<string, unknown>>;
  for (const [name, member] of Object.entries(schema.properties ?? {}))
    for (const [place, change] of textsIn(member, given[name], `${path}/${name}`))
      yield [place, (text) => ({ ...given, [name]: change(text) })];
}

test("every text in the JSON of the API costs little", async (t) => {
  const api = await startApi();
  t.after(() => api.close());
  const world = await newWorld(api.store);
  const headers = { Authorization: `Bearer ${world.token}`, "Content-Type": "application/json" };
  let fields = 0;
  for (const route of routes) {
    if (route.body === undefined || route.takesBytes === true) continue;
    const { path, query, body } = exampleFor(world, route);
    const url = `${api.address.slice(0, -1)}${path}${query}`;
    for (const [place, change] of textsIn(route.body as JsonSchema, body)) {
      fields += 1;
      await checkField(`${operationId(route)} ${place}`, route.bodyLimit ?? ROUTE_BODY_LIMIT, (text) =>
        sendRequest(url, { method: route.method, headers, body: JSON.stringify(change(text)) }),
      );
    }
  }
  assert.ok(fields > 100);
  assert.deepEqual(api.defects, []);
});

/** A form of a page, as a browser without JavaScript sends it. */
interface ShownForm {
  readonly method: "GET" | "POST";
  /** null: to the address of the page. */
  readonly action: string | null;
  readonly values: readonly (readonly [name: string, value: string])[];
  /** The names of those that a user types. What else a browser sends, a program can send, too. */
  readonly typed: readonly string[];
}

const attributeOf = (tag: string, name: string): string | null =>
  new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? null;

const formsIn = (page: string): readonly ShownForm[] =>
  [...page.matchAll(/(<form\b[^>]*>)(.*?)<\/form>/gs)].map(([, form = "", content = ""]) => {
    const fields = [...content.matchAll(/<(input|textarea|select)\b[^>]*>/g)].map(([tag, element]) => ({
      name: attributeOf(tag, "name") ?? "",
      value: attributeOf(tag, "value") ?? "",
      type: element === "input" ? (attributeOf(tag, "type") ?? "text") : element,
    }));
    const sent = fields.filter(({ name, type }) => name !== "" && type !== "file" && type !== "checkbox");
    return {
      method: attributeOf(form, "method") === "post" ? "POST" : "GET",
      action: attributeOf(form, "action"),
      values: sent.map(({ name, value }) => [name, value] as const),
      typed: sent.filter(({ type }) => type !== "hidden" && type !== "select").map(({ name }) => name),
    };
  });

/** Before the request line is too long, also if each character takes three bytes twice. */
const MAX_IN_QUERY = 2500;

test("every field of the console's forms costs little", async (t) => {
  let declared: readonly AnyPage[] = [];
  const server = await startConsole({
    pages: (options) => {
      declared = pages(options);
      return declared;
    },
  });
  t.after(() => server.close());
  const { ids } = await newWorld(server.store);
  const browser = await server.signedIn(null);
  const checked = new Set<string>();
  for (const { kind, path } of declared) {
    if (kind === "events") continue;
    const address = `/console${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? 1))}`;
    for (const { method, action, values, typed } of formsIn((await browser.get(address)).body))
      for (const name of typed) {
        const to = action ?? address;
        const field = [method, to, values.find(([one]) => one === DO)?.[1] ?? "", name].join(" ");
        if (checked.has(field)) continue;
        checked.add(field);
        const form = (text: string): string =>
          String(
            new URLSearchParams(
              values.map(([one, value]): [string, string] => [one, one === name ? text : value]),
            ),
          );
        await checkField(field, method === "GET" ? MAX_IN_QUERY : ROUTE_BODY_LIMIT, (text) =>
          method === "GET"
            ? browser.get(`${to}?${form(text)}`)
            : browser.send("POST", to, { body: form(text) }),
        );
      }
  }
  assert.ok(checked.size > 70);
});
