/**
 * Everything that the command line can do is possible over HTTP: each command is paired with a route by the
 * actions that it performs. These are observed, not declared.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, test } from "node:test";
import type { Action } from "#admin/kit/action.ts";
import { operationId } from "#api/v2/kit/openapi.ts";
import { routes } from "#api/v2/routes.ts";
import { loadConfig } from "#app/settings/load-config.ts";
import { commands } from "#cli/commands.ts";
import type { Context } from "#cli/kit/command.ts";
import { parseCall } from "#cli/kit/parse-call.ts";
import { actions } from "../../admin/all-actions.ts";

/** They are about the process and its files, and not about what is in the database. */
const withoutRoute = new Set([
  "serve",
  "copy",
  "backup",
  "backup prune",
  "restore",
  "health",
  "completion",
  "version",
  "doctor",
  "pull listmonk",
  "pull soap",
]);
/** A server that reads from whatever address it is told is a way into the network that it is in. */
const onlyHere = new Set(["pull.listmonk", "pull.soap"]);
/** The command line reads a file itself; over HTTP it is uploaded, and a job imports it by the same code. */
const insteadOf: Readonly<Record<string, string>> = {
  "import.subscribers": "import.start",
  "import.suppressions": "import.start",
  // The console keeps a session in a cookie; a program gets a token.
  "me.signIn": "me.logIn",
  // In the browser of whoever has the invitation.
  "me.acceptInvitation": "me.password",
  // With the link that only somebody at the command line has.
  "user.first": "user.create",
  // The console finds the job again after a reload; a program that starts an import over HTTP gets the job.
  "import.job": "import.start",
  "import.uploadJob": "import.start",
  // Pages that show no numbers, or one of them, count no others; a program gets all of them.
  "campaign.brief": "campaign.show",
  "campaign.count": "campaign.show",
  // What a page shows first; a program is shown all of it.
  "account.dismissSteps": "account.overview",
  // A page shows some rows; a program has the file, and gets the lines of each outcome.
  "import.rows": "upload.read",
  // What is in a form, and in no database yet.
  "campaign.previewDraft": "campaign.preview",
};
const src = resolve(import.meta.dirname, "../../../src");
const routed = new Set(routes.map(({ action }) => action.name));
const isMissing = (action: string): boolean =>
  !onlyHere.has(action) && !routed.has(insteadOf[action] ?? action);

class Performed extends Error {
  readonly action: string;
  constructor({ name }: { readonly name: string }) {
    super(name);
    this.action = name;
  }
}

/** The first action that a command performs when it is called as in its example. */
async function firstAction(example: string): Promise<string> {
  const words = [...example.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
  // A file that exists.
  const given = words.map((word) =>
    /\.(?:csv|txt|md)$/.test(word) && /^(?:import|campaign)$/.test(words[0] ?? "")
      ? import.meta.filename
      : word,
  );
  const { command, args, values } = parseCall(commands, given);
  const bypassed = (): never => assert.fail("the command uses the store itself, and not an action");
  const silent = (): void => {};
  const perform = async (action: { readonly name: string }): Promise<never> => {
    throw new Performed(action);
  };
  const context: Context = {
    args,
    config: loadConfig({ flags: {}, env: {}, folder: src }),
    option: (name: string, parse: (text: string, what: string) => unknown = String) => {
      const text = values[name];
      return typeof text === "string" ? (parse(text, `--${name}`) as never) : undefined;
    },
    options: (name) => {
      const several = values[name];
      return Array.isArray(several) ? several.map(String) : [];
    },
    has: (name) => values[name] === true,
    store: bypassed,
    account: async () => ({
      ...{ id: 1, name: "Acme", country: null, limitSubscribers: null, limitFields: null },
      ...{ activeSubscribers: 0, createdAt: 1 },
    }),
    perform,
    performInAccount: perform,
    out: { result: silent, table: silent, json: silent, note: silent, progress: silent },
    now: 1,
    env: {},
    folder: src,
    confirm: async () => true,
    askSecret: async () => "secret",
  };
  try {
    await command.run(context);
  } catch (error) {
    if (error instanceof Performed) return error.action;
    throw error;
  }
  return assert.fail("the command performs no action");
}

describe("commands", () => {
  for (const { name, example } of commands)
    if (!withoutRoute.has(name))
      test(`${name} performs an action that has a route`, async () => {
        const action = await firstAction(example);
        assert.ok(!isMissing(action), `no route performs ${action}`);
      });

  test("every command that needs no route exists", () => {
    const names = new Set(commands.map(({ name }) => name));
    assert.deepEqual(
      [...withoutRoute].filter((name) => !names.has(name)),
      [],
    );
  });
});

/** The actions that a file imports: it can perform no others. */
async function importedActions(file: string): Promise<readonly string[]> {
  const text = readFileSync(file, "utf8");
  const found: string[] = [];
  for (const [, names = "", from = ""] of text.matchAll(/import \{([^}]*)\} from "#(admin\/[^"]+)"/g)) {
    const module = (await import(resolve(src, from))) as Record<string, unknown>;
    for (const name of names.split(",").map((one) => one.trim().split(" as ")[0] ?? "")) {
      const value = module[name] as Partial<Action<never, unknown>> | undefined;
      if (typeof value === "object" && value.run !== undefined && value.name !== undefined)
        found.push(value.name);
    }
  }
  return found;
}

test("every action that the command line performs has a route", async () => {
  const folder = resolve(src, "cli");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith(".ts"),
  );
  const performed = new Set<string>();
  for (const file of files)
    for (const name of await importedActions(resolve(folder, file))) performed.add(name);
  assert.ok(performed.size > 30, `${performed.size} actions`);
  assert.deepEqual([...performed].filter(isMissing).sort(), []);
});

test("every route performs an action of the layer, and every action has a route", () => {
  const known = new Set(actions.map(({ name }) => name));
  assert.deepEqual(
    [...routed].filter((name) => !known.has(name)),
    [],
  );
  assert.deepEqual([...known].filter(isMissing).sort(), []);
});

test("no two routes have the same name in the OpenAPI document, or the same method and path", () => {
  for (const keys of [routes.map(operationId), routes.map(({ method, path }) => `${method} ${path}`)])
    assert.deepEqual(
      keys.filter((key, index) => keys.indexOf(key) !== index),
      [],
    );
});
