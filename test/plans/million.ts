/**
 * An account of 1,000,000 people with everything that operators list, in SQL of both databases. Foreign keys
 * are not checked while it is filled. The addresses are not in the order of the ids.
 */
export const PEOPLE = 1_000_000;
export const [ACCOUNT, LIST, CAMPAIGN, USER] = [1, 1, 1, 1];
/** The beginning of the addresses of about 11,000 people. */
export const BEGINNING = "p42";
/** How many have bounced. */
const BOUNCED = 100_000;
/** The domain of ten people. */
export const RARE_DOMAIN = "rare.example";
/** Everything happened at this time, as after an import: a time alone does not say where a page ends. */
export const AT = 1_700_000_000_000;
export const DAY = 20_000;

export interface Series {
  /** A table with the numbers from 1 to `count` in its column `n`. */
  readonly numbers: (count: number) => string;
  /** The bytes of a text. */
  readonly bytes: (text: string) => string;
}

const KEY = `'p' || ((n * 2654435761) % 4294967296) || CASE n % 100000 WHEN 0 THEN '@${RARE_DOMAIN}' ELSE '@example.org' END`;

/** Tables, what is set in them, and how many rows. */
const rows: readonly (readonly [into: string, values: string, count: number])[] = [
  [
    "account (id, name, created_at, active_subscribers, bounced_subscribers)",
    `n, 'Account ' || n, ${AT}, CASE n WHEN ${ACCOUNT} THEN ${PEOPLE - BOUNCED} ELSE 0 END, CASE n WHEN ${ACCOUNT} THEN ${BOUNCED} ELSE 0 END`,
    2,
  ],
  [
    "list (account_id, id, name, created_at, member_count)",
    `${ACCOUNT}, n, 'List ' || n, ${AT}, CASE n WHEN ${LIST} THEN ${PEOPLE - BOUNCED} ELSE 0 END`,
    20_000,
  ],
  [
    "field (account_id, id, name, name_key, data_type, is_private, created_at)",
    `${ACCOUNT}, n, 'Field ' || n, 'field ' || n, 'STRING', false, ${AT}`,
    20_000,
  ],
  [
    "subscriber (account_id, id, address, address_key, first_name, last_name, known_since, bounced_at)",
    `${ACCOUNT}, n, ${KEY}, ${KEY}, 'Name' || n, 'Surname', ${AT}, CASE n % ${PEOPLE / BOUNCED} WHEN 0 THEN ${AT} END`,
    PEOPLE,
  ],
  ["membership (account_id, list_id, subscriber_id, joined_at)", `${ACCOUNT}, ${LIST}, n, ${AT}`, PEOPLE],
  // Every hundredth person is on each of a hundred other lists.
  [
    "membership (account_id, list_id, subscriber_id, joined_at)",
    `${ACCOUNT}, 2 + n % 100, 100 * (1 + n / 100), ${AT}`,
    PEOPLE / 10,
  ],
  [
    "custom_value (account_id, subscriber_id, field_id, value, given_at)",
    `${ACCOUNT}, n, 1 + n % 5, 'Value', ${AT}`,
    PEOPLE / 5,
  ],
  [
    "history (account_id, subscriber_id, at, kind, origin, list_id)",
    `${ACCOUNT}, n, ${AT}, 'joined', 'operator', ${LIST}`,
    PEOPLE / 5,
  ],
  ["campaign (account_id, id, name, created_at)", `${ACCOUNT}, n, 'Campaign ' || n, ${AT}`, 20_000],
  [
    "campaign_list (account_id, campaign_id, list_id, name, list_created_at)",
    `${ACCOUNT}, ${CAMPAIGN}, n, 'List ' || n, ${AT}`,
    20_000,
  ],
  [
    "campaign_event (account_id, campaign_id, event, subscriber_id, at, joined_at, first_name, last_name, address)",
    `${ACCOUNT}, ${CAMPAIGN}, 'hard-bounce', n, ${AT}, ${AT}, 'Name' || n, 'Surname', ${KEY}`,
    PEOPLE / 5,
  ],
  [
    "mailing (account_id, campaign_id, state, started_at, selected, sent)",
    `${ACCOUNT}, n, 'finished', ${AT}, CASE n WHEN ${CAMPAIGN} THEN ${PEOPLE / 5} ELSE 0 END, CASE n WHEN ${CAMPAIGN} THEN ${PEOPLE / 5} ELSE 0 END`,
    20_000,
  ],
  [
    "campaign_content (account_id, campaign_id, sender_id, subject, preheader, included_lists, excluded_lists)",
    `${ACCOUNT}, n, 1 + n % 10, 'Subject', '', '[1]', '[]'`,
    20_000,
  ],
  // Half of them matched nobody.
  [
    "provider_event (account_id, sender_id, event_key, kind, at, received_at, kept_until, subscriber_id, address_key, is_cleared)",
    `${ACCOUNT}, 1, 'event ' || n, 'hard', ${AT}, ${AT}, ${AT}, CASE n % 2 WHEN 0 THEN n END, CASE n % 2 WHEN 1 THEN 'nobody' || n || '@example.org' END, false`,
    40_000,
  ],
  // 2: sent.
  [
    "recipient (account_id, campaign_id, subscriber_id, state, at, code)",
    `${ACCOUNT}, ${CAMPAIGN}, n, 2, ${AT / 1000}, 250`,
    PEOPLE / 5,
  ],
  [
    "block (account_id, pattern, created_at)",
    `${ACCOUNT}, 'blocked-' || n || '@example.org', ${AT}`,
    100_000,
  ],
  [
    "refused (account_id, id, operation, args, is_cut, outcome, fingerprint, first_at, last_at)",
    `${ACCOUNT}, n, 'Subscriber.Add', '{}', false, 'InvalidAddress', {bytes}, ${AT}, ${AT} + n / 10`,
    100_000,
  ],
  [
    "import_batch (account_id, id, file_name, started_by, started_at, counts)",
    `${ACCOUNT}, n, 'table.csv', 'tester', ${AT}, '{}'`,
    20_000,
  ],
  [
    "job (name, kind, account_id, args, created_at, due_at, ended_at, ending)",
    `'job ' || n, 'import', 1 + n % 2, '{}', ${AT}, ${AT}, ${AT}, 'finished'`,
    100_000,
  ],
  [
    "audit (account_id, at, actor_kind, action, thing, thing_id)",
    `1 + n % 2, ${AT}, 'operator', 'list rename', 'list', '1'`,
    PEOPLE / 5,
  ],
  [
    "app_user (id, address, address_key, name, is_administrator, created_at)",
    `n, 'u' || n || '@example.org', 'u' || n || '@example.org', '', false, ${AT}`,
    20_000,
  ],
  ["user_role (account_id, user_id, role)", `1 + n % 2, n, 'viewer'`, 20_000],
  [
    "list_day (account_id, list_id, day, gained, lost)",
    `${ACCOUNT}, 1 + n % 20000, ${DAY} + n / 20000, 1, 0`,
    100_000,
  ],
  [
    "api_key (id, account_id, hash, hint, label, scope, created_at)",
    `n, CASE WHEN n <= 500 THEN ${ACCOUNT} ELSE 2 END, {bytes}, 'hint', '', 'full', ${AT}`,
    20_000,
  ],
  // As many as ten keys can have: 50 programs on each of 400 days.
  [
    "call_day (account_id, key_id, day, program, calls, refusals, faults)",
    `${ACCOUNT}, 1 + n % 10, ${DAY} + n / 10 % 400, 'program ' || (n / 4000), 1, 0, 0`,
    200_000 - 1,
  ],
];

export const fillings = ({ numbers, bytes }: Series): readonly string[] =>
  rows.map(
    ([into, values, count]) =>
      `INSERT INTO ${into} SELECT ${values.replace("{bytes}", bytes("CAST(n AS text)"))} FROM ${numbers(count)}`,
  );
