/** `mailroll user session …`: where a user is signed in to the console. */
import { endUserSession, listUserSessions } from "#admin/users/sessions.ts";
import type { Session } from "#domain/access/session.ts";
import { parseId } from "../../kit/arguments/arguments.ts";
import type { Command } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { findUser } from "./find-user.ts";

/** By the names of the JSON API. */
const toRow = ({ id, program, client, createdAt, lastUsedAt, expiresAt }: Session) => ({
  ...{ id, program, clientAddress: client, createdAt, lastUsedAt, expiresAt },
});

export const sessionCommands: readonly Command[] = [
  {
    name: "user session list",
    args: ["EMAIL"],
    options: {},
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
        ...{ verb: "End", does: "ends", done: "ended", what },
        consequence: "The user has to sign in again in that browser.",
      });
      const ended = await context.perform(endUserSession, { account: null, id: user.id, session });
      context.out.result(toRow(ended), () => `Ended ${what}.`);
    },
  },
];
