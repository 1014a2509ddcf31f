/**
 * The complete programs of docs/guide/clients, made and run by the commands of their page. As a reader would,
 * the test changes the host in them, and nothing else.
 */
import assert from "node:assert/strict";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { Installation } from "../cli/program.ts";
import { type ShownProgram, shownPrograms } from "../guide-code.ts";
import { RecordingProxy } from "./recording-proxy.ts";
import { shell } from "./shell.ts";

const root = join(import.meta.dirname, "../..");
const guide = join(root, "docs/guide/clients");
const HOST = "https://mail.example.org";
const KEY = "0123456789ABCDEF0123456789ABCDEF";
const EMAIL = "zoe@example.org";

const folder = mkdtempSync(join(tmpdir(), "mailroll-examples-"));
const template = join(folder, "template.db");
let proxy: RecordingProxy;

/**
 * The real program behind the proxy, on a copy of the template, or else on a database that has other keys.
 */
async function serve(file: string | null): Promise<Installation> {
  const installation = new Installation();
  mkdirSync(dirname(installation.database), { recursive: true });
  if (file !== null) copyFileSync(file, installation.database);
  const served = await installation.serve();
  proxy.target = Number(new URL(served.endpoint).port);
  return installation;
}

before(async () => {
  proxy = await RecordingProxy.listen();
  const installation = new Installation();
  const served = await installation.serve([], { MAILROLL_API_KEY: KEY });
  for (const name of ["Town", "Plan"]) await installation.json("field", "create", name, "--type", "STRING");
  await served.stop();
  copyFileSync(installation.database, template);
  await installation.remove();
});
after(async () => {
  await proxy.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The program and its commands in a folder of their own, with the host of the proxy. */
function install(
  { file, commands }: ShownProgram,
  variant = "whole",
): {
  readonly cwd: string;
  readonly lines: readonly string[];
} {
  const cwd = join(folder, `${file.replaceAll("/", "-")}-${variant}`);
  mkdirSync(cwd);
  const onProxy = (text: string): string => text.replaceAll(HOST, proxy.origin);
  const program = readFileSync(join(root, file), "utf8");
  assert.ok(program.includes(HOST) && program.includes(KEY), "there is a host and a key to be changed");
  writeFileSync(join(cwd, basename(file)), onProxy(program));
  writeFileSync(join(cwd, "php.ini"), "soap.wsdl_cache_dir = .\n");
  const modules = file.includes("strong-soap") ? "test/interop/strong-soap/node_modules" : "node_modules";
  symlinkSync(join(root, modules), join(cwd, "node_modules"));
  return { cwd, lines: commands.map(onProxy) };
}

async function assertStored(installation: Installation): Promise<void> {
  const person = await installation.json<object>("subscriber", "show", EMAIL);
  assert.partialDeepStrictEqual(person, {
    firstName: "Zoë",
    lastName: "Müller",
    gender: "F",
    birthday: "1985-12-10",
    country: "CH",
    values: [
      { field: { id: 1 }, value: "Zürich" },
      { field: { id: 2 }, value: "premium" },
    ],
  });
}

test("PHP and zeep send nothing without a CountryID, as documented", async (t) => {
  const installation = await serve(template);
  t.after(() => installation.remove());
  for (const [file, command, error] of [
    ["php/client.php", "php client.php", "object has no 'CountryID' property"],
    ["zeep/client.py", "python3 client.py", "ValidationError: Missing element CountryID"],
  ] as const) {
    const { cwd } = install({ file: `test/interop/examples/${file}`, commands: [] }, "without-country");
    const path = join(cwd, basename(file));
    writeFileSync(path, readFileSync(path, "utf8").replace(/^.*CountryID.*\n/m, ""));
    assert.ok((await shell([command], cwd)).includes(error), file);
    assert.notEqual((await installation.run(["subscriber", "show", EMAIL])).code, 0);
  }
});

for (const page of readdirSync(guide).filter((file) => file !== "README.md"))
  describe(`docs/guide/clients/${page}`, () => {
    const programs = shownPrograms(readFileSync(join(guide, page), "utf8"));
    test("shows a complete program", () => assert.ok(programs.length > 0));

    for (const shown of programs)
      test(`${shown.file} adds a subscriber with custom fields, shows a refusal and catches a fault`, async (t) => {
        const { cwd, lines } = install(shown);
        const [make, run] = [lines.slice(0, -1), lines.slice(-1)];
        const installation = await serve(template);
        t.after(() => installation.remove());
        assert.match(await shell([...make, "echo made"], cwd), /^made$/m);
        // Its exit code does not count: Mono aborts now and then while it ends.
        assert.equal(await shell(run, cwd), "added\n");
        await assertStored(installation);

        assert.equal((await installation.run(["subscriber", "unsubscribe", EMAIL])).code, 0);
        assert.equal(await shell(run, cwd), "refused: 206\n");

        const stranger = await serve(null);
        t.after(() => stranger.remove());
        assert.match(await shell(run, cwd), /^fault InvalidApiKey: \S.*\n$/);
      });
  });
