/** `/console/{account}/integrations/{key}`: one key: its calls, its programs, and what to improve. */

import { type KeyUse, keyUse, SHOWN_PROGRAMS } from "#admin/keys/key-use.ts";
import { findKey, revokeKey, setKey } from "#admin/keys/keys.ts";
import { isShort, SHORT_KEY_LENGTH } from "#domain/access/key.ts";
import { dateOfDay, dayOf } from "#domain/calendar.ts";
import { versionOf } from "#domain/version.ts";
import { buttonLink } from "#html/components/buttons.ts";
import { stackedChart } from "#html/components/charts.ts";
import { notice } from "#html/components/feedback.ts";
import { textField } from "#html/components/fields.ts";
import { definitions, stats } from "#html/components/figures.ts";
import { section, tabs } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html } from "#html/html.ts";
import { isolated, quoted } from "#html/names.ts";
import { confirmPage, formPage } from "../../kit/form-html.ts";
import type { Formats } from "../../kit/formats.ts";
import { type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { expiryField, readExpiry } from "./expiry.ts";
import { integrationsTexts, quirksTitle, quirkTexts, scopes, shownBy } from "./integrations.ts";
import { hintOf, keyBadge, nameOf, stateOf, validity } from "./key-names.ts";
import { newKeyTexts } from "./new-key.ts";

const PATH = "/{account}/integrations/{key}";
type KeyContext = PageContext<typeof PATH>;

const ranges = [30, 90] as const;

/** One key over the days that end today. Throws NotFound. */
async function findUse(
  { performHere, params, now }: Pick<KeyContext, "performHere" | "params" | "now">,
  days: number,
): Promise<KeyUse> {
  const from = dateOfDay(dayOf(now) - days + 1);
  const found = await performHere(keyUse, { key: params.key, from, to: null, limit: 1 });
  const [use] = found.rows;
  if (use === undefined) throw new Error("a page of one key has a key");
  return use;
}

const keyPage = page({
  path: PATH,
  show: async (context) => {
    const { query, link, formats, now, may } = context;
    const range = ranges.find((days) => String(days) === query.get("days")) ?? ranges[0];
    const use = await findUse(context, range);
    const { key } = use;
    const actions = [
      buttonLink({ label: "Change", href: link(`/integrations/${key.id}/change`), icon: "edit" }),
      buttonLink({ label: "Revoke", href: link(`/integrations/${key.id}/revoke`) }),
    ];
    return titled(
      {
        title: nameOf(key),
        parent: { label: integrationsTexts.title, href: link("/integrations") },
        aside: keyBadge(key, now, formats),
        actions: may("owner") && key.revokedAt === null ? actions : [],
      },
      html`<div class="stack">${warnings(use, context)}</div>
${tabs(
  "Range",
  ranges.map((days) => ({
    label: `${days} days`,
    href: days === ranges[0] ? context.path : `${context.path}?days=${days}`,
    isCurrent: days === range,
  })),
)}
<div class="stack">${figures(use, context)}
${use.total.calls === 0 ? html`<p class="description">No program has called with this key in this time.</p>` : charts(use, context)}</div>
${use.programs.length === 0 ? null : programTable(use, context)}
${improvements(use, context)}
${section(
  "Details",
  definitions([
    ["Begins with", html`<code>${hintOf(key)}</code>`],
    ["Access", scopes[key.scope]],
    ["Created", formats.time(key.createdAt)],
    ["Expires", validity(key, formats)],
  ]),
)}`,
    );
  },
});

function warnings({ key }: KeyUse, { now }: KeyContext): readonly Html[] {
  const state = stateOf(key, now);
  if (state === "revoked")
    return [notice("info", "This key is revoked: calls with it get the fault InvalidApiKey")];
  return [
    ...(state === "expired"
      ? [
          notice(
            "warning",
            "This key has expired: calls with it get the fault InvalidApiKey",
            "An owner of the account can set another date.",
          ),
        ]
      : []),
    ...(isShort(key)
      ? [
          notice(
            "warning",
            `This key has fewer than ${SHORT_KEY_LENGTH} characters and may be guessed`,
            "Create a new key, give it to the programs that use this one, then revoke this one.",
          ),
        ]
      : []),
    ...(key.lastUsedAt === null
      ? [
          notice(
            "info",
            "No program has used this key yet",
            "If a program should have, check its address and its key. Calls with a wrong key are not counted here.",
          ),
        ]
      : []),
  ];
}

/** Of a number per day below one, nothing. */
const aDay = (average: number, { number }: Formats): string =>
  average < 1 ? "" : `, about ${number(Math.round(average))} a day`;

function figures({ key, total, days }: KeyUse, { formats, now, link }: KeyContext): Html {
  const ofCalls = (count: number): string | null =>
    total.calls === 0 || count === 0 ? null : `${formats.percent(count / total.calls)} of the calls`;
  const refused = link(`/refused-calls?key=${key.id}`);
  return stats([
    {
      label: "Calls",
      value: formats.number(total.calls),
      detail: `in ${formats.count(days.length, "day")}${aDay(total.calls / days.length, formats)}`,
    },
    {
      label: "Refused",
      value: formats.number(total.refusals),
      detail:
        total.refusals === 0 ? null : html`${ofCalls(total.refusals)} · <a href="${refused}">See them</a>`,
      tone: total.refusals === 0 ? null : "warning",
    },
    {
      label: "Faults",
      value: formats.number(total.faults),
      detail: ofCalls(total.faults),
      tone: total.faults === 0 ? null : "bad",
    },
    {
      label: "Last call",
      value: key.lastUsedAt === null ? "never" : formats.ago(key.lastUsedAt, now),
      detail: key.lastUsedAt === null ? null : formats.time(key.lastUsedAt),
    },
  ]);
}

function charts({ days, total }: KeyUse, { formats }: KeyContext): Html {
  const shared = { locale: formats.locale, labelName: "Day" };
  const label = (date: string): string => formats.shortDay(date);
  const trouble = stackedChart({
    ...shared,
    title: "Refused calls and faults per day",
    series: [
      { name: "Refused", look: "mid" },
      { name: "Faults", look: "out" },
    ],
    days: days.map(({ date, refusals, faults }) => ({ label: label(date), values: [refusals, faults] })),
  });
  return html`${stackedChart({
    ...shared,
    title: "Calls per day",
    series: [{ name: "Calls", look: "in" }],
    days: days.map(({ date, calls }) => ({ label: label(date), values: [calls] })),
  })}
${total.refusals + total.faults === 0 ? html`<p class="description">No call was refused, and none failed.</p>` : trouble}`;
}

function programTable({ programs, programCount }: KeyUse, { formats }: KeyContext): Html {
  const number = (value: number): string => formats.number(value);
  const more =
    programCount > programs.length
      ? `The ${number(SHOWN_PROGRAMS)} with the most calls, of ${number(programCount)}.`
      : null;
  return section(
    "Programs",
    html`${table({
      caption: "Programs",
      rows: programs,
      columns: [
        { label: "Program", cell: ({ program }) => program },
        { label: "Calls", cell: ({ calls }) => number(calls), isNumber: true },
        { label: "Refused", cell: ({ refusals }) => number(refusals), isNumber: true },
        { label: "Faults", cell: ({ faults }) => number(faults), isNumber: true },
        { label: "Last day with a call", cell: ({ lastDate }) => formats.day(lastDate), isNumber: true },
      ],
    })}${more === null ? null : html`<p class="hint">${more}</p>`}`,
    {
      description:
        "By the User-Agent header of their calls. Days are in UTC. New calls appear after a few seconds.",
    },
  );
}

function improvements({ quirks }: KeyUse, { formats, now }: KeyContext): Html | null {
  if (quirks.length === 0) return null;
  return section(
    quirksTitle,
    html`<div class="stack">${quirks.map(({ quirk, program, seenAt }) => {
      const { title, meaning, advice } = quirkTexts[quirk];
      return notice(
        "warning",
        title,
        html`<p>${meaning} ${advice}</p><p>${shownBy} ${isolated(program)}, ${formats.ago(seenAt, now)}.</p>`,
      );
    })}</div>`,
  );
}

/** `/console/{account}/integrations/{key}/change`: the name of a key, and until when it works. */
const changeKeyPage = formPage({
  path: "/{account}/integrations/{key}/change",
  role: "owner",
  form: "change",
  show: async ({ performHere, params, link, formats }, form) => {
    const key = await performHere(findKey, { id: params.key });
    return {
      title: `Change ${nameOf(key)}`,
      parent: { label: nameOf(key), href: link(`/integrations/${key.id}`) },
      version: versionOf("key", key),
      fields: html`${textField({
        ...form.field("name", key.label),
        label: newKeyTexts.name,
        hint: newKeyTexts.nameHint,
        isOptional: true,
      })}${expiryField(form, formats, key.expiresAt)}`,
      save: "Save",
    };
  },
  submit: async ({ performHere, params, form, formats, link }) => {
    const one = { id: params.key };
    const { expiresAt: before } = await performHere(findKey, one);
    const expiresAt = readExpiry(form, formats, before);
    const changed = await performHere(setKey, {
      ...one,
      label: form.text("name"),
      // A key that has expired can still get another name.
      expiresAt: expiresAt === before ? undefined : expiresAt,
    });
    return redirect(link(`/integrations/${params.key}`), `The key ${quoted(nameOf(changed))} is changed.`);
  },
  inputs: { label: "name", expiresAt: "expires" },
});

/** Of calls with a key that is about to be revoked. */
const LATELY_DAYS = 7;

/** `/console/{account}/integrations/{key}/revoke`: what stops working, then the revocation. */
const revokeKeyPage = confirmPage({
  path: "/{account}/integrations/{key}/revoke",
  role: "owner",
  form: "revoke",
  show: async (context) => {
    const { link, formats } = context;
    const use = await findUse(context, LATELY_DAYS);
    const { key } = use;
    const home = link(`/integrations/${key.id}`);
    if (key.revokedAt !== null) return redirect(home, "This key is already revoked.");
    return {
      title: `Revoke ${nameOf(key)}`,
      parent: { label: nameOf(key), href: home },
      question: `Revoke the key ${quoted(nameOf(key))}?`,
      affected: callsADay(use, formats),
      consequences: [
        ...(use.programs.length === 0 ? [] : [programs(use, formats)]),
        "Within a second, every call with this key gets the fault InvalidApiKey. Such calls change nothing and are not recorded.",
        "People, lists and history stay as they are.",
        "This cannot be undone. The programs then need a new key: create it first, and change the programs.",
      ],
      isDangerous: true,
      version: versionOf("key", key),
      confirm: "Revoke the key",
      others:
        use.total.calls === 0
          ? []
          : [buttonLink({ label: "Create a new key first", href: link("/integrations/new") })],
    };
  },
  submit: async ({ performHere, params, link }) => {
    const key = await performHere(revokeKey, { id: params.key });
    return redirect(link(`/integrations/${key.id}`), `The key ${quoted(nameOf(key))} is revoked.`);
  },
});

function callsADay({ total, days }: KeyUse, formats: Formats): string {
  if (total.calls === 0) return "No program has called with this key in the last 7 days";
  const average = Math.round(total.calls / days.length);
  return average === 0
    ? "Less than one call a day stops working"
    : `About ${formats.number(average)} calls a day stop working`;
}

function programs({ programs: all, programCount }: KeyUse, formats: Formats): string {
  const rest = programCount - all.length;
  const names = all.map(({ program }) => isolated(program)).join(", ");
  return `These programs called in the last 7 days: ${`${names}${rest > 0 ? ` and ${formats.number(rest)} more` : ""}`}.`;
}

export const keyPages = [keyPage, changeKeyPage, revokeKeyPage];
