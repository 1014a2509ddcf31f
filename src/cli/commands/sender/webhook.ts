/** `mailroll sender webhook …` */
import {
  confirmWebhook,
  countsDocument,
  listUnmatchedEvents,
  removeWebhook,
  setWebhook,
  setWebhookKey,
  showWebhook,
} from "#admin/senders/webhooks.ts";
import type { Webhook } from "#domain/ports/sending/webhooks.ts";
import { eventWords } from "#domain/sending/provider-event.ts";
import { eventsOf, webhookProviders } from "#domain/sending/providers.ts";
import { PROGRAM } from "#shipped.ts";
import { type Command, type Context, UsageError } from "../../kit/command.ts";
import { requireConfirmation, yesOption } from "../../kit/confirmation.ts";
import { everyPage } from "../../kit/every-page.ts";
import { firstLine } from "../../kit/files.ts";
import { choiceOf, parseId } from "../../kit/parse-call.ts";
import { moment } from "../../kit/terminal/output.ts";
import { formatNumber, oneLine } from "../../kit/terminal/text.ts";

const one = async ({ args, account }: Context) => {
  const id = parseId(args[0], "ID");
  return { account: (await account()).id, id };
};

const countsText = ({ counts }: Webhook): string =>
  Object.entries(countsDocument(counts))
    .map(([word, count]) => `${word} ${formatNumber(count)}`)
    .join(", ");
const documentOf = ({ counts, ...webhook }: Webhook) => ({ ...webhook, eventCounts: countsDocument(counts) });

const keyText = (id: number, { provider, isKeyMissing }: Webhook): readonly string[] =>
  isKeyMissing
    ? [
        `Key:        missing, so all events are refused. Give ${eventsOf(provider).key}:`,
        `            ${PROGRAM} sender webhook key ${id} -`,
      ]
    : [];

function topicText(id: number, { provider, topic, pendingTopic }: Webhook): readonly string[] {
  if (eventsOf(provider).proof !== "sns") return [];
  return [
    `Topic:      ${topic ?? "none yet; until one is confirmed, all events are refused"}`,
    ...(pendingTopic === null
      ? []
      : [
          `To confirm: ${oneLine(pendingTopic)}`,
          `            If it is yours: ${PROGRAM} sender webhook confirm ${id} '${oneLine(pendingTopic)}'`,
        ]),
  ];
}

const webhookText = (id: number, webhook: Webhook): string =>
  [
    `Webhook of sender ${id}: ${eventsOf(webhook.provider).label}`,
    ...keyText(id, webhook),
    ...topicText(id, webhook),
    `Created:    ${moment(webhook.createdAt)}`,
    `Last event: ${webhook.lastEventAt === null ? "none yet" : moment(webhook.lastEventAt)}`,
    `Events:     ${countsText(webhook)}`,
  ].join("\n");

/** The providers with a key. */
const withKey = webhookProviders.filter((name) => eventsOf(name).key !== undefined);

const readKey = async (given: string): Promise<string> => (given === "-" ? await firstLine() : given);

async function set(context: Context): Promise<void> {
  const { perform, out, option } = context;
  const wanted = await one(context);
  const provider = option("provider", choiceOf(webhookProviders));
  const given = option("key");
  const existing = await perform(showWebhook, wanted);
  if (existing !== null)
    await requireConfirmation(context, {
      verb: "Replace",
      done: "replaced",
      what: `the webhook of sender ${wanted.id}`,
      consequence:
        "Its URL stops working at once, and its key, topic and counts are discarded. Enter the new URL at the provider.",
    });
  const key = given === undefined ? undefined : await readKey(given);
  const made = await perform(setWebhook, { ...wanted, provider, key });
  const { webhook, url, login } = made;
  const { label, step } = eventsOf(webhook.provider);
  out.result({ id: wanted.id, url, login, ...documentOf(webhook) }, () =>
    [
      url,
      ...(login === null ? [] : ["", `User:     ${login.user}`, `Password: ${login.password}`]),
      "",
      `At ${label}: ${step}`,
      ...keyText(wanted.id, webhook),
      "",
      login === null
        ? `The URL is shown only once. Enter it at ${label} now.`
        : `The URL and the password are shown only once. Enter them at ${label} now.`,
      `Then look at it with: ${PROGRAM} sender webhook show ${wanted.id}`,
    ].join("\n"),
  );
}

