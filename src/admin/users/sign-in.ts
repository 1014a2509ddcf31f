/**
 * How sessions of the console begin: with a password, a link or an invitation, and for the first
 * administrator.
 */
import { passwords } from "#auth/users/passwords.ts";
import { type CreatedLink, createInvitation, createSignInLink } from "#auth/users/sign-in-links.ts";
import { userOf } from "#domain/access/origin.ts";
import { hashSecret, newSecret, SESSION_MS, type Session } from "#domain/access/session.ts";
import type { User, UserId } from "#domain/access/user.ts";
import type { AccountId } from "#domain/account.ts";
import { isTimeZone, listedTimeZone } from "#domain/calendar.ts";
import { audited } from "../kit/action.ts";
import { AlreadyExists, Forbidden, InvalidInput, NotPossible } from "../kit/errors.ts";
import { requireAddress } from "../kit/inputs.ts";
import { requirePassword } from "./credentials.ts";
import { manageCredentials, manageUser, type OneUser, seenBy } from "./managed-user.ts";
import { me } from "./me.ts";
import { optionalName } from "./user-names.ts";

export interface CreatedSession {
  readonly session: Session;
  /** Not stored. */
  readonly secret: string;
}

/**
 * The password or the link has been checked before (`auth/users/`). Always a new session. `timeZone` is that
 * of the browser: it becomes the user's, who has chosen none.
 */
export const signIn = audited(
  "me.signIn",
  "user",
  async (
    { store, actor, clock, audit },
    { program, timeZone = null }: { readonly program: string; readonly timeZone?: string | null },
  ): Promise<CreatedSession> => {
    const { proof, origin, from = "" } = actor;
    if (proof?.kind !== "password" && proof?.kind !== "link")
      throw new Forbidden("me.signIn needs a password or a link");
    const [at, secret] = [clock(), newSecret()];
    const session = await store.sessions.create({
      user: userOf(origin) ?? 0,
      hash: hashSecret(secret),
      client: from,
      program,
      begunWith: proof.kind,
      timeZone: timeZone !== null && isTimeZone(timeZone) ? listedTimeZone(timeZone) : null,
      expiresAt: at + SESSION_MS,
      at,
      audit,
    });
    return { session, secret };
  },
);

interface LinkUser {
  /** Absent or null: in the installation. */
  readonly account?: AccountId | null;
  readonly id: UserId | null;
}
/**
 * A link with which the user signs in; null: with which the first administrator is created. Whoever has it
 * acts as that user, so an owner makes one only for users whose passwords an owner may set.
 */
export const linkUser = audited(
  "user.link",
  "owner",
  async (admin, { account = null, id }: LinkUser): Promise<CreatedLink> => {
    const { store, clock, audit } = admin;
    if (id === null && account !== null)
      throw new Forbidden("only somebody who administers the installation creates its first administrator");
    if (id === null && (await store.sessions.hasAdministrator()))
      throw new NotPossible("there is an administrator already; make a link for a user by their address");
    const user = id === null ? null : await manageCredentials(admin, { account, id });
    if (user !== null && user.disabledAt !== null)
      throw new NotPossible(`user ${user.id} is disabled; enable the user first`);
    return await createSignInLink(store, user?.id ?? null, clock(), audit);
  },
);

/** A link with which a user who has no password sets one. It replaces the earlier one. */
export const inviteUser = audited(
  "user.invite",
  "owner",
  async (admin, one: OneUser): Promise<CreatedLink & { readonly user: User }> => {
    const { store, actor, clock, audit } = admin;
    const user = await manageCredentials(admin, one);
    if (user.disabledAt !== null) throw new NotPossible(`user ${user.id} is disabled; enable the user first`);
    if (user.passwordSetAt !== null)
      throw new NotPossible(`user ${user.id} has a password already; make a sign-in link instead`);
    const link = await createInvitation(store, user.id, clock(), audit);
    return { ...link, user: seenBy(actor, { ...user, invitationExpiresAt: link.expiresAt }) };
  },
);

export const withdrawInvitation = audited(
  "user.invitation.withdraw",
  "owner",
  async (admin, one: OneUser): Promise<User> => {
    const { store, actor, audit } = admin;
    const user = await manageUser(admin, one);
    if (!(await store.sessions.withdrawInvitation({ user: user.id, audit })))
      throw new NotPossible(`user ${user.id} has no invitation that could be withdrawn`);
    return seenBy(actor, { ...user, invitationExpiresAt: null });
  },
);

export interface AcceptedInvitation {
  /** Of the link. */
  readonly secret: string;
  readonly password: string;
}
/** Performed with the link, whose user is the actor. */
export const acceptInvitation = audited(
  "me.acceptInvitation",
  "user",
  async (admin, { secret, password }: AcceptedInvitation): Promise<User> => {
    const { store, actor, clock, audit } = admin;
    const passwordHash = await passwords.hash(requirePassword(password, await me(admin)), actor.from);
    const given = { hash: hashSecret(secret), at: clock(), passwordHash, audit };
    const accepted = await store.sessions.acceptInvitation(given);
    if (accepted === null) throw new InvalidInput("secret", "is not that of a link that still works");
    return accepted;
  },
);

export interface FirstAdministratorInput {
  /** Of the link. */
  readonly secret: string;
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/** Performed with the link that the operator of the installation was given. */
export const createFirstAdministrator = audited(
  "user.first",
  "administrator",
  async (
    { store, actor, clock, audit },
    { secret, email, name, password }: FirstAdministratorInput,
  ): Promise<User> => {
    const address = requireAddress(email);
    const passwordHash = await passwords.hash(requirePassword(password, { email: address.text }), actor.from);
    const created = await store.sessions.createFirstAdministrator({
      hash: hashSecret(secret),
      address,
      name: optionalName(name),
      passwordHash,
      at: clock(),
      audit,
    });
    if (created === "HasAdministrator") throw new NotPossible("there is an administrator already; sign in");
    if (created === "UnknownLink") throw new InvalidInput("secret", "is not that of a link that still works");
    if (created === "AddressTaken")
      throw new AlreadyExists(
        "a user with this address already exists; use another address, or ask somebody with access to the server to make that user an administrator",
      );
    return created;
  },
);
