/**
 * The README and then the move that docs/guide/moving.md describes, in one folder: their commands are run as
 * they stand there, beside what an old service left. Then a program that was written for that one is run
 * against the new one.
 */
import assert from "node:assert/strict";
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createClientAsync } from "soap";
import { shellBlocks } from "./shell-blocks.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = promisify(execFile);

const KEY = "3F2A-old-SHOP-key";
const MEMBERS = 1500;
const folder = mkdtempSync(join(tmpdir(), "mailroll-moving-"));
const env = {
  // As if it were installed: in a clone the command is bin/mailroll.
  PATH: `${join(folder, "bin")}:${process.env.PATH ?? ""}`,
  HOME: folder,
  MAILROLL_PORT: "0",
  MAILROLL_LOG: "silent",
  npm_config_update_notifier: "false",
};
let server: ChildProcess | null = null;
let endpoint = "";
/** What each block of the guide printed. */
const said = new Map<string, string>();

/** What the old service left, in its own habits. */
function oldInstallation(): void {
  writeFileSync(join(folder, "old-key.txt"), `${KEY}\r\n`);
  const members = Array.from(
    { length: MEMBERS },
    (_, n) => `member${n}@example.org;M;N${n};;;0${(n % 9) + 1}/05/2019 10:00;active;`,
  );
  const customers = [
    "E-Mail;First name;Last name;Town;9007199254740993;Subscribed;Status;Unsubscribed",
    "ada@example.org;Ada;Ñandú;Nürnberg;yes;01/05/2019 10:00;active;",
    "leaves@example.org;;;;;02/05/2019;active;",
    "out@example.org;;;;;03/05/2019;active;",
    "gone@example.org;;;;;04/05/2019;unsubscribed;05/06/2020",
    ...members,
    "",
  ];
  writeFileSync(join(folder, "customers.csv"), Buffer.from(customers.join("\r\n"), "latin1"));
  writeFileSync(
    join(folder, "suppressions.csv"),
    "email,kind,date\nout@example.org,unsubscribed,2021-03-04\nbad@example.org,hard bounce,\n@spam.example,blocked,\n",
  );
}

/** A clone, as far as its commands need one; what people have is somewhere else. */
function clone(): void {
  for (const name of ["bin", "node_modules"]) symlinkSync(join(root, name), join(folder, name));
  copyFileSync(join(root, "package.json"), join(folder, "package.json"));
  writeFileSync(join(folder, "people.csv"), "email,first_name\ngrace@example.org,Grace\n");
}

