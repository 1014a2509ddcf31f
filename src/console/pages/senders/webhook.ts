/**
 * What a provider tells about messages of a sender: the section on the page of the sender, and the pages
 * below `…/settings/senders/{sender}/webhook`.
 */
import { showSender } from "#admin/senders/senders.ts";
import {
  confirmWebhook,
  listUnmatchedEvents,
  type NewWebhook,
  removeWebhook,
  setWebhook,
  setWebhookKey,
  showWebhook,
} from "#admin/senders/webhooks.ts";
import type { Webhook } from "#domain/ports/sending/webhooks.ts";
import {
  countedKinds,
  type EventKindCounts,
  type ProviderEventKind,
} from "#domain/sending/provider-event.ts";
import { eventsOf, recognisedProviders, webhookProviders } from "#domain/sending/providers.ts";
import { badge } from "#html/components/badge.ts";
import { buttonLink, buttonRow } from "#html/components/buttons.ts";
import { secret } from "#html/components/code.ts";
import { notice } from "#html/components/feedback.ts";
import { selectField, textField } from "#html/components/fields.ts";
import { definitions } from "#html/components/figures.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { type Html, html, type Insert } from "#html/html.ts";
import { NoSuchPage } from "../../kit/errors.ts";
import { confirmPage, formPage } from "../../kit/form-html.ts";
import { pagedTable } from "../../kit/listing.ts";
import { content, type PageContext, page, redirect, titled } from "../../kit/page.ts";
import { nameOf } from "./senders.ts";

const SENDER = "/{account}/settings/senders/{sender}";
const PATH = `${SENDER}/webhook` as const;
type OfSender = PageContext<typeof SENDER>;

const countNames: Readonly<Record<keyof EventKindCounts, string>> = {
  hard: "Hard bounces",
  soft: "Soft bounces",
  complaint: "Complaints",
  unsubscribe: "Unsubscribes",
  rejected: "Refused for content or sender",
  unmatched: "Unknown address",
};
const eventNames: Readonly<Record<ProviderEventKind, string>> = {
  hard: "Hard bounce",
  soft: "Soft bounce",
  complaint: "Complaint",
  unsubscribe: "Unsubscribed",
  delivered: "Delivered",
  rejected: "Refused for content or sender",
};
const homeOf = ({ link, params }: Pick<OfSender, "link" | "params">, below = ""): string =>
  link(`/settings/senders/${params.sender}${below}`);

const parentOf = async (context: OfSender) => {
  const { sender } = await context.performHere(showSender, { id: context.params.sender });
  return { sender, parent: { label: nameOf(sender), href: homeOf(context) } };
};

function keyPart(context: OfSender, { provider, isKeyMissing }: Webhook): Html | null {
  if (!isKeyMissing) return null;
  return notice(
    "warning",
    "Events are refused: the key is missing",
    html`<p>Mailroll needs ${eventsOf(provider).key ?? ""}.</p>${context.may("owner") ? buttonRow(buttonLink({ label: "Enter the key", href: homeOf(context, "/webhook/key") })) : null}`,
  );
}

function topicPart(context: OfSender, { provider, topic, pendingTopic }: Webhook): Html | null {
  if (eventsOf(provider).proof !== "sns") return null;
  if (pendingTopic !== null)
    return notice(
      "warning",
      "Confirm the topic of Amazon SNS",
      html`<p>${pendingTopic}</p>${context.may("owner") ? buttonRow(buttonLink({ label: "Confirm the topic", href: homeOf(context, "/webhook/confirm") })) : null}`,
    );
  return topic === null
    ? notice(
        "info",
        "No topic yet",
        "When you subscribe the URL to a topic of Amazon SNS, it is shown here for you to confirm. Until then all events are refused.",
      )
    : null;
}