async function show(context: Context): Promise<void> {
  const wanted = await one(context);
  const webhook = await context.perform(showWebhook, wanted);
  context.out.result({ id: wanted.id, webhook: webhook && documentOf(webhook) }, () =>
    webhook === null
      ? `Sender ${wanted.id} has no webhook; set one up with '${PROGRAM} sender webhook set ${wanted.id}'.`
      : webhookText(wanted.id, webhook),
  );
}

async function setKey(context: Context): Promise<void> {
  const { perform, out, args } = context;
  const given = args[1];
  if (given === undefined) throw new UsageError("KEY is missing");
  const wanted = await one(context);
  // A wrong id is an error before the key is read from standard input.
  await perform(showWebhook, wanted);
  const webhook = await perform(setWebhookKey, { ...wanted, key: await readKey(given) });
  out.result({ id: wanted.id, webhook: documentOf(webhook) }, () => webhookText(wanted.id, webhook));
}

async function confirm(context: Context): Promise<void> {
  const { perform, out, args } = context;
  const topic = args[1];
  if (topic === undefined) throw new UsageError("TOPIC is missing");
  const wanted = await one(context);
  const webhook = await perform(confirmWebhook, { ...wanted, topic });
  out.result({ id: wanted.id, webhook: documentOf(webhook) }, () => webhookText(wanted.id, webhook));
}

async function remove(context: Context): Promise<void> {
  const { perform, out } = context;
  const wanted = await one(context);
  await requireConfirmation(context, {
    verb: "Remove",
    done: "removed",
    what: `the webhook of sender ${wanted.id}`,
    consequence: "Its URL stops working at once: bounces and complaints that the provider reports are lost.",
  });
  const webhook = await perform(removeWebhook, wanted);
  out.result(
    { id: wanted.id, webhook: documentOf(webhook) },
    () => `Removed the webhook of sender ${wanted.id}.`,
  );
}

export const webhookCommands: readonly Command[] = [
  {
    name: "sender webhook set",
    args: ["ID"],
    options: {
      provider: {
        value: "NAME",
        doc: `The provider that posts the events: ${webhookProviders.join(", ")}; without it, that of the sender's relays.`,
      },
      key: {
        value: "KEY",
        doc: `With ${withKey.join(", ")}: the key that verifies the events, if you have it already; - reads it from standard input. See 'sender webhook key'.`,
      },
      ...yesOption,
    },
    doc: "Creates the webhook to which a provider posts bounces, complaints and unsubscribes, and shows its URL once.",
    details:
      "A sender has one webhook: a new one replaces it. What to do at the provider is printed; docs/guide/providers.md has it for all of them.",
    example: "sender webhook set 1 --provider postmark",
    ifNotShown: "The webhook was set up, but not shown: set it up again",
    settings: ["database", "baseUrl"],
    run: set,
  },
  {
    name: "sender webhook show",
    args: ["ID"],
    doc: "Shows the webhook of a sender: what it still needs, the last event, and how many there were.",
    example: "sender webhook show 1",
    run: show,
  },
  {
    name: "sender webhook key",
    args: ["ID", "KEY"],
    doc: `Sets the key that verifies the events of ${withKey.join(", ")}.`,
    details:
      "'sender webhook show' says which key it is. With - it is read from standard input, so that other users of the machine cannot see it.",
    example: "sender webhook key 1 -",
    run: setKey,
  },
  {
    name: "sender webhook confirm",
    args: ["ID", "TOPIC"],
    doc: "Confirms the subscription to a topic of Amazon SNS.",
    details: "'sender webhook show' prints the topic that waits. Events of all other topics are refused.",
    example: "sender webhook confirm 1 arn:aws:sns:eu-west-1:123456789012:mailroll",
    run: confirm,
  },
  {
    name: "sender webhook remove",
    args: ["ID"],
    options: yesOption,
    doc: "Removes the webhook of a sender.",
    example: "sender webhook remove 1",
    run: remove,
  },
  {
    name: "sender webhook unmatched",
    args: ["ID"],
    doc: "Lists events of the last 30 days for unknown addresses, the newest first.",
    example: "sender webhook unmatched 1",
    run: async (context) => {
      const wanted = await one(context);
      const rows = await everyPage((page) => context.perform(listUnmatchedEvents, { ...wanted, ...page }));
      context.out.table(
        rows,
        "There are no events for unknown addresses.",
        ({ address, kind, at, receivedAt, detail }) => ({
          ...{ address, event: eventWords[kind], at, receivedAt, detail },
        }),
      );
    },
  },
];
