/**
 * Calls that are incomplete or wrong: what is printed, on which stream, with which exit code; and with
 * --json.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { runCommandLine } from "#cli/command-line.ts";
import { commands } from "#cli/commands.ts";
import { errorCodes } from "#cli/kit/errors.ts";
import { displayWidth, helpWidth } from "#cli/kit/terminal/text.ts";
import { Installation, type Ran } from "./program.ts";

const home = new Installation();
after(() => home.remove());
const run = (call: string): Promise<Ran> => home.runHere(call === "" ? [] : call.split(" "));

/** `backup` is a command itself. */
const families = [...new Set(commands.map(({ name }) => name.split(" ")).filter(([, verb]) => verb))]
  .map(([first = ""]) => first)
  .filter((first) => !commands.some(({ name }) => name === first));
for (const family of new Set(families))
  test(`'mailroll ${family}' prints the commands of the group on standard error and exits with 2`, async () => {
    const { code, out, err } = await run(family);
    assert.deepEqual([code, out], [2, ""]);
    for (const { name } of commands)
      assert.equal(err.includes(`\n  ${name} `), name.startsWith(`${family} `), name);
    for (const call of [`${family} --help`, `${family} -h`, `help ${family}`, `--help ${family}`])
      assert.deepEqual(await run(call), { code: 0, out: err, err: "" }, call);
  });

test("without a command all commands are printed on standard error, with --help on standard output", async () => {
  const { code, out, err } = await run("");
  assert.deepEqual([code, out], [2, ""]);
  for (const { name } of commands) assert.ok(err.includes(`\n  ${name} `), name);
  for (const call of ["--help", "-h", "help"])
    assert.deepEqual(await run(call), { code: 0, out: err, err: "" });
});

test("'mailroll help COMMAND' prints the help of the command", async () => {
  const { code, out } = await run("help key revoke");
  assert.equal(code, 0);
  assert.match(out, /Usage: bin\/mailroll key revoke ID \[--yes\]/);
  assert.deepEqual(await run("key revoke --help"), await run("help key revoke"));
});

const misspelt: Readonly<Record<string, RegExp>> = {
  "acount list": /no command 'acount list'; did you mean 'bin\/mailroll account list'\?/,
  accounts: /no command 'accounts'; did you mean 'bin\/mailroll account'\?/,
  "key craete": /did you mean 'bin\/mailroll key create'\?/,
  "create key": /did you mean 'bin\/mailroll key create'\?/,
  "subscribers import x.csv": /did you mean 'bin\/mailroll import subscribers'\?/,
  "key delete 3": /did you mean 'bin\/mailroll key revoke'\?/,
  "list show": /did you mean 'bin\/mailroll list list'\?/,
  "bakcup x.db": /did you mean 'bin\/mailroll backup'\?/,
  "key list --jsno": /no option --jsno; did you mean --json\? Usage: bin\/mailroll key list/,
  "key create --lable Shop": /no option --lable; did you mean --label\? Usage: bin\/mailroll key create/,
  "serve --prot 80": /no option --prot; did you mean --port\?/,
  "--verison": /no option --verison; did you mean --version\?/,
};
for (const [call, line] of Object.entries(misspelt))
  test(`'mailroll ${call}' suggests the most similar command`, async () => {
    const { code, out, err } = await run(call);
    assert.deepEqual([code, out], [2, ""]);
    assert.match(err, /^mailroll: [^\n]+\n$/);
    assert.match(err, line);
  });

test("nothing is suggested for a word that is not similar to any command", async () => {
  const { err } = await run("zzyzx");
  assert.match(err, /no command 'zzyzx'; there are: serve, account, .*version/);
  assert.doesNotMatch(err, /did you mean/);
});

const wrong: Readonly<Record<string, readonly [code: number, error: string]>> = {
  "--json": [2, "MissingCommand"],
  "account --json": [2, "MissingCommand"],
  "--json frob": [2, "UnknownCommand"],
  "frob --json": [2, "UnknownCommand"],
  "--json key list --frob": [2, "UnknownOption"],
  "--frob --json": [2, "UnknownOption"],
  "serve --json": [2, "UnknownOption"],
  "list rename --json": [2, "InvalidUsage"],
  "key create --label --json": [2, "InvalidUsage"],
  "key list --json=yes": [2, "InvalidUsage"],
  "list list --json": [1, "NoDatabase"],
  "--json list list": [1, "NoDatabase"],
  "--json --database nonsense: list list": [78, "InvalidSetting"],
  "copy a b --json": [2, "InvalidUsage"],
};
for (const [call, [exitCode, error]] of Object.entries(wrong))
  test(`'mailroll ${call}' prints one JSON document with the code ${error}, and nothing else`, async () => {
    const { code, out, err } = await run(call);
    assert.deepEqual([code, err], [exitCode, ""]);
    const document = JSON.parse(out) as {
      readonly error: { readonly code: string; readonly message: string };
    };
    assert.deepEqual(Object.keys(document), ["error"]);
    assert.deepEqual(Object.keys(document.error), ["code", "message"]);
    assert.equal(document.error.code, error);
    assert.ok(error in errorCodes && document.error.message !== "");
  });

