/** Which role may perform which action: every cell of the table. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Admin, perform } from "../../src/admin/action.ts";
import { Forbidden } from "../../src/admin/errors.ts";
import { type Role, roles } from "../../src/admin/roles.ts";
import { actions } from "./all-actions.ts";

/** Of the action's own work only the first step: it reads the store. */
class Begun extends Error {}
const adminAs = (role: Role | null, account: number | null): Admin => ({
  get store(): never {
    throw new Begun();
  },
  actor: { origin: { kind: "operator" }, roleIn: (asked) => (asked === account ? role : null) },
  clock: Date.now,
  continueJob: () => assert.fail("no job is left"),
});

describe("permissions", () => {
  test("finds the actions, each with a name of its own", () => {
    assert.ok(actions.length >= 15, `${actions.length} actions`);
    assert.equal(new Set(actions.map(({ name }) => name)).size, actions.length);
  });
  for (const action of actions)
    for (const role of [null, ...roles]) {
      const isAllowed = role !== null && roles.indexOf(role) >= roles.indexOf(action.role);
      test(`${action.name} is ${isAllowed ? "allowed" : "forbidden"} to ${role ?? "somebody without a role"}`, async () => {
        await assert.rejects(
          perform(adminAs(role, 1), action, { account: 1 }),
          isAllowed ? (error: Error) => !(error instanceof Forbidden) : Forbidden,
        );
      });
    }
  test("a role in one account gives none in another, and none in the installation", async () => {
    for (const action of actions)
      for (const args of [{ account: 2 }, {}])
        await assert.rejects(perform(adminAs("administrator", 1), action, args), Forbidden, action.name);
  });
});
