/** Commands that expect a version, in every store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { AuditedBy } from "#domain/access/audit.ts";
import { storedForm } from "#domain/access/key.ts";
import { collect } from "#domain/paging.ts";
import type { UserSettings } from "#domain/ports/access/users.ts";
import { VersionConflict } from "#domain/ports/errors.ts";
import type { Store } from "#domain/ports/store.ts";
import { emptyContent } from "#domain/sending/mailing.ts";
import { userWithin, type VersionedThing, versionOf } from "#domain/version.ts";
import { actor, addressOf, NOW, newAccount } from "./actor.ts";
import { leaseAt } from "./job-steps.ts";
import { closeSound } from "./recount.ts";
import { senderValues } from "./sender-values.ts";

const origin = { kind: "operator" } as const;
const by = (ifVersion: string): AuditedBy => ({
  ...{ at: NOW, origin, from: null, action: "test" },
  ifVersion: ["another", ifVersion],
});

/** A thing that can be read, and commands that expect a version of it. */
interface Example {
  readonly read: () => Promise<unknown>;
  /** Changes it behind the back of whoever has read it. */
  readonly change: () => Promise<unknown>;
  readonly commands: Readonly<Record<string, (audit: AuditedBy) => Promise<unknown>>>;
}

async function exampleOf(thing: VersionedThing, store: Store): Promise<Example> {
  const account = await newAccount(store);
  const a = actor(store, account);
  const deletion = { account, at: NOW, lease: leaseAt(NOW) };
  const readAccount = async () =>
    (await collect(store.accounts.all.pages({}))).find(({ id }) => id === account);
  switch (thing) {
    case "account":
      return {
        read: readAccount,
        change: () => store.accounts.set({ id: account, settings: { limitFields: 7 } }),
        commands: {
          set: (audit) => store.accounts.set({ id: account, settings: { country: "AR" }, audit }),
          delete: (audit) => store.accounts.delete({ ...deletion, audit }),
        },
      };
    case "key": {
      const hash = storedForm(`${account} key`.padEnd(32, "0"));
      const made = { account, ...hash, label: "L", scope: "full", expiresAt: null, at: NOW } as const;
      const key = await store.keys.create(made);
      assert.ok(key);
      const { id } = key;
      return {
        read: async () => (await collect(store.keys.all.pages({ account })))[0],
        change: () => store.keys.revoke({ account, id, at: NOW }),
        commands: {
          revoke: (audit) => store.keys.revoke({ account, id, at: NOW + 1, audit }),
          set: (audit) => store.keys.set({ account, id, label: "B", audit }),
        },
      };
    }
    case "list": {
      const id = await a.list();
      return {
        read: async () => (await collect(store.lists.all.pages({ account })))[0],
        change: () => store.lists.set({ account, id, name: "Other" }),
        commands: {
          rename: (audit) => store.lists.set({ account, id, name: "B", audit }),
          delete: (audit) => store.lists.delete({ ...deletion, id, origin, audit }),
        },
      };
    }
    case "field": {
      const field = await a.createField("Town");
      assert.ok(typeof field === "object");
      const { id } = field;
      return {
        read: async () => (await collect(store.fields.all.pages({ account })))[0],
        change: () => store.fields.rename({ account, id, name: "City" }),
        commands: {
          rename: (audit) => store.fields.rename({ account, id, name: "Place", audit }),
          delete: (audit) => store.fields.delete({ ...deletion, id, audit }),
        },
      };
    }
    case "campaign": {
      const id = await a.campaign([]);
      const values = { account, id, createdAt: NOW, sentAt: null };
      return {
        read: () => store.campaigns.byId({ account, id }),
        change: () => store.campaigns.set({ ...values, name: "Other" }),
        commands: {
          set: (audit) => store.campaigns.set({ ...values, name: "B", audit }),
          delete: (audit) => store.campaigns.delete({ ...deletion, id, audit }),
        },
      };
    }
    case "campaign content": {
      const made = await store.mailings.create({ account, name: "C", content: emptyContent, at: NOW });
      assert.ok("campaign" in made);
      const one = { account, campaign: made.campaign.id };
      const times = { at: NOW, now: NOW };
      return {
        read: async () => {
          const found = await store.mailings.byId(one);
          return found && { name: found.campaign.name, ...found.content, state: found.mailing.state };
        },
        change: () => store.mailings.setContent({ ...one, changes: { html: "<p>Hello" } }),
        commands: {
          set: (audit) => store.mailings.setContent({ ...one, changes: { subject: "News" }, audit }),
          schedule: (audit) => store.mailings.change({ ...one, ...times, change: "schedule", audit }),
        },
      };
    }
    case "sender": {
      const { id } = await store.senders.create({ ...senderValues, account, createdAt: NOW });
      return {
        read: () => store.senders.byId({ account, id }),
        change: () => store.senders.set({ account, id, dkimSelector: "other" }),
        commands: {
          set: (audit) => store.senders.set({ account, id, fromName: "B", audit }),
          delete: (audit) => store.senders.delete({ account, id, audit }),
        },
      };
    }
    case "user": {
      const address = addressOf(`user${account}@example.org`);
      const role = { account, role: "viewer" } as const;
      const user = await store.users.create({ address, name: "", isAdministrator: false, role, at: NOW });
      assert.ok(typeof user === "object");
      const { id } = user;
      const set = (settings: UserSettings, audit?: AuditedBy) =>
        store.users.set({ id, within: null, settings, keepsAdministrator: false, audit });
      return {
        read: () => store.users.byId({ id }),
        change: () => set({ role: { account, role: "editor" } }),
        commands: {
          name: (audit) => set({ name: "Ada" }, audit),
          role: (audit) => set({ role: { account, role: null } }, audit),
          administrator: (audit) => set({ isAdministrator: true }, audit),
          disable: (audit) => set({ disabledAt: NOW }, audit),
        },
      };
    }
    case "subscriber": {
      const list = await a.list();
      const [town, name] = [await a.createField("Town"), await a.createField("Alias")];
      assert.ok(typeof town === "object" && typeof name === "object");
      const values = [
        { field: name.id, value: "A" },
        { field: town.id, value: "London" },
      ];
      await a.addData(list, "ada@example.org", { firstName: "Ada", values });
      const address = addressOf("ada@example.org");
      const command = { account, address, at: NOW, origin };
      const data = { lastName: "Byron" };
      return {
        read: () => a.show("ada@example.org"),
        change: () => a.addData(list, "ada@example.org", { values: [{ field: town.id, value: "Paris" }] }),
        commands: {
          correct: ({ ifVersion }) =>
            store.subscribers.correct({
              ...command,
              correction: { address: null, data, values: [] },
              ifVersion,
            }),
          erase: (audit) => store.subscribers.erase({ account, address, at: NOW, audit }),
        },
      };
    }
  }
}

