/** Which role may perform which action: every cell of the table. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Admin, type Needed, perform } from "#admin/kit/action.ts";
import { Forbidden } from "#admin/kit/errors.ts";
import { userActor } from "#auth/users/actor.ts";
import type { Actor } from "#domain/access/actor.ts";
import type { User } from "#domain/access/user.ts";
import { accountRoles, type Role, roles } from "#domain/access/user.ts";
import { actions } from "./all-actions.ts";

/** Of the action's own work only the first step: it reads the store. */
class Begun extends Error {}
const adminAs = (actor: Actor): Admin => ({
  get store(): never {
    throw new Begun();
  },
  actor,
  clock: Date.now,
  continueJob: () => assert.fail("no job is left"),
});

const operatorAs = (role: Role | null, account: number): Actor => ({
  origin: { kind: "operator" },
  roleIn: (asked) => (asked === account ? role : null),
});

const somebody: User = {
  id: 7,
  email: "ada@example.org",
  name: "",
  isAdministrator: false,
  roles: [],
  createdAt: 1,
  disabledAt: null,
  passwordSetAt: null,
  totpSince: null,
  isTotpPending: false,
  invitationExpiresAt: null,
  timeZone: null,
};
/** After a log-in, or with a token that has at most a role. */
function userAs(role: Role | null, account: number, most: Role = "administrator"): Actor {
  const held = accountRoles.find((one) => one === role);
  const user = {
    ...somebody,
    isAdministrator: role === "administrator",
    roles: held === undefined ? [] : [{ account, role: held }],
  };
  return userActor(user, { kind: "password" }, most, "192.0.2.7");
}

const expects = (isAllowed: boolean) =>
  isAllowed ? (error: Error) => !(error instanceof Forbidden) : Forbidden;
const isEnough = (held: Role | null, needed: Needed): boolean =>
  needed === "user" || needed === "anyone" || (held !== null && roles.indexOf(held) >= roles.indexOf(needed));
const nameOf = (role: Role | null): string => role ?? "nobody in particular";

describe("permissions", () => {
  test("finds the actions, each with a name of its own in camelCase words", () => {
    assert.ok(actions.length >= 15, `${actions.length} actions`);
    assert.equal(new Set(actions.map(({ name }) => name)).size, actions.length);
    for (const { name } of actions) assert.match(name, /^[a-z]+(?:\.[a-z][A-Za-z]*)+$/);
  });
  for (const action of actions)
    for (const role of [null, ...roles]) {
      const isAllowed = isEnough(role, action.role);
      test(`${action.name} is ${isAllowed ? "allowed" : "forbidden"} to a user who is ${nameOf(role)}`, async () => {
        const args = { account: 1 };
        await assert.rejects(perform(adminAs(userAs(role, 1)), action, args), expects(isAllowed));
        // At the command line there is no user, about whom such an action would be.
        const atCommandLine = isAllowed && action.role !== "user";
        await assert.rejects(perform(adminAs(operatorAs(role, 1)), action, args), expects(atCommandLine));
        for (const most of roles) {
          const isLess = isEnough(most, action.role);
          await assert.rejects(
            perform(adminAs(userAs(role, 1, most)), action, args),
            expects(isAllowed && isLess),
            `with a token for ${most}`,
          );
        }
      });
    }
  test("a role in one account gives none in another, and none in the installation", async () => {
    for (const action of actions.filter(({ role }) => role !== "user" && role !== "anyone"))
      for (const args of [{ account: 2 }, { account: null }, {}])
        for (const actor of [operatorAs("administrator", 1), userAs("owner", 1)])
          await assert.rejects(perform(adminAs(actor), action, args), Forbidden, action.name);
  });
});
