/** `mailroll statistics …` */

import { keyUse, MAX_KEY_DAYS, SHOWN_PROGRAMS } from "#admin/keys/key-use.ts";
import { inWords } from "#admin/kit/in-words.ts";
import { MAX_PAGE } from "#admin/kit/paging.ts";
import {
  callDays,
  DEFAULT_DAYS,
  listTotals,
  MAX_DAYS,
  subscriberDays,
  topPrograms,
} from "#admin/statistics.ts";
import { CALLS_KEPT_DAYS, MAX_PROGRAMS, type QuirkKind } from "#domain/statistics.ts";
import type { Command, Context, Option } from "../kit/command.ts";
import { everyPage } from "../kit/every-page.ts";
import { parseId } from "../kit/parse-call.ts";
import { moment, toTable } from "../kit/terminal/output.ts";
import { campaignStatistics } from "./campaign/show.ts";

const range: Readonly<Record<string, Option>> = {
  from: { value: "DATE", doc: `The first day (default: so that ${DEFAULT_DAYS} days are shown).` },
  to: { value: "DATE", doc: "The last day (default: today)." },
};
const RANGE = `Days are days in UTC. At most ${MAX_DAYS} days are shown at once.`;

const daysOf = ({ option }: Context) => ({ from: option("from") ?? null, to: option("to") ?? null });

const keyOf = ({ option }: Context): number | null => option("key", parseId) ?? null;

const quirkTexts: Readonly<Record<QuirkKind, string>> = {
  "charset-mismatch": "sends text in another charset than it declares",
  "http-1.0": "speaks HTTP/1.0",
  "wsdl-every-call": "reads the WSDL again for its calls; turn on its WSDL cache",
};

async function showCalls(context: Context): Promise<void> {
  const { account, perform, has, out } = context;
  const of = {
    account: (await account()).id,
    key: keyOf(context),
    ...daysOf(context),
  };
  if (has("by-day")) {
    const rows = await everyPage((page) => perform(callDays, { ...of, ...page }));
    out.table(
      rows.map(({ key, date, ...row }) => ({ date, keyId: key, ...row })),
      "There are no calls in these days.",
    );
    return;
  }
  const { programs: found, hasMore, quirks } = await perform(topPrograms, { ...of, limit: MAX_PAGE });
  const programs = found.map(({ key, ...row }) => ({ keyId: key, ...row }));
  if (hasMore) out.note(`these are the ${MAX_PAGE} programs with the most calls; for others, give --key ID`);
  const shown = quirks.map((quirk) => inWords(quirk, { key: "keyId", seenAt: "lastSeenAt" }));
  out.result({ programs, quirks: shown }, () =>
    [
      programs.length === 0 ? "There are no calls in these days." : toTable(programs),
      ...quirks.map(
        ({ key, quirk, program, seenAt }) =>
          `Key ${key}: ${program} ${quirkTexts[quirk]} (last seen ${moment(seenAt)}).`,
      ),
    ].join("\n"),
  );
}

export const statisticsCommands: readonly Command[] = [
  {
    name: "statistics subscribers",
    options: { list: { value: "ID", doc: "The numbers of this list instead of the account." }, ...range },
    doc: "Shows for each day how many subscribers joined and left, and how many were active at its end.",
    details: `A subscriber joins by becoming active, and leaves by an opt-out, a bounce, a complaint, a block or an erasure. With
--list, members also leave by being removed from the list. ${RANGE} Numbers of days before statistics were introduced are
computed from the stored data: they lack erased subscribers, and suppressions that were cleared again.`,
    example: "statistics subscribers --list 1 --from 2026-11-01",
    run: async (context) => {
      const { account, perform, out } = context;
      const args = {
        account: (await account()).id,
        list: context.option("list", parseId) ?? null,
        ...daysOf(context),
      };
      out.table(await perform(subscriberDays, args), "There are no days.");
    },
  },
  {
    name: "statistics lists",
    options: range,
    doc: "Shows for each list how many joined and left, and how many members it has now.",
    details: RANGE,
    example: "statistics lists --from 2026-10-01 --to 2026-10-31",
    run: async (context) => {
      const { account, perform, out } = context;
      const args = { account: (await account()).id, ...daysOf(context) };
      const rows = await everyPage((page) => perform(listTotals, { ...args, ...page }));
      out.table(
        rows.map(({ id, name, joined, left, members }) => ({ id, name, joined, left, members })),
        "There is no list yet; create one with 'mailroll list create NAME'.",
      );
    },
  },
  {
    name: "statistics calls",
    options: {
      key: { value: "ID", doc: "Only calls with this API key." },
      "by-day": { doc: "One line per day, key and program, instead of the totals." },
      ...range,
    },
    doc: "Shows the number of calls, refusals and faults for each API key and client program.",
    details: `The program is the product that the User-Agent names. If a key has more than ${MAX_PROGRAMS} programs a day, the further ones are
counted as (other). Calls without a valid key are not counted. Below the totals are observations about clients, such as
a wrong charset. Counts are kept for ${CALLS_KEPT_DAYS} days. They are written every five seconds; if a process is killed, its counts since
the last write are lost. ${RANGE}`,
    example: "statistics calls --key 1",
    run: showCalls,
  },
  {
    name: "statistics keys",
    options: { key: { value: "ID", doc: "Only this API key." }, ...range },
    doc: "Shows for each API key how many calls, refusals and faults it had, and from how many programs.",
    details: `Also keys without calls. With --json, every day of the range, and the ${SHOWN_PROGRAMS} programs with the most calls. Days are days in UTC.
At most ${MAX_KEY_DAYS} days are shown at once.`,
    example: "statistics keys --from 2026-11-01",
    run: async (context) => {
      const { account, perform, out } = context;
      const of = {
        account: (await account()).id,
        key: keyOf(context),
        ...daysOf(context),
      };
      const uses = await everyPage((page) => perform(keyUse, { ...of, ...page }));
      out.table(
        uses.map(({ key, total, days, programs, programCount }) => ({
          ...{ keyId: key.id, name: key.label || null, total, days, programs, programCount },
        })),
        "There is no API key yet; create one with 'mailroll key create'.",
        ({ keyId, name, total, programCount }) => ({ keyId, name, ...total, programCount }),
      );
    },
  },
  campaignStatistics,
];
