/**
 * What a process needs to check senders, and to make and send messages. A command and a server have it, each
 * in its own way.
 */
import type { RenderedMessage, Renderer } from "#delivery/previews/renderer.ts";
import type { InstallationRelay, Relay } from "#domain/sending/relay.ts";
import type { Sender, SenderSecrets } from "#domain/sending/sender.ts";
import { NotPossible } from "./errors.ts";

export interface MailTools extends InstallationRelay {
  readonly renderer: Renderer;
  /** The public address of the service, for links in messages; null: not set. */
  readonly baseUrl: string | null;
  /** For the check of a sender; null: the name servers of the system. */
  readonly nameServers: readonly string[] | null;
  /**
   * Connects and logs in, within seconds, and sends nothing. What was wrong, in the relay's words; null:
   * nothing. Never rejects.
   */
  readonly tryRelay: (relay: Relay) => Promise<string | null>;
  /** Confirms a topic of Amazon SNS. What was wrong; null: nothing. Never rejects. */
  readonly confirmTopic: (url: string) => Promise<string | null>;
  /** Hands one message over, now. Throws an Error with the relay's words. */
  readonly handOver: (
    sender: Sender & SenderSecrets,
    message: RenderedMessage,
    to: string,
  ) => Promise<{ readonly reply: string }>;
}

export function requireMail({ mail }: { readonly mail?: MailTools }): MailTools {
  if (mail === undefined) throw new NotPossible("this process makes no messages; ask one that serves");
  return mail;
}
