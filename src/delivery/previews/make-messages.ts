/**
 * Makes messages that do not go to their recipients. The link in them ends in `preview`, which is no token,
 * and their secret is random: neither a link, nor a bounce address, nor a message id is one of a real
 * message.
 */
import { randomBytes, randomUUID } from "node:crypto";
import type { MergeData } from "#domain/ports/sending/mailings.ts";
import type { Sender } from "#domain/sending/sender.ts";
import { PREVIEW_TOKEN, unsubscribeUrl } from "#unsubscribe/path.ts";
import {
  type CannotRender,
  type ContentProblem,
  type Prepared,
  problemText,
  type RequiredPart,
} from "../messages.ts";
import { type Composer, composeMessage, identityOf, makeComposer } from "../mime/compose.ts";
import { withIdleLinks } from "../templates/html/document.ts";
import { prepareContent, prepareDraft } from "../templates/prepare.ts";
import { renderDraftFor, renderFor } from "../templates/render.ts";
import {
  type MessageProblem,
  type MessageSource,
  type RenderedAs,
  type RenderedMessage,
  type TemplateFault,
  TemplateProblem,
} from "./renderer.ts";

/**
 * RFC 5322: without the line break. Messages are encoded in shorter lines, but relays and filters that decode
 * and encode them again break longer ones anywhere.
 */
const LONGEST_LINE = 998;
/** Gmail clips a message whose HTML is longer. */
export const CLIPPED_BYTES = 102 * 1024;
const NO_ADDRESS = "https://mailroll.invalid";
const TEST_MARK = "[Test] ";

const noSender: Sender = {
  ...{ id: 0, fromAddress: "sender@mailroll.invalid", fromName: "No sender yet", replyTo: null },
  ...{ postalAddress: "", bounceDomain: null, signing: "none", dkimDomain: null, dkimSelector: null },
  ...{ relays: [], createdAt: 0, perSecond: null, perDomainMinute: null, perDay: null },
};

interface Ready {
  readonly prepared: Prepared;
  readonly composer: Composer;
  readonly link: string;
  readonly missing: readonly TemplateFault[];
}

/** Memoizes the templates of the last source: a dry run uses the same ones again and again. */
export class MessageMaker {
  #last: { readonly key: string; readonly ready: Ready } | null = null;
  readonly #secret = randomBytes(32);

  message(source: MessageSource, person: MergeData, as: RenderedAs): RenderedMessage {
    const isTest = as === "test";
    const ready = this.#ready(source, as === "draft");
    const rendered = (as === "draft" ? renderDraftFor : renderFor)(ready.prepared, person, ready.link);
    if ("cannotRender" in rendered) throw new TemplateProblem([unrenderedFault(rendered)]);
    const subject = `${isTest ? TEST_MARK : ""}${rendered.subject}`;
    const testId = isTest ? { testId: randomUUID() } : {};
    const composed = composedFor(ready, person, { ...rendered, subject }, testId);
    const { html, text, preheader } = rendered;
    const bytesAsText = composed.bytes.toString("utf8");
    return {
      ...{ subject, preheader, html, text, headers: headersOf(bytesAsText), source: bytesAsText },
      ...{ envelope: composed.envelope, needsSmtpUtf8: composed.needsSmtpUtf8, size: composed.size },
      framedHtml: html === null ? null : withIdleLinks(html),
      htmlSize: html === null ? 0 : Buffer.byteLength(html),
      problems: problemsIn(ready, rendered, composed),
      missing: ready.missing,
    };
  }

  /** Of the first people, as many as can be done in `forMs`; at least one. */
  problems(
    source: MessageSource,
    people: readonly MergeData[],
    forMs = Number.POSITIVE_INFINITY,
  ): readonly (readonly MessageProblem[])[] {
    const until = performance.now() + forMs;
    const ready = this.#ready(source);
    const found: (readonly MessageProblem[])[] = [];
    for (const person of people) {
      found.push(problemsFor(ready, person));
      if (performance.now() >= until) break;
    }
    return found;
  }

