/** `mailroll refused …`: calls that the service refused, to be corrected and replayed. */

import { listKeys } from "#admin/keys/keys.ts";
import { inWords } from "#admin/kit/in-words.ts";
import { dismissRefusal, findRefusal, listNoOps, listRefusals, replayRefusal } from "#admin/refused-calls.ts";
import type { ApiKey, KeyId } from "#domain/access/key.ts";
import type { AccountId } from "#domain/account.ts";
import type { Refusal } from "#domain/refused-call.ts";
import { PROGRAM } from "#shipped.ts";
import type { Command, Context } from "../../kit/command.ts";
import { keyName } from "../../kit/documents.ts";
import { everyPage, firstRows } from "../../kit/every-page.ts";
import { adviceOn, byteOf, meaningOf, refusalLine, refused, type Subject } from "../../kit/outcome.ts";
import { parseId, parsePair } from "../../kit/parse-call.ts";
import { moment, toJson, toTable } from "../../kit/terminal/output.ts";
import { formatNumber, oneLine } from "../../kit/terminal/text.ts";
import { argumentsOf, refusalGroupCommands, shortArguments } from "./groups.ts";

const DEFAULT_LIMIT = 100;
const labelOf = (id: KeyId | null, keys: readonly ApiKey[]): string | null =>
  keys.find((key) => key.id === id)?.label ?? null;
const document = (refusal: Refusal, keys: readonly ApiKey[]) => ({
  ...inWords(refusal, { key: "keyId", count: "callCount", args: "arguments" }),
  keyName: labelOf(refusal.key, keys),
  byte: byteOf(refusal.outcome),
  arguments: argumentsOf(refusal),
});
const keyText = ({ key }: Refusal, keys: readonly ApiKey[]): string | null =>
  key === null ? null : keyName(key, keys);

function subjectOf(account: AccountId, refusal: Refusal): Subject {
  const { EMail } = argumentsOf(refusal);
  return {
    account,
    address: typeof EMail === "string" ? oneLine(EMail).trim() : null,
    limit: refusal.operation.startsWith("Field.") ? "fields" : "subscribers",
  };
}

async function list({ option, performInAccount, out }: Context): Promise<void> {
  const limit = parseId(option("limit") ?? String(DEFAULT_LIMIT), "--limit");
  const { rows: refused, hasMore } = await firstRows(limit, (page) => performInAccount(listRefusals, page));
  const noOps = await performInAccount(listNoOps, {});
  const keys = await everyPage((page) => performInAccount(listKeys, page));
  const documents = {
    refused: refused.map((refusal) => document(refusal, keys)),
    noOps: noOps.map((one) => inWords(one, { count: "callCount" })),
  };
  out.result(documents, () => {
    const rows = refused.map((refusal) => ({
      id: refusal.id,
      operation: refusal.operation,
      outcome: `${refusal.outcome} (${byteOf(refusal.outcome) ?? "-"})`,
      count: refusal.count,
      firstAt: refusal.firstAt,
      lastAt: refusal.lastAt,
      key: keyText(refusal, keys),
      arguments: shortArguments(refusal),
    }));
    const counted = noOps.map(({ operation, outcome, count }) => ({ operation, outcome, count }));
    return [
      rows.length === 0 ? "There are no refused calls." : toTable(rows),
      ...(!hasMore ? [] : [`These are the newest ${formatNumber(limit)}; for more, give --limit N`]),
      ...(counted.length === 0 ? [] : ["", "No-ops, which are only counted:", toTable(counted)]),
    ].join("\n");
  });
}

const one = async ({ args, account }: Context) => ({
  id: parseId(args[0], "ID"),
  account: (await account()).id,
});

async function show(context: Context): Promise<void> {
  const { perform } = context;
  const asked = await one(context);
  const refusal = await perform(findRefusal, asked);
  const keys = await everyPage((page) => perform(listKeys, { account: asked.account, ...page }));
  const { id, operation, outcome, count, firstAt, lastAt, isCut } = refusal;
  const meaning = meaningOf(outcome);
  const advice = adviceOn(outcome, subjectOf(asked.account, refusal));
  const next = isCut
    ? `Its arguments were too long to be stored in full, so it cannot be replayed. To remove it from the list: ${PROGRAM} refused dismiss ${id}`
    : `To execute it again: ${PROGRAM} refused replay ${id} (add --set NAME=VALUE to correct an argument). To remove it from the list: ${PROGRAM} refused dismiss ${id}`;
  context.out.result({ ...document(refusal, keys), meaning, advice }, () =>
    [
      `Refused call ${id}: ${operation}`,
      "",
      `Outcome    ${outcome} (${byteOf(outcome) ?? "-"}): ${meaning}`,
      `Called     ${count === 1 ? "once" : `${formatNumber(count)} times`}, first ${moment(firstAt)}, last ${moment(lastAt)}`,
      `Key        ${oneLine(keyText(refusal, keys) ?? "-")}`,
      `Arguments  ${toJson(argumentsOf(refusal)).replaceAll("\n", `\n${" ".repeat(11)}`)}`,
      "",
      advice,
      next,
    ].join("\n"),
  );
}

async function replayOne(context: Context): Promise<void> {
  const { options, perform, out } = context;
  const asked = await one(context);
  const corrections = Object.fromEntries(options("set").map((text) => parsePair(text, "--set")));
  const { outcome, byte, isRemoved, call } = await perform(replayRefusal, { ...asked, corrections });
  out.result({ outcome, byte }, () =>
    isRemoved
      ? `${outcome} (${byte}): refused call ${asked.id} ${byte === 0 ? "succeeded" : "had nothing to change"} and was removed from the list.`
      : "Refused again.",
  );
  if (!isRemoved) throw refused(out, outcome, refusalLine(outcome, subjectOf(asked.account, call)));
}

export const refusedCommands: readonly Command[] = [
  {
    name: "refused list",
    options: { limit: { value: "N", doc: `Maximum number of calls to show (default: ${DEFAULT_LIMIT}).` } },
    doc: "Lists the calls that were refused, newest first.",
    example: "refused list --limit 20",
    run: list,
  },
  {
    name: "refused show",
    args: ["ID"],
    doc: "Shows a refused call in full, with the meaning of its outcome and what to do.",
    example: "refused show 7",
    run: show,
  },
  {
    name: "refused replay",
    args: ["ID"],
    options: {
      set: {
        value: "NAME=VALUE",
        repeated: true,
        doc: "Correct an argument, by its name in the call; repeat the option for each argument.",
      },
    },
    doc: "Executes a refused call again. If it succeeds, it is removed from the list.",
    example: "refused replay 7 --set EMail=ada@example.org",
    inputs: { corrections: "set" },
    run: replayOne,
  },
  {
    name: "refused dismiss",
    args: ["ID"],
    doc: "Removes a refused call from the list.",
    example: "refused dismiss 7",
    run: async (context) => {
      const { id } = await context.perform(dismissRefusal, await one(context));
      context.out.result({ id }, () => `Refused call ${id} was removed from the list.`);
    },
  },
  ...refusalGroupCommands,
];
