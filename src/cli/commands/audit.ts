/** `mailroll audit list`: who changed what. */

import { auditedActor } from "#admin/actor-names.ts";
import { type AuditPage, listAudit, shownValues } from "#admin/audit.ts";
import { inWords } from "#admin/kit/in-words.ts";
import type { AuditEntry, AuditedValues } from "#domain/access/audit.ts";
import { originKinds } from "#domain/access/origin.ts";
import { type Command, UsageError } from "../kit/command.ts";
import { firstRows } from "../kit/every-page.ts";
import { parseId } from "../kit/parse-call.ts";
import { moment } from "../kit/terminal/output.ts";
import { counted, parseTime } from "../kit/terminal/text.ts";

const DEFAULT_LIMIT = "50";

const valueText = (name: string, value: AuditedValues[string] | undefined): string => {
  if (value === null || value === undefined || value === "") return "-";
  return typeof value === "number" && name.endsWith("At") ? moment(value) : String(value);
};
const document = (entry: AuditEntry, { names, things }: AuditPage) => ({
  ...inWords(entry, { account: "accountId", from: "clientAddress" }),
  about: { ...entry.about, name: things.of(entry.account, entry.about.kind, entry.about.id) },
  actor: auditedActor(entry, names),
  before: entry.before === null ? null : shownValues(entry.before),
  after: entry.after === null ? null : shownValues(entry.after),
});
/** Such as "name: News → Weekly"; of something that was created or deleted, its values. */
function changeText({ before, after }: Pick<AuditEntry, "before" | "after">): string {
  const pairs = Object.keys(after ?? before ?? {}).map((name) => {
    const [was, is] = [before, after].map((values) => valueText(name, values?.[name]));
    return `${name}: ${before !== null && after !== null ? `${was} → ${is}` : after === null ? was : is}`;
  });
  return pairs.join("; ");
}

function parseActor(text: string): AuditEntry["actor"] {
  const [, word = "", name = null] = /^([a-z]+)(?::(.+))?$/.exec(text) ?? [];
  const kind = originKinds.find((one) => one === word);
  if (kind === undefined)
    throw new UsageError(`--by takes user:ID, key:ID or operator; '${text}' is not of that form`);
  return { kind, name };
}

export const auditCommands: readonly Command[] = [
  {
    name: "audit list",
    options: {
      limit: {
        value: "N",
        doc: `Maximum number of entries to show, newest first (default: ${DEFAULT_LIMIT}).`,
      },
      action: { value: "NAME", doc: "Only entries of this action, such as list.delete." },
      by: {
        value: "WHO",
        doc: "Only what this actor did: 'user:ID', 'key:ID', or 'operator' for the command line.",
      },
      since: { value: "DATE", doc: "Only entries since a date, in UTC, or a dateTime with its time zone." },
      "all-accounts": { doc: "The entries of all accounts, and those of the installation as a whole." },
    },
    doc: "Lists who changed what: accounts, keys, users, lists, fields, blocks, campaigns, imports, refused calls.",
    details: `Each entry has the system user who ran the command or the user of the JSON API, the action, the object, and what has
changed. Changes of one subscriber are in the history of that subscriber instead: 'mailroll subscriber show EMAIL'.`,
    example: "audit list --action list.delete --since 2026-11-01",
    run: async ({ option, has, perform, account, out }) => {
      const isAll = has("all-accounts");
      if (isAll && option("account") !== undefined)
        throw new UsageError("--account and --all-accounts contradict each other; give only one of them");
      const limit = parseId(option("limit") ?? DEFAULT_LIMIT, "--limit");
      const asked = {
        actor: option("by", parseActor) ?? null,
        action: option("action") ?? null,
        since: option("since", parseTime) ?? null,
        account: isAll ? null : (await account()).id,
      };
      const { rows: entries, hasMore } = await firstRows(limit, async (inputs) => {
        const found = await perform(listAudit, { ...asked, ...inputs });
        const { names: _, things: __, rows, ...page } = found;
        return { ...page, rows: rows.map((entry) => document(entry, found)) };
      });
      if (hasMore)
        out.note(
          `these are the newest ${counted(entries.length, "entry", "entries")}; for more, give --limit N`,
        );
      out.table(entries, "There are no such entries.", (entry) => ({
        id: entry.id,
        at: entry.at,
        ...(isAll ? { account: entry.accountId } : {}),
        who: `${entry.actor.kind} ${entry.actor.name ?? entry.actor.id ?? ""}`.trim(),
        action: entry.action,
        what: [entry.about.kind, entry.about.id, entry.about.name ?? ""].join(" ").trim(),
        change: changeText(entry),
      }));
    },
  },
];
