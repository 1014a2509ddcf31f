/** Tries a relay without sending anything: connects, uses TLS, logs in and quits. */
import { parseRelayUrl } from "#domain/sending/relay-address.ts";
import { SmtpSession } from "./session.ts";
import { type SmtpOptions, settingsFrom } from "./settings.ts";

/**
 * `problem`: what keeps messages from being sent, with the relay's words; null: nothing. A folder is no
 * problem here: it takes every message. Never rejects.
 */
export async function tryRelay(
  url: string,
  options: SmtpOptions = {},
): Promise<{ readonly problem: string | null }> {
  const address = parseRelayUrl(url);
  if ("problem" in address) return address;
  if (address.kind === "folder") return { problem: null };
  const opened = await SmtpSession.open(address, settingsFrom(options));
  if ("kind" in opened)
    return { problem: opened.kind === "rejected" ? `${opened.stage}: ${opened.text}` : opened.text };
  opened.quit();
  return { problem: null };
}
