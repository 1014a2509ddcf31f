/**
 * What the parts of the delivery exchange: content that was prepared once per campaign, the message of one
 * person, and its bytes. `Prepared` and `Composer` hold parsed templates and keys: they cannot be passed to a
 * thread. A thread makes its own from plain data.
 */
import type { KeyObject } from "node:crypto";
import type { AccountId } from "#domain/account.ts";
import type { CampaignId } from "#domain/campaign.ts";
import type { SubscriberId } from "#domain/subscriber/subscriber.ts";
import type { CompiledTemplate } from "./templates/compiled-template.ts";
import type { MergeSurroundings } from "./templates/merge-fields.ts";

export type ContentPart = "subject" | "preheader" | "layout" | "html" | "markdown" | "text";
export interface ContentProblem {
  readonly part: ContentPart;
  /** From 1; null: of the whole part. */
  readonly line: number | null;
  /** What is wrong and what to do. */
  readonly message: string;
  /** What every message must contain, and the part does not show. */
  readonly missing?: RequiredPart;
}
/** With the place, unless the message says it. */
export const problemText = ({ part, line, message }: ContentProblem): string => {
  if (line === null && /^The (?:HTML|text|subject|content)\b/.test(message)) return message;
  return `${part === "html" ? "HTML" : part}${line === null ? "" : `, line ${line}`}: ${message}`;
};
export type RequiredPart = "unsubscribe link" | "postal address";

export interface Prepared {
  readonly surroundings: MergeSurroundings;
  readonly subject: CompiledTemplate;
  readonly preheader: CompiledTemplate;
  /** null: the campaign is text only. */
  readonly html: CompiledTemplate | null;
  readonly text: CompiledTemplate;
  /** From the HTML. */
  readonly isTextMade: boolean;
  /** The custom fields that any template uses. */
  readonly usedFields: readonly string[];
}

export interface Rendered {
  readonly subject: string;
  readonly preheader: string;
  readonly html: string | null;
  readonly text: string;
  /**
   * Outputs that were empty, each once: the merge field (first_name, fields["Town"]), or the beginning of
   * what is in the braces (first_name | default: last_name).
   */
  readonly emptyFields: readonly string[];
  /** The same, if the value is not allowed where it stands, such as javascript: in a link: it is left out. */
  readonly refusedFields: readonly string[];
}
/** The person cannot get this message: skipped as "cannot be rendered". */
export interface CannotRender {
  readonly cannotRender: string;
  /** What the message would lack. */
  readonly missing?: RequiredPart;
  /** It took longer than a message may. */
  readonly isTooSlow?: boolean;
}

export interface DkimIdentity {
  readonly domain: string;
  readonly selector: string;
  /** PEM, or the parsed key. RSA. */
  readonly privateKey: string | KeyObject;
  /** Headers that a relay replaces. */
  readonly leavesOut: readonly string[];
}
/** Who the messages of a campaign are from; what all of them share. */
export interface SendingIdentity {
  readonly account: AccountId;
  readonly campaign: CampaignId;
  readonly fromAddress: string;
  readonly fromName: string;
  readonly replyTo: string | null;
  /** null: bounces go to the From address. */
  readonly bounceDomain: string | null;
  /** null: not signed here. */
  readonly dkim: DkimIdentity | null;
  /** Further ones, for the providers of its relays. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** A secret of the installation: makes Message-IDs unguessable and authenticates bounce addresses. */
  readonly secret: Uint8Array;
}

/** The message of one person. */
export interface OutgoingMessage {
  readonly rendered: Pick<Rendered, "subject" | "html" | "text">;
  readonly subscriber: SubscriberId;
  readonly address: string;
  /** The display name of the recipient; empty: none. */
  readonly name: string;
  readonly unsubscribeUrl: string;
  /** In milliseconds. */
  readonly date: number;
  /** Of a test message, and of no other message: what its Message-ID is made from. */
  readonly testId?: string;
}
export interface ComposedMessage {
  /** Ends with CRLF; without the final dot and without dot-stuffing. */
  readonly bytes: Buffer;
  readonly envelope: { readonly from: string; readonly to: string };
  /** An address of the envelope or of a header is not ASCII even with its domain in Punycode. */
  readonly needsSmtpUtf8: boolean;
  readonly messageId: string;
  readonly size: number;
}
