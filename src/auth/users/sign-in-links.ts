/**
 * Links to sign in with: made on the command line, by an administrator or by an owner, for 15 minutes. They
 * work once.
 */
import type { Actor } from "#domain/access/actor.ts";
import type { AuditedBy } from "#domain/access/audit.ts";
import { hashSecret, isSecret, LINK_MS, newSecret } from "#domain/access/session.ts";
import type { User, UserId } from "#domain/access/user.ts";
import type { Store } from "#domain/ports/store.ts";
import { userActor } from "./actor.ts";

type Stored = Pick<Store, "sessions" | "users">;

export interface CreatedLink {
  /** Not stored. */
  readonly secret: string;
  readonly expiresAt: number;
}

/** `user`: null for the link that creates the first administrator. */
export async function createSignInLink(
  store: Pick<Store, "sessions">,
  user: UserId | null,
  at: number,
  audit?: AuditedBy,
): Promise<CreatedLink> {
  const secret = newSecret();
  const expiresAt = at + LINK_MS;
  await store.sessions.createLink({ hash: hashSecret(secret), user, at, expiresAt, audit });
  return { secret, expiresAt };
}

/** Whom a link is for; "first": for the first administrator. null: it does not work, or not any more. */
export async function findSignInLink(
  store: Stored,
  secret: string,
  at: number,
): Promise<User | "first" | null> {
  const link = isSecret(secret) ? await store.sessions.link({ hash: hashSecret(secret), at }) : null;
  if (link === null) return null;
  if (link.user === null) return (await store.sessions.hasAdministrator()) ? null : "first";
  return await enabled(store, link.user);
}

/** The user of a link, who has then used it. null: it does not work, or not any more. */
export async function useSignInLink(
  store: Stored,
  secret: string,
  at: number,
  client: string,
): Promise<Actor | null> {
  // The link for the first administrator is used when there is one.
  if (!isSecret(secret) || typeof (await findSignInLink(store, secret, at)) !== "object") return null;
  const link = await store.sessions.useLink({ hash: hashSecret(secret), at });
  const user = link === null || link.user === null ? null : await enabled(store, link.user);
  return user === null ? null : userActor(user, { kind: "link" }, "administrator", client);
}

async function enabled(store: Stored, id: UserId): Promise<User | null> {
  const user = await store.users.byId({ id });
  return user?.disabledAt === null ? user : null;
}
