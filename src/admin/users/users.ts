/** Users of an account or of the installation, and their roles. */
import type { AccountRole, User } from "#domain/access/user.ts";
import type { UserSettings } from "#domain/ports/access/users.ts";
import type { Page } from "#domain/ports/listing.ts";
import { audited, type InAccount, type Performing, query } from "../kit/action.ts";
import { AlreadyExists, InvalidInput, NotFound, NotPossible } from "../kit/errors.ts";
import { requireAddress } from "../kit/inputs.ts";
import { type PageInputs, pageOf } from "../kit/paging.ts";
import { type AmongUsers, findUser, manageUser, type OneUser, seenBy, visible } from "./managed-user.ts";
import { optionalName } from "./user-names.ts";

interface CreateUser extends AmongUsers {
  readonly email: string;
  /** Empty for none. */
  readonly name: string;
  /** In the account; null if there is no account, or for an administrator. */
  readonly role: AccountRole | null;
}

/**
 * Without a password: the user cannot log in yet. An address belongs to one user of the installation; only an
 * administrator gives an existing user a role in a further account.
 */
export const createUser = audited(
  "user.create",
  "owner",
  async ({ store, clock, actor, audit }, { account, email, name, role }: CreateUser): Promise<User> => {
    if ((account === null) !== (role === null))
      throw new InvalidInput("role", "must be given together with an account");
    const created = await store.users.create({
      address: requireAddress(email),
      name: optionalName(name),
      isAdministrator: false,
      role: account === null || role === null ? null : { account, role },
      at: clock(),
      audit,
    });
    if (created === "UnknownAccount") throw new NotFound("account", account ?? "");
    if (created === "AddressTaken")
      throw new AlreadyExists(
        "a user with this address already exists in this installation; ask an administrator to give that user a role in this account",
        "email",
      );
    return seenBy(actor, created);
  },
);

/** In order of id. */
export const listUsers = query(
  "user.list",
  "owner",
  async ({ store, actor }, { account, ...inputs }: AmongUsers & PageInputs): Promise<Page<User>> => {
    const page =
      account === null
        ? await pageOf(store.users.ofInstallation, {}, inputs)
        : await pageOf(store.users.all, { account }, inputs);
    return { ...page, rows: page.rows.map((user) => seenBy(actor, user)) };
  },
);

export const showUser = query("user.show", "owner", async (admin, one: OneUser) =>
  seenBy(admin.actor, await findUser(admin, one)),
);

export const findUserByAddress = query(
  "user.find",
  "owner",
  async ({ store, actor }, { account, email }: AmongUsers & { readonly email: string }) => {
    const address = requireAddress(email);
    const user = await store.users.byAddress({ address });
    return seenBy(actor, visible(actor, account, address.text, user));
  },
);

async function set(admin: Performing, { account, id }: OneUser, settings: UserSettings): Promise<User> {
  const { store, actor, audit } = admin;
  // At the command line an operator can always make another administrator.
  const keepsAdministrator = actor.origin.kind === "user";
  const within = settings.role?.account ?? account;
  const changed = await store.users.set({ id, within, settings, keepsAdministrator, audit });
  if (changed === "UnknownUser") throw new NotFound("user", id);
  if (changed === "UnknownAccount") throw new NotFound("account", account ?? "");
  if (changed === "LastAdministrator")
    throw new NotPossible(`user ${id} is the last administrator; make another user an administrator first`);
  return seenBy(actor, changed);
}

interface SetUser extends OneUser {
  readonly name?: string | undefined;
}
/** undefined keeps a value. */
export const setUser = audited("user.set", "owner", async (admin, { name, ...one }: SetUser) => {
  await manageUser(admin, one);
  if (name === undefined) throw new InvalidInput("name", "is missing, so there is nothing to change");
  return await set(admin, one, { name: optionalName(name) });
});

export const INVITATION_ENDED =
  "the invitation has ended, because whoever made it must not get these rights with it; invite the user again";
/** Whether a change of rights has ended an invitation that was open. */
export const hasEndedInvitation = (before: User, after: User, now: number): boolean =>
  now < (before.invitationExpiresAt ?? 0) && after.invitationExpiresAt === null;

interface SetRole extends InAccount, OneUser {
  readonly account: InAccount["account"];
  /** null: none any more. */
  readonly role: AccountRole | null;
}
/** In an account. Administrators also give a role to users of other accounts. */
export const setUserRole = audited("user.role", "owner", async (admin, { account, id, role }: SetRole) => {
  await findUser(admin, { account, id });
  return await set(admin, { account, id }, { role: { account, role } });
});

export const setAdministrator = audited(
  "user.administrator",
  "administrator",
  async (admin, { id, isAdministrator }: { readonly id: number; readonly isAdministrator: boolean }) =>
    await set(admin, { account: null, id }, { isAdministrator }),
);

/** Tokens of the user stop working at once. */
export const disableUser = audited("user.disable", "owner", async (admin, one: OneUser) => {
  await manageUser(admin, one);
  return await set(admin, one, { disabledAt: admin.clock() });
});
/** Tokens that were not revoked and have not expired work again. */
export const enableUser = audited("user.enable", "owner", async (admin, one: OneUser) => {
  await manageUser(admin, one);
  return await set(admin, one, { disabledAt: null });
});
