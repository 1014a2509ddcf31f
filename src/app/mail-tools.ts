/** What this process checks senders and sends messages with, outside of the runner that sends campaigns. */
import type { MailTools } from "#admin/kit/mail-tools.ts";
import { directRenderer } from "#delivery/previews/direct-renderer.ts";
import type { RenderedMessage, Renderer } from "#delivery/previews/renderer.ts";
import type { HandOver } from "#domain/sending/hand-over.ts";
import { usedRelays } from "#domain/sending/relay.ts";
import { type Config, withoutSending } from "./settings/config.ts";

/** An operator waits for the answer. */
const TRY_TIMEOUTS = { connect: 4000, greeting: 5000 };
const SEND_TIMEOUTS = { connect: 10_000, greeting: 15_000, envelope: 15_000, data: 30_000, dot: 30_000 };

export const mailTools = (
  { baseUrl, smtp, dns }: Pick<Config, "baseUrl" | "smtp" | "dns">,
  renderer: Renderer,
  isDemo = false,
): MailTools => ({
  renderer,
  baseUrl,
  defaultRelay: smtp,
  isDemo,
  nameServers: dns,
  tryRelay: async ({ url, allowsInner }) => {
    const { tryRelay } = await import("#delivery/smtp/relays.ts");
    const options = { allowsInnerAddresses: allowsInner === true, timeouts: TRY_TIMEOUTS };
    return (await tryRelay(url, options)).problem;
  },
  confirmTopic: async (url) => (await import("#webhooks/proof.ts")).confirmTopic(url),
  handOver: async ({ relays }, message, to) => {
    const { openRelays } = await import("#delivery/smtp/relays.ts");
    const relay = openRelays(usedRelays(relays, { defaultRelay: smtp, isDemo }), {
      connections: 1,
      timeouts: SEND_TIMEOUTS,
    });
    try {
      return { reply: accepted(await relay.send(outgoing(message, to))) };
    } finally {
      await relay.close();
    }
  },
});

/** For a command: it serves no requests, so messages are made in its own thread. */
export const commandMail = (config: Config, isDemo: boolean): MailTools =>
  mailTools(withoutSending(config, isDemo), directRenderer(), isDemo);

let sent = 0;
/** A name of its own, so that no test message replaces another one in a folder. */
function outgoing({ envelope, source, needsSmtpUtf8 }: RenderedMessage, to: string) {
  sent += 1;
  return {
    name: `test-${Date.now()}-${process.pid}-${sent}`,
    envelope: { ...envelope, to },
    bytes: Buffer.from(source),
    needsSmtpUtf8,
  };
}

/** What the relay said. Throws an Error if it did not accept the message. */
function accepted(result: HandOver): string {
  if (result.kind === "accepted") return result.text;
  if (result.kind === "needs SMTPUTF8")
    throw new Error("the address needs SMTPUTF8, which the relay does not offer");
  throw new Error(
    result.kind === "lost" && result.mayBeHandedOver
      ? `the connection was lost after the message was sent; it may have arrived: ${result.text}`
      : result.text,
  );
}
