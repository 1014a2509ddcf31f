/** The story of docs/guide/api.md, with the commands of the page itself. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { Installation, program } from "../cli/program.ts";
import { shellBlocks } from "../shell-blocks.ts";

test("the commands of the guide to the API run one after the other, and do what the page says", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-api-guide-"));
  const installation = new Installation();
  try {
    const { endpoint } = await installation.serve();
    const blocks = shellBlocks("docs/guide/api.md").map((block) =>
      block.replaceAll("http://localhost:8080", new URL(endpoint).origin),
    );
    // After each block, a mark, so that the output of each is known.
    const script = blocks.map((block) => `${block}\nprintf '\\n==\\n'\n`).join("");
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], {
      cwd: folder,
      env: {
        ...process.env,
        PATH: `${join(program, "..")}:${process.env.PATH ?? ""}`,
        MAILROLL_DATABASE: `sqlite:${installation.database}`,
      },
    });
    const [, added, batch, corrected, page, repeated, renamed, deleted] = stdout.split("\n==\n");
    assert.match(added ?? "", /grace@example\.org/);
    assert.deepEqual(batch?.trim().split("\n"), ['[0,"done"]', '[1,"invalidEmail"]']);
    assert.match(corrected ?? "", /"active"/);
    assert.match(corrected ?? "", /Hopper/);
    assert.equal(page?.trim(), "1");
    assert.match(repeated ?? "", /\}1\s*$/);
    assert.match(renamed ?? "", /"name":"News"/);
    assert.match(deleted ?? "", /^null\n/);
    const exported = readFileSync(join(folder, "person.json"), "utf8");
    assert.match(exported, /grace@example\.org/);
    assert.match(exported, /Hopper/);
    const { out } = await installation.run(["subscriber", "list", "grace@example.org", "--json"]);
    assert.doesNotMatch(out, /grace/);
  } finally {
    await installation.remove();
    rmSync(folder, { recursive: true });
  }
});
