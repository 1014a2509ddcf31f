/** What `mailroll campaign send --dry-run` prints if nobody would get the campaign. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { Installation } from "./program.ts";

const home = new Installation({ keepsOpen: true });
after(() => home.remove());

const run = home.output;

test("a dry run says that nobody would get the campaign, and prints no duration", async () => {
  await run("account", "create", "Acme");
  await run("list", "create", "News");
  await run("sender", "create", "--from", "news@example.org", "--postal-address", "1 Main Street");
  const file = join(home.folder, "autumn.md");
  writeFileSync(file, "{{ postal_address }} {{ unsubscribe_url }}\n");
  const content = ["--sender", "1", "--list", "1", "--subject", "News", "--markdown", file];
  await run("campaign", "create", "Autumn", ...content);
  const empty = await run("campaign", "send", "1", "--dry-run");
  assert.match(empty, /Nobody would get this campaign: its lists are empty/);
  assert.doesNotMatch(empty, /No problem|Duration/);
  await run("subscriber", "add", "1", "ada@example.org");
  assert.match(await run("campaign", "send", "1", "--dry-run"), /Duration[\s\S]*No problem was found/);
  await run("subscriber", "unsubscribe", "ada@example.org");
  const left = await run("campaign", "send", "1", "--dry-run");
  assert.match(left, /Left out:[\s\S]*Nobody would get this campaign, for the reasons above/);
  assert.doesNotMatch(left, /No problem|Duration/);
});
