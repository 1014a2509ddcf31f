/** `/console/{account}/campaigns/{campaign}/send`: the checks before a start, and the start, now or later. */

import { type AudienceSize, LONGEST_COUNT_MS } from "#admin/campaigns/audience.ts";
import { type Check, type Checked, type CheckName, checkCampaign } from "#admin/campaigns/checks.ts";
import { showContent } from "#admin/campaigns/compose.ts";
import { AudienceGrown, sendCampaign } from "#admin/campaigns/send.ts";
import { sentence } from "#admin/error-texts.ts";
import { Outdated } from "#admin/kit/errors.ts";
import { type ComposedCampaign, mayChange } from "#domain/sending/mailing.ts";
import { versionOf } from "#domain/version.ts";
import { badge, type Tone } from "#html/components/badge.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { radioGroup, textField } from "#html/components/fields.ts";
import { section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { isolated, quoted } from "#html/names.ts";
import { FormRefused } from "../../kit/errors.ts";
import { hidden, localTime, readLocalTime } from "../../kit/form.ts";
import { formOf } from "../../kit/form-html.ts";
import type { Formats } from "../../kit/formats.ts";
import { withQuery } from "../../kit/listing.ts";
import { type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { counted, isCounted, SHOWN_WITHIN_MS, sizeWords } from "./audience.ts";
import { addressOf, ofCampaign } from "./campaign-header.ts";

const when = "When";
export const started = "The campaign starts within a few seconds.";
export const scheduled = (when: string): string => `The campaign is scheduled for ${when}.`;
/** In place of advice that is about the command line. */
const checkAdvice: Readonly<Partial<Record<CheckName, string>>> = {
  "base address":
    "Set MAILROLL_BASE_URL to an https address, such as https://mail.example.org, and restart the service.",
  sender: "Choose a sender.",
  "postal address": "Give the sender a postal address.",
  signature: "Let Mailroll sign the messages of this sender, or declare that the relay does.",
  lists: "Choose at least one list that exists.",
  subject: "Correct it, then look at the preview.",
  content: "Correct it, then look at the preview.",
  "unsubscribe link": "Correct it, then look at the preview.",
};
const sendTexts = {
  failedTitle: (count: string): string =>
    count === "1"
      ? "1 check failed, so it cannot be sent yet"
      : `${count} checks failed, so it cannot be sent yet`,
  statuses: { passed: "Passed", warning: "Warning", failed: "Failed" } as const,
  when,
};

const PATH = "/{account}/campaigns/{campaign}/send";
type SendContext = PageContext<typeof PATH>;
const HTTP = "http";
/** In the address that a script asks for: everybody is counted. */
const COUNT = "count";
/** How many people the button has said. */
const SEEN = "seen";

const tones: Readonly<Record<Check["status"], Tone>> = { passed: "good", warning: "warning", failed: "bad" };

/** What the user has typed is shown as it is. */
const typed: readonly CheckName[] = ["sender", "postal address", "subject"];
const foundText = ({ name, status, text }: Check): Html => {
  if (status !== "passed" || !typed.includes(name)) return html`${sentence(text)}`;
  const [, before, address] = /^(.*) (<[^<>]*>)$/s.exec(text) ?? [];
  return before === undefined || address === undefined ? html`${text}` : html`${isolated(before)} ${address}`;
};
const ofSender: readonly CheckName[] = ["postal address", "from alignment", "signature", "relay"];

/** What to do, and where. */
function adviceOf({ link, may }: SendContext, { name, status, advice }: Check): Html | null {
  if (advice === null) return null;
  const said = (status === "failed" ? checkAdvice[name] : undefined) ?? sentence(advice);
  const to = may("owner") && ofSender.includes(name);
  return html`<br><strong>${said}</strong>${
    to ? html` <a href="${link("/settings/senders")}">Go to the senders</a>` : null
  }`;
}

const checkTable = (context: SendContext, checks: readonly Check[], size: AudienceSize): Html =>
  table({
    caption: "Checks",
    rows: checks,
    columns: [
      {
        label: "Check",
        cell: ({ name }) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
        isShort: true,
      },
      { label: "Result", cell: ({ status }) => badge(sendTexts.statuses[status], tones[status]) },
      {
        label: "Found",
        cell: (one) =>
          one.name === "recipients"
            ? counted(html`${foundText(one)}${adviceOf(context, one)}`, isCounted(size))
            : html`<span>${foundText(one)}${adviceOf(context, one)}</span>`,
        isTyped: true,
      },
    ],
  });

function summary(checks: readonly Check[], { formats }: SendContext): Html {
  const failed = checks.filter(({ status }) => status === "failed").length;
  if (failed > 0) return notice("bad", sendTexts.failedTitle(formats.number(failed)));
  return checks.some(({ status }) => status === "warning")
    ? notice("warning", "It can be sent, but look at the warnings")
    : notice("good", "Everything is in place");
}

/** What was found first, then what is fine. */
const order = { failed: 0, warning: 1, passed: 2 } as const;

export const sendPage = page({
  path: PATH,
  role: "editor",
  show: async (context) => {
    const { performHere, may, query, path } = context;
    const of = ofCampaign(context);
    const found = await performHere(showContent, of);
    const { id, name } = found.campaign;
    const own = addressOf(context, id);
    if (!mayChange("schedule", found.mailing.state) && !context.formState("send").isRefused)
      return redirect(own);
    const allowsHttp = query.get(HTTP) === "allowed" || context.form.has(HTTP);
    // Without a script, nobody else asks for the number that was refused.
    const isAskedAgain = query.has(COUNT) || context.formState("send").isRefused;
    const countMs = isAskedAgain ? LONGEST_COUNT_MS : SHOWN_WITHIN_MS;
    const { checks, size } = await performHere(checkCampaign, { ...of, allowsHttp, countMs });
    const isReady = checks.every(({ status }) => status !== "failed");
    const needsHttps = checks.some((one) => one.name === "base address" && one.status === "failed");
    const sorted = checks.toSorted((one, other) => order[one.status] - order[other.status]);
    return titled(
      {
        title: may("owner") ? `Send ${quoted(name)}` : `Check ${quoted(name)}`,
        parent: { label: name, href: own },
        actions: [
          buttonLink({ label: "Preview", href: `${own}/preview` }),
          buttonLink({ label: "Dry run", href: `${own}/dry-run` }),
        ],
      },
      html`<div class="stack" data-recount="${withQuery(path, { ...(allowsHttp ? { [HTTP]: "allowed" } : {}), [COUNT]: "all" })}">${summary(checks, context)}${isReady ? sendPart(context, found, { checks, size }, allowsHttp, own) : null}</div>
${section("Checks", checkTable(context, sorted, size))}
${
  isReady
    ? null
    : buttonRow(
        ...(found.mailing.state === "draft"
          ? [buttonLink({ label: "Edit", href: `${own}/edit`, icon: "edit" })]
          : []),
        buttonLink({ label: "Check again", href: path }),
        ...(needsHttps
          ? [
              buttonLink({
                label: "Check again, and allow http links (only for trying out)",
                href: withQuery(path, { [HTTP]: "allowed" }),
                emphasis: "quiet",
              }),
            ]
          : []),
      )
}`,
    );
  },
  forms: {
    send: async (context) => {
      const { performHere, form, formats } = context;
      const at = timeIn(context);
      const of = ofCampaign(context);
      const seen = form.text(SEEN);
      const expected = /^\d{1,15}$/.test(seen) ? Number(seen) : null;
      await performHere(sendCampaign, { ...of, at, allowsHttp: form.has(HTTP), expected }).catch(asChanged);
      const text = at === null ? started : scheduled(formats.zonedDateTime(at));
      return redirect(addressOf(context, of.campaign), text);
    },
  },
});

/** Only what the user has seen is sent; the page shows the checks of what it says now. */
function asChanged(error: unknown): never {
  if (error instanceof Outdated)
    throw new FormRefused({
      status: 409,
      message:
        "Somebody has changed the campaign since you opened this page, so nothing was done. The checks on this page are about what it says now. Look at the preview before you send it.",
    });
  if (error instanceof AudienceGrown)
    throw new FormRefused({
      status: 409,
      message:
        "It would go to more people than you have seen, so nothing was done. The button has the number of now. Send it again if that is right.",
    });
  throw error;
}

/** null: now. Throws FormRefused. */
function timeIn({ form, formats, now }: SendContext): number | null {
  if (form.text("when") !== "later") return null;
  const at = readLocalTime(form.text("at"), formats.timeZone);
  if (at === null)
    throw new FormRefused({ fields: { at: "Enter a date and a time, such as 2026-11-01 09:30." } });
  if (at <= now) throw new FormRefused({ fields: { at: "Enter a time in the future, or choose “Now”." } });
  return at;
}

/** The check of the relay never fails. */
const isToFiles = (checks: readonly Check[]): boolean =>
  checks.some(({ name, status }) => name === "relay" && status === "warning");

/** On the button that sends. */
const sendLabel = (toFiles: boolean, size: AudienceSize, formats: Formats): string =>
  toFiles
    ? `Write ${sizeWords(size, formats, "message", "messages")} to files`
    : `Send to ${sizeWords(size, formats)}`;

function sendPart(
  { formState, formats, may }: SendContext,
  { mailing, content: written, campaign: { name } }: ComposedCampaign,
  { checks, size }: Checked,
  allowsHttp: boolean,
  back: string,
): Html {
  if (!may("owner")) return html`<p>A user with the role owner can send it.</p>`;
  const form = formState("send");
  const { timeZone } = formats;
  const people = sizeWords(size, formats);
  const stored = mailing.scheduledAt === null ? "" : localTime(mailing.scheduledAt, timeZone);
  return formOf("send", {
    state: form,
    version: versionOf("campaign content", { ...written, name }),
    isIdempotent: true,
    body: html`${allowsHttp ? hidden(HTTP, "allowed") : null}
<div class="stack send-when">${radioGroup({
      name: "when",
      label: sendTexts.when,
      value: form.value("when", stored === "" ? "now" : "later"),
      options: [
        { value: "now", label: "Now", hint: "It starts within a few seconds. You can pause it at any time." },
        { value: "later", label: "Later", hint: "Until then you can unschedule it." },
      ],
    })}${textField({
      ...form.field("at", stored),
      label: "Start at",
      type: "datetime-local",
      hint: `In ${timeZone.replaceAll("_", " ")}.`,
      width: "medium",
      isOptional: "while hidden",
    })}</div>
<p>${isToFiles(checks) ? "There is no mail server, so each message is written to a file, and nobody gets it." : "They get a real message, and a sent message cannot be recalled. Who joins until it starts gets it, too."} ${allowsHttp ? "Links in the messages may be http. Only for trying out." : null}</p>
${counted(
  html`${size.precision === "at least" ? null : hidden(SEEN, String(size.count))}${buttonRow(
    button({
      label: html`<span class="for-now">${sendLabel(isToFiles(checks), size, formats)}</span><span class="for-later">Schedule for ${people}</span>`,
      ...{ emphasis: "primary", icon: "mail" },
    }),
    buttonLink({ label: "Cancel", href: back, emphasis: "quiet" }),
  )}`,
  isCounted(size),
)}`,
  });
}
