/** Which Mailroll this is, as people and scripts ask for it. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";
import { Installation } from "./program.ts";

const home = new Installation();
after(() => home.remove());
const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  readonly version: string;
};

test("the version is that of package.json, and needs no database", async () => {
  assert.match(version, /^\d+\.\d+\.\d+/);
  const printed = { code: 0, out: `mailroll ${version}\n`, err: "" };
  assert.deepEqual(await home.run(["--version"]), printed);
  assert.deepEqual(await home.runHere(["version"]), printed);
  assert.deepEqual(JSON.parse((await home.runHere(["--version", "--json"])).out), { version });
  assert.equal((await home.runHere(["--version", "please"])).code, 2);
});
