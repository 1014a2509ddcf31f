/** Campaigns of the shop that are sent from here: one that is over, one that is being sent, and a draft. */
import assert from "node:assert/strict";
import type { OfMailing } from "#domain/ports/sending/mailings.ts";
import type { Store } from "#domain/ports/store.ts";
import { type CampaignContent, emptyContent } from "#domain/sending/mailing.ts";
import { newDkimKey } from "#domain/sending/sender.ts";
import { begin, FAILED, type Outcome, SENT, senderValues, sendSome } from "../sending-campaign.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;

const MARKDOWN = `# Good morning, {{ first_name | default: "coffee lover" }}

The **winter roasts** are here: two from Ethiopia, one from the Azores, and a decaf that we drink ourselves.
{% if fields.Town %}
From Monday on you can taste all four in **{{ fields.Town }}**.
{% endif %}
| Roast | 250 g |
|---|---|
| Yirgacheffe, light | € 9.50 |
| Sidamo, medium | € 8.90 |
| Ribeira Quente, dark | € 11.00 |

[Taste them](https://northwind.example/winter)

See you soon,
Ana and Tomás
`;

/** As a relay answers: nearly all are accepted. */
const outcome = (nth: number): Outcome => {
  if (nth % 97 === 13)
    return { ...{ state: "failed", code: 550, isHardBounce: true }, reply: "550 5.1.1 User unknown" };
  if (nth % 211 === 41) return { ...FAILED, reply: "552 5.2.2 Mailbox full" } as Outcome;
  if (nth % 389 === 57) return { state: "unknown", reply: "the connection was lost after the message" };
  return SENT;
};

/** Ids of the campaigns, by what they show. */
export interface SentFromHere {
  readonly draft: number;
  readonly sending: number;
  readonly finished: number;
}

export async function fillSending(store: Store, now: number): Promise<SentFromHere> {
  const { id: sender } = await store.senders.create({
    ...{ ...senderValues, account: 1, createdAt: now - 60 * DAY_MS, fromName: "Northwind Coffee" },
    ...{ fromAddress: "hello@northwind.example", postalAddress: "Rua do Carmo 7\n1200-093 Lisbon" },
    ...{ signing: "mailroll", dkimDomain: "northwind.example", dkimSelector: "mailroll" },
    ...{ dkimKey: await newDkimKey(), perDay: 20_000 },
    relays: [{ url: "smtp://northwind@smtp.example.net:587", weight: 1 }],
  });
  const compose = async (name: string, at: number, more: Partial<CampaignContent>): Promise<OfMailing> => {
    const made = await store.mailings.create({
      ...{ account: 1, name, at },
      content: { ...emptyContent, sender, markdown: MARKDOWN, layout: "newsletter", lists: [1], ...more },
    });
    assert.ok("campaign" in made);
    return { account: 1, campaign: made.campaign.id };
  };
  const finished = await compose("Advent calendar", now - 2 * DAY_MS, { lists: [2], subject: "24 doors" });
  await begin(store, finished, now - 2 * DAY_MS);
  while (await sendSome(store, finished, now - 2 * DAY_MS + MINUTE_MS, { limit: 500, outcome }));
  const sending = await compose("Winter roasts", now - DAY_MS, { subject: "The winter roasts are here" });
  await begin(store, sending, now - 2 * MINUTE_MS);
  for (const limit of [500, 500, 120]) await sendSome(store, sending, now, { limit, outcome });
  const draft = await compose("Tasting in your town", now - 3600_000, {
    ...{ subject: "{{ first_name }}, taste the winter roasts", excludedLists: [3] },
    preheader: "Four new coffees, and a table for you",
  });
  return { draft: draft.campaign, sending: sending.campaign, finished: finished.campaign };
}
