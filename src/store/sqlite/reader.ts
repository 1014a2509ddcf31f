/** Answers reads and pages of listings on a connection that cannot write. */
import type { Listings, Reads } from "../../domain/ports.ts";
import { type Cursor, PAGE_SIZE, type Page } from "../paging.ts";
import { accounts, keyByHash, keys } from "./accounts.ts";
import { blocks } from "./block-list.ts";
import { campaign, campaigns, lastSentCampaign, lostSubscribers, targetedLists } from "./campaigns.ts";
import type { Connection } from "./connection.ts";
import { integrity, ping, recount } from "./health.ts";
import { importStates } from "./import.ts";
import { fields, lists } from "./lists.ts";
import { members } from "./members.ts";
import { alreadySo, refusal, refusals } from "./refusals.ts";
import { subscriber } from "./subscriber-record.ts";

const reads: {
  readonly [K in keyof Reads]: (db: Connection, args: Reads[K]["args"]) => Reads[K]["result"];
} = {
  ping,
  accounts,
  keyByHash,
  keys,
  lastSentCampaign,
  campaign,
  blocks,
  subscriber,
  importStates,
  refusals,
  refusal,
  alreadySo,
  recount,
  integrity,
};

const listings: {
  readonly [K in keyof Listings]: (
    db: Connection,
    args: Listings[K]["args"],
    after: Cursor | null,
    size: number,
  ) => Page<Listings[K]["result"], Cursor>;
} = { lists, fields, members, campaigns, targetedLists, lostSubscribers };

export type ReadCall =
  | { readonly [K in keyof Reads]: readonly ["read", K, Reads[K]["args"]] }[keyof Reads]
  | {
      readonly [K in keyof Listings]: readonly ["page", K, Listings[K]["args"], Cursor | null];
    }[keyof Listings];

export function answer(db: Connection, call: ReadCall): unknown {
  if (call[0] === "read") {
    const [, kind, args] = call;
    return (reads[kind] as (db: Connection, args: unknown) => unknown)(db, args);
  }
  const [, kind, args, after] = call;
  return (listings[kind] as (db: Connection, args: unknown, after: Cursor | null, size: number) => unknown)(
    db,
    args,
    after,
    PAGE_SIZE,
  );
}
