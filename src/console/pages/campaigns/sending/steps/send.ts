/** `/console/{account}/campaigns/{campaign}/send`: the checks before a start, and the start, now or later. */
import { checkCampaign } from "#admin/campaigns/sending/check.ts";
import type { Check, CheckName } from "#admin/campaigns/sending/checks.ts";
import { showContent } from "#admin/campaigns/sending/compose.ts";
import { sendCampaign } from "#admin/campaigns/sending/send.ts";
import { sentence } from "#admin/error-texts.ts";
import { Outdated } from "#admin/kit/errors.ts";
import { withQuery } from "#console/kit/addresses/query.ts";
import { FormRefused } from "#console/kit/failures.ts";
import { hidden } from "#console/kit/forms/form.ts";
import { formOf } from "#console/kit/forms/form-html.ts";
import { localTime, readLocalTime } from "#console/kit/forms/local-time.ts";
import { content, page, redirect } from "#console/kit/page.ts";
import type { Visit } from "#console/kit/visit.ts";
import { type ComposedCampaign, mayChange } from "#domain/sending/mailing.ts";
import { versionOf } from "#domain/version.ts";
import { badge, type Tone } from "#html/components/badge.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { radioGroup, textField } from "#html/components/fields.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { isolated } from "#html/names.ts";
import { addressOf, ofCampaign } from "../../campaign-header.ts";
import * as texts from "./send.texts.ts";

const PATH = "/{account}/campaigns/{campaign}/send";
type SendVisit = Visit<typeof PATH>;
const HTTP = "http";

const tones: Readonly<Record<Check["status"], Tone>> = { passed: "good", warning: "warning", failed: "bad" };

/** What somebody has typed is shown as it is. */
const typed: readonly CheckName[] = ["sender", "postal address", "subject"];
const foundText = ({ name, status, text }: Check): Html => {
  if (status !== "passed" || !typed.includes(name)) return html`${sentence(text)}`;
  const [, before, address] = /^(.*) (<[^<>]*>)$/s.exec(text) ?? [];
  return before === undefined || address === undefined ? html`${text}` : html`${isolated(before)} ${address}`;
};
const ofSender: readonly CheckName[] = ["postal address", "from alignment", "signature", "relay"];

/** What to do, and where. */
function adviceOf({ link, may }: SendVisit, { name, status, advice }: Check): Html | null {
  if (advice === null) return null;
  const said = (status === "failed" ? texts.advice[name] : undefined) ?? sentence(advice);
  const to = may("owner") && ofSender.includes(name);
  return html`<br><strong>${said}</strong>${
    to ? html` <a href="${link("/settings/senders")}">${texts.toSenders}</a>` : null
  }`;
}

const checkTable = (visit: SendVisit, checks: readonly Check[]): Html =>
  table({
    caption: texts.checks,
    rows: checks,
    columns: [
      { label: texts.check, cell: ({ name }) => texts.nameOf(name), isShort: true },
      { label: texts.result, cell: ({ status }) => badge(texts.statuses[status], tones[status]) },
      {
        label: texts.found,
        cell: (one) => html`<span>${foundText(one)}${adviceOf(visit, one)}</span>`,
        isTyped: true,
      },
    ],
  });

function summary(checks: readonly Check[], { formats }: SendVisit): Html {
  const failed = checks.filter(({ status }) => status === "failed").length;
  if (failed > 0) return notice("bad", texts.failedTitle(formats.number(failed)));
  return checks.some(({ status }) => status === "warning")
    ? notice("warning", texts.warningTitle)
    : notice("good", texts.readyTitle);
}

/** What was found first, then what is fine. */
const order = { failed: 0, warning: 1, passed: 2 } as const;

