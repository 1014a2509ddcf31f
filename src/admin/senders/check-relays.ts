/**
 * Tries the relays of a sender. The address of the installation's relay is not shown: it is not the
 * account's.
 */
import type { Finding } from "#domain/sending/dns/finding.ts";
import { type Relay, withoutPassword } from "#domain/sending/relay.ts";
import { parseRelayUrl } from "#domain/sending/relay-address.ts";
import type { SenderSecrets } from "#domain/sending/sender.ts";
import type { MailTools } from "../kit/mail-tools.ts";

const INSTALLATION = "the relay of the installation";

export const checkRelays = (
  { relays }: SenderSecrets,
  { defaultRelay, tryRelay }: MailTools,
): Promise<readonly Finding[]> =>
  Promise.all(
    relays.length === 0
      ? [checkRelay({ url: defaultRelay, weight: 1, allowsInner: true }, INSTALLATION, tryRelay)]
      : relays.map((one) => checkRelay(one, withoutPassword(one.url), tryRelay)),
  );

async function checkRelay(relay: Relay, where: string, tryRelay: MailTools["tryRelay"]): Promise<Finding> {
  const about = { subject: "relay", where, found: [], record: null } as const;
  const address = parseRelayUrl(relay.url);
  if ("kind" in address && address.kind === "folder")
    return {
      ...about,
      state: "note",
      text: "Messages are written to a folder, and nobody gets them: that is for trying out. For real mail, give the sender an SMTP server as its relay, or have the setting MAILROLL_SMTP changed.",
    };
  const problem = await tryRelay(relay);
  return problem === null
    ? { ...about, state: "ok", text: `The connection to ${where} works.` }
    : {
        ...about,
        state: "wrong",
        text: `Messages cannot be handed over to ${where}. Check its address, the user and the password.`,
        found: [problem],
      };
}
