/** Passwords and second factors of other users: for owners and administrators. */
import { MAX_PASSWORD_LENGTH, passwords } from "#auth/users/passwords.ts";
import { hashRecoveryCode, newRecoveryCodes } from "#auth/users/recovery-codes.ts";
import { newTotpSecret, totpStep, totpUri } from "#auth/users/totp.ts";
import type { User, UserId } from "#domain/access/user.ts";
import type { AccountId } from "#domain/account.ts";
import { hasAtMost } from "#domain/text.ts";
import { audited, type Performing } from "../kit/action.ts";
import { existing, InvalidInput, NotPossible } from "../kit/errors.ts";
import { manageCredentials, type OneUser, seenBy } from "./managed-user.ts";

/** Which passwords are accepted: long ones. Other rules make passwords worse. */
export const MIN_PASSWORD_LENGTH = 12;

/** The message does not repeat the value. */
export function requirePassword(
  password: string,
  { email }: Pick<User, "email">,
  input = "password",
): string {
  if (hasAtMost(MIN_PASSWORD_LENGTH - 1, password) || !hasAtMost(MAX_PASSWORD_LENGTH, password))
    throw new InvalidInput(input, `must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`);
  if (password.toLowerCase() === email.toLowerCase())
    throw new InvalidInput(input, "must not be the e-mail address");
  if (new Set(password).size < 4)
    throw new InvalidInput(input, "must have at least four different characters");
  return password;
}

/** Ends the log-ins of the user; other tokens keep working. */
export const setUserPassword = audited(
  "user.password",
  "owner",
  async (admin, { password, ...one }: OneUser & { readonly password: string }) => {
    const { store, actor, clock, audit } = admin;
    const user = await manageCredentials(admin, one);
    const hash = await passwords.hash(requirePassword(password, user), actor.from);
    const of = { id: one.id, within: one.account };
    const changed = await store.users.setPassword({ ...of, hash, at: clock(), keeps: null, audit });
    return seenBy(actor, existing("user", one.id, changed));
  },
);

/** An owner cannot do this for another user: the secret is for the user only. */
export const enrolUserTotp = audited("user.totp.enrol", "administrator", async (admin, one: OneUser) => {
  await manageCredentials(admin, one);
  return await enrolTotp(admin, { id: one.id, within: one.account });
});
export const confirmUserTotp = audited(
  "user.totp.confirm",
  "administrator",
  async (admin, { code, ...one }: OneUser & { readonly code: string }) => {
    await manageCredentials(admin, one);
    return { recoveryCodes: await confirmTotp(admin, { id: one.id, within: one.account }, code) };
  },
);
/** For a user who has lost the authenticator app and the recovery codes. */
export const removeUserTotp = audited("user.totp.remove", "owner", async (admin, one: OneUser) => {
  const user = await manageCredentials(admin, one);
  await removeTotp(admin, { id: one.id, within: one.account });
  return seenBy(admin.actor, user);
});

/** How a second factor is set up: a secret for an authenticator app, confirmed with a code of it. */
interface OfUser {
  readonly id: UserId;
  readonly within: AccountId | null;
}

/**
 * A second factor that is in effect stays so until the new one is confirmed. The secret is shown once: for
 * typing it in, and as a URI for a QR code.
 */
export async function enrolTotp({ store, audit }: Performing, of: OfUser) {
  const secret = newTotpSecret();
  const user = existing("user", of.id, await store.users.enrolTotp({ ...of, secret, audit }));
  return { secret, uri: totpUri(secret, user.email) };
}

/** Returns the recovery codes, which are not stored. */
export async function confirmTotp(
  { store, clock, audit, codeCheck }: Performing,
  of: OfUser,
  code: string,
): Promise<readonly string[]> {
  const { totpPending: secret } = existing("user", of.id, await store.users.credentials({ id: of.id }));
  if (secret === null) throw new NotPossible("no second factor is waiting to be confirmed; enrol one first");
  const at = clock();
  const step = totpStep(secret, code, at);
  const check = async (): Promise<boolean> => step !== null;
  const isRight = codeCheck === undefined ? await check() : await codeCheck(of.id, check);
  if (step === null || !isRight)
    throw new InvalidInput(
      "code",
      "is not the current code of the authenticator app; check that the clocks of the phone and of the server are right",
    );
  const codes = newRecoveryCodes();
  const recoveryHashes = codes.map(hashRecoveryCode).filter((hash) => hash !== null);
  if ((await store.users.confirmTotp({ ...of, secret, step, recoveryHashes, at, audit })) === null)
    throw new NotPossible("another second factor was enrolled meanwhile; confirm that one");
  return codes;
}

export async function removeTotp({ store, audit }: Performing, of: OfUser): Promise<void> {
  existing("user", of.id, await store.users.removeTotp({ ...of, audit }));
}
