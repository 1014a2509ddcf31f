/** Opens the relay of an address: an SMTP server, or a folder. */
import type { HandOver } from "#domain/sending/hand-over.ts";
import { parseRelayUrl } from "#domain/sending/relay-address.ts";
import { openOutbox } from "./outbox.ts";
import { SmtpPool } from "./pool.ts";
import { type SmtpOptions, settingsFrom } from "./settings.ts";
import type { RelayTransport } from "./transport.ts";

/** An address that cannot be used is a relay that fails, so that the campaign waits with the reason. */
const unusable = (problem: string, connections: number): RelayTransport => {
  const failure: HandOver = { kind: "relay failed", stage: "connect", text: problem };
  return { connections, send: () => Promise.resolve(failure), close: () => Promise.resolve() };
};

/** Nothing is connected before the first message. */
export function openRelay(url: string, options: SmtpOptions = {}): RelayTransport {
  const settings = settingsFrom(options);
  const address = parseRelayUrl(url);
  if ("problem" in address) return unusable(address.problem, settings.connections);
  if (address.kind === "smtp") return new SmtpPool(address, settings);
  return settings.allowsInnerAddresses
    ? openOutbox(address.folder, settings.connections)
    : unusable("only an administrator can have messages written to a folder", settings.connections);
}
