/**
 * Looks up what decisions need. Subscribers are read each time, because they change; data of an account is
 * cached.
 */
import type { AccountId } from "#domain/account.ts";
import type { Address } from "#domain/address.ts";
import type { CampaignEvent, CampaignId } from "#domain/campaign.ts";
import { type DataType, dataTypes, type FieldId } from "#domain/field/field.ts";
import type { ListId } from "#domain/list.ts";
import { erasureHash } from "#domain/subscriber/erasure.ts";
import type { PersonState } from "#domain/subscriber/person-data.ts";
import type { SubscriberId, Suppressions } from "#domain/subscriber/subscriber.ts";
import { bytes, integer, nullable, oneOf, type RowOf, text } from "../../cold/kit/statement.ts";
import { storedEvent } from "../../reads/event-row.ts";
import {
  HELD,
  heldRow,
  KNOWN,
  knownRow,
  SUPPRESSIONS,
  suppressionRow,
  toHeld,
  toKnown,
} from "../../reads/rows.ts";
import { COUNTED_MEMBERSHIP } from "../../reads/who-counts.ts";
import type { AccountState, HeldMembership, Lookup, PartInCampaign } from "../../writes/unit-of-work.ts";
import type { Connection } from "../connection.ts";
import { statement } from "../statement.ts";

/** What a transaction reads repeatedly of one account, cached. */
const account = {
  country: nullable(text),
  subscribers: integer,
  subscriberLimit: nullable(integer),
  hasBlocks: integer,
  erasureKey: nullable(bytes),
};
type AccountRow = RowOf<typeof account>;
const ACCOUNT = statement(
  account,
  `SELECT
     country, active_subscribers AS subscribers, limit_subscribers AS subscriberLimit,
     EXISTS (SELECT 1 FROM block WHERE account_id = account.id) AS hasBlocks,
     erasure_key AS erasureKey
   FROM account
   WHERE id = ?`,
);
const LIST = statement(
  { since: integer },
  "SELECT created_at AS since FROM list WHERE id = ? AND account_id = ? AND is_deleting = 0",
);
const FIELD = statement(
  { type: oneOf(dataTypes) },
  "SELECT data_type AS type FROM field WHERE id = ? AND account_id = ? AND is_deleting = 0",
);

class AccountLookups {
  readonly #db: Connection;
  readonly #id: AccountId;
  readonly row: AccountRow;
  readonly #lists = new Map<ListId, number | null>();
  readonly #fields = new Map<FieldId, DataType | undefined>();
  readonly fieldTypes = { get: (field: FieldId): DataType | undefined => this.#fieldType(field) };

  constructor(db: Connection, id: AccountId) {
    this.#db = db;
    this.#id = id;
    const row = db.get(ACCOUNT, id);
    if (row === undefined) throw new Error(`no account ${id}`);
    this.row = row;
  }

  /** When the list was created; null if the account has no such list, or it is being deleted. */
  listSince(list: ListId): number | null {
    let since = this.#lists.get(list);
    if (since === undefined) {
      since = this.#db.get(LIST, list, this.#id)?.since ?? null;
      this.#lists.set(list, since);
    }
    return since;
  }

  #fieldType(field: FieldId): DataType | undefined {
    if (this.#fields.has(field)) return this.#fields.get(field);
    const type = this.#db.get(FIELD, field, this.#id)?.type;
    this.#fields.set(field, type);
    return type;
  }
}

const PERSON = statement(
  { id: integer, ...knownRow },
  `SELECT id, ${KNOWN} FROM subscriber WHERE account_id = ? AND address_key = ?`,
);
const MEMBERSHIP = statement(
  heldRow,
  `SELECT ${HELD} FROM membership WHERE list_id = ? AND subscriber_id = ?`,
);
const EARLIEST_JOIN = statement(
  { at: nullable(integer) },
  `SELECT min(m.joined_at) AS at
   FROM campaign_list AS c JOIN membership AS m ON m.list_id = c.list_id AND m.subscriber_id = ?
   WHERE c.campaign_id = ? AND ${COUNTED_MEMBERSHIP}`,
);

const CAMPAIGN = statement(
  { one: integer },
  "SELECT 1 AS one FROM campaign WHERE id = ? AND account_id = ? AND is_deleting = 0",
);
const EVENT = statement(
  { one: integer },
  "SELECT 1 AS one FROM campaign_event WHERE campaign_id = ? AND event = ? AND subscriber_id = ?",
);
const BLOCKED_AT = statement(
  { at: nullable(integer) },
  "SELECT min(created_at) AS at FROM block WHERE account_id = ? AND pattern IN (?, ?)",
);

const ERASED = statement(
  suppressionRow,
  `SELECT ${SUPPRESSIONS} FROM erased WHERE account_id = ? AND hash = ?`,
);

export class Lookups {
  readonly db: Connection;
  readonly #accounts = new Map<AccountId, AccountLookups>();

  constructor(db: Connection) {
    this.db = db;
  }

  lookUp(account: AccountId, address: Address): Lookup<SubscriberId> {
    const row = this.db.get(PERSON, account, address.key);
    const blockedAt = this.blockedAt(account, address);
    if (row === undefined)
      return { person: null, known: null, blockedAt, erased: this.erased(account, address) };
    return { person: row.id, known: toKnown(row), blockedAt, erased: null };
  }

  membership(person: SubscriberId, list: ListId): HeldMembership | null {
    const row = this.db.get(MEMBERSHIP, list, person);
    return row === undefined ? null : toHeld(row);
  }

  partInCampaign(
    account: AccountId,
    person: SubscriberId | null,
    campaign: CampaignId,
    event: CampaignEvent,
  ): PartInCampaign {
    const { db } = this;
    return {
      campaignExists: db.get(CAMPAIGN, campaign, account) !== undefined,
      isRecorded: db.get(EVENT, campaign, storedEvent[event], person) !== undefined,
      earliestJoin: db.get(EARLIEST_JOIN, person, campaign)?.at ?? null,
    };
  }

  accountState(account: AccountId): AccountState {
    return this.#account(account).row;
  }
  /** When the list was created; null if the account has no such list. */
  listSince(account: AccountId, list: ListId): number | null {
    return this.#account(account).listSince(list);
  }
  hasList(account: AccountId, list: ListId): boolean {
    return this.listSince(account, list) !== null;
  }
  fieldTypes(account: AccountId): PersonState["fieldTypes"] {
    return this.#account(account).fieldTypes;
  }
  /** Since when a block covers the address, directly or by its domain. */
  blockedAt(account: AccountId, { key, domain }: Omit<Address, "text">): number | null {
    if (this.#account(account).row.hasBlocks !== 1) return null;
    return this.db.get(BLOCKED_AT, account, key, `@${domain}`)?.at ?? null;
  }
  /**
   * The suppressions that remain for an erased address. An account that never erased a subscriber has nothing
   * to look up.
   */
  erased(account: AccountId, address: Pick<Address, "key">): Suppressions | null {
    const { erasureKey } = this.#account(account).row;
    return erasureKey === null
      ? null
      : (this.db.get(ERASED, account, erasureHash(erasureKey, address)) ?? null);
  }

  /** Invalidates the cached reads. */
  protected forget(): void {
    this.#accounts.clear();
  }

  #account(id: AccountId): AccountLookups {
    let account = this.#accounts.get(id);
    if (account === undefined) {
      account = new AccountLookups(this.db, id);
      this.#accounts.set(id, account);
    }
    return account;
  }
}
