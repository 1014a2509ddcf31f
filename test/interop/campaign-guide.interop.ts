/** The story of docs/guide/campaigns.md, with the commands of the page itself. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { Installation, program } from "../cli/program.ts";
import { shellBlocks } from "../shell-blocks.ts";

test("the commands of the guide to campaigns run one after the other, and do what the page says", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mailroll-campaign-guide-"));
  const installation = new Installation();
  const settings = { MAILROLL_SMTP: `file:${join(folder, "outbox")}` };
  try {
    await installation.serve([], settings);
    // After each block, a mark, so that the output of each is known.
    const script = shellBlocks("docs/guide/campaigns.md")
      .map((block) => `${block}\nprintf '\\n==\\n'\n`)
      .join("");
    const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], {
      cwd: folder,
      env: {
        ...process.env,
        ...settings,
        PATH: `${join(program, "..")}:${process.env.PATH ?? ""}`,
        MAILROLL_DATABASE: `sqlite:${installation.database}`,
      },
    });
    const [, sender, composed, looked, sent, ledger, limited, left, recorded] = stdout.split("\n==\n");
    assert.match(sender ?? "", /mailroll\._domainkey\.example\.org/);
    assert.match(composed ?? "", /Campaign 1 \(Autumn\) is a draft/);
    assert.match(looked ?? "", /Autumn, Grace/);
    assert.match(looked ?? "", /Recipients {4}3/);
    assert.match(looked ?? "", /No problem was found/);
    assert.match(sent ?? "", /3 of 3 \(100%\)/);
    assert.match(ledger ?? "", /Campaign 1 balances/);
    assert.match(limited ?? "", /500 per day/);
    assert.match(left ?? "", /<h1>Unsubscribe\?<\/h1>\n<h1>You are unsubscribed<\/h1>/);
    assert.match(left ?? "", /State +unsubscribed/);
    assert.match(recorded ?? "", /Recorded for campaign 1: alan@example\.org bounced\./);
    assert.match(recorded ?? "", /2 events; 0 bad lines/);
    assert.match(readFileSync(join(folder, "preview.html"), "utf8"), /new colours/);
    const files = readdirSync(join(folder, "outbox"));
    assert.deepEqual(files.filter((name) => name.startsWith("1-")).toSorted(), [
      "1-1.eml",
      "1-2.eml",
      "1-3.eml",
    ]);
    assert.equal(files.filter((name) => name.startsWith("test-")).length, 1);
  } finally {
    await installation.remove();
    rmSync(folder, { recursive: true });
  }
});
