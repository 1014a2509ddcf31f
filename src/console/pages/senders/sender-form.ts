/** The form of a sender, and what it contains. No password is ever sent back to the browser. */
import type { GivenSender } from "#admin/senders/sender-values.ts";
import {
  hasPassword,
  lacksPassword,
  type Relay,
  withoutPassword,
  withPassword,
} from "#domain/sending/relay.ts";
import { type Sender, type SenderLimits, signings } from "#domain/sending/sender.ts";
import { radioGroup, textArea, textField } from "#html/components/fields.ts";
import { type Html, html } from "#html/html.ts";
import { FormRefused } from "../../kit/failures.ts";
import type { Form, ShownForm } from "../../kit/forms/form.ts";
import * as texts from "./sender-form.texts.ts";

const limits = ["perSecond", "perDomainMinute", "perDay"] as const satisfies readonly (keyof SenderLimits)[];

const lineOf = ({ url, weight }: Relay): string => (weight === 1 ? url : `${url}=${weight}`);
function relayOf(line: string): Relay {
  const { url = line, weight = "1" } = /^(?<url>.*[^=])=(?<weight>\d{1,6})$/s.exec(line)?.groups ?? {};
  return { url, weight: Number(weight) };
}
const relaysIn = (text: string): readonly Relay[] =>
  text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map(relayOf);
/** What was typed, if the form is shown again. */
const shownRelays = (text: string): string =>
  relaysIn(text)
    .map(({ url, weight }) => lineOf({ url: withoutPassword(url), weight }))
    .join("\n");

/**
 * A password that was typed is not in the form that is shown again. Without a word about it, the next attempt
 * would keep the old password.
 */
export const asksForPasswordAgain = (form: ShownForm): ShownForm =>
  form.value("relayPassword") !== "" || relaysIn(form.value("relays")).some(({ url }) => hasPassword(url))
    ? form.withProblem("relayPassword", texts.relayPasswordAgain)
    : form;

/** `sender`: null for a new one. */
export function senderFields(form: ShownForm, sender: Sender | null): Html {
  const field = (name: string, stored: string | number | null = "") => ({
    name,
    value: form.value(name, String(stored ?? "")),
    error: form.problem(name),
  });
  return html`${textField({
    ...field("fromName", sender?.fromName),
    label: texts.fromName,
    hint: texts.fromNameHint,
    isOptional: true,
  })}${textField({
    ...field("fromAddress", sender?.fromAddress),
    label: texts.fromAddress,
    hint: texts.fromAddressHint,
    type: "email",
  })}${textField({
    ...field("replyTo", sender?.replyTo),
    label: texts.replyTo,
    hint: texts.replyToHint,
    type: "email",
    isOptional: true,
  })}${textArea({
    ...field("postalAddress", sender?.postalAddress),
    label: texts.postalAddress,
    hint: texts.postalAddressHint,
    rows: 3,
  })}
<h2>${texts.delivery}</h2>
${textArea({
  ...field("relays"),
  value: shownRelays(form.value("relays", sender?.relays.map(lineOf).join("\n") ?? "")),
  label: texts.relays,
  hint: texts.relaysHint,
  rows: 2,
  isOptional: true,
})}${textField({
  ...field("relayPassword"),
  label: texts.relayPassword,
  hint: sender === null ? texts.relayPasswordHint : `${texts.relayPasswordKept} ${texts.relayPasswordHint}`,
  type: "password",
  autocomplete: "new-password",
  width: "medium",
  isOptional: true,
})}${textField({
  ...field("bounceDomain", sender?.bounceDomain),
  label: texts.bounceDomain,
  hint: texts.bounceDomainHint,
  isOptional: true,
})}${radioGroup({
  ...field("signing", sender?.signing ?? "mailroll"),
  label: texts.signing,
  options: signings.map((value) => ({
    value,
    label: texts.signingOptions[value],
    hint: texts.signingHints[value],
  })),
})}${textField({
  ...field("dkimDomain", sender?.dkimDomain),
  label: texts.dkimDomain,
  hint: texts.dkimDomainHint,
  isOptional: true,
})}${textField({
  ...field("dkimSelector", sender?.dkimSelector),
  label: texts.dkimSelector,
  hint: texts.dkimSelectorHint,
  width: "medium",
  isOptional: true,
})}
<h2>${texts.limits}</h2>
${limits.map((name) =>
  textField({
    ...field(name, sender?.[name]),
    label: texts.limitNames[name],
    hint: name === "perDay" ? texts.perDayHint : null,
    inputMode: "numeric",
    width: "short",
    isOptional: true,
  }),
)}`;
}

const orNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

function limitIn(form: Form, name: keyof SenderLimits): number | null {
  const text = form.text(name).trim();
  if (!/^\d{0,15}$/.test(text)) throw new FormRefused({ fields: { [name]: texts.notANumber } });
  return text === "" ? null : Number(text);
}

/** The password is for the relays without a stored one; if all have one, for all. */
function withThePassword(
  relays: readonly Relay[],
  password: string,
  stored: readonly Relay[],
): readonly Relay[] {
  if (password === "") return relays;
  const known = stored.map(({ url }) => url);
  const needing = relays.filter(({ url }) => lacksPassword(url));
  const withoutAny = needing.filter(({ url }) => !known.includes(url));
  const chosen = withoutAny.length === 0 ? needing : withoutAny;
  return relays.map((relay) =>
    chosen.includes(relay) ? { ...relay, url: withPassword(relay.url, password) } : relay,
  );
}

/** Throws FormRefused. */
export function senderIn(form: Form, sender: Sender | null): GivenSender {
  const signing = signings.find((one) => one === form.text("signing")) ?? "mailroll";
  // The fields stay in the form if somebody else signs.
  const isSigning = signing === "mailroll";
  const selector = orNull(form.text("dkimSelector"));
  const relays = withThePassword(
    relaysIn(form.text("relays")),
    form.text("relayPassword"),
    sender?.relays ?? [],
  );
  return {
    fromName: form.text("fromName"),
    fromAddress: form.text("fromAddress"),
    replyTo: orNull(form.text("replyTo")),
    postalAddress: form.text("postalAddress"),
    bounceDomain: orNull(form.text("bounceDomain")),
    signing,
    ...(isSigning ? { dkimDomain: orNull(form.text("dkimDomain")) } : {}),
    ...(isSigning && selector !== null ? { dkimSelector: selector } : {}),
    relays,
    perSecond: limitIn(form, "perSecond"),
    perDomainMinute: limitIn(form, "perDomainMinute"),
    perDay: limitIn(form, "perDay"),
  };
}
