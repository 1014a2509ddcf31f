/** What the node-soap peer knows and keeps: node:sqlite with prepared statements, one transaction an add. */
import { DatabaseSync, type StatementSync } from "node:sqlite";

interface Bounced {
  readonly FirstName: string;
  readonly LastName: string;
  readonly EMail: string;
  readonly SubscribedDate: string;
  readonly UnsubscribedDate: string;
}
interface BouncedRow {
  readonly first: string;
  readonly last: string;
  readonly address: string;
  readonly joinedAt: number;
  readonly at: number;
}

const dateTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

export class PeerStore {
  readonly #db: DatabaseSync;
  readonly #keys: ReadonlyMap<string, number>;
  readonly #findList: StatementSync;
  readonly #findPerson: StatementSync;
  readonly #addPerson: StatementSync;
  readonly #join: StatementSync;
  readonly #count: StatementSync;
  readonly #happened: StatementSync;
  readonly #findCampaign: StatementSync;
  readonly #bounced: StatementSync;

  constructor(file: string) {
    const db = new DatabaseSync(file);
    db.exec(
      "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA cache_size=-8192; PRAGMA temp_store=MEMORY",
    );
    this.#db = db;
    const keys = db.prepare("SELECT key, account_id AS account FROM api_key").all();
    this.#keys = new Map(keys.map(({ key, account }) => [String(key), Number(account)]));
    this.#findList = db.prepare("SELECT 1 FROM list WHERE id = ? AND account_id = ?");
    this.#findPerson = db.prepare("SELECT id FROM subscriber WHERE account_id = ? AND address_key = ?");
    this.#addPerson = db.prepare(
      "INSERT INTO subscriber (account_id, address, address_key, known_since) VALUES (?, ?, ?, ?)",
    );
    this.#join = db.prepare(
      "INSERT INTO membership (account_id, list_id, subscriber_id, joined_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
    );
    this.#count = db.prepare("UPDATE list SET member_count = member_count + 1 WHERE id = ?");
    this.#happened = db.prepare(
      "INSERT INTO history (account_id, subscriber_id, at, kind, origin, list_id) VALUES (?, ?, ?, 'joined', 'key', ?)",
    );
    this.#findCampaign = db.prepare("SELECT 1 FROM campaign WHERE id = ? AND account_id = ?");
    this.#bounced = db.prepare(
      "SELECT s.first_name AS first, s.last_name AS last, s.address, e.joined_at AS joinedAt, e.at FROM campaign_event AS e JOIN subscriber AS s ON s.id = e.subscriber_id WHERE e.campaign_id = ? AND e.event = 'hard-bounce' ORDER BY e.at, e.id",
    );
  }

  accountOf(key: string): number | null {
    return this.#keys.get(key) ?? null;
  }

  /** False where the account has no such list. */
  add(account: number, list: number, address: string): boolean {
    this.#db.exec("BEGIN IMMEDIATE");
    const isKnownList = this.#findList.get(list, account) !== undefined;
    if (isKnownList) this.#addTo(account, list, address, Date.now());
    this.#db.exec("COMMIT");
    return isKnownList;
  }

  #addTo(account: number, list: number, address: string, now: number): void {
    const known = this.#findPerson.get(account, address)?.id;
    const person = Number(known ?? this.#addPerson.run(account, address, address, now).lastInsertRowid);
    if (this.#join.run(account, list, person, now).changes === 0) return;
    this.#count.run(list);
    this.#happened.run(account, person, now, list);
  }

  /** Null where the account has no such campaign. */
  bounced(account: number, campaign: number): readonly Bounced[] | null {
    if (this.#findCampaign.get(campaign, account) === undefined) return null;
    return (this.#bounced.all(campaign) as unknown as readonly BouncedRow[]).map((row) => ({
      FirstName: row.first,
      LastName: row.last,
      EMail: row.address,
      SubscribedDate: dateTime(row.joinedAt),
      UnsubscribedDate: dateTime(row.at),
    }));
  }
}
