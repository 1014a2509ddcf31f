/** Makes the messages of one campaign. Its content is parsed once, and the key is read once. */
import type { MergeData } from "../../domain/ports/sending/mailings.ts";
import type { OutgoingMessage } from "../../domain/sending/hand-over.ts";
import type { SkipReason } from "../../domain/sending/recipient.ts";
import { unsubscribeUrl } from "../../leaving/leaving-path.ts";
import { makeToken } from "../../leaving/token.ts";
import { composeMessage, identityOf, makeComposer } from "../compose/compose.ts";
import { prepareContent } from "../render/prepare.ts";
import { renderFor } from "../render/render.ts";
import type { MailingToSend } from "./protocol.ts";

/** Larger messages are not sent: relays refuse them. */
export const MOST_BYTES = 10 * 1024 ** 2;

/** The person gets no message. */
export interface NotMade {
  readonly reason: SkipReason;
  readonly reply: string;
}
export type MakeMessage = (person: MergeData, now: number) => OutgoingMessage | NotMade;

/** Throws an Error with the problem if no message can be made of the content. */
export function prepareMessages(mailing: MailingToSend): MakeMessage {
  const { account, campaign, content, sender, baseUrl, linkSecret, fields, name } = mailing;
  const prepared = prepareContent(content, { fields, campaignName: name, sender });
  if ("problems" in prepared) {
    const [first] = prepared.problems;
    throw new Error(
      first === undefined ? "the content cannot be rendered" : `${first.part}: ${first.message}`,
    );
  }
  const composer = makeComposer(identityOf(sender, { account, campaign, secret: linkSecret }));
  const linkOf = ({ subscriber }: MergeData): string =>
    unsubscribeUrl(baseUrl, makeToken(linkSecret, { account, campaign, subscriber }));
  const make = (person: MergeData, now: number): OutgoingMessage | NotMade => {
    const { subscriber, address } = person;
    const link = linkOf(person);
    const rendered = renderFor(prepared, person, link);
    if ("cannotRender" in rendered) return cannotRender(rendered.cannotRender);
    const personName = `${person.firstName} ${person.lastName}`.trim();
    const { bytes, envelope, needsSmtpUtf8 } = composeMessage(composer, {
      rendered,
      subscriber,
      address,
      name: personName,
      unsubscribeUrl: link,
      date: now,
    });
    if (bytes.length <= MOST_BYTES)
      return { name: `${campaign}-${subscriber}`, envelope, bytes, needsSmtpUtf8 };
    const reply = `the message has ${bytes.length} bytes; the limit is ${MOST_BYTES}`;
    return { reason: "message too large", reply };
  };
  return (person, now) => {
    try {
      return make(person, now);
    } catch (error) {
      // Such as an address that cannot be in a header: the others can be sent to.
      return cannotRender(error instanceof Error ? error.message : String(error));
    }
  };
}

const cannotRender = (reply: string): NotMade => ({ reason: "cannot be rendered", reply });
