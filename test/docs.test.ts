/** The papers say what the program does: generated pages are in step, and links lead somewhere. */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { test } from "node:test";
import { MAX_SUBJECT } from "#admin/campaigns/compose.ts";
import { limitsFor } from "#admission/limits.ts";
import { STALLED_MS } from "#admission/list-slots.ts";
import { MAX_BASES } from "#api/v2/api.ts";
import { MAX_CLIENTS, MAX_PROGRAMS_OF_CLIENT } from "#asmx/wsdl-use/frequency.ts";
import * as reads from "#asmx/wsdl-use/reads.ts";
import { MAX_CALLS } from "#asmx/wsdl-use/recent-calls.ts";
import { MAX_CACHED_KEYS } from "#auth/authenticator.ts";
import { FREE_FAILURES, MAX_CLIENTS as MAX_FAILED_CLIENTS, SLOW_FAILURES } from "#auth/brute-force-guard.ts";
import { MAX_PAIRS } from "#auth/key-calls.ts";
import { MAX_CLIENTS_OF_KEY, MAX_RECENT_KEYS } from "#auth/recent-keys.ts";
import { MAX_WAITING } from "#auth/users/passwords.ts";
import { commandsFrom } from "#cli/commands/transfer/import.ts";
import { MAX_STREAMS, MAX_STREAMS_OF_USER } from "#console/kit/serve/streams.ts";
import { batchTransitions } from "#delivery/runner/batch.ts";
import { runTransitions } from "#delivery/runner/mailing-run.ts";
import { MAX_RUNS } from "#delivery/runner/scheduler.ts";
import {
  filterNames,
  MAX_DATE_CODES,
  MAX_DATE_FORMAT,
  MAX_ITEMS,
  MAX_SEARCHED,
  MAX_TEXT,
  tagNames,
} from "#delivery/templates/allowed-liquid.ts";
import { MAX_MEMORY, MAX_OUTPUT_LENGTH, MAX_PIECES, MAX_SOURCE_LENGTH } from "#delivery/templates/engine.ts";
import { MAX_TOKENS } from "#delivery/templates/long-tags.ts";
import { queueTransitions, slotTransitions } from "#delivery/threads/campaign-queue.ts";
import { MAX_KEY_LENGTH } from "#domain/access/key.ts";
import { MAX_SESSIONS, SESSION_MS } from "#domain/access/session.ts";
import { NEW_ACCOUNT_FIELDS } from "#domain/account.ts";
import { MAX_UPLOADS, MAX_UPLOADS_OF_USER } from "#domain/import/upload.ts";
import { MAX_TESTS_PER_HOUR } from "#domain/sending/delivery.ts";
import { mailingStates, mailingTransitions } from "#domain/sending/mailing.ts";
import { providerNames, providerOf } from "#domain/sending/providers.ts";
import { recipientTransitions } from "#domain/sending/recipient.ts";
import { SMTP_CONNECTIONS } from "#domain/sending/relay.ts";
import { CHUNKS_AT_ONCE } from "#http/body/body.ts";
import { MAX_LEVELS, MAX_VALUES } from "#http/body/parse-json.ts";
import { MAX_PIPELINED } from "#http/connections.ts";
import { MAX_COOKIE_LENGTH, MAX_HEADER_LENGTH } from "#http/server.ts";
import { MAX_HELD, MAX_REQUESTS } from "#http/unread-responses.ts";
import { MAX_ENTRIES, MAX_LENGTH } from "#soap/memoize.ts";
import { MAX_SHAPES } from "#soap/request/request-reader.ts";
import { LIST_CONNECTIONS, REPLICA_CONNECTIONS } from "#store/postgres/hot/list-reader.ts";
import { OPERATOR_CONNECTIONS } from "#store/postgres/reader.ts";
import { LOOKUP_CONNECTIONS, PAGE_CONNECTIONS } from "#store/postgres/store.ts";
import { tables } from "#store/tables/tables.ts";
import { DEFAULT_BOUNDS } from "#store/uploads.ts";
import { MAX_DRY_ROWS } from "#transfer/import/session.ts";
import { origins } from "#transfer/origins.ts";
import { MAX_DUPLICATES } from "#transfer/table/importers.ts";
import { productLabels } from "#transfer/table/products.ts";
import { withCode } from "./guide-code.ts";
import { clients } from "./interop/clients.ts";
import { wrapMarkdown } from "./markdown.ts";
import { referencePages } from "./reference-pages.ts";

