/** Passwords and second factors of other users: for owners and administrators. */
import { passwords } from "#auth/users/passwords.ts";
import { action } from "../kit/action.ts";
import { NotFound } from "../kit/errors.ts";
import { manageCredentials, type OneUser, seenBy } from "./managed-user.ts";
import { requirePassword } from "./password-rules.ts";
import { confirmTotp, enrolTotp, removeTotp } from "./second-factor.ts";

/** Ends the log-ins of the user; other tokens keep working. */
export const setUserPassword = action(
  "user.password",
  "owner",
  "audit log",
  async (admin, { password, ...one }: OneUser & { readonly password: string }) => {
    const { store, actor, clock, audit } = admin;
    const user = await manageCredentials(admin, one);
    const hash = await passwords.hash(requirePassword(password, user), actor.from);
    const of = { id: one.id, within: one.account };
    const changed = await store.users.setPassword({ ...of, hash, at: clock(), keeps: null, audit });
    if (changed === null) throw new NotFound("user", one.id);
    return seenBy(actor, changed);
  },
);

/** An owner cannot do this for somebody else: the secret is for the user only. */
export const enrolUserTotp = action(
  "user.totp.enrol",
  "administrator",
  "audit log",
  async (admin, one: OneUser) => {
    await manageCredentials(admin, one);
    return await enrolTotp(admin, { id: one.id, within: one.account });
  },
);
export const confirmUserTotp = action(
  "user.totp.confirm",
  "administrator",
  "audit log",
  async (admin, { code, ...one }: OneUser & { readonly code: string }) => {
    await manageCredentials(admin, one);
    return { recoveryCodes: await confirmTotp(admin, { id: one.id, within: one.account }, code) };
  },
);
/** For a user who has lost the authenticator app and the recovery codes. */
export const removeUserTotp = action(
  "user.totp.remove",
  "owner",
  "audit log",
  async (admin, one: OneUser) => {
    const user = await manageCredentials(admin, one);
    await removeTotp(admin, { id: one.id, within: one.account });
    return seenBy(admin.actor, user);
  },
);
