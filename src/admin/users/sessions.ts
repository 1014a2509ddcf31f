/** The sessions of a user in the console, and what users set about themselves. */
import type { Session, SessionId } from "#domain/access/session.ts";
import { isTimeZone } from "#domain/calendar.ts";
import { audited, query } from "../kit/action.ts";
import { existing, InvalidInput, NotFound } from "../kit/errors.ts";
import { manageUser, type OneUser, requireLogIn } from "./managed-user.ts";
import { me } from "./me.ts";
import { optionalName } from "./user-names.ts";

export interface OwnSession extends Session {
  /** Whether it is that of the request. */
  readonly isCurrent: boolean;
}

export const listMySessions = query(
  "me.session.list",
  "user",
  async (admin): Promise<readonly OwnSession[]> => {
    const { id } = await me(admin);
    const { proof } = admin.actor;
    const current = proof?.kind === "session" ? proof.id : null;
    const found = await admin.store.sessions.ofUser({ user: id, at: admin.clock() });
    return found.map((session) => ({ ...session, isCurrent: session.id === current }));
  },
);

/** Of the session of the request itself: signs out. */
export const endMySession = audited(
  "me.session.end",
  "user",
  async (admin, { session: id }: { readonly session: SessionId }): Promise<Session> => {
    requireLogIn(admin.actor);
    const { id: user } = await me(admin);
    return existing("session", id, await admin.store.sessions.end({ user, id, audit: admin.audit }));
  },
);

/** Of another user. */
export const listUserSessions = query(
  "user.session.list",
  "owner",
  async (admin, one: OneUser): Promise<readonly Session[]> => {
    const { id } = await manageUser(admin, one);
    return await admin.store.sessions.ofUser({ user: id, at: admin.clock() });
  },
);

/** Signs another user out of one browser. */
export const endUserSession = audited(
  "user.session.end",
  "owner",
  async (admin, { session: id, ...one }: OneUser & { readonly session: SessionId }): Promise<Session> => {
    const { id: user } = await manageUser(admin, one);
    return existing("session", id, await admin.store.sessions.end({ user, id, audit: admin.audit }));
  },
);

/** undefined keeps a value; the time zone null is UTC. */
export const setMe = audited(
  "me.set",
  "user",
  async (
    admin,
    { name, timeZone }: { readonly name?: string | undefined; readonly timeZone?: string | null | undefined },
  ) => {
    const { id } = await me(admin);
    if (typeof timeZone === "string" && !isTimeZone(timeZone))
      throw new InvalidInput("timeZone", "is not the name of a time zone, such as Europe/Berlin");
    const settings = { name: name === undefined ? undefined : optionalName(name), timeZone };
    const of = { id, within: null, keepsAdministrator: true, audit: admin.audit };
    const changed = await admin.store.users.set({ ...of, settings });
    if (typeof changed === "string") throw new NotFound("user", id);
    return changed;
  },
);
