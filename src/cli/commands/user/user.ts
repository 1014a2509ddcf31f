/** `mailroll user …`: people who work with Mailroll over HTTP, and their roles. */
import { setUserPassword } from "#admin/users/credentials.ts";
import {
  createUser,
  disableUser,
  enableUser,
  hasEndedInvitation,
  INVITATION_ENDED,
  listUsers,
  setAdministrator,
  setUser,
  setUserRole,
} from "#admin/users/users.ts";
import { accountRoles } from "#domain/access/user.ts";
import { PROGRAM } from "#shipped.ts";
import { type Command, type Context, UsageError } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { userDocument } from "../../kit/documents.ts";
import { everyPage } from "../../kit/every-page.ts";
import { choiceOf, parseChoice } from "../../kit/parse-call.ts";
import { readNewSecret } from "../../kit/terminal/terminal.ts";
import {
  describeUser,
  findUser,
  invitationCommands,
  roleText,
  sessionCommands,
  tokenCommands,
  totpCommands,
} from "./credentials.ts";

const ROLES =
  "a viewer reads; an editor also changes data; an owner also deletes, erases, and manages keys and users";

async function create({ args, option, has, perform, account, out }: Context): Promise<void> {
  const isAdministrator = has("administrator");
  const given = option("role");
  if (isAdministrator && given !== undefined)
    throw new UsageError("--role and --administrator contradict each other: an administrator needs no role");
  const about = { email: args[0] ?? "", name: option("name") ?? "" };
  const created = isAdministrator
    ? await perform(createUser, { ...about, account: null, role: null })
    : await perform(createUser, {
        ...about,
        role: parseChoice(given ?? "viewer", "--role", accountRoles),
        account: (await account()).id,
      });
  const user = isAdministrator
    ? await perform(setAdministrator, { id: created.id, isAdministrator })
    : created;
  out.result(
    userDocument(user),
    () =>
      `${describeUser(user)}\nNext: ${PROGRAM} user invite ${user.email}, or ${PROGRAM} user token create ${user.email} --name NAME`,
  );
}

async function set(context: Context): Promise<void> {
  const { option, perform, account, out } = context;
  const name = option("name");
  if ([name, option("role"), option("administrator")].every((value) => value === undefined))
    throw new UsageError("nothing to set: give --name, --role or --administrator");
  const wanted = {
    role: option("role", choiceOf([...accountRoles, "none"])) ?? null,
    administrator: option("administrator", choiceOf(["yes", "no"])) ?? null,
  };
  const before = await findUser(context);
  let user = before;
  const { id } = user;
  if (name !== undefined) user = await perform(setUser, { account: null, id, name });
  if (wanted.role !== null)
    user = await perform(setUserRole, {
      id,
      account: (await account()).id,
      role: wanted.role === "none" ? null : wanted.role,
    });
  if (wanted.administrator !== null)
    user = await perform(setAdministrator, { id, isAdministrator: wanted.administrator === "yes" });
  if (hasEndedInvitation(before, user, context.now))
    out.note(`${INVITATION_ENDED}: '${PROGRAM} user invite ${user.email}'`);
  out.result(userDocument(user), () => describeUser(user));
}

async function disable(context: Context): Promise<void> {
  const { perform, out } = context;
  const found = await findUser(context);
  if (found.disabledAt === null)
    await requireConfirmation(context, {
      verb: "Disable",
      done: "disabled",
      what: `user ${found.id} (${found.email}, ${roleText(found)})`,
      consequence: "The user cannot log in any more, and tokens of the user stop working at once.",
    });
  const user = await perform(disableUser, { account: null, id: found.id });
  out.result(userDocument(user), () => describeUser(user));
}

export const userCommands: readonly Command[] = [
  {
    name: "user create",
    args: ["EMAIL"],
    options: {
      role: { value: accountRoles.join("|"), doc: `The role in the account: ${ROLES} (default: viewer).` },
      name: { value: "NAME", doc: "The name of the person." },
      administrator: { doc: "Make the user an administrator, who manages all accounts and users." },
    },
    doc: "Creates a user: a person who works with Mailroll over HTTP, with a role in an account.",
    details: `A new user has no password and no token, and so cannot log in yet. 'user invite' makes a link with which the person sets one, 'user token create'
creates a token for a program. 'user set EMAIL --role ROLE --account ID' gives the user a role in another account. Integrations
are not users: they need an API key, which 'key create' creates.`,
    example: "user create ada@example.org --role editor",
    run: create,
  },
  {
    name: "user list",
    doc: "Lists the users with their roles; with --account, those of one account.",
    example: "user list",
    run: async ({ option, perform, account, out }) => {
      const of = option("account") === undefined ? null : (await account()).id;
      out.table(
        await everyPage((page) => perform(listUsers, { account: of, ...page })),
        "There is no user yet; create one with 'mailroll user create EMAIL'.",
        (user) => ({
          id: user.id,
          email: user.email,
          name: user.name,
          roles: roleText(user),
          password: user.passwordSetAt !== null,
          totp: user.totpSince !== null,
          createdAt: user.createdAt,
          disabledAt: user.disabledAt,
        }),
        userDocument,
      );
    },
  },
  {
    name: "user set",
    args: ["EMAIL"],
    options: {
      name: { value: "NAME", doc: "The name of the person; empty to remove it." },
      role: {
        value: [...accountRoles, "none"].join("|"),
        doc: `The role in the account: ${ROLES}; 'none' removes the role.`,
      },
      administrator: {
        value: "yes|no",
        doc: "Whether the user is an administrator, who manages all accounts and users.",
      },
    },
    doc: "Sets the name of a user, the role in an account, and whether the user is an administrator.",
    example: "user set ada@example.org --role owner",
    run: set,
  },
  {
    name: "user disable",
    args: ["EMAIL"],
    options: yesOption,
    doc: "Disables a user, after confirmation: the user cannot log in, and tokens stop working at once.",
    details: `Users are disabled, not deleted: the history of subscribers and the audit log refer to them. 'user enable' reverts it.`,
    example: "user disable ada@example.org --yes",
    inAccount: false,
    run: disable,
  },
  {
    name: "user enable",
    args: ["EMAIL"],
    doc: "Enables a disabled user; tokens that were not revoked and have not expired work again.",
    example: "user enable ada@example.org",
    inAccount: false,
    run: async (context) => {
      const { id } = await findUser(context);
      const user = await context.perform(enableUser, { account: null, id });
      context.out.result(userDocument(user), () => describeUser(user));
    },
  },
  {
    name: "user password",
    args: ["EMAIL"],
    doc: "Sets the password of a user: asks for it, or reads it from the first line of standard input.",
    details: `The password is not shown while you type it. It must have at least 12 characters. Tokens from log-ins of the user stop working;
tokens that were created for programs keep working.`,
    example: "user password ada@example.org",
    inAccount: false,
    run: async (context) => {
      const { email, id } = await findUser(context);
      const password = await readNewSecret(context, `New password of ${email}:`);
      const user = await context.perform(setUserPassword, { account: null, id, password });
      context.out.result(userDocument(user), () => `The password of user ${id} (${email}) was set.`);
    },
  },
  ...invitationCommands,
  ...totpCommands,
  ...tokenCommands,
  ...sessionCommands,
];