export const sendPage = page({
  path: PATH,
  role: "editor",
  show: async (visit) => {
    const { perform, may, query, path } = visit;
    const of = ofCampaign(visit);
    const found = await perform(showContent, of);
    const { id, name } = found.campaign;
    const own = addressOf(visit, id);
    if (!mayChange("schedule", found.mailing.state) && !visit.shown("send").isRefused) return redirect(own);
    const allowsHttp = query.get(HTTP) === "allowed" || visit.form.has(HTTP);
    const checks = await perform(checkCampaign, { ...of, allowsHttp });
    const isReady = checks.every(({ status }) => status !== "failed");
    const needsHttps = checks.some((one) => one.name === "base address" && one.status === "failed");
    const title = may("owner") ? texts.title(name) : texts.checkTitle(name);
    const sorted = checks.toSorted((one, other) => order[one.status] - order[other.status]);
    return content(
      title,
      html`${pageHeader({
        title,
        parent: { label: name, href: own },
        actions: [
          buttonLink({ label: texts.preview, href: `${own}/preview` }),
          buttonLink({ label: texts.dryRun, href: `${own}/dry-run` }),
        ],
      })}
<div class="stack">${summary(checks, visit)}${isReady ? sendPart(visit, found, allowsHttp, own) : null}</div>
${section(texts.checks, checkTable(visit, sorted))}
${
  isReady
    ? null
    : buttonRow(
        ...(found.mailing.state === "draft"
          ? [buttonLink({ label: texts.edit, href: `${own}/edit`, icon: "edit" })]
          : []),
        buttonLink({ label: texts.again, href: path }),
        ...(needsHttps
          ? [
              buttonLink({
                label: texts.allowHttp,
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
    send: {
      submit: async (visit) => {
        const { perform, form, formats } = visit;
        const at = timeIn(visit);
        const of = ofCampaign(visit);
        await perform(sendCampaign, { ...of, at, allowsHttp: form.has(HTTP) }).catch(asChanged);
        const text = at === null ? texts.started : texts.scheduled(formats.zonedDateTime(at));
        return redirect(addressOf(visit, of.campaign), text);
      },
    },
  },
});

/** Only what the user has seen is sent; the page shows the checks of what it says now. */
function asChanged(error: unknown): never {
  if (error instanceof Outdated) throw new FormRefused({ status: 409, message: texts.changed });
  throw error;
}

/** null: now. Throws FormRefused. */
function timeIn({ form, formats, now }: SendVisit): number | null {
  if (form.text("when") !== "later") return null;
  const at = readLocalTime(form.text("at"), formats.timeZone);
  if (at === null) throw new FormRefused({ fields: { at: texts.notATime } });
  if (at <= now) throw new FormRefused({ fields: { at: texts.inThePast } });
  return at;
}

function sendPart(
  { shown, formats, may }: SendVisit,
  { mailing, content: written, campaign: { name } }: ComposedCampaign,
  allowsHttp: boolean,
  back: string,
): Html {
  if (!may("owner")) return html`<p>${texts.onlyOwners}</p>`;
  const form = shown("send");
  const { timeZone } = formats;
  const stored = mailing.scheduledAt === null ? "" : localTime(mailing.scheduledAt, timeZone);
  return formOf("send", {
    shown: form,
    version: versionOf("campaign content", { ...written, name }),
    isOnce: true,
    body: html`${allowsHttp ? hidden(HTTP, "allowed") : null}
<div class="stack send-when">${radioGroup({
      name: "when",
      label: texts.when,
      value: form.value("when", stored === "" ? "now" : "later"),
      options: [
        { value: "now", label: texts.now, hint: texts.nowHint },
        { value: "later", label: texts.later, hint: texts.laterHint },
      ],
    })}${textField({
      name: "at",
      label: texts.at,
      type: "datetime-local",
      hint: texts.atHint(timeZone.replaceAll("_", " ")),
      value: form.value("at", stored),
      error: form.problem("at"),
      width: "medium",
      isOptional: true,
    })}</div>
<p>${texts.consequence(texts.listCount(written.lists.length))} ${allowsHttp ? texts.httpAllowed : null}</p>
${buttonRow(
  button({ label: texts.send, emphasis: "primary", icon: "mail" }),
  buttonLink({ label: texts.cancel, href: back, emphasis: "quiet" }),
)}`,
  });
}
