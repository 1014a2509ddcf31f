/** `mailroll user totp …`: the second factor of a user's log-in. */

import { confirmUserTotp, enrolUserTotp, removeUserTotp } from "#admin/users/credentials.ts";
import { endUserSession, listUserSessions } from "#admin/users/sessions.ts";
import { inviteUser, withdrawInvitation } from "#admin/users/sign-in.ts";
import { createUserToken, listUserTokens, revokeUserToken } from "#admin/users/tokens.ts";
import { findUserByAddress } from "#admin/users/users.ts";
import { configuredConsoleLink } from "#app/settings/config.ts";
import { isUsableToken, type Session } from "#domain/access/session.ts";
import { highestRole, roles, type User } from "#domain/access/user.ts";
import { PROGRAM } from "#shipped.ts";
import { type Command, type Context, Failure } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { tokenDocument, userDocument } from "../../kit/documents.ts";
import { choiceOf, parseId } from "../../kit/parse-call.ts";
import { moment } from "../../kit/terminal/output.ts";
import { parseEnd } from "../../kit/terminal/text.ts";

// The user that a command names by the address, and how users are shown.

/** An operator at the command line manages all users, of whatever account. */
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

// `mailroll user invite`, `mailroll user invitation withdraw`

export const invitationCommands: readonly Command[] = [
  {
    name: "user invite",
    args: ["EMAIL"],
    doc: "Makes a link with which a user who has no password sets one, once, within seven days.",
    details: `A new invitation replaces the earlier one. The link has the address of the setting base-url or, if that is not set, the one at
which the service was started last. For a user who has forgotten the password, 'console link' makes a link to sign in.`,
    example: "user invite ada@example.org",
    inAccount: false,
    settings: ["database", "baseUrl", "port", "tlsCert", "tlsKey"],
    ifNotShown: "Run the command again: a new invitation replaces the one that was not shown.",
    run: async (context) => {
      const { id, email } = await findUser(context);
      const { secret, expiresAt } = await context.perform(inviteUser, { account: null, id });
      const url = await configuredConsoleLink(context.config, await context.store(), secret);
      context.out.result(
        { url, expiresAt, userId: id },
        () => `${url}\nWith it, ${email} sets a password. It works once, until ${moment(expiresAt)}.`,
      );
    },
  },
  {
    name: "user invitation withdraw",
    args: ["EMAIL"],
    doc: "Withdraws the invitation of a user: its link does not work any more.",
    example: "user invitation withdraw ada@example.org",
    inAccount: false,
    run: async (context) => {
      const { id, email } = await findUser(context);
      const user = await context.perform(withdrawInvitation, { account: null, id });
      context.out.result(userDocument(user), () => `The invitation of user ${id} (${email}) is withdrawn.`);
    },
  },
];

// `mailroll user session …`: where a user is signed in to the console.

/** By the names of the JSON API. */
const toRow = ({ id, program, client, createdAt, lastUsedAt, expiresAt }: Session) => ({
  ...{ id, program, clientAddress: client, createdAt, lastUsedAt, expiresAt },
});

export const sessionCommands: readonly Command[] = [
  {
    name: "user session list",
    args: ["EMAIL"],
    doc: "Lists the sessions of a user in the console: the browsers in which the user is signed in.",
    example: "user session list ada@example.org",
    inAccount: false,
    run: async (context) => {
      const { id } = await findUser(context);
      const sessions = await context.perform(listUserSessions, { account: null, id });
      context.out.table(sessions.map(toRow), "The user is not signed in to the console.");
    },
  },
  {
    name: "user session end",
    args: ["EMAIL", "ID"],
    options: yesOption,
    doc: "Signs a user out of one browser, after confirmation.",
    details: "It takes effect with the next request. To sign a user out everywhere, set a new password.",
    example: "user session end ada@example.org 7 --yes",
    inAccount: false,
    run: async (context) => {
      const session = parseId(context.args[1], "ID");
      const user = await findUser(context);
      const what = `session ${session} of user ${user.id} (${user.email})`;
      await requireConfirmation(context, {
        ...{ verb: "End", done: "ended", what },
        consequence: "The user has to sign in again in that browser.",
      });
      const ended = await context.perform(endUserSession, { account: null, id: user.id, session });
      context.out.result(toRow(ended), () => `Ended ${what}.`);
    },
  },
];

/** `mailroll user token …` */
async function create(context: Context): Promise<void> {
  const { option, perform, out } = context;
  const input = {
    name: option("name") ?? "",
    role: option("role", choiceOf(roles)) ?? null,
    expiresAt: option("expires", parseEnd) ?? null,
  };
  const user = await findUser(context);
  const { token, secret } = await perform(createUserToken, { account: null, id: user.id, ...input });
  const { id, ...rest } = tokenDocument(token);
  const end = token.expiresAt === null ? "does not expire" : `expires ${moment(token.expiresAt)}`;
  out.result(
    { id, secret, ...rest },
    () =>
      `${secret}\n\nToken ${id} of user ${user.id} (${user.email}), role ${token.role} at most, ${end}.\nIt is shown only once: save it now.`,
  );
}

