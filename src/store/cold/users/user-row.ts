/** Users as rows, with their roles; and the entries of the audit log about them. */
import type { Audited } from "#domain/access/audit.ts";
import { type AccountRole, accountRoles, type User, type UserId } from "#domain/access/user.ts";
import type { AccountId } from "#domain/account.ts";
import { type ManagedUser, userWithin } from "#domain/version.ts";
import { auditing } from "../kit/auditing.ts";
import type { Db } from "../kit/db.ts";
import {
  boolean,
  column,
  integer,
  nullable,
  oneOf,
  type RowOf,
  selectList,
  statement,
  text,
} from "../kit/statement.ts";

export const userRow = {
  id: integer,
  email: column("address", text),
  name: text,
  isAdministrator: boolean,
  createdAt: integer,
  disabledAt: nullable(integer),
  passwordSetAt: nullable(integer),
  totpSince: nullable(integer),
  isTotpPending: column("totp_pending IS NOT NULL", boolean),
  timeZone: nullable(text),
  invitationExpiresAt: column(
    "(SELECT max(expires_at) FROM sign_in_link WHERE user_id = app_user.id AND kind = 'invitation')",
    nullable(integer),
  ),
};
export const USER = selectList(userRow);
type UserRow = RowOf<typeof userRow>;

const rolesOf = statement(
  { user: integer, account: integer, role: oneOf(accountRoles) },
  ({ isIn }) => `
   SELECT user_id AS "user", account_id AS account, role
   FROM user_role
   WHERE ${isIn("user_id", "$1")}
   ORDER BY account_id`,
);

export async function withRoles(db: Db, rows: readonly UserRow[]): Promise<readonly User[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const roles = Map.groupBy(await db.all(rolesOf, ids), ({ user }) => user);
  return rows.map(({ id, email, name, isAdministrator, ...rest }) => ({
    ...{ id, email, name, isAdministrator },
    roles: (roles.get(id) ?? []).map(({ account, role }) => ({ account, role })),
    ...rest,
  }));
}
export const withRole = async (db: Db, row: UserRow | null): Promise<User | null> =>
  row === null ? null : ((await withRoles(db, [row]))[0] ?? null);

const byId = statement(userRow, `SELECT ${USER} FROM app_user WHERE id = $1`);
export const userById = async (db: Db, id: UserId) => withRole(db, await db.get(byId, id));

/** No credentials: of a password only when it was set. */
interface AuditedUser
  extends ManagedUser,
    Pick<User, "passwordSetAt" | "totpSince" | "isTotpPending" | "timeZone"> {
  readonly role: AccountRole | null;
}
const audited = auditing<AuditedUser>("user", [
  "name",
  "role",
  "isAdministrator",
  "disabledAt",
  "passwordSetAt",
  "totpSince",
  "isTotpPending",
  "timeZone",
]);

/** An entry of an account contains the role in this account and no other. */
export async function auditUser(
  db: Db,
  { within, audit }: Audited & { readonly within: AccountId | null },
  before: User | null,
  after: User,
): Promise<void> {
  const rowOf = (user: User): AuditedUser => ({
    ...userWithin(user, within),
    role: user.roles.find(({ account }) => account === within)?.role ?? null,
  });
  await audited(
    db,
    { account: within, audit },
    after.id,
    before === null ? null : rowOf(before),
    rowOf(after),
  );
}
