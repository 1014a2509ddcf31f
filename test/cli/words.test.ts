/** With --json, commands use the words of the JSON API (docs/decisions/0042-names-in-json.md). */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { isStream } from "#api/v2/kit/route.ts";
import { routes } from "#api/v2/routes.ts";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());

const EMAIL = "ada@example.org";
before(async () => {
  const body = join(home.folder, "body.md");
  writeFileSync(body, "Hello {{ first_name }}");
  const table = join(home.folder, "people.csv");
  writeFileSync(table, `email,Town\n${EMAIL},Paris\n`);
  for (const words of [
    ["account", "create", "Acme"],
    ["key", "create", "--label", "Shop"],
    ["list", "create", "News"],
    ["field", "create", "Town", "--type", "STRING"],
    ["import", "subscribers", table, "--list", "1"],
    ["subscriber", "set", EMAIL, "--field", "Town=Rome"],
    ["block", "add", "eve@example.org"],
    ["sender", "create", "--from", "news@example.org", "--postal-address", "1 Main Street"],
    ["campaign", "create", "Spring", "--list", "1", "--sender", "1", "--subject", "Hi", "--markdown", body],
    ["campaign", "send", "1", "--allow-http"],
    ["campaign", "record", "Winter", "--list", "1"],
    ["campaign", "event", "2", "complained", EMAIL],
    ["subscriber", "bulk", "--list", "1", "--add", "1", "--yes"],
    ["user", "create", "eve@example.org", "--role", "editor"],
    ["user", "token", "create", "eve@example.org", "--name", "Report"],
  ])
    await home.output(...words);
});

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}
/** Of a route; of a collection, of one item. */
function replyOf(method: string, path: string): Schema {
  const route = routes.find((one) => one.method === method && one.path === `/accounts/{account}${path}`);
  assert.ok(route !== undefined && !isStream(route), path);
  const reply = route.reply as Schema;
  return path.includes("subscribers:search") ? reply : (reply.properties?.items?.items ?? reply);
}
/** The members that the API does not have. What a schema leaves open has any. */
function* unknownTo(schema: Schema, value: unknown, path = ""): Generator<string> {
  const schemas = schema.anyOf ?? [schema];
  if (Array.isArray(value)) {
    const items = schemas.flatMap((one) => one.items ?? []);
    for (const one of value) yield* unknownTo({ anyOf: items }, one, path);
  } else if (typeof value === "object" && value !== null && schemas.some((one) => one.properties))
    for (const [name, member] of Object.entries(value)) {
      const found = schemas.flatMap((one) => one.properties?.[name] ?? []);
      if (found.length === 0) yield path + name;
      yield* unknownTo({ anyOf: found.flatMap((one) => one.anyOf ?? [one]) }, member, `${path}${name}.`);
    }
}

const SENDING = ["accountId", "waitsFor", "isRetrying"];
/** Commands, what the API calls the same, and what only the command line prints. */
const cases: readonly (readonly [words: string, method: string, path: string, more?: readonly string[]])[] = [
  ["account list", "GET", ""],
  ["audit list", "GET", "/audit-log"],
  ["block list", "GET", "/blocks"],
  ["key list", "GET", "/keys", ["accountId"]],
  ["list list", "GET", "/lists"],
  ["field list", "GET", "/fields"],
  ["field usage", "GET", "/field-usage"],
  ["sender show 1", "GET", "/senders/{sender}"],
  ["campaign content 1", "GET", "/campaigns/{campaign}/content", ["id", "createdAt", "sentAt"]],
  ["campaign show 1", "GET", "/campaigns/{campaign}", SENDING.map((name) => `sending.${name}`)],
  ["campaign show 2", "GET", "/campaigns/{campaign}", ["lists.isDeleted"]],
  ["campaign unschedule 1", "POST", "/campaigns/{campaign}/unschedule", SENDING],
  ["campaign verify 1", "GET", "/campaigns/{campaign}/balance", ["purgedAt"]],
  ["campaign preview 1", "POST", "/campaigns/{campaign}/preview", ["envelope", "needsSmtpUtf8"]],
  ["campaign results 2 --event complained", "GET", "/campaigns/{campaign}/events"],
  ["campaign delete 2 --yes", "GET", "/campaigns/{campaign}/deletion"],
  ["import list", "GET", "/imports"],
  ["job list --all-accounts", "GET", "/jobs", ["leasedUntilAt", "ending"]],
  ["user list --account 1", "GET", "/users"],
  ["user token list eve@example.org", "GET", "/users/{user}/tokens", ["userId"]],
  ["subscriber list", "POST", "/subscribers:search"],
  [`subscriber show ${EMAIL}`, "GET", "/subscribers/{subscriber}"],
  [`subscriber export ${EMAIL}`, "GET", "/subscribers/{subscriber}/export", ["account"]],
  [
    `subscriber erase ${EMAIL} --yes --leave-traces`,
    "POST",
    "/subscribers/{subscriber}/erase",
    ["removedCopies", "remainingCopies"],
  ],
  ["field delete 1 --yes", "GET", "/fields/{field}/deletion"],
];
for (const [words, method, path, more = []] of cases)
  test(`'${words.split(" --")[0]}' has the members of ${method} …${path}`, async () => {
    const printed = await home.json(...words.split(" "));
    assert.notDeepEqual(printed, []);
    assert.deepEqual([...new Set(unknownTo({ items: replyOf(method, path) }, [printed].flat()))], [...more]);
  });
