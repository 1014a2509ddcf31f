/**
 * Creates, changes and deletes a sender, and replaces its DKIM key: each on a page below
 * `…/settings/senders`.
 */
import { sentence } from "#admin/error-texts.ts";
import type { GivenSender } from "#admin/senders/sender-values.ts";
import { createSender, deleteSender, newSenderKey, setSender, showSender } from "#admin/senders/senders.ts";
import {
  type ProviderInput,
  type ProviderName,
  providerNames,
  providerOf,
  relayOfProvider,
} from "#domain/sending/providers.ts";
import {
  DEMO_SENDS_NOTHING,
  hasPassword,
  lacksPassword,
  type Relay,
  withoutPassword,
  withPassword,
} from "#domain/sending/relay.ts";
import { type Sender, type SenderLimits, type Signing, signings } from "#domain/sending/sender.ts";
import { versionOf } from "#domain/version.ts";
import { notice } from "#html/components/feedback.ts";
import { radioGroup, textArea, textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import { table } from "#html/components/table.ts";
import { type Html, html, trusted } from "#html/html.ts";
import { FormRefused } from "../../kit/errors.ts";
import type { Form, FormState } from "../../kit/form.ts";
import { confirmPage, formPage } from "../../kit/form-html.ts";
import type { ConsoleOptions } from "../../kit/options.ts";
import { type AnyPage, content, type PageContext, page, redirect } from "../../kit/page.ts";
import { installationPlace, nameOf, sendersTexts } from "./senders.ts";

const relayPasswordHint =
  "If several relays have different passwords, write each into its line: smtp://user:password@…";
const signingTexts: Readonly<Record<Signing, readonly [label: string, hint: string]>> = {
  mailroll: [
    "Mailroll signs the messages",
    "With a DKIM key of its own, whose public part you add to your DNS.",
  ],
  relay: ["The relay signs the messages", "Many providers do; they tell you which DNS records that needs."],
  none: ["Nobody signs", "No campaign of this sender can be sent."],
};

/** The form of a sender, and what it contains. No password is ever sent back to the browser. */
const limits: readonly (readonly [name: keyof SenderLimits, label: string])[] = [
  ["perSecond", "Messages per second"],
  ["perDomainMinute", "Messages per minute to one domain"],
  ["perDay", "Messages per day"],
];

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
function asksForPasswordAgain(form: FormState): FormState {
  const again = "Enter the password again; it was not saved.";
  if (form.value("password") !== "") return form.withProblem("password", again);
  return form.value("relayPassword") !== "" ||
    relaysIn(form.value("relays")).some(({ url }) => hasPassword(url))
    ? form.withProblem("relayPassword", again)
    : form;
}

const inputTexts: Readonly<Record<ProviderInput, readonly [label: string, hint: string]>> = {
  region: ["Region", "Such as eu-west-1."],
  host: ["Mail server", "Such as mail.example.org, or mail.example.org:2525."],
  user: ["SMTP user", ""],
  password: ["SMTP password", ""],
  stream: ["Message stream", "Empty: broadcasts."],
};
/** A new sender: what its provider needs, and nothing else. What is usual there can be changed later. */
function providerFields(form: FormState, name: ProviderName): Html {
  const { label, steps, asks, hosts, credentials } = providerOf(name);
  const regions = Object.keys(hosts).filter((region) => !/^(?:\{region\})?$/.test(region));
  const hintOf = (input: ProviderInput): string | null => {
    if (input === "region" && regions.length > 0)
      return `One of: ${regions.join(", ")}. Empty: ${Object.keys(hosts)[0] || "any"}.`;
    const isFirst = input === (asks.includes("user") ? "user" : "password");
    return (isFirst ? sentence(credentials) : inputTexts[input][1]) || null;
  };
  const todo = html`<ol>${steps.map((step) => html`<li>${step}</li>`)}</ol>`;
  return html`${notice("info", `At ${label}`, todo)}${whoFields(form, null)}
<h2>Delivery</h2>
${asks.map((input) =>
  textField({
    ...form.field(input, ""),
    label: inputTexts[input][0],
    hint: hintOf(input),
    type: input === "password" ? "password" : "text",
    ...(input === "password" ? { autocomplete: "new-password" } : {}),
    width: input === "host" ? "full" : "medium",
    isOptional: input === "stream" || (input === "region" && regions.length > 0) || name === "own",
  }),
)}${limits.filter(([limit]) => limit === "perDay").map((limit) => limitField(form, null, limit))}`;
}

/** The relay that the fields describe. Throws FormRefused. */
function relaysOfProvider(form: Form, name: ProviderName): readonly Relay[] {
  const answers = Object.fromEntries(providerOf(name).asks.map((input) => [input, form.text(input)]));
  const made = relayOfProvider(name, answers);
  if ("problem" in made) throw new FormRefused({ fields: { [made.input]: sentence(made.problem) } });
  if (lacksPassword(made.url)) throw new FormRefused({ fields: { password: "Must not be empty." } });
  return [{ url: made.url, weight: 1 }];
}

/** Who the messages are from. */
const whoFields = (form: FormState, sender: Sender | null): Html =>
  html`${textField({
    ...form.field("fromName", sender?.fromName ?? ""),
    label: "Name",
    hint: "What recipients see first, such as the name of your shop.",
    isOptional: true,
  })}${textField({
    ...form.field("fromAddress", sender?.fromAddress ?? ""),
    label: "From address",
    hint: "On a domain of yours: you will add DNS records to it.",
    type: "email",
  })}${textField({
    ...form.field("replyTo", sender?.replyTo ?? ""),
    label: "Replies go to",
    hint: "Empty: the From address.",
    type: "email",
    isOptional: true,
  })}${textArea({
    ...form.field("postalAddress", sender?.postalAddress ?? ""),
    label: "Postal address",
    hint: "Each message shows it, as the law requires.",
    rows: 3,
  })}`;

const limitField = (form: FormState, sender: Sender | null, [name, label]: (typeof limits)[number]): Html =>
  textField({
    ...form.field(name, String(sender?.[name] ?? "")),
    label,
    hint:
      name === "perDay"
        ? "Start low with a new domain, and raise it over some weeks. Empty: no limit."
        : null,
    inputMode: "numeric",
    width: "short",
    isOptional: true,
  });

/** Folded unless one of its fields has a value or a problem. */
function folded(form: FormState, title: string, stored: Readonly<Record<string, string>>, body: Html): Html {
  const isOpen = Object.entries(stored).some(
    ([name, value]) => form.value(name, value) !== "" || form.problem(name) !== null,
  );
  return html`<details class="fold"${isOpen ? trusted(" open") : null}><summary>${title}</summary>
<div class="stack">${body}</div></details>`;
}

const textOf = (value: string | number | null | undefined): string => String(value ?? "");

/** What becomes of messages of a sender without a relay of its own, and in a demo of all. */
function installationRelay(options: Pick<ConsoleOptions, "mail">): string {
  if (options.mail?.isDemo === true) return sentence(DEMO_SENDS_NOTHING);
  const place = installationPlace(options);
  return place === null
    ? "The relay of the installation: messages are written to files, and not sent. To send them, give a relay here, or set MAILROLL_SMTP."
    : `Without a relay of its own, the sender uses the relay of the installation: ${place}.`;
}

/** `sender`: null for a new one. */
function senderFields(form: FormState, sender: Sender | null, relayText: string): Html {
  const field = (name: string, stored: string | null = "") => form.field(name, stored ?? "");
  const relays = sender?.relays.map(lineOf).join("\n") ?? "";
  const signing = form.value("signing", sender?.signing ?? "mailroll");
  return html`${whoFields(form, sender)}
<h2>Delivery</h2>
<p>${relayText}</p>
${folded(
  form,
  "Relays",
  { relays, relayPassword: "", bounceDomain: textOf(sender?.bounceDomain) },
  html`${textArea({
    ...field("relays"),
    value: shownRelays(form.value("relays", relays)),
    label: "Relays",
    hint: "The SMTP servers that get the messages, one per line, such as smtp://user@mail.example.org:587 or smtps://user@mail.example.org. Add =3 to a line to give it three times as many messages. Empty: the relay of the installation.",
    rows: 2,
    isOptional: true,
  })}${textField({
    ...field("relayPassword"),
    label: "Password of the relay",
    hint: sender === null ? relayPasswordHint : `Leave it empty to keep what is stored. ${relayPasswordHint}`,
    type: "password",
    autocomplete: "new-password",
    width: "medium",
    isOptional: true,
  })}${textField({
    ...field("bounceDomain", sender?.bounceDomain),
    label: "Domain for bounces",
    hint: "A domain such as bounces.example.org, whose mail server receives bounces. Empty: they go to the From address.",
    isOptional: true,
  })}`,
)}
${folded(
  form,
  "Signature (DKIM)",
  {
    ...(signing === "mailroll" ? {} : { signing }),
    dkimDomain: textOf(sender?.dkimDomain),
    dkimSelector: textOf(sender?.dkimSelector),
  },
  html`${radioGroup({
    ...field("signing", sender?.signing ?? "mailroll"),
    label: "Signature",
    options: signings.map((value) => {
      const [label, hint] = signingTexts[value];
      return { value, label, hint };
    }),
  })}${textField({
    ...field("dkimDomain", sender?.dkimDomain),
    label: "DKIM domain",
    hint: "Empty: the domain of the From address.",
    isOptional: true,
  })}${textField({
    ...field("dkimSelector", sender?.dkimSelector),
    label: "DKIM selector",
    hint: "Part of the name of the DNS record. Empty: mailroll.",
    width: "medium",
    isOptional: true,
  })}`,
)}
${folded(
  form,
  "Limits",
  Object.fromEntries(limits.map(([name]) => [name, textOf(sender?.[name])])),
  html`${limits.map((limit) => limitField(form, sender, limit))}`,
)}`;
}

const orNull = (text: string): string | null => (text.trim() === "" ? null : text.trim());

function limitIn(form: Form, name: keyof SenderLimits): number | null {
  const text = form.text(name).trim();
  if (!/^\d{0,15}$/.test(text))
    throw new FormRefused({ fields: { [name]: "Must be a whole number, at least 1." } });
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

const whoIn = (form: Form) => ({
  fromName: form.text("fromName"),
  fromAddress: form.text("fromAddress"),
  replyTo: orNull(form.text("replyTo")),
  postalAddress: form.text("postalAddress"),
  perDay: limitIn(form, "perDay"),
});
/** Throws FormRefused. */
function senderIn(form: Form, sender: Sender | null): GivenSender {
  const signing = signings.find((one) => one === form.text("signing")) ?? "mailroll";
  // The fields stay in the form if the relay signs.
  const isSigning = signing === "mailroll";
  const selector = orNull(form.text("dkimSelector"));
  const relays = relaysIn(form.text("relays"));
  return {
    ...whoIn(form),
    bounceDomain: orNull(form.text("bounceDomain")),
    signing,
    ...(isSigning ? { dkimDomain: orNull(form.text("dkimDomain")) } : {}),
    ...(isSigning && selector !== null ? { dkimSelector: selector } : {}),
    relays: withThePassword(relays, form.text("relayPassword"), sender?.relays ?? []),
    perSecond: limitIn(form, "perSecond"),
    perDomainMinute: limitIn(form, "perDomainMinute"),
  };
}

const HOME = "/settings/senders";
const BELOW = "/{account}/settings/senders/{sender}";

/** The provider that was chosen; null: none, so any relays can be given. */
const providerIn = (query: URLSearchParams): ProviderName | null =>
  providerNames.find((name) => name === query.get("provider")) ?? null;

/** Before the form: it then asks only for what the provider needs. */
const chooseProviderPage = page({
  path: "/{account}/settings/senders/provider",
  role: "owner",
  show: async ({ link }) =>
    content(
      "New sender",
      html`${pageHeader({
        title: "What do you send with?",
        parent: { label: sendersTexts.title, href: link(HOME) },
        description: "The form then asks only for what is needed, and says what to do there first.",
      })}
${table({
  caption: "Providers",
  rows: [
    ...providerNames.map((name) => ({
      label: providerOf(name).label as string,
      href: link(`${HOME}/new?provider=${name}`),
      signs: providerOf(name).signs === "relay" ? "The provider" : "Mailroll",
    })),
    {
      label: "Another provider, several relays, or the relay of the installation",
      href: link(`${HOME}/new`),
      signs: "As you choose",
    },
  ],
  columns: [
    { label: "Provider", cell: ({ label }) => label },
    { label: "Signed by", cell: ({ signs }) => signs },
  ],
  href: ({ href }) => href,
})}`,
    ),
});

const newSenderPage = (relayText: string) =>
  formPage({
    path: "/{account}/settings/senders/new",
    role: "owner",
    form: "create",
    show: async ({ link, query }, form) => {
      const state = asksForPasswordAgain(form);
      const provider = providerIn(query);
      return {
        title: provider === null ? "New sender" : `New sender with ${providerOf(provider).label}`,
        parent: { label: sendersTexts.title, href: link(HOME) },
        state,
        isIdempotent: true,
        fields: provider === null ? senderFields(state, null, relayText) : providerFields(state, provider),
        save: "Create the sender",
      };
    },
    submit: async ({ performHere, form, link, query }) => {
      const provider = providerIn(query);
      const given =
        provider === null
          ? senderIn(form, null)
          : { ...whoIn(form), relays: relaysOfProvider(form, provider) };
      const { sender } = await performHere(createSender, given);
      return redirect(
        link(`${HOME}/${sender.id}`),
        "The sender was created. Add the DNS records below, and those that the provider of a relay lists; then check them.",
      );
    },
  });

/** The sender that the page is about, and the way back to its page. */
async function senderOf({ performHere, params, link }: PageContext<typeof BELOW>) {
  const { sender } = await performHere(showSender, { id: params.sender });
  return { sender, parent: { label: nameOf(sender), href: link(`${HOME}/${sender.id}`) } };
}

const changeSenderPage = (relayText: string) =>
  formPage({
    path: `${BELOW}/change`,
    role: "owner",
    form: "change",
    show: async (context, form) => {
      const { sender, parent } = await senderOf(context);
      const state = asksForPasswordAgain(form);
      return {
        title: `Change ${nameOf(sender)}`,
        parent,
        state,
        version: versionOf("sender", sender),
        fields: senderFields(state, sender, relayText),
        save: "Save",
      };
    },
    submit: async ({ performHere, params, form, link }) => {
      const one = { id: params.sender };
      const { sender } = await performHere(showSender, one);
      await performHere(setSender, { ...one, ...senderIn(form, sender) });
      return redirect(link(`${HOME}/${sender.id}`), "The sender was changed.");
    },
  });

const newSigningKeyPage = confirmPage({
  path: `${BELOW}/new-key`,
  role: "owner",
  form: "replace",
  show: async (context) => {
    const { sender, parent } = await senderOf(context);
    return {
      title: `New DKIM key for ${nameOf(sender)}`,
      parent,
      question: "Replace the DKIM key?",
      affected: null,
      consequences: [
        `The new key gets a new selector in place of ${sender.dkimSelector ?? ""}, so it needs a new DNS record.`,
        "Campaigns that are being sent use the new key within five minutes. Pause them until its DNS record is published.",
        "Keep the old record for a week: messages that are under way need it.",
      ],
      isDangerous: false,
      version: versionOf("sender", sender),
      confirm: "Replace the key",
      keep: "Keep it",
    };
  },
  submit: async ({ performHere, params, link }) => {
    const { sender } = await performHere(newSenderKey, { id: params.sender });
    return redirect(link(`${HOME}/${sender.id}`), "The DKIM key was replaced. Add the new DNS record now.");
  },
});

const deleteSenderPage = confirmPage({
  path: `${BELOW}/delete`,
  role: "owner",
  form: "delete",
  show: async (context) => {
    const { sender, parent } = await senderOf(context);
    return {
      title: `Delete ${nameOf(sender)}`,
      parent,
      question: `Delete the sender ${nameOf(sender)}?`,
      affected: null,
      consequences: [
        "Its DKIM key and the passwords of its relays are deleted with it.",
        "Campaigns that were sent stay as they are. An unfinished one must end or get another sender first.",
      ],
      isDangerous: true,
      version: versionOf("sender", sender),
      confirm: "Delete the sender",
      keep: "Keep it",
    };
  },
  submit: async ({ performHere, params, link }) => {
    const deleted = await performHere(deleteSender, { id: params.sender });
    return redirect(link(HOME), `The sender ${nameOf(deleted)} was deleted.`);
  },
});

export const changeSenderPages = (options: Pick<ConsoleOptions, "mail">): readonly AnyPage[] => [
  chooseProviderPage,
  newSenderPage(installationRelay(options)),
  changeSenderPage(installationRelay(options)),
  newSigningKeyPage,
  deleteSenderPage,
];
