/** DNS records to copy, and what a check has found. */
import { type DnsRecord, type Finding, type FindingState, isFine } from "#domain/sending/dns/finding.ts";
import { badge, type Tone } from "#html/components/badge.ts";
import { codeBlock } from "#html/components/code.ts";
import { type Mood, notice } from "#html/components/feedback.ts";
import { card } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import * as texts from "./sender.texts.ts";
import * as senders from "./senders.texts.ts";

const tones: Readonly<Record<FindingState, Tone>> = {
  ok: "good",
  note: "info",
  missing: "bad",
  wrong: "bad",
  unknown: "warning",
};

/** Below each other, so that long values have the whole width. */
const parts = ({ subject, name, value }: DnsRecord): Html => {
  const label = texts.record(senders.subjects[subject]);
  const part = (title: string, text: string): Html =>
    html`<div><p class="hint">${title}</p>${codeBlock(`${label}: ${title}`, text)}</div>`;
  return html`<div class="stack whole">${part(texts.name, name)}${part(texts.value, value)}</div>`;
};
const titleOf = ({ subject, type }: DnsRecord): Html =>
  html`${texts.record(senders.subjects[subject])} ${badge(type)}`;

export const recordCards = (records: readonly DnsRecord[]): Html =>
  html`<div class="stack">${records.map((record) =>
    card(html`<h3>${titleOf(record)}</h3>${parts(record)}`),
  )}</div>`;

const findingCard = ({ subject, state, text, found, record }: Finding): Html =>
  card(html`<h3>${senders.subjects[subject]} ${badge(senders.states[state], tones[state])}</h3>
<p>${text}</p>
${state === "ok" || found.length === 0 ? null : found.map((one) => codeBlock(`${senders.subjects[subject]}: ${texts.found}`, one))}
${record === null ? null : html`<h4>${texts.toAdd(record.type)}</h4>${parts(record)}`}`);

function summary(findings: readonly Finding[]): readonly [Mood, string] {
  if (!findings.every(isFine)) return ["warning", texts.notFine];
  return findings.some(({ state }) => state === "note")
    ? ["info", texts.fineWithNote]
    : ["good", texts.allFine];
}

export const findingCards = (findings: readonly Finding[], at: Html): Html => {
  return html`<div class="stack">${notice(
    ...summary(findings),
    html`${texts.checkedAt} ${at}`,
  )}${findings.map(findingCard)}</div>`;
};