test("--json after -- is an argument", async () => {
  const { code, out, err } = await run("list create -- --json");
  assert.deepEqual([code, out], [1, ""]);
  assert.match(err, /^mailroll: there is no database/);
});

test("a defect is reported as JSON with --json", async () => {
  const written = { out: "", err: "" };
  const code = await runCommandLine(["version", "--json"], {
    out: (text) => {
      written.out += text;
    },
    err: (text) => {
      written.err += text;
    },
    get env(): never {
      throw new TypeError("planted");
    },
    folder: home.folder,
    confirm: async () => null,
  });
  assert.deepEqual([code, written.err], [1, ""]);
  assert.match(written.out, /"code": "InternalError",\s+"message": "TypeError: planted/);
});

test("options may precede the command", async () => {
  const made = await run("--json account create Acme");
  assert.equal((JSON.parse(made.out) as { name: string }).name, "Acme");
  const list = await run("--account Acme --json list create News");
  assert.equal((JSON.parse(list.out) as { name: string }).name, "News");
  assert.match((await run(`--database=sqlite:${home.database} list list`)).out, /News/);
  assert.match((await run("--json --version")).out, /"version"/);
});

test("the program itself prints nothing on standard error with --json, and wraps help at COLUMNS", async () => {
  const wrong = await home.run(["--json", "frob"]);
  assert.deepEqual([wrong.code, wrong.err], [2, ""]);
  assert.match(wrong.out, /^\{\n {2}"error": \{\n {4}"code": "UnknownCommand",/);
  const help = await home.run(["--help"], { env: { COLUMNS: "50" } });
  assert.deepEqual([help.code, help.err], [0, ""]);
  for (const line of help.out.split("\n")) assert.ok(line.length <= 50, line);
});

test("the width of help is COLUMNS, otherwise that of the terminal, otherwise 80, within limits", () => {
  assert.equal(helpWidth(undefined, null), 80);
  assert.equal(helpWidth(undefined, 72), 72);
  assert.equal(helpWidth("60", 72), 60);
  assert.equal(helpWidth("nonsense", 72), 72);
  assert.equal(helpWidth("0", null), 80);
  assert.equal(helpWidth("7", null), 40);
  assert.equal(helpWidth(undefined, 300), 100);
});

async function helpAt(columns: number, ...words: readonly string[]): Promise<readonly string[]> {
  let text = "";
  await runCommandLine([...words, "--help"], {
    out: (more) => {
      text += more;
    },
    err: () => {},
    env: {},
    outColumns: () => columns,
    folder: home.folder,
    confirm: async () => null,
  });
  return text.split("\n");
}
test("help is wrapped at the width, except for text to be copied", async () => {
  for (const columns of [40, 60, 80, 100])
    for (const words of [[], ...commands.map(({ name }) => name.split(" "))]) {
      const lines = await helpAt(columns, ...words);
      const long = lines.filter((line) => displayWidth(line) > columns);
      for (const line of long)
        assert.match(line.trim(), /^(?:Example: .*|\{.*\}|[\w,() ]+|(?:--)?\S+(?: \S+){0,3})$/, line);
    }
});

test("help uses the available width", async () => {
  const widest = async (columns: number) => Math.max(...(await helpAt(columns)).map(displayWidth));
  assert.ok((await widest(60)) <= 60);
  assert.ok((await widest(100)) > 90);
});

test("common options are described once, and listed in the help of each command", async () => {
  const all = (await helpAt(80)).join("\n");
  assert.equal(all.split("Print one JSON document").length, 2);
  const one = (await helpAt(80, "list", "rename")).join("\n");
  assert.doesNotMatch(one, /Print one JSON document/);
  assert.match(
    one,
    /Common options: --account, --database, --json, --help \(see 'bin\/mailroll\s--help'\)\./,
  );
});
