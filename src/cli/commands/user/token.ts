/** `mailroll user token …` */
import { createUserToken, listUserTokens, revokeUserToken } from "#admin/users/tokens.ts";
import { roles } from "#domain/access/role.ts";
import { isUsableToken } from "#domain/access/user-token.ts";
import { parseChoice, parseId } from "../../kit/arguments/arguments.ts";
import { type Command, type Context, Failure } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { tokenDocument } from "../../kit/documents.ts";
import { moment } from "../../kit/terminal/output.ts";
import { parseEnd } from "../../kit/terminal/time.ts";
import { findUser } from "./find-user.ts";

async function create(context: Context): Promise<void> {
  const { option, perform, out } = context;
  const [role, expires] = [option("role"), option("expires")];
  const input = {
    name: option("name") ?? "",
    role: role === undefined ? null : parseChoice(role, "--role", roles),
    expiresAt: expires === undefined ? null : parseEnd(expires, "--expires"),
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
    throw new Failure(`there is no token ${id}; see 'mailroll user token list EMAIL'`, "NotFound");
  const what = `token ${id} (${found.name}) of user ${user.id} (${user.email})`;
  if (found.revokedAt === null)
    await requireConfirmation(context, {
      verb: "Revoke",
      does: "revokes",
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
    options: {},
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