  #ready(source: MessageSource, isDraft = false): Ready {
    const key = JSON.stringify([source, isDraft]);
    if (this.#last?.key === key) return this.#last.ready;
    const { account, campaign, name: campaignName, content, fields, baseUrl } = source;
    const sender = source.sender ?? noSender;
    const surroundings = { fields, campaignName, sender: source.sender };
    const made = (isDraft ? prepareDraft : prepareContent)(content, surroundings);
    if ("problems" in made) throw new TemplateProblem(made.problems.map(faultOf));
    const { prepared, missing } = "prepared" in made ? made : { prepared: made, missing: () => [] };
    const withKey = { dkimKey: null, ...sender };
    const composer = makeComposer(identityOf(withKey, { account, campaign, secret: this.#secret }));
    const link = unsubscribeUrl(baseUrl ?? NO_ADDRESS, PREVIEW_TOKEN);
    const ready = { prepared, composer, link, missing: missing().map(faultOf) };
    this.#last = { key, ready };
    return ready;
  }
}

const subjectOf = (part: string, missing: RequiredPart | undefined): TemplateFault["about"] => {
  if (part === "subject") return "subject";
  return missing === "unsubscribe link" ? missing : "content";
};
const faultOf = (problem: ContentProblem): TemplateFault => ({
  about: subjectOf(problem.part, problem.missing),
  text: problemText(problem),
});
const unrenderedFault = ({ cannotRender: text, missing }: CannotRender): TemplateFault => ({
  about: subjectOf(text.slice(0, text.indexOf(":")), missing),
  text,
});

type Rendered = Exclude<ReturnType<typeof renderFor>, { readonly cannotRender: string }>;
type Composed = ReturnType<typeof composeMessage>;

const composedFor = (
  { composer, link }: Ready,
  person: MergeData,
  rendered: Rendered,
  more: { readonly testId?: string } = {},
): Composed =>
  composeMessage(composer, {
    ...more,
    ...{ rendered, subscriber: person.subscriber, address: person.address, unsubscribeUrl: link },
    ...{ name: `${person.firstName} ${person.lastName}`.trim(), date: Date.now() },
  });

function problemsFor(ready: Ready, person: MergeData): readonly MessageProblem[] {
  const rendered = renderFor(ready.prepared, person, ready.link);
  if ("cannotRender" in rendered) return [{ kind: "not rendered", text: rendered.cannotRender }];
  try {
    return problemsIn(ready, rendered, composedFor(ready, person, rendered));
  } catch (error) {
    return [{ kind: "not rendered", text: (error as Error).message }];
  }
}

function problemsIn(
  { prepared: { isTextMade } }: Ready,
  { html, text, emptyFields, refusedFields }: Rendered,
  { needsSmtpUtf8 }: Composed,
): readonly MessageProblem[] {
  const htmlSize = html === null ? 0 : Buffer.byteLength(html);
  // The author cannot break the lines of text that is made from the HTML: each paragraph is one.
  const longestLine = Math.max(longestLineOf(html ?? ""), isTextMade ? 0 : longestLineOf(text));
  const joined = joinedLinks(text);
  return [
    ...emptyFields.map((field): MessageProblem => ({ kind: "empty field", field })),
    ...refusedFields.map((field): MessageProblem => ({ kind: "refused value", text: field })),
    ...(joined === null ? [] : [{ kind: "joined links", text: joined } as const]),
    ...(longestLine > LONGEST_LINE ? [{ kind: "long line", characters: longestLine } as const] : []),
    ...(htmlSize > CLIPPED_BYTES ? [{ kind: "large", bytes: htmlSize } as const] : []),
    ...(needsSmtpUtf8 ? [{ kind: "needs SMTPUTF8" } as const] : []),
  ];
}

/** The first link of a text that another one follows directly, as in https://a.examplehttps://b.example. */
function joinedLinks(text: string): string | null {
  for (const word of text.split(/[\s<>"'()[\]]+/)) {
    const [first, ...others] = [...word.matchAll(/https?:\/\//g)];
    if (first === undefined || others.length === 0) continue;
    const from = first.index + first[0].length;
    const endOfHost = word.indexOf("/", from);
    // Not one in the path or the query of the other, such as https://a.example/?to=https://b.example.
    const second = others.find(
      ({ index }) => index > from && (/[\w.~-]/.test(word[index - 1] ?? "") || index - 1 === endOfHost),
    );
    if (second === undefined) continue;
    const hostOf = (link: string): string => /^https?:\/\/[^/?#]{0,100}/.exec(link)?.[0] ?? "";
    return `${hostOf(word.slice(first.index, second.index))}…${hostOf(word.slice(second.index))}…`;
  }
  return null;
}

function longestLineOf(text: string): number {
  let longest = 0;
  for (let from = 0; from < text.length; ) {
    const at = text.indexOf("\n", from);
    const end = at === -1 ? text.length : at;
    longest = Math.max(longest, end - from);
    from = end + 1;
  }
  return longest;
}

/** Unfolded, in order. */
function headersOf(source: string): RenderedMessage["headers"] {
  const head = source.slice(0, source.indexOf("\r\n\r\n")).replaceAll(/\r\n(?=[ \t])/g, "");
  return head.split("\r\n").map((line) => {
    const at = line.indexOf(":");
    return { name: line.slice(0, at), value: line.slice(at + 1).trim() };
  });
}
