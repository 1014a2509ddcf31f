/** Exports of other products are imported without a flag, and everybody arrives in the right state. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type Arrived, notImported, productExports } from "../transfer/product-exports.ts";
import { Installation } from "./program.ts";

interface Shown {
  readonly email: string;
  readonly state: Arrived["state"];
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly country: string | null;
  readonly lists: readonly { readonly joinedAt: string }[];
}

const home = new Installation({ keepsOpen: true });
after(() => home.remove());
before(async () => {
  await home.runHere(["account", "create", "Acme"]);
});

async function arrived({ email, since }: Arrived): Promise<Arrived> {
  const { code, out } = await home.runHere(["subscriber", "show", email, "--json"]);
  if (code !== 0) return notImported(email);
  const shown = JSON.parse(out) as Shown;
  return {
    ...{ email: shown.email.toLowerCase(), state: shown.state, country: shown.country },
    ...{ first: shown.firstName, last: shown.lastName },
    since: since === null ? null : (shown.lists[0]?.joinedAt.slice(0, 10) ?? null),
  };
}

for (const { name, text, people } of productExports)
  test(name, async () => {
    const created = await home.runHere(["list", "create", name, "--json"]);
    const { id } = JSON.parse(created.out) as { readonly id: number };
    const file = join(home.folder, name);
    writeFileSync(file, text);
    const imported = await home.runHere(["import", "subscribers", file, "--list", String(id)]);
    const found: Arrived[] = [];
    for (const person of people) found.push(await arrived(person));
    assert.deepEqual(found, people, imported.out + imported.err);
    const isComplete = people.every(({ state }) => state !== "not confirmed");
    assert.equal(imported.code, isComplete ? 0 : 1, imported.out);
  });
