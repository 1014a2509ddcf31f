/** The user that a command names by the address, and how users are shown. */
import { findUserByAddress } from "#admin/users/users.ts";
import { highestRole, type User } from "#domain/access/user.ts";
import type { Context } from "../../kit/command.ts";

/** Somebody who runs commands manages all users, of whatever account. */
export const findUser = ({ args, perform }: Context): Promise<User> =>
  perform(findUserByAddress, { account: null, email: args[0] ?? "" });

/** Such as "owner in account 1, viewer in account 2". */
export function roleText(user: User): string {
  if (highestRole(user) === null) return "no role";
  return [
    ...(user.isAdministrator ? ["administrator"] : []),
    ...user.roles.map(({ account, role }) => `${role} in account ${account}`),
  ].join(", ");
}

export const describeUser = (user: User): string =>
  `User ${user.id}: ${user.email}${user.name === "" ? "" : ` (${user.name})`}, ${roleText(user)}${user.disabledAt === null ? "" : ", disabled"}`;