/** For the page of the sender. */
export async function eventsSection(context: OfSender): Promise<Html> {
  const { performHere, params, formats, now, may } = context;
  const webhook = await performHere(showWebhook, { id: params.sender });
  const owner = (label: string, href: string): readonly Html[] =>
    may("owner") ? [buttonLink({ label, href: homeOf(context, href) })] : [];
  const description =
    "Through a webhook, the provider reports what happened after it had accepted a message. Whoever bounced, complained or unsubscribed gets no more mail.";
  if (webhook === null)
    return section("Webhook", html`<p>Not set up.</p>${buttonRow(...owner("Set it up", "/webhook"))}`, {
      description,
    });
  const { provider, topic, createdAt, lastEventAt, counts } = webhook;
  const rows: readonly (readonly [string, Insert])[] = [
    ["Provider", eventsOf(provider).label],
    ...(topic === null ? [] : [["Topic", topic] as const]),
    ["Created", formats.time(createdAt)],
    ["Last event", lastEventAt === null ? badge("None yet", "warning") : formats.ago(lastEventAt, now)],
    ...countedKinds.map((kind) => [countNames[kind], formats.number(counts[kind])] as const),
  ];
  return section(
    "Webhook",
    html`<div class="stack">${keyPart(context, webhook)}${topicPart(context, webhook)}${definitions(rows)}${buttonRow(
      buttonLink({ label: "Events for unknown addresses", href: homeOf(context, "/webhook/unmatched") }),
      ...owner("Replace the webhook", "/webhook"),
      ...owner("Remove the webhook", "/webhook/remove"),
    )}</div>`,
    { description },
  );
}

const setUpPage = formPage({
  path: PATH,
  role: "owner",
  form: "set-up",
  show: async (context, form) => {
    const { sender, parent } = await parentOf(context as OfSender);
    const recognised = recognisedProviders(sender.relays.map(({ url }) => url));
    const usual = webhookProviders.find((name) => recognised.some((one) => one === name)) ?? "";
    const existing = await context.performHere(showWebhook, { id: context.params.sender });
    const asked = webhookProviders.flatMap((name) => {
      const { label, key } = eventsOf(name);
      return key === undefined ? [] : [html`<li>${label}: ${key}</li>`];
    });
    return {
      title: `Webhook for ${nameOf(sender)}`,
      parent,
      isIdempotent: true,
      fields: html`${
        existing === null
          ? null
          : notice(
              "warning",
              "This replaces the webhook that the sender has",
              "Its URL stops working at once, and its key, topic and counts are discarded. Enter the new URL at the provider.",
            )
      }${selectField({
        ...form.field("provider", usual),
        label: "Provider",
        options: [
          ...(usual === "" ? [{ value: "", label: "Choose the provider" }] : []),
          ...webhookProviders.map((value) => ({ value, label: eventsOf(value).label })),
        ],
        width: "medium",
      })}${textField({
        ...form.field("key"),
        label: "Key",
        hint: "Only for the providers below. Leave it empty if the provider shows it only after it has the URL; you can enter it then.",
        isOptional: true,
      })}<ul>${asked}</ul>`,
      save: "Create the webhook",
    };
  },
  submit: async (context) => {
    const { performHere, params, form } = context;
    const provider = webhookProviders.find((one) => one === form.text("provider"));
    const made = await performHere(setWebhook, { id: params.sender, provider, key: form.text("key") });
    return shownOnce(homeOf(context), made);
  },
  hasSecret: true,
});

function shownOnce(home: string, { webhook, url, login }: NewWebhook) {
  const { label, step } = eventsOf(webhook.provider);
  const once = "It is not stored, and is never shown again.";
  return titled(
    { title: `Webhook for ${label}`, parent: { label: "Back", href: home } },
    html`<div class="stack">${secret("URL of the webhook", url, `Copy it now. ${once}`)}${login === null ? null : secret(`Password of the user ${login.user}`, login.password, `Copy it now. ${once}`)}</div>
${section(`At ${label}`, html`<p>${step}</p>`)}
${buttonRow(buttonLink({ label: "Done", href: home, emphasis: "primary" }))}`,
  );
}

