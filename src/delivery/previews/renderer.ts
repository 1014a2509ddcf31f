/**
 * Makes messages of a campaign that do not go to their recipients: previews, test messages and dry runs. None
 * contains a link that works. Does not know the store: it gets everything that it needs, so that it can run
 * in a thread.
 */
import type { AccountId } from "#domain/account.ts";
import type { CampaignId } from "#domain/campaign.ts";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import type { CampaignContent } from "#domain/sending/mailing.ts";
import type { Sender } from "#domain/sending/sender.ts";

/** What the messages of a campaign are made from. */
export interface MessageSource {
  readonly account: AccountId;
  readonly campaign: CampaignId;
  readonly name: string;
  readonly content: CampaignContent;
  /** null: none is chosen yet; a placeholder is shown in its place. With the key, messages are signed. */
  readonly sender: (Sender & { readonly dkimKey?: string | null }) | null;
  /** The address of the service, for links. null: not set; a placeholder is shown in its place. */
  readonly baseUrl: string | null;
  /** The custom fields of the account, by name: only these may be used. */
  readonly fields: readonly string[];
}

/**
 * What is wrong with one message. `field` is the merge field that has no value, such as `first_name`. `text`
 * of `refused value` is the merge field whose value is left out, as it is not allowed there; that of `joined
 * links` has the hosts only, because the rest may identify the recipient.
 */
export type MessageProblem =
  | { readonly kind: "empty field"; readonly field: string }
  | { readonly kind: "long line"; readonly characters: number }
  | { readonly kind: "large"; readonly bytes: number }
  | { readonly kind: "needs SMTPUTF8" }
  | { readonly kind: "refused value" | "joined links" | "not rendered"; readonly text: string };

export interface RenderedMessage {
  readonly subject: string;
  readonly preheader: string;
  readonly html: string | null;
  /** The HTML for a frame that shows it: its links do nothing. */
  readonly framedHtml: string | null;
  readonly text: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  readonly envelope: { readonly from: string; readonly to: string };
  readonly needsSmtpUtf8: boolean;
  /** The whole message as it would be handed over; signed only if the source has the key. */
  readonly source: string;
  /** In bytes. */
  readonly size: number;
  /** Of the HTML part, in bytes: what mail clients clip. */
  readonly htmlSize: number;
  readonly problems: readonly MessageProblem[];
  /** Of a draft: what it needs before it can be sent. */
  readonly missing: readonly TemplateFault[];
}

/** A draft may lack what every message needs. The subject of a test begins with [Test]. */
export type RenderedAs = "preview" | "draft" | "test";

/** What is wrong with the templates. */
export interface TemplateFault {
  readonly about: "subject" | "content" | "unsubscribe link";
  /** What is wrong, where, and what to do. */
  readonly text: string;
}

/** The templates themselves are wrong, or take too long: no message can be made of them. */
export class TemplateProblem extends Error {
  override readonly name = "TemplateProblem";
  readonly faults: readonly TemplateFault[];
  constructor(faults: readonly TemplateFault[]) {
    super(faults.map(({ text }) => text).join(" "));
    this.faults = faults;
  }
}

/** Too many messages are being made; it may succeed later. */
export class RendererBusy extends Error {
  override readonly name = "RendererBusy";
}

export interface Renderer {
  /** Throws TemplateProblem or RendererBusy. */
  message(source: MessageSource, person: MergeData, as: RenderedAs): Promise<RenderedMessage>;
  /** Makes a message for each, and returns the problems of each, in order. Throws the same. */
  problems(
    source: MessageSource,
    people: readonly MergeData[],
  ): Promise<readonly (readonly MessageProblem[])[]>;
  close(): Promise<void>;
}

/** A request to the thread that makes messages. */
export type RenderRequest =
  | {
      readonly do: "message";
      readonly source: MessageSource;
      readonly person: MergeData;
      readonly as: RenderedAs;
    }
  | {
      readonly do: "problems";
      readonly source: MessageSource;
      readonly people: readonly MergeData[];
      /** The answer is about the first of them: as many as could be done in this time, and at least one. */
      readonly forMs: number;
    };
/** What the thread says before any answer. */
export const READY = "ready";
export interface Answered {
  readonly value: unknown;
  /** How much processor time the thread used. */
  readonly cpuMs: number;
}
export type RenderAnswer =
  | Answered
  | {
      readonly error: {
        /** null: another error. */
        readonly faults: readonly TemplateFault[] | null;
        readonly message: string;
        readonly stack: string | undefined;
      };
    };