/** Gives back what it printed until it had said where it listens. */
async function serve(commands: string): Promise<string> {
  await stop();
  // A group of its own: npm and the shell stand between.
  server = spawn("sh", ["-ec", commands], {
    cwd: folder,
    env,
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  for await (const text of server.stdout ?? []) {
    out += String(text);
    const [, whole, port = whole] =
      /localhost:(\d+)\/default\.asmx\n[\s\S]*Envelope>'\n|Listening on 127\.0\.0\.1, port (\d+)\n/.exec(
        out,
      ) ?? [];
    if (port === undefined) continue;
    endpoint = `http://127.0.0.1:${port}/default.asmx`;
    return out;
  }
  assert.fail(`the server ended: ${out}`);
}
async function stop(): Promise<void> {
  const running = server;
  server = null;
  if (running === null || running.exitCode !== null) return;
  const closed = once(running, "close");
  running.stdout?.resume();
  process.kill(-(running.pid ?? 0), "SIGTERM");
  await closed;
}

/** Runs them as a person would paste them; any that fails ends it. */
const paste = async (commands: string): Promise<string> =>
  /(?:npm start|mailroll serve)$/m.test(commands)
    ? serve(commands)
    : (await run("sh", ["-ec", commands], { cwd: folder, env })).stdout;
const titleOf = (commands: string): string => commands.trim().split("\n").join("; ");

before(() => {
  clone();
  oldInstallation();
});
after(async () => {
  await stop();
  rmSync(folder, { recursive: true });
});

describe("the commands of the README", () => {
  // They run all tests, and so this one.
  const testRuns = /^npm (?:test|run test:)/m;
  // The first ones start what `npm run test:installed` tests.
  const [first, ...others] = shellBlocks("README.md");
  const blocks = others.filter((commands) => !testRuns.test(commands));
  test("begin with the package", () =>
    assert.match(first ?? "", /^npx \.\/mailroll-[\d.]+tgz serve {3}#.*\n$/));
  test("go on with npm start in a clone", () => assert.equal(blocks[0], "npm start\n"));
  for (const commands of blocks)
    test(`succeed: ${titleOf(commands)}`, async () => {
      const out = await paste(commands);
      const [call] = /^curl [\s\S]*Envelope>'$/m.exec(out) ?? [];
      if (call !== undefined)
        assert.match(await paste(`${call} --silent`), /<Subscriber\.AddResult>0<\/Subscriber\.AddResult>/);
    });
});

describe("the commands of the guide, after those of the README,", () => {
  for (const commands of shellBlocks("docs/guide/moving.md"))
    test(`succeed: ${titleOf(commands)}`, async () => {
      said.set(commands, await paste(commands));
    });
});
const saidBy = (words: string): string => [...said].find(([commands]) => commands.includes(words))?.[1] ?? "";

describe("the move of the guide", () => {
  test("has a block for each of its steps", () => {
    for (const words of [
      "account rename",
      "key create",
      "list create",
      "field create",
      "import suppressions",
      "import subscribers",
      "doctor",
      "refused list",
      "export subscribers",
    ])
      assert.notEqual(saidBy(words), "", words);
  });
  test("predicts the import, imports the subscribers, and changes nothing when they are imported again", () => {
    const counts = [...said.values()]
      .join("\n")
      .match(/^(?:Would import|Imported) into list 543181 .*(?:\n .*)+/gm);
    assert.equal(counts?.length, 3);
    const [foretold = "", taken = "", again = ""] = counts;
    assert.equal(taken.replace(/ as import \d+/, ""), foretold.replace("Would import", "Imported"));
    assert.match(
      taken,
      /1,504 {2}rows read\n +1,502 {2}added to the list \(new subscribers, including suppressed ones: 1,502\)\n +0 {2}already on the list/,
    );
    assert.match(taken, / 2 {2}suppressed; they are not mailed/);
    assert.match(
      again,
      / 0 {2}added to the list \(new subscribers, including suppressed ones: 0\)\n +1,502 {2}already on the list\n +2 {2}suppressed/,
    );
    assert.match(saidBy("doctor"), /543181 +Customers .* 1,502\n/);
    assert.match(saidBy("doctor"), /counters +stored counts agree with a recount: \d+/);
    assert.match(saidBy("export subscribers"), /^Exported 1,504 members of list 543181/);
  });
  test("never shows the key", () => {
    for (const text of said.values()) assert.ok(!text.toUpperCase().includes(KEY.toUpperCase()));
    assert.match(saidBy("key list"), /3F2A… +Shop +full +yes/);
  });

  test("lets a program of the old service work unchanged", async () => {
    const shop = fileURLToPath(new URL("./moving/old-shop.ts", import.meta.url));
    const { stdout } = await run(process.execPath, ["--disable-warning=ExperimentalWarning", shop, endpoint]);
    const { lists, ...answers } = JSON.parse(stdout) as Record<string, unknown>;
    assert.deepEqual(answers, {
      connected: true,
      fields: {
        field: [
          { FieldId: 37_328, Name: "Town", IsPrivate: false, DataType: "STRING" },
          // As node-soap reads a number of 64 bits.
          { FieldId: Number("9007199254740993"), Name: "Newsletter", IsPrivate: false, DataType: "CONSENT" },
        ],
      },
      newBuyer: "0",
      oldBuyer: "0",
      optedOut: "206",
      leaves: "0",
    });
    const { subscriberslist } = lists as { subscriberslist: readonly Record<string, unknown>[] };
    assert.deepEqual(
      subscriberslist.map(({ SubscribersListID, Name, SubscribersQuantity }) => [
        SubscribersListID,
        Name,
        SubscribersQuantity,
      ]),
      // The first two are from the README.
      [
        [1, "Newsletter", 2],
        [2, "Customers", 0],
        [543_181, "Customers", 1502],
      ],
    );
  });
  test("records the import and the program's changes with their causes", async () => {
    const show = async (email: string) =>
      (await run("bin/mailroll", ["subscriber", "show", email], { cwd: folder, env })).stdout;
    const ada = await show("ada@example.org");
    assert.match(ada, /Last name +Ñandú\n/);
    assert.match(ada, /Town +Nürnberg /);
    assert.match(ada, /2019-05-01 10:00:00Z +joined +import/);
    assert.match(await show("leaves@example.org"), /unsubscribed +Shop \(key 3\)/);
    assert.match(await show("new@example.org"), /Newsletter +true .* Shop \(key 3\)/);
    assert.match(await show("out@example.org"), /unsubscribed since 2021-03-04/);
  });
  test("serves the path of the old service, and a WSDL that points there", async () => {
    const response = await fetch(endpoint.replace("/default.asmx", "/API/service.asmx?WSDL"));
    assert.match(
      await response.text(),
      /<soap:address location="https:\/\/mail\.example\.org\/api\/service\.asmx"/,
    );
  });

  test("serves programs that read the plain WSDL again and call by short names", async () => {
    const client = await createClientAsync(`${endpoint}?wsdl`);
    client.setEndpoint(endpoint);
    const methods = client as unknown as Readonly<
      Record<string, (args: object) => Promise<readonly [object]>>
    >;
    const [reply] = (await methods.AddSubscriberAsync?.({
      APIKey: KEY,
      SubscribersListID: 543_181,
      EMail: "short@example.org",
    })) ?? [{}];
    assert.deepEqual(Object.values(reply), ["0"]);
  });
});
