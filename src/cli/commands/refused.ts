/** `mailroll refused …`: calls that the service refused, to be corrected and replayed. */
import { contract, type Operations } from "../../contract/operations.ts";
import type { Account } from "../../domain/account.ts";
import type { ApiKey, KeyId } from "../../domain/key.ts";
import type { Refusal } from "../../domain/refusal.ts";
import { performerFor } from "../../operations/handlers.ts";
import { BadArgument } from "../../refusals/recorded-call.ts";
import { NotReplayable, replay } from "../../refusals/replay.ts";
import { parseId, parsePair } from "../kit/arguments/arguments.ts";
import { type Command, type Context, Failure, UsageError } from "../kit/command.ts";
import { keyName } from "../kit/key-name.ts";
import { adviceOn, byteOf, meaningOf, refusalLine, refuse, type Subject } from "../kit/outcome.ts";
import { formatNumber } from "../kit/terminal/numbers.ts";
import { moment, toJson, toTable } from "../kit/terminal/output.ts";
import { oneLine, shorten } from "../kit/terminal/terminal-text.ts";

const DEFAULT_LIMIT = 100;
const ARGUMENTS_WIDTH = 60;

type Arguments = Readonly<Record<string, unknown>>;
const argumentsOf = ({ args }: Refusal): Arguments => JSON.parse(args) as Arguments;
const labelOf = (id: KeyId | null, keys: readonly ApiKey[]): string | null =>
  keys.find((key) => key.id === id)?.label ?? null;
const document = (refusal: Refusal, keys: readonly ApiKey[]) => ({
  ...refusal,
  keyLabel: labelOf(refusal.key, keys),
  byte: byteOf(refusal.outcome),
  args: argumentsOf(refusal),
});
const keyText = ({ key }: Refusal, keys: readonly ApiKey[]): string | null =>
  key === null ? null : keyName(key, keys);

const shortArguments = (refusal: Refusal): string =>
  shorten(
    Object.entries(argumentsOf(refusal))
      .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(" "),
    ARGUMENTS_WIDTH,
  );

function subjectOf(account: Account, refusal: Refusal): Subject {
  const { EMail } = argumentsOf(refusal);
  return {
    account: account.id,
    address: typeof EMail === "string" ? oneLine(EMail).trim() : null,
    limit: refusal.operation.startsWith("Field.") ? "fields" : "subscribers",
  };
}

async function list({ option, store, account, out }: Context): Promise<void> {
  const limit = parseId(option("limit") ?? String(DEFAULT_LIMIT), "--limit");
  const { id } = await account();
  const opened = await store();
  const { rows: refused, next } = await opened.refusals.all.page({ account: id }, { after: null, limit });
  const noOps = await opened.refusals.noOps({ account: id });
  const keys = await opened.keys.all({ account: id });
  out.result({ refused: refused.map((refusal) => document(refusal, keys)), noOps }, () => {
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
      ...(next === null ? [] : [`These are the newest ${formatNumber(limit)}; for more, give --limit N`]),
      ...(counted.length === 0 ? [] : ["", "No-ops, which are only counted:", toTable(counted)]),
    ].join("\n");
  });
}

async function find({ args, store, account }: Context) {
  const id = parseId(args[0], "ID");
  const owner = await account();
  const opened = await store();
  const refusal = await opened.refusals.byId({ account: owner.id, id });
  if (refusal === null) throw unknown(id);
  return { owner, opened, refusal };
}
const unknown = (id: number): Failure =>
  new Failure(`there is no refused call ${id}; see 'mailroll refused list'`, "NotFound");

async function show(context: Context): Promise<void> {
  const { owner, opened, refusal } = await find(context);
  const keys = await opened.keys.all({ account: owner.id });
  const { id, operation, outcome, count, firstAt, lastAt, isCut } = refusal;
  const meaning = meaningOf(outcome);
  const advice = adviceOn(outcome, subjectOf(owner, refusal));
  const next = isCut
    ? `Its arguments were too long to be stored in full, so it cannot be replayed. To remove it from the list: mailroll refused dismiss ${id}`
    : `To execute it again: mailroll refused replay ${id} (add --set NAME=VALUE to correct an argument). To remove it from the list: mailroll refused dismiss ${id}`;
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

/** Parameters by their names in the contract; the given names are compared ignoring case. */
function parseCorrections(texts: readonly string[], operation: string): Readonly<Record<string, string>> {
  const names = Object.keys(contract.operations[operation as keyof Operations].params);
  return Object.fromEntries(
    texts.map((text) => {
      const [given, value] = parsePair(text, "--set");
      return [names.find((name) => name.toLowerCase() === given.toLowerCase()) ?? given, value];
    }),
  );
}

async function replayOne(context: Context): Promise<void> {
  const { owner, opened, refusal } = await find(context);
  const { id, operation } = refusal;
  if (!Object.hasOwn(contract.operations, operation))
    throw new Failure(`this version has no operation ${operation}, so the call cannot be replayed`);
  const corrections = parseCorrections(context.options("set"), operation);
  const { outcome, byte } = await replay(
    { store: opened, perform: performerFor({ store: opened, clock: Date.now }) },
    owner.id,
    refusal,
    corrections,
    Date.now(),
  ).catch((error: unknown) => {
    if (error instanceof BadArgument) throw new UsageError(error.message);
    throw error instanceof NotReplayable ? new Failure(error.message) : error;
  });
  context.out.result({ outcome, byte }, () =>
    byte === 0
      ? `${outcome} (${byte}): refused call ${id} succeeded and was removed from the list.`
      : "Refused again.",
  );
  if (byte === 0) return;
  const corrected: Refusal = {
    ...refusal,
    args: JSON.stringify({ ...argumentsOf(refusal), ...corrections }),
  };
  refuse(context.out, outcome, refusalLine(outcome, subjectOf(owner, corrected)));
}

export const refusedCommands: readonly Command[] = [
  {
    name: "refused list",
    args: [],
    options: { limit: { value: "N", doc: `Maximum number of calls to show (default: ${DEFAULT_LIMIT}).` } },
    doc: "Lists the calls that were refused, newest first.",
    example: "refused list --limit 20",
    inAccount: true,
    run: list,
  },
  {
    name: "refused show",
    args: ["ID"],
    options: {},
    doc: "Shows a refused call in full, with the meaning of its outcome and what to do.",
    example: "refused show 7",
    inAccount: true,
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
    inAccount: true,
    run: replayOne,
  },
  {
    name: "refused dismiss",
    args: ["ID"],
    options: {},
    doc: "Removes a refused call from the list.",
    example: "refused dismiss 7",
    inAccount: true,
    run: async ({ args, store, account, out }) => {
      const id = parseId(args[0], "ID");
      const owner = await account();
      if (!(await (await store()).refusals.dismiss({ account: owner.id, id }))) throw unknown(id);
      out.result({ id }, () => `Refused call ${id} was removed from the list.`);
    },
  },
];
