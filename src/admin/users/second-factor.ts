/** How a second factor is set up: a secret for an authenticator app, confirmed with a code of it. */
import { hashRecoveryCode, newRecoveryCodes } from "#auth/users/recovery-codes.ts";
import { newTotpSecret, totpStep, totpUri } from "#auth/users/totp.ts";
import type { UserId } from "#domain/access/user.ts";
import type { AccountId } from "#domain/account.ts";
import type { Performing } from "../kit/action.ts";
import { InvalidInput, NotFound, NotPossible } from "../kit/errors.ts";

interface OfUser {
  readonly id: UserId;
  readonly within: AccountId | null;
}

/** Shown once. */
export interface Enrolment {
  /** For typing it in. */
  readonly secret: string;
  /** For a QR code. */
  readonly uri: string;
}

/** A second factor that is in effect stays so until the new one is confirmed. */
export async function enrolTotp({ store, audit }: Performing, of: OfUser): Promise<Enrolment> {
  const secret = newTotpSecret();
  const user = await store.users.enrolTotp({ ...of, secret, audit });
  if (user === null) throw new NotFound("user", of.id);
  return { secret, uri: totpUri(secret, user.email) };
}

/** Returns the recovery codes, which are not stored. */
export async function confirmTotp(
  { store, clock, audit, codeCheck }: Performing,
  of: OfUser,
  code: string,
): Promise<readonly string[]> {
  const found = await store.users.credentials({ id: of.id });
  if (found === null) throw new NotFound("user", of.id);
  const secret = found.totpPending;
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
  if ((await store.users.removeTotp({ ...of, audit })) === null) throw new NotFound("user", of.id);
}
