/** `mailroll subscriber show`: answers the question "what happened to this address?". */

import type { Account } from "../../../domain/account.ts";
import type { Address } from "../../../domain/address.ts";
import type { HistoryEntry, ReplacedValue } from "../../../domain/history.ts";
import type { ApiKey } from "../../../domain/key.ts";
import type { List } from "../../../domain/list.ts";
import { batchOf, type Origin } from "../../../domain/origin.ts";
import { collect } from "../../../domain/pages.ts";
import type { Store } from "../../../domain/ports/store.ts";
import type { SubscriberRecord } from "../../../domain/ports/subscribers.ts";
import {
  bySuppression,
  type SuppressionKind,
  type Suppressions,
  stateOf,
  suppressionKinds,
} from "../../../domain/subscriber.ts";
import { type Context, Failure } from "../../kit/command.ts";
import { keyName } from "../../kit/key-name.ts";
import { moment, toTable } from "../../kit/terminal/output.ts";
import { oneLine } from "../../kit/terminal/terminal-text.ts";
import { basicLabels, labelOf } from "./basic-labels.ts";

/** The names behind the ids that a record holds. */
export interface Names {
  readonly keys: readonly ApiKey[];
  readonly lists: readonly List[];
  readonly campaigns: ReadonlyMap<number, string>;
}

export async function subscriberShow(
  { store, out }: Pick<Context, "store" | "out">,
  { id: account }: Account,
  address: Address,
  unknown: string,
): Promise<void> {
  const opened = await store();
  const record = await opened.subscribers.byAddress({ account, address });
  if (record === null) {
    const blocks = await opened.blocks.all({ account });
    const block = blocks.find(({ pattern }) => pattern === address.key || pattern === `@${address.domain}`);
    const { states } = await opened.imports.states({ account, list: null, addresses: [address] });
    const erased = states[0]?.erased ?? null;
    throw new Failure(
      [
        unknown,
        ...(block === undefined ? [] : [`${block.pattern} is on the block list`]),
        ...(erased === null
          ? []
          : [`the subscriber was erased, but the address is still suppressed (${stateOf(erased)})`]),
      ].join("; "),
      "NotFound",
    );
  }
  const names = await loadNames(opened, account, record.history);
  out.result({ ...record, suppressions: suppressionTimes(record.suppressions) }, () => page(record, names));
}

export async function loadNames(
  store: Store,
  account: number,
  history: SubscriberRecord["history"],
): Promise<Names> {
  const ids = new Set(history.flatMap(({ campaign }) => (campaign === null ? [] : [campaign])));
  const [keys, lists, ...campaigns] = await Promise.all([
    store.keys.all({ account }),
    collect(store.lists.all.pages({ account })),
    ...[...ids].map((id) => store.campaigns.byId({ account, id })),
  ]);
  return {
    keys,
    lists,
    campaigns: new Map(campaigns.flatMap((one) => (one === null ? [] : [[one.id, one.name] as const]))),
  };
}

/** Formats the times of suppressions, whose names do not end in "At". */
export const suppressionTimes = (held: Suppressions): Readonly<Record<SuppressionKind, string | null>> =>
  bySuppression((kind) => (held[kind] === null ? null : new Date(held[kind]).toISOString()));

function page(record: SubscriberRecord, names: Names): string {
  const { data, values, lists, history } = record;
  const details: readonly (readonly [label: string, value: string | null])[] = [
    ["State", stateLine(record)],
    ["Known since", moment(record.knownSince)],
    [basicLabels.firstName, data.firstName],
    [basicLabels.lastName, data.lastName],
    [basicLabels.gender, data.gender],
    [basicLabels.birthday, data.birthday],
    [basicLabels.country, data.country],
  ];
  const lines = details
    .filter(([, value]) => value !== null && value !== "")
    .map(([label, value]) => `${label.padEnd(12)} ${oneLine(value ?? "")}`);
  const sections = [
    section(
      "Custom values",
      values.map(({ name, value, at, key, batch }) => ({
        field: name,
        value,
        givenAt: at,
        through: key === null ? (batch === null ? null : `import ${batch}`) : keyName(key, names.keys),
      })),
      "none",
    ),
    section(
      "Lists",
      lists.map(({ id, name, joinedAt, status, counts }) => ({
        id,
        name,
        joinedAt,
        // An active membership of a suppressed subscriber.
        status: status === "active" && !counts ? "suspended" : status,
      })),
      "none",
    ),
    section(
      "History, oldest first",
      history.map((entry) => historyRow(entry, values, names)),
      "no entries",
    ),
  ];
  return [oneLine(record.address), "", ...lines, ...sections].join("\n");
}

/** The state comes first, then the other suppressions. */
function stateLine({ state, suppressions: held }: SubscriberRecord): string {
  if (state === "active") return state;
  return suppressionKinds
    .filter((suppression) => held[suppression] !== null)
    .map((suppression) => `${suppression} since ${moment(held[suppression])}`)
    .join(", also ");
}

const section = (title: string, rows: Parameters<typeof toTable>[0], empty: string): string =>
  `\n${title}:${rows.length === 0 ? ` ${empty}` : `\n${indent(toTable(rows))}`}`;
const indent = (text: string): string => text.replace(/^/gm, "  ");

const historyRow = (
  { at, kind, origin, campaign, list, detail, replaced }: HistoryEntry,
  values: SubscriberRecord["values"],
  names: Names,
) => ({
  time: moment(at),
  what: kind,
  origin: originName(origin, names),
  campaign: campaign === null ? null : named(campaign, names.campaigns.get(campaign)),
  list: list === null ? null : named(list, names.lists.find(({ id }) => id === list)?.name),
  detail: replaced === null ? detail : replacedText(replaced, values),
});
function originName(origin: Origin, names: Names): string {
  if (origin.kind === "key") return keyName(origin.key, names.keys);
  const batch = batchOf(origin);
  return batch === null ? origin.kind : `${origin.kind} ${batch}`;
}
const replacedText = (replaced: readonly ReplacedValue[], values: SubscriberRecord["values"]): string =>
  replaced.map((one) => `${labelOf(fieldName(one, values))}: ${one.old} → ${one.new}`).join("; ");

/** A replaced value has a successor in the same field, which has the name. */
export const fieldName = ({ field }: ReplacedValue, values: SubscriberRecord["values"]): string =>
  values.find((value) => value.field === field)?.name ?? String(field);

const named = (id: number, name: string | undefined): string =>
  name === undefined ? `${id}` : `${id} ${name}`;