const root = resolve(import.meta.dirname, "..");
const MIB = 1024 ** 2;
const DAY_MS = 86_400_000;
const isUpdating = process.env.UPDATE_GOLDEN === "1";

const optionNames = {
  region: "--region",
  host: "--smtp-host",
  user: "--smtp-user",
  password: "password",
  stream: "--stream",
} as const;
function originTable(): string {
  const rows = origins.map(({ label, exported, files, states }) => {
    const here = commandsFrom(files).map((command) => `\`${command}\``);
    return `| ${label} | ${exported} | ${here.join(", then ")} | ${states} |`;
  });
  return ["| From | There | Here | States |", "|---|---|---|---|", ...rows].join("\n");
}

function providerTable(): string {
  const rows = providerNames.map((name) => {
    const { label, hosts, asks, signs, tracking, credentials } = providerOf(name);
    const hostNames = [...new Set(Object.values(hosts))].map((host) => `\`${host}\``).join(", ");
    const needs = asks.map((one) => (one === "password" ? optionNames.password : `\`${optionNames[one]}\``));
    const off =
      tracking === null
        ? "There is none."
        : "headers" in tracking
          ? `By Mailroll: ${tracking.headers.map(([header]) => `\`${header}\``).join(", ")}`
          : tracking.setting;
    return `| ${label} | \`${name}\` | ${hostNames || "yours"} | ${needs.join(", ")} (${credentials}) | ${signs === "relay" ? "the provider (`relay`)" : "Mailroll"} | ${off} |`;
  });
  const steps = providerNames.flatMap((name) => {
    const { label, steps, events } = providerOf(name);
    const all = [
      ...steps,
      ...(events === undefined
        ? []
        : [`With the webhook URL from [below](#bounces-and-complaints-come-back): ${events.step}`]),
    ];
    return ["", `### ${label}`, "", ...all.map((step, at) => `${at + 1}. ${step}`)];
  });
  return [
    "| | `--provider` | Host | Needs | Signed by | How tracking is switched off |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
    "## What to do there",
    ...steps.map((line) => wrapMarkdown(line).trimEnd()),
    "",
    "## What Mailroll does",
    "",
  ].join("\n");
}

for (const [name, write] of Object.entries(referencePages))
  test(`docs/reference/${name} matches the declarations`, () => {
    const path = join(root, "docs/reference", name);
    if (isUpdating) writeFileSync(path, write());
    assert.equal(readFileSync(path, "utf8"), write());
  });

test("the README stays short, and leads to the operations", () => {
  const text = readFileSync(join(root, "README.md"), "utf8");
  assert.ok(text.includes("(docs/reference/operations.md)"));
  assert.ok(text.split("\n").length <= 150);
});

test("docs/guide/moving.md shows the way from each product, and names each that is recognised", () => {
  const path = join(root, "docs/guide/moving.md");
  const text = readFileSync(path, "utf8");
  const inStep = text.replace(
    /(<!-- origins:.*-->\n)[\s\S]*(<!-- \/origins -->)/,
    (_, start: string, end: string) => `${start}${originTable()}\n${end}`,
  );
  if (isUpdating) writeFileSync(path, inStep);
  else assert.equal(text, inStep);
  for (const label of productLabels) assert.ok(inStep.includes(`| ${label} |`), label);
});

test("docs/guide/providers.md has what the code knows of each provider", () => {
  const path = join(root, "docs/guide/providers.md");
  const text = readFileSync(path, "utf8");
  const inStep = text.replace(
    /(<!-- providers:.*-->\n)[\s\S]*(<!-- \/providers -->)/,
    (_, start: string, end: string) => `${start}${providerTable()}\n${end}`,
  );
  if (isUpdating) writeFileSync(path, inStep);
  else assert.equal(text, inStep);
  assert.ok(inStep.includes("`smtp-broadcasts.postmarkapp.com`"));
});

