/** A subscriber in the words of the API, which `--json` prints too. Times and ids are numbers. */
import { originOfActor } from "#domain/access/audit.ts";
import type { KeyId } from "#domain/access/key.ts";
import type { Origin } from "#domain/access/origin.ts";
import type { CampaignResult, SubscriberRecord } from "#domain/ports/subscribers.ts";
import type { SentCampaign } from "#domain/sending/mailing.ts";
import { eventWords } from "#domain/sending/provider-event.ts";
import type { HistoryEntry } from "#domain/subscriber/history.ts";
import { bySuppression, type Suppressions } from "#domain/subscriber/subscriber.ts";
import { namedActor, originOfValue } from "../actor-names.ts";
import { inWords } from "../kit/in-words.ts";
import { type NamedReplacement, nameReplaced } from "./correct.ts";
import { importedAt, type Names } from "./names.ts";
import type { Person } from "./record.ts";

/** As text, because their names do not end in "At". */
export const suppressionTimes = (held: Suppressions) =>
  bySuppression((kind) => (held[kind] === null ? null : new Date(held[kind]).toISOString()));

const actorOf = (origin: Origin | null, names: Names) => origin && namedActor(origin, names);
export const replacedDocument = ({ field: name, fieldId: id, ...values }: NamedReplacement) => ({
  field: { id, name: id === null && name === "address" ? "email" : name },
  old: values.old || null,
  new: values.new || null,
});

export type Replaced = ReturnType<typeof replacedDocument>;

export const historyDocument = (found: HistoryEntry, names: Names) => {
  const { origin, campaign, list, replaced, ...entry } = found;
  return {
    ...entry,
    importedAt: importedAt(found, names),
    actor: namedActor(origin, names),
    campaign: campaign === null ? null : { id: campaign, name: names.campaigns.get(campaign) ?? null },
    list: list === null ? null : { id: list, name: names.lists.find(({ id }) => id === list)?.name ?? null },
    replaced: replaced && nameReplaced(replaced, names.fields).map(replacedDocument),
  };
};
export const resultDocument = ({ campaign: id, name, ...result }: CampaignResult) => ({
  campaign: { id, name },
  ...result,
});

export const sentDocument = ({ campaign: id, name, campaignState: state, ...sent }: SentCampaign) => ({
  campaign: { id, name, state },
  ...inWords(sent, { skipped: "skipReason" }),
});

export const recordDocument = (
  { data, suppressions, values, lists, history, losses, ...record }: SubscriberRecord,
  names: Names,
) => ({
  ...inWords(record, { address: "email", knownSince: "createdAt" }),
  ...data,
  firstName: data.firstName || null,
  lastName: data.lastName || null,
  suppressions: suppressionTimes(suppressions),
  values: values.map(({ field: id, name, key, batch, ...value }) => ({
    field: { id, name },
    ...value,
    actor: actorOf(originOfValue({ key, batch }), names),
  })),
  lists: lists.map((list) => inWords(list, { counts: "isCounted" })),
  history: history.map((entry) => historyDocument(entry, names)),
  campaignResults: losses.map(resultDocument),
});

export const personDocument = (found: Person) => ({
  exportedAt: found.exportedAt,
  email: found.address,
  subscriber: found.record && recordDocument(found.record, found.names),
  campaigns: found.campaigns.map(sentDocument),
  providerEvents: found.providerEvents.map(({ sender, campaign, kind, ...event }) => ({
    ...event,
    ...{ senderId: sender, event: eventWords[kind], campaign: campaign === null ? null : { id: campaign } },
  })),
  remainingSuppressions: found.kept && suppressionTimes(found.kept),
  blocks: found.blocks,
  blockChanges: found.blockChanges.map(({ at, action, actor }) => ({
    ...{ at, action, actor: actorOf(originOfActor(actor), found.names) },
  })),
  refusedCalls: found.refusedCalls.map(({ key, args, ...refusal }) => ({
    ...inWords(refusal, { count: "callCount" }),
    arguments: readable(args),
    key: key && keyOf(key, found.names),
  })),
  user: found.user,
});

function keyOf(id: KeyId, { keys }: Names) {
  const key = keys.find((one) => one.id === id);
  return { id, name: key?.label || null, hint: key?.hint ?? null };
}
function readable(args: string): unknown {
  try {
    return JSON.parse(args);
  } catch {
    return args;
  }
}
