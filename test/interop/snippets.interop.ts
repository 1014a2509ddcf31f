/** The programs that the console shows with a new key, made and run by the commands beside them. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SNIPPET_EMAIL, type Snippet, snippets } from "#console/pages/integrations/snippets.ts";
import { Installation } from "../cli/program.ts";
import { shell } from "./shell.ts";

/** As somebody may have given it to the service that was there before. */
const HOSTILE_KEY = "IT'S-\"A\\U0041\\\\$HOME`DATE`<&>%S{X}?>";
const READ_KEY = "0123456789ABCDEF0123456789ABCDEF";
/** It promises a second. */
const KEY_CACHE_MS = 3000;
const LIST = "Kids & <b>Toys</b>";

const folder = mkdtempSync(join(tmpdir(), "mailroll-snippets-"));
const installation = new Installation();
let base: string;
before(async () => {
  const served = await installation.serve();
  base = new URL(served.endpoint).origin;
  await installation.json("key", "create", "--key", READ_KEY, "--scope", "read");
  await installation.json("list", "create", LIST, "--id", "7");
});
after(async () => {
  await installation.remove();
  rmSync(folder, { recursive: true, force: true });
});

interface Made {
  /** What the program prints, or what curl receives. */
  readonly run: () => Promise<string>;
}
async function make({ language, fileName, code, commands }: Snippet): Promise<Made> {
  const cwd = mkdtempSync(join(folder, `${language}-`));
  writeFileSync(join(cwd, "php.ini"), "soap.wsdl_cache_enabled = 0\n");
  if (fileName === null) return { run: () => shell([code.replace(/^curl /, "curl --silent ")], cwd) };
  writeFileSync(join(cwd, fileName), code);
  assert.match(await shell([...commands.slice(0, -1), "echo made"], cwd), /^made$/m);
  return { run: () => shell(commands.slice(-1), cwd) };
}

const added = { curl: /<Subscriber.AddResult>0<\/Subscriber.AddResult>/, others: /^added\n$/ };
const listed = { curl: /<Name>Kids &amp; &lt;b(?:&gt;|>)Toys/, others: /^7 Kids & <b>Toys<\/b>$/m };

for (const language of ["PHP", "Python", "C#", "Java", "curl"] as const) {
  const written = (key: string, list: number | null): Snippet => {
    const found = snippets({ base, key, list }).find((one) => one.language === language);
    assert.ok(found);
    return found;
  };
  const kind = language === "curl" ? "curl" : "others";

  test(`${language}: the snippet adds a subscriber, whatever characters the key has, and shows a fault`, async () => {
    const key = `${language}-${HOSTILE_KEY}`;
    const { id } = await installation.json<{ readonly id: number }>("key", "create", "--key", key);
    const program = await make(written(key, 7));
    assert.match(await program.run(), added[kind]);
    const person = await installation.json<object>("subscriber", "show", SNIPPET_EMAIL);
    assert.partialDeepStrictEqual(person, { lists: [{ id: 7 }] });
    assert.equal((await installation.run(["subscriber", "remove", "7", SNIPPET_EMAIL])).code, 0);
    await installation.json("key", "revoke", String(id), "--yes");
    // The service remembers a key for a moment.
    const until = Date.now() + KEY_CACHE_MS;
    let said = await program.run();
    while (!said.includes("InvalidApiKey") && Date.now() < until) said = await program.run();
    assert.match(said, /InvalidApiKey/);
  });

  test(`${language}: the snippet shows the lists if the key may only read`, async () => {
    const program = await make(written(READ_KEY, null));
    assert.match(await program.run(), listed[kind]);
  });
}