const things: readonly VersionedThing[] = [
  "account",
  "key",
  "list",
  "field",
  "campaign",
  "campaign content",
  "sender",
  "subscriber",
  "user",
];

export function versionsSuite(name: string, open: () => Promise<Store>): void {
  describe(`versions in ${name}`, () => {
    let store: Store;
    before(async () => {
      store = await open();
    });
    after(() => closeSound(store));

    for (const thing of things)
      test(`a change or deletion of the ${thing} that expects another version changes nothing`, async () => {
        const { commands } = await exampleOf(thing, store);
        for (const command of Object.keys(commands)) {
          const { read, change, commands: own } = await exampleOf(thing, store);
          const seen = versionOf(thing, (await read()) as never);
          await change();
          const before = await read();
          assert.notEqual(versionOf(thing, before as never), seen, command);
          await assert.rejects(async () => own[command]?.(by(seen)), VersionConflict, command);
          assert.deepEqual(await read(), before, command);
          await own[command]?.(by(versionOf(thing, before as never)));
          assert.notDeepEqual(await read(), thing === "key" ? null : before, `${command} was made`);
        }
      });

    test("counters and times do not change the version of a list, a key or a subscriber", async () => {
      const account = await newAccount(store);
      const a = actor(store, account);
      const id = await a.list();
      const version = async () => {
        const [list] = await collect(store.lists.all.pages({ account }));
        assert.ok(list);
        return versionOf("list", list);
      };
      const before = await version();
      await a.add(id, "ada@example.org");
      assert.equal(await version(), before);
      const ada = await a.show("ada@example.org");
      await a.unsubscribe("ada@example.org");
      const later = await a.show("ada@example.org");
      assert.ok(ada && later);
      assert.equal(versionOf("subscriber", later), versionOf("subscriber", ada));
    });

    test("a role in another account does not change the version that a user has in an account", async () => {
      const [account, other] = [await newAccount(store), await newAccount(store)];
      const address = addressOf(`two${account}@example.org`);
      const role = { account, role: "viewer" } as const;
      const user = await store.users.create({ address, name: "", isAdministrator: false, role, at: NOW });
      assert.ok(typeof user === "object");
      const { id } = user;
      const set = (settings: UserSettings, audit?: AuditedBy) =>
        store.users.set({ id, within: account, settings, keepsAdministrator: false, audit });
      const seen = versionOf("user", userWithin(user, account));
      const joined = await set({ role: { account: other, role: "owner" } });
      assert.ok(typeof joined === "object");
      assert.equal(versionOf("user", userWithin(joined, account)), seen);
      assert.notEqual(versionOf("user", joined), versionOf("user", user));
      const changed = await set({ role: { account, role: "editor" } }, by(seen));
      assert.ok(typeof changed === "object");
      await assert.rejects(set({ role: { account, role: "owner" } }, by(seen)), VersionConflict);
      assert.deepEqual(await store.users.byId({ id }), changed);
    });

    test("a version that is expected of something that has none is a conflict", async () => {
      const account = await newAccount(store);
      const block = { account, at: NOW, origin, pattern: "@example.org", lease: leaseAt(NOW) };
      await assert.rejects(store.blocks.add({ ...block, audit: by("x") }), VersionConflict);
      assert.deepEqual(await collect(store.blocks.all.pages({ account })), []);
    });
  });
}
