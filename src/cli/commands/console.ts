/** `mailroll console …`: links to sign in to the console. */
import { linkUser } from "#admin/users/sign-in.ts";
import { findUserByAddress } from "#admin/users/users.ts";
import { configuredConsoleLink } from "#app/settings/config.ts";
import { LINK_MS } from "#domain/access/session.ts";
import { PROGRAM } from "#shipped.ts";
import type { Command, Context } from "../kit/command.ts";

const MINUTE_MS = 60_000;

async function link({ args, config, perform, store, out }: Context): Promise<void> {
  const [email] = args;
  const user = email === undefined ? null : await perform(findUserByAddress, { account: null, email });
  const { secret, expiresAt } = await perform(linkUser, { id: user?.id ?? null });
  const url = await configuredConsoleLink(config, await store(), secret);
  const does = user === null ? "creates the first administrator" : `signs in ${user.email}`;
  const needsCode = user !== null && user.totpSince !== null;
  const code = needsCode
    ? `\nIt asks for a code, because the user has a second factor. If that is lost: ${PROGRAM} user totp remove ${user.email}`
    : "";
  out.result(
    { url, expiresAt, userId: user?.id ?? null, needsCode },
    () => `${url}\nIt ${does}. It works once, within ${LINK_MS / MINUTE_MS} minutes.${code}`,
  );
}

export const consoleCommands: readonly Command[] = [
  {
    name: "console link",
    args: ["[EMAIL]"],
    doc: "Makes a link that signs a user in to the console, once, within 15 minutes.",
    details:
      "Without EMAIL, the link leads to a page that creates the first administrator. That works only while there is no administrator. The link has the address of the setting base-url or, if that is not set, the one at which the service was started last; --port names another port of localhost. If the user has a second factor, the link also asks for a code: it does not replace the second factor, which 'user totp remove' removes. For 15 minutes after signing in with a link, the user can set a new password without the current one.",
    example: "console link ada@example.org",
    inAccount: false,
    settings: ["database", "baseUrl", "port", "tlsCert", "tlsKey"],
    ifNotShown: "Run the command again: the link that was not shown stops working after 15 minutes.",
    run: link,
  },
];
