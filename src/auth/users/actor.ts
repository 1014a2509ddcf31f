/** A user who has proved who they are, as the actor of what they ask for. */
import type { Actor, Proof } from "#domain/access/actor.ts";
import type { Session } from "#domain/access/session.ts";
import { atMost, type Role, roleOf, type User } from "#domain/access/user.ts";

export const sessionProof = ({ id, begunWith, createdAt }: Session): Proof => ({
  kind: "session",
  id,
  linkAt: begunWith === "link" ? createdAt : null,
});

/** `most`: the role that the proof is good for at most. The user's own role counts as it is now. */
export const userActor = (user: User, proof: Proof, most: Role, client: string): Actor => ({
  origin: { kind: "user", user: user.id },
  from: client,
  roleIn: (account) => {
    const role = roleOf(user, account);
    if (role === null) return null;
    // A token for less than the installation is good for no action on it.
    const held = atMost(role, most);
    return account === null && held !== "administrator" ? null : held;
  },
  ...(user.isAdministrator ? {} : { accounts: user.roles.map(({ account }) => account) }),
  proof,
});