async function revoke(context: Context): Promise<void> {
  const { args, perform, out } = context;
  const id = parseId(args[1], "ID");
  const user = await findUser(context);
  const of = { account: null, id: user.id };
  const found = (await perform(listUserTokens, of)).find((token) => token.id === id);
  if (found === undefined)
    throw new Failure(`there is no token ${id}; see '${PROGRAM} user token list EMAIL'`, "NotFound");
  const what = `token ${id} (${found.name}) of user ${user.id} (${user.email})`;
  if (found.revokedAt === null)
    await requireConfirmation(context, {
      verb: "Revoke",
      done: "revoked",
      what: `${what}, ${found.lastUsedAt === null ? "never used" : `last used ${moment(found.lastUsedAt)}`}`,
      consequence: "Programs that use it stop working at once, permanently.",
    });
  const revoked = await perform(revokeUserToken, { ...of, token: id });
  out.result(tokenDocument(revoked), () => `Revoked at ${moment(revoked.revokedAt)}: ${what}.`);
}

export const tokenCommands: readonly Command[] = [
  {
    name: "user token create",
    args: ["EMAIL"],
    options: {
      name: { value: "NAME", required: true, doc: "What the token is for." },
      role: {
        value: roles.join("|"),
        doc: "The highest role of the token: at most that of the user (default: the highest role of the user).",
      },
      expires: {
        value: "DATE",
        doc: "When the token expires: a date (the end of that day in UTC) or a dateTime with its time zone.",
      },
    },
    doc: "Creates a token, which lets a program act as the user, and shows it once.",
    details: `A program sends the token in the header 'Authorization: Bearer TOKEN'. Its changes are recorded as changes by the user. If the
role of the user is lower than that of the token, the role of the user applies.`,
    example: "user token create ada@example.org --name 'Nightly report' --role viewer --expires 2027-12-31",
    inAccount: false,
    ifNotShown:
      "The token was created, but not shown: find its id with 'mailroll user token list EMAIL', and revoke it with 'mailroll user token revoke EMAIL ID'",
    inputs: { expiresAt: "expires" },
    run: create,
  },
  {
    name: "user token list",
    args: ["EMAIL"],
    doc: "Lists the tokens of a user; the tokens themselves are not stored.",
    example: "user token list ada@example.org",
    inAccount: false,
    run: async (context) => {
      const { perform, now, out } = context;
      const user = await findUser(context);
      const tokens = await perform(listUserTokens, { account: null, id: user.id });
      out.table(
        tokens,
        "The user has no token; create one with 'mailroll user token create EMAIL --name NAME'.",
        (token) => ({
          id: token.id,
          name: token.name,
          role: token.role,
          works: isUsableToken(token, user, now),
          createdAt: token.createdAt,
          expiresAt: token.expiresAt,
          revokedAt: token.revokedAt,
          lastUsedAt: token.lastUsedAt,
        }),
        tokenDocument,
      );
    },
  },
  {
    name: "user token revoke",
    args: ["EMAIL", "ID"],
    options: yesOption,
    doc: "Revokes a token of a user permanently, after confirmation; it stops working at once.",
    example: "user token revoke ada@example.org 3 --yes",
    inAccount: false,
    run: revoke,
  },
];

async function remove(context: Context): Promise<void> {
  const { perform, out } = context;
  const { id, email } = await findUser(context);
  await requireConfirmation(context, {
    verb: "Remove",
    done: "removed",
    what: `the second factor of user ${id} (${email})`,
    consequence: "The user then logs in with the password alone.",
  });
  const user = await perform(removeUserTotp, { account: null, id });
  out.result(userDocument(user), () => `The second factor of user ${id} (${email}) was removed.`);
}

export const totpCommands: readonly Command[] = [
  {
    name: "user totp enrol",
    args: ["EMAIL"],
    doc: "Creates a secret for the authenticator app of a user, and shows it once.",
    details: `The user adds the secret to the app. The new second factor takes effect with 'user totp confirm'; until then, an earlier one
stays in effect.`,
    example: "user totp enrol ada@example.org",
    inAccount: false,
    run: async (context) => {
      const { perform, out } = context;
      const { id, email } = await findUser(context);
      const enrolment = await perform(enrolUserTotp, { account: null, id });
      out.result(
        enrolment,
        () =>
          `${enrolment.secret}\n${enrolment.uri}\n\nAdd this to the authenticator app, then run: ${PROGRAM} user totp confirm ${email} CODE`,
      );
    },
  },
  {
    name: "user totp confirm",
    args: ["EMAIL", "CODE"],
    doc: "Confirms the authenticator app with its current code, and shows recovery codes once.",
    details: `From then on the user logs in with the password and a code of the app. A user who has lost the app can log in with a recovery
code instead; each recovery code works once.`,
    example: "user totp confirm ada@example.org 123456",
    inAccount: false,
    ifNotShown:
      "The second factor is in effect, but the recovery codes were not shown: enrol again with 'mailroll user totp enrol EMAIL'",
    run: async (context) => {
      const { args, perform, out } = context;
      const { id, email } = await findUser(context);
      const result = await perform(confirmUserTotp, { account: null, id, code: args[1] ?? "" });
      out.result(
        result,
        () =>
          `${result.recoveryCodes.join("\n")}\n\nLog-ins of user ${id} (${email}) need a code now. These are the recovery codes; each works once. They are shown only once: save them now.`,
      );
    },
  },
  {
    name: "user totp remove",
    args: ["EMAIL"],
    options: yesOption,
    doc: "Removes the second factor of a user, after confirmation: for somebody who has lost the app.",
    example: "user totp remove ada@example.org --yes",
    inAccount: false,
    run: remove,
  },
];
