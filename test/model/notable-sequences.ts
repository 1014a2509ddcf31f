/**
 * Sequences that random generation rarely produces: erased subscribers that return, files that just exceed a
 * limit.
 */
import type { CallerCommand, Interrupting, Row } from "./command.ts";
import { NOW, type Step } from "./steps.ts";

const start = { at: NOW, origin: { kind: "operator" } } as const;
const later = { ...start, at: NOW + 3000 };
const fromFile = {
  ...start,
  kind: "import",
  origin: { kind: "import", batch: null },
  overwrite: false,
} as const;
const adaIn: Row = {
  email: "ADA@Example.ORG",
  joinedAt: null,
  suppressions: {},
  isDuplicate: false,
  data: { firstName: "Ada" },
  values: [],
};
const adaOut: Row = { ...adaIn, suppressions: { unsubscribed: NOW }, data: {} };
const ada = { ...later, email: "ada@example.org" } as const;
const one = (command: CallerCommand): Step => ({ together: [command], between: null });
const order = (between: Interrupting): Step => ({ together: [], between });
const eraseAda = order({ ...later, kind: "erase", key: "ada@example.org" });
const addAda = one({ ...ada, kind: "add", list: 0 });
const pendingAda = one({ ...start, email: ada.email, kind: "add", list: 0, status: "pending" });
const blockAda = order({ ...start, kind: "block", pattern: "ada@example.org" });
const blockDomain = order({ ...later, kind: "block", pattern: "@example.org" });

const namedAda = (firstName: string, lastName: string | null = null): CallerCommand => ({
  ...ada,
  kind: "add-with-data",
  list: 0,
  data: { firstName, lastName, gender: null, birthday: null, countryNumber: null, values: [] },
});
const adaLeft = { ...ada, kind: "event", campaign: 0, event: "unsubscribed" } as const;
const adaBack = { ...ada, kind: "reactivate", suppression: "unsubscribed" } as const;

export const notableSequences: readonly (readonly Step[])[] = [
  // Names that change before, with and after a campaign event.
  [
    one(namedAda("Ada")),
    one(adaLeft),
    one(adaBack),
    one(namedAda("Augusta & Co.")),
    { together: [namedAda("Eva", "King"), adaLeft, adaBack, namedAda("Eve")], between: null },
    { alone: { ...fromFile, overwrite: true, list: 0, rows: [adaIn] } },
    eraseAda,
  ],
  [
    addAda,
    one({ ...ada, kind: "event", campaign: 0, event: "complained" }),
    addAda,
    eraseAda,
    addAda,
    { alone: { ...fromFile, list: 0, rows: [{ ...adaIn, suppressions: { bounced: NOW } }, adaIn] } },
    one({ ...ada, kind: "event", campaign: 0, event: "complained" }),
    one({ ...ada, kind: "remove", list: 0 }),
    { alone: { ...fromFile, list: null, rows: [adaOut, adaOut] } },
    one({ ...ada, kind: "reactivate", suppression: "complained" }),
    eraseAda,
    one({ ...ada, kind: "unsubscribe" }),
    one({ ...ada, kind: "reactivate", suppression: "unsubscribed" }),
    addAda,
    eraseAda,
    addAda,
  ],
  [
    blockAda,
    blockDomain,
    eraseAda,
    addAda,
    one({ ...ada, kind: "unsubscribe" }),
    order({ ...later, kind: "unblock", pattern: "@example.org" }),
    one({ ...ada, kind: "reactivate", suppression: "unsubscribed" }),
    addAda,
    order({ ...later, kind: "unblock", pattern: "ada@example.org" }),
    addAda,
  ],
  [
    blockAda,
    eraseAda,
    order({ ...later, kind: "block", pattern: "ada@example.org" }),
    eraseAda,
    { alone: { ...fromFile, list: null, rows: [adaOut] } },
    order({ ...later, kind: "unblock", pattern: "ada@example.org" }),
  ],
  [
    addAda,
    one({ ...ada, kind: "unsubscribe" }),
    one({ ...ada, kind: "event", campaign: 0, event: "bounced" }),
    eraseAda,
    one({ ...ada, kind: "reactivate", suppression: "bounced" }),
    addAda,
  ],
  [
    addAda,
    one({ ...ada, kind: "remove", list: 0 }),
    ...[null, NOW, later.at, later.at + 1].map(
      (joinedAt): Step => ({ alone: { ...fromFile, list: 0, rows: [{ ...adaIn, joinedAt }] } }),
    ),
  ],
  [
    order({ kind: "limit", subscribers: 1, fields: null }),
    { alone: { ...fromFile, list: 0, rows: [adaIn, { ...adaIn, email: "bob@example.org" }] } },
  ],
  [blockAda, eraseAda, order({ ...later, kind: "unblock", pattern: "ada@example.org" }), addAda],
  // Pending on one list of the campaign, and active on the other since later.
  [
    pendingAda,
    addAda,
    one({ ...ada, kind: "add", list: 1 }),
    { alone: { ...fromFile, list: 0, rows: [adaIn, { ...adaIn, joinedAt: NOW }] } },
    one({ ...ada, kind: "unsubscribe" }),
    { alone: { ...fromFile, list: 0, rows: [adaIn] } },
    one({ ...ada, kind: "reactivate", suppression: "unsubscribed" }),
    blockDomain,
    order({ ...later, kind: "unblock", pattern: "@example.org" }),
    one({ ...ada, kind: "event", campaign: 0, event: "bounced" }),
    one({ ...ada, kind: "reactivate", suppression: "bounced" }),
    one({ ...ada, kind: "remove", list: 0 }),
    pendingAda,
    { alone: { ...later, kind: "delete-list", list: 0 } },
  ],
  // Pending on one list of the campaign, on none of them active, and known since earlier.
  [
    one({ ...start, email: ada.email, kind: "unsubscribe" }),
    one({ ...ada, kind: "reactivate", suppression: "unsubscribed" }),
    one({ ...ada, kind: "add", list: 0, status: "pending" }),
    one({ ...ada, kind: "event", campaign: 0, event: "complained" }),
  ],
  [pendingAda, one({ ...ada, kind: "add", list: 1 }), eraseAda],
];