test("docs/reference/sending.md lists the tags and filters of Liquid that exist, and the limits", () => {
  const text = readFileSync(join(root, "docs/reference/sending.md"), "utf8");
  const [, listed = "", after = ""] =
    /<!-- Liquid: .*-->\n([\s\S]*)<!-- \/Liquid -->\n([\s\S]*)/.exec(text) ?? [];
  const namesIn = (part: string): readonly string[] =>
    [...part.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name).toSorted();
  const rows = listed.split("\n");
  const isOfTags = (row: string): boolean => row.startsWith("| tags |");
  assert.deepEqual(namesIn(rows.filter(isOfTags).join("\n")), tagNames.toSorted());
  assert.deepEqual(namesIn(rows.filter((row) => !isOfTags(row)).join("\n")), filterNames.toSorted());
  const [limits = ""] = after.split(/^## /m);
  for (const limit of [
    ...[MAX_SUBJECT, MAX_SOURCE_LENGTH, MAX_PIECES, MAX_TOKENS, MAX_OUTPUT_LENGTH, MAX_MEMORY],
    ...[MAX_TEXT, MAX_ITEMS, MAX_SEARCHED, MAX_DATE_FORMAT, MAX_DATE_CODES],
  ])
    assert.match(limits, new RegExp(`\\b${limit.toLocaleString("en")}\\b`));
});

test("docs/reference/sending.md has the states and transitions that the code declares", () => {
  const lines = readFileSync(join(root, "docs/reference/sending.md"), "utf8").split("\n");
  const cellsOf = (line: string): readonly string[] => line.split("|").slice(1, -1);
  const namesOf = (cell = ""): readonly string[] =>
    cell
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean);
  /** By the first cell of each row of the table that has this one as its head. */
  const tableOf = (head: string, columns: readonly string[]) => {
    const first = lines.findIndex((line) => line.startsWith(`| ${head} |`));
    const rows = lines.slice(first + 2);
    const at = columns.map((column) => cellsOf(lines[first] ?? "").indexOf(` ${column} `));
    return Object.fromEntries(
      rows
        .slice(0, rows.indexOf(""))
        .map(cellsOf)
        .map((cells) => [cells[0]?.trim(), at.map((column) => namesOf(cells[column]))]),
    );
  };
  for (const [head, transitions] of Object.entries({
    State: recipientTransitions,
    "State of a run": runTransitions,
    "State of a batch": batchTransitions,
    "State of a queue": queueTransitions,
    "State of a slot": slotTransitions,
  }))
    assert.deepEqual(
      tableOf(head, ["May become"]),
      Object.fromEntries(Object.entries(transitions).map(([state, next]) => [state, [next]])),
      head,
    );
  const steps = Object.entries(mailingTransitions).map(([step, { from, to }]) => [step, [from, to]]);
  assert.deepEqual(tableOf("Step", ["From", "To"]), Object.fromEntries(steps));
  const named = new Set(Object.values(mailingTransitions).flatMap(({ from, to }) => [...from, ...to]));
  assert.deepEqual([...named].toSorted(), mailingStates.toSorted());
});

test("the guides say how many connections a process has to PostgreSQL", () => {
  // Of the writer, and of the commands of operators.
  const WRITING = 2;
  const most = WRITING + LOOKUP_CONNECTIONS + PAGE_CONNECTIONS + OPERATOR_CONNECTIONS + LIST_CONNECTIONS;
  const guide = (name: string) =>
    readFileSync(join(root, "docs/guide", name), "utf8").replaceAll(/\s+/g, " ");
  assert.ok(
    guide("running.md").includes(`up to ${most} connections: \`--workers 4\` uses up to ${4 * most}.`),
  );
  const [scaling, inWords] = [guide("scaling.md"), ["", "one", "two", "three", "four"]];
  for (const stated of [
    `up to ${most} database connections, and up to ${inWords[REPLICA_CONNECTIONS]} more to a replica`,
    `is ${4 * most}, and ${4 * REPLICA_CONNECTIONS} to the replica`,
  ])
    assert.ok(scaling.includes(stated), stated);
});

