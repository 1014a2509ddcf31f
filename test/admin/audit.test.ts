/** Which actions leave an entry in the audit log: every action is performed on a database. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AdminError } from "#admin/kit/errors.ts";
import { actorName } from "#domain/access/audit.ts";
import { examples } from "./action-examples.ts";
import { actions } from "./all-actions.ts";
import { ada, asUser, entriesOf, installation, NOW, performNamed } from "./audited-installation.ts";

/** Performs the action, and returns the entries that it left. */
async function leaves(name: string) {
  const of = await installation();
  const example = examples[name];
  assert.ok(example, `${name} has no example here: add one`);
  const args = { account: of.account, ...(await example(of)) };
  const earlier = (await entriesOf()).length;
  const isAboutUser = actions.find((one) => one.name === name)?.role === "user";
  const actor = isAboutUser ? await asUser(of.user) : ada;
  await performNamed(name, args, actor);
  const entries = await entriesOf();
  return { entries: entries.slice(0, entries.length - earlier), actor };
}

describe("the audit log", () => {
  for (const { name, records } of actions)
    test(`${name} leaves ${records === "audit log" ? "one entry" : "no entry"} in the audit log`, async () => {
      const { entries, actor } = await leaves(name);
      const { kind } = actor.origin;
      const by = { kind, name: actorName(actor.origin) };
      assert.deepEqual(
        entries.map(({ at, actor, from, action }) => ({ at, actor, from, action })),
        records === "audit log" ? [{ at: NOW, actor: by, from: "192.0.2.7", action: name }] : [],
      );
      assert.doesNotMatch(JSON.stringify(entries), /EXIST|mrt_|scrypt|@example/, "a secret, or an address");
    });

  test("an entry says what it is about, and what has changed of it and nothing else", async () => {
    const { account, list, field, key, campaign, refused } = await installation();
    const changes: readonly (readonly [string, object, object])[] = [
      ["list.rename", { id: list, name: "Daily" }, [{ name: "News" }, { name: "Daily" }]],
      ["field.rename", { id: field, name: "City" }, [{ name: "Town" }, { name: "City" }]],
      ["account.set", { country: "AR" }, [{ country: null }, { country: "AR" }]],
      ["key.set", { id: key, expiresAt: NOW + 1 }, [{ expiresAt: null }, { expiresAt: NOW + 1 }]],
      ["key.revoke", { id: key }, [{ revokedAt: null }, { revokedAt: NOW }]],
      ["campaign.set", { campaign, sentAt: null }, [{ sentAt: NOW }, { sentAt: null }]],
      ["list.delete", { id: list }, [{ name: "Daily" }, null]],
      ["field.delete", { id: field }, [{ name: "City", type: "STRING", isPrivate: false }, null]],
      ["refused.dismiss", { id: refused }, [{ operation: "Subscriber.Add", outcome: "UnknownList" }, null]],
      ["block.add", { pattern: "@spam.example" }, [null, {}]],
    ];
    for (const [name, args, change] of changes) {
      await performNamed(name, { account, ...args });
      const [entry] = await entriesOf();
      assert.deepEqual(
        [entry?.action, entry?.account, [entry?.before, entry?.after]],
        [name, account, change],
      );
    }
    const about = (await entriesOf()).slice(0, changes.length).map((entry) => entry.about);
    assert.deepEqual(about.reverse(), [
      { kind: "list", id: `${list}` },
      { kind: "field", id: `${field}` },
      { kind: "account", id: `${account}` },
      { kind: "key", id: `${key}` },
      { kind: "key", id: `${key}` },
      { kind: "campaign", id: `${campaign}` },
      { kind: "list", id: `${list}` },
      { kind: "field", id: `${field}` },
      { kind: "refused call", id: `${refused}` },
      { kind: "block", id: "@spam.example" },
    ]);
  });

  test("an action that is refused, fails or changes nothing leaves no entry", async () => {
    const { account, list, key, field, campaign } = await installation();
    await performNamed("key.revoke", { account, id: key });
    await performNamed("block.add", { account, pattern: "@spam.example" });
    const earlier = await entriesOf();
    const refused: readonly (readonly [string, object])[] = [
      ["list.rename", { id: 99, name: "X" }],
      ["list.rename", { id: list, name: "" }],
      ["list.delete", { id: 99 }],
      ["list.create", { name: "X", id: list }],
      ["field.create", { id: null, name: "Town", type: "STRING", isPrivate: false }],
      ["field.rename", { id: 99n, name: "X" }],
      ["key.revoke", { id: 99 }],
      ["key.set", { id: 99, label: "X" }],
      ["key.set", { id: key, expiresAt: NOW }],
      ["key.create", { label: "", scope: "full", expiresAt: null, existing: `KEY-OF-ACCOUNT-${account}` }],
      ["block.remove", { pattern: "@other.example" }],
      ["campaign.record", { name: "X", lists: [99], createdAt: null, sentAt: null }],
      ["campaign.set", { campaign: 99, name: "X" }],
      ["refused.dismiss", { id: 99 }],
      ["account.rename", { account: 999, name: "X" }],
    ];
    for (const [name, args] of refused)
      await assert.rejects(performNamed(name, { account, ...args }), AdminError, name);
    const noOps: readonly (readonly [string, object])[] = [
      ["list.rename", { id: list, name: "News" }],
      ["field.rename", { id: field, name: "Town" }],
      ["key.revoke", { id: key }],
      ["key.set", { id: key, expiresAt: null }],
      ["block.add", { pattern: "@spam.example" }],
      ["campaign.set", { campaign, name: "Spring" }],
    ];
    for (const [name, args] of noOps) await performNamed(name, { account, ...args });
    assert.deepEqual(await entriesOf(), earlier);
  });
});
