/**
 * What a process needs in order to make and send messages. A command and a server have it, each in its own
 * way.
 */
import type { RenderedMessage, Renderer } from "../../delivery/renderer/renderer.ts";
import type { Sender, SenderSecrets } from "../../domain/sending/sender.ts";
import { NotPossible } from "./errors.ts";

export interface MailTools {
  readonly renderer: Renderer;
  /** The public address of the service, for links in messages; null: not set. */
  readonly baseUrl: string | null;
  /** The relay of senders that have none of their own. */
  readonly defaultRelay: string;
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
