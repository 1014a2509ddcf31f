/**
 * Links for users, each of which works once: a link to sign in, for 15 minutes, and an invitation, with which
 * a new user sets a password, for seven days. They are made on the command line, by an administrator or by an
 * owner.
 */
import type { Actor } from "#domain/access/actor.ts";
import type { AuditedBy } from "#domain/access/audit.ts";
import {
  hashSecret,
  INVITATION_MS,
  isSecret,
  LINK_MS,
  type LinkKind,
  newSecret,
} from "#domain/access/session.ts";
import type { User, UserId } from "#domain/access/user.ts";
import type { Store } from "#domain/ports/store.ts";
import { userActor } from "./actor.ts";

type Stored = Pick<Store, "sessions" | "users">;

export interface CreatedLink {
  /** Not stored. */
  readonly secret: string;
  readonly expiresAt: number;
}

async function createLink(
  store: Pick<Store, "sessions">,
  kind: LinkKind,
  user: UserId | null,
  at: number,
  audit?: AuditedBy,
): Promise<CreatedLink> {
  const secret = newSecret();
  const expiresAt = at + (kind === "invitation" ? INVITATION_MS : LINK_MS);
  await store.sessions.createLink({ hash: hashSecret(secret), user, kind, at, expiresAt, audit });
  return { secret, expiresAt };
}

/** `user`: null for the link that creates the first administrator. */
export const createSignInLink = (
  store: Pick<Store, "sessions">,
  user: UserId | null,
  at: number,
  audit?: AuditedBy,
): Promise<CreatedLink> => createLink(store, "sign-in", user, at, audit);

export const createInvitation = (
  store: Pick<Store, "sessions">,
  user: UserId,
  at: number,
  audit?: AuditedBy,
): Promise<CreatedLink> => createLink(store, "invitation", user, at, audit);

/** "first": for the first administrator. */
export type FoundLink = { readonly kind: "first" } | { readonly kind: LinkKind; readonly user: User };

/** What a link is for, and for whom; null: it does not work, or not any more. */
export async function findLink(store: Stored, secret: string, at: number): Promise<FoundLink | null> {
  const link = isSecret(secret) ? await store.sessions.link({ hash: hashSecret(secret), at }) : null;
  if (link === null) return null;
  if (link.user === null) return (await store.sessions.hasAdministrator()) ? null : { kind: "first" };
  const user = await enabled(store, link.user);
  return user === null ? null : { kind: link.kind, user };
}

/** The user of a link to sign in, who has then used it. null: it does not work, or not any more. */
export async function useSignInLink(
  store: Stored,
  secret: string,
  at: number,
  client: string,
): Promise<Actor | null> {
  // The link for the first administrator is used when there is one.
  if ((await findLink(store, secret, at))?.kind !== "sign-in") return null;
  const link = await store.sessions.useLink({ hash: hashSecret(secret), at });
  const user = link === null || link.user === null ? null : await enabled(store, link.user);
  return user === null ? null : userActor(user, { kind: "link" }, "administrator", client);
}

async function enabled(store: Stored, id: UserId): Promise<User | null> {
  const user = await store.users.byId({ id });
  return user?.disabledAt === null ? user : null;
}