const keyPage = formPage({
  path: `${PATH}/key`,
  role: "owner",
  form: "key",
  show: async (context, form) => {
    const { parent } = await parentOf(context);
    const webhook = await context.performHere(showWebhook, { id: context.params.sender });
    const asked = webhook === null ? undefined : eventsOf(webhook.provider).key;
    if (asked === undefined) throw new NoSuchPage();
    return {
      title: "Verification key",
      parent,
      fields: textField({ ...form.field("key"), label: "Key", hint: `Mailroll needs ${asked}.` }),
      save: "Save the key",
    };
  },
  submit: async (context) => {
    const { performHere, params, form } = context;
    await performHere(setWebhookKey, { id: params.sender, key: form.text("key") });
    return redirect(homeOf(context), "The key is saved. Events are accepted from now on.");
  },
});

const confirmTopicPage = confirmPage({
  path: `${PATH}/confirm`,
  role: "owner",
  form: "confirm",
  show: async (context) => {
    const { parent } = await parentOf(context);
    const webhook = await context.performHere(showWebhook, { id: context.params.sender });
    const topic = webhook?.pendingTopic ?? null;
    if (topic === null) throw new NoSuchPage();
    return {
      title: "Confirm the topic",
      parent,
      question: `Is ${topic} your topic?`,
      affected: null,
      consequences: [
        "Its events suppress subscribers of this account. Events of every other topic are refused.",
        "The number in it is that of your AWS account.",
      ],
      isDangerous: false,
      fields: html`<input type="hidden" name="topic" value="${topic}">`,
      confirm: "It is mine: confirm it",
    };
  },
  submit: async (context) => {
    const { performHere, params, form } = context;
    await performHere(confirmWebhook, { id: params.sender, topic: form.text("topic") });
    return redirect(homeOf(context), "The topic is confirmed. Its events are accepted from now on.");
  },
});

const removePage = confirmPage({
  path: `${PATH}/remove`,
  role: "owner",
  form: "remove",
  show: async (context) => {
    const { parent } = await parentOf(context);
    return {
      title: "Remove the webhook",
      parent,
      question: "Remove the webhook?",
      affected: null,
      consequences: [
        "Its URL stops working at once: bounces and complaints that the provider reports are lost.",
        "Suppressed subscribers stay suppressed.",
      ],
      isDangerous: true,
      confirm: "Remove the webhook",
      keep: "Keep it",
    };
  },
  submit: async (context) => {
    await context.performHere(removeWebhook, { id: context.params.sender });
    return redirect(homeOf(context), "The webhook was removed.");
  },
});

const PAGE = 50;
const unmatchedPage = page({
  path: `${PATH}/unmatched`,
  role: "viewer",
  show: async (context) => {
    const { list, params, formats } = context;
    const { parent } = await parentOf(context);
    const found = await list(listUnmatchedEvents, { id: params.sender, limit: PAGE });
    return content(
      "Events for unknown addresses",
      html`${pageHeader({
        title: "Events for unknown addresses",
        parent,
        description:
          "Of the last 30 days. The address is not stored anywhere else, and nobody is suppressed.",
      })}
${pagedTable(context, found, {
  caption: "Events",
  text: (count) => `${formats.number(count)} events`,
  columns: [
    { label: "Address", cell: ({ address }) => address },
    { label: "Event", cell: ({ kind }) => eventNames[kind] },
    { label: "When", cell: ({ at }) => formats.time(at) },
    { label: "Reply of the server", cell: ({ detail }) => detail ?? "", isMinor: true },
  ],
  empty: {
    title: "Every event was about a subscriber",
    text: "Events about other addresses would be shown here.",
  },
})}`,
    );
  },
});

export const webhookPages = [setUpPage, keyPage, confirmTopicPage, removePage, unmatchedPage];