const clientGuides = readdirSync(join(root, "docs/guide/clients")).filter((file) => file.endsWith(".md"));
for (const file of clientGuides)
  test(`the code in docs/guide/clients/${file} is that of the interoperability run`, () => {
    const path = join(root, "docs/guide/clients", file);
    const text = readFileSync(path, "utf8");
    if (isUpdating) writeFileSync(path, withCode(text));
    else assert.equal(text, withCode(text));
    const shown = [...withCode(text).matchAll(/^```(\w*)$/gm)].filter(
      ([, language]) => !["", "sh"].includes(language ?? ""),
    );
    assert.equal(
      shown.length,
      [...text.matchAll(/^<!-- test\/(?!.*\.sh)/gm)].length,
      "code that is in no program",
    );
  });

for (const [file, count] of [
  ["reverse-proxy.md", 2],
  ["docker.md", 1],
] as const)
  test(`the configuration files in docs/guide/${file} are those of the repository`, () => {
    const path = join(root, "docs/guide", file);
    const text = readFileSync(path, "utf8");
    if (isUpdating) writeFileSync(path, withCode(text));
    else assert.equal(text, withCode(text));
    assert.equal([...text.matchAll(/^<!-- (?:deploy\/|compose\.)\S+ -->$/gm)].length, count);
  });

test("the guide generates clients by the commands of the interoperability run", () => {
  const endpoint = "https://mail.example.org/default.asmx";
  for (const client of clients) {
    const page = readFileSync(join(root, "docs/guide/clients", client.guide), "utf8");
    const wsdl = `${endpoint}${client.wsdl}`;
    const [generate] = client.build(wsdl, ".", client.versions);
    const command = generate?.join(" ").replace(wsdl, `'${wsdl}'`) ?? "";
    assert.ok(page.includes(command), `${client.name}: ${command}`);
  }
});

/** Of each heading, as GitHub makes it. */
const anchorsOf = (path: string): readonly string[] =>
  [...readFileSync(path, "utf8").matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );

const papers = [
  "",
  "docs/guide",
  "docs/guide/clients",
  "docs/reference",
  "docs/decisions",
  "docs/operations",
].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((file) => file.endsWith(".md"))
    .map((file) => join(folder, file)),
);
for (const paper of papers)
  test(`every link and file name in ${paper} exists`, () => {
    const text = readFileSync(join(root, paper), "utf8");
    const prose = text.replace(/^```[\s\S]*?^```$/gm, "");
    for (const [, target = "", anchor] of prose.matchAll(/\]\(([^)#:]*)(?:#([^)]+))?\)/g)) {
      const path = target === "" ? join(root, paper) : resolve(root, dirname(paper), target);
      assert.ok(existsSync(path), target);
      if (anchor !== undefined) assert.ok(anchorsOf(path).includes(anchor), `${target}#${anchor}`);
    }
    for (const [, target = ""] of text.matchAll(/`((?:src|test|docs|bin|deploy|\.ci)\/[\w./-]+)`/g))
      assert.ok(existsSync(join(root, target)), target);
  });

test("decisions have context, decision, consequences and when to revisit", () => {
  for (const file of papers.filter((paper) => paper.startsWith("docs/decisions")))
    for (const part of ["Context", "Revisit when"])
      assert.match(readFileSync(join(root, file), "utf8"), new RegExp(part), file);
});

test("SECURITY.md names a test for every threat and everything that grows, and every runtime dependency", () => {
  const text = readFileSync(join(root, "SECURITY.md"), "utf8");
  const [, threats = "", growing = "", packages = ""] = text.split(/^\|(?:---\|)+$/m);
  const rowsOf = (part: string): readonly string[] => part.trim().split("\n\n")[0]?.split("\n") ?? [];
  assert.ok(rowsOf(threats).length >= 10, threats);
  assert.ok(rowsOf(growing).length >= 10, growing);
  for (const row of [...rowsOf(threats), ...rowsOf(growing)]) {
    const named = [...(row.split("|").at(-2) ?? "").matchAll(/`(test\/[^`]+)`/g)].map(
      ([, file = ""]) => file,
    );
    assert.ok(named.length > 0, row);
    for (const file of named) assert.ok(existsSync(join(root, file)), file);
  }
  const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    dependencies: Readonly<Record<string, string>>;
  };
  const listed = rowsOf(packages).map((row) => row.split("|")[1]?.trim());
  assert.deepEqual(new Set(listed), new Set(Object.keys(dependencies)));
});

test("SECURITY.md states the limits that the code has", () => {
  const rows = readFileSync(join(root, "SECURITY.md"), "utf8").split("\n");
  const limits = limitsFor(0);
  const statements: readonly (readonly [row: string, ...limits: number[]])[] = [
    ["calls without a key", FREE_FAILURES, FREE_FAILURES + SLOW_FAILURES],
    ["plants, steals or keeps a session", SESSION_MS / DAY_MS],
    ["delays the others", NEW_ACCOUNT_FIELDS],
    ["uses all connections", limits.connections],
    ["uses all slots for long lists", limits.lists, STALLED_MS / 1000],
    ["a client that pipelines", MAX_PIPELINED],
    ["clients that do not read", MAX_REQUESTS, MAX_HELD / MIB, limits.unsent / MIB],
    ["compressed JSON", MAX_LEVELS, MAX_VALUES],
    ["headers that are expensive to read", MAX_HEADER_LENGTH, MAX_COOKIE_LENGTH],
    ["a million tiny chunks", CHUNKS_AT_ONCE],
    ["mails strangers", MAX_TESTS_PER_HOUR],
    ["| message shapes", MAX_SHAPES],
    ["| parsed Content-Types", MAX_ENTRIES, MAX_LENGTH],
    ["| the reference of the JSON API", MAX_BASES],
    ["| API-key cache", MAX_CACHED_KEYS, MAX_KEY_LENGTH],
    ["| recently used keys", MAX_RECENT_KEYS, MAX_CLIENTS_OF_KEY],
    ["| authentication failures", MAX_FAILED_CLIENTS],
    ["| passwords that wait", 2 * MAX_WAITING],
    ["| calls by key", MAX_PAIRS],
    ["| connections, and", limits.connections, limits.connectionsPerClient],
    ["| clients that read the WSDL", reads.MAX_PAIRS, reads.MAX_PAIRS_PER_CLIENT, reads.MAX_USER_AGENT],
    ["| how often programs read", MAX_CLIENTS, MAX_PROGRAMS_OF_CLIENT],
    ["| callers of the last two seconds", MAX_CALLS],
    ["| unread responses", MAX_REQUESTS, MAX_HELD / MIB, limits.unsent / MIB],
    ["| requests in flight", limits.inFlight, limits.bodyBytes / MIB],
    ["| long lists", limits.lists, limits.listsPerAccount],
    ["| live progress", MAX_STREAMS, MAX_STREAMS_OF_USER],
    ["| campaigns being sent", MAX_RUNS, 2 * MAX_RUNS, 3 * SMTP_CONNECTIONS],
    ["| imports", MAX_DUPLICATES, MAX_DRY_ROWS],
    ["| sessions", MAX_SESSIONS, SESSION_MS / DAY_MS],
    ["| uploads", MAX_UPLOADS, MAX_UPLOADS_OF_USER, DEFAULT_BOUNDS.bytes / MIB / 1024],
  ];
  for (const [start, ...stated] of statements) {
    const row = rows.find((one) => one.includes(start));
    assert.ok(row, start);
    for (const limit of stated)
      assert.match(row, new RegExp(`(?<![\\d,])${limit.toLocaleString("en")}(?![\\d,]*\\d)`), start);
  }
});

test("SECURITY.md lists every secret that the database contains as it is", () => {
  const [, section = ""] = readFileSync(join(root, "SECURITY.md"), "utf8").split("**Secrets at rest.**");
  const isSecret = (column: string, kind: string): boolean =>
    /secret|^dkim_key$|^relays$/.test(column) ||
    (kind === "bytes" && column !== "hash" && column !== "fingerprint");
  for (const { name, columns } of tables)
    for (const [column, kind] of Object.entries(columns))
      if (isSecret(column, kind)) assert.ok(section.includes(`\`${name}.${column}\``), `${name}.${column}`);
});

test("package.json and the lockfile name the license that LICENSE holds", () => {
  const read = (file: string): string => readFileSync(join(root, file), "utf8");
  assert.match(read("LICENSE"), /^MIT License\n\nCopyright \(c\) 2026 the Mailroll authors\n/);
  const manifest = JSON.parse(read("package.json")) as { license: string; private: boolean };
  assert.deepEqual([manifest.license, manifest.private], ["MIT", true]);
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Readonly<Record<string, { license?: string }>>;
  };
  assert.equal(packages[""]?.license, "MIT");
});
