/** `mailroll key …` */
import {
  type ApiKey,
  isShort,
  isUsable,
  newKey,
  parseKey,
  SHORT_KEY_WARNING,
  scopes,
  storedForm,
} from "../../domain/key.ts";
import { parseChoice, parseId, requireName } from "../kit/arguments/arguments.ts";
import { type Command, type Context, Failure, notFound, UsageError } from "../kit/command.ts";
import { requireConfirmation, yesOption } from "../kit/confirmation.ts";
import { firstLine } from "../kit/files/input.ts";
import { keyName } from "../kit/key-name.ts";
import { moment } from "../kit/terminal/output.ts";
import { parseEnd } from "../kit/terminal/time.ts";

const validity = ({ expiresAt }: ApiKey): string =>
  expiresAt === null ? "does not expire" : `expires ${moment(expiresAt)}`;

function parseExpiry(text: string | undefined, now: number): number | null {
  if (text === undefined) return null;
  const expiresAt = parseEnd(text, "--expires");
  if (expiresAt <= now) throw new UsageError(`--expires must be in the future; '${text}' is in the past`);
  return expiresAt;
}

/** The message does not repeat the value: it may be a real key with one typo. */
function requireKey(text: string): string {
  const key = parseKey(text);
  if (key === null) throw new UsageError("--key takes 8 to 128 printable characters without spaces");
  return key;
}

async function revoke(context: Context): Promise<void> {
  const { args, store, account, now, out } = context;
  const id = parseId(args[0], "ID");
  const owner = await account();
  const opened = await store();
  const keys = await opened.keys.all({ account: owner.id });
  const found = keys.find((key) => key.id === id);
  if (found === undefined) throw notFound("key", id);
  const name = keyName(id, keys);
  if (found.revokedAt === null)
    await requireConfirmation(context, {
      verb: "Revoke",
      does: "revokes",
      done: "revoked",
      what: `${name} of account ${owner.id} (${owner.name}), ${found.lastUsedAt === null ? "never used" : `last used ${moment(found.lastUsedAt)}`}`,
      consequence: "Programs that use it stop working within a second, permanently.",
    });
  const revoked = await opened.keys.revoke({ account: owner.id, id, at: now });
  if (revoked === null) throw notFound("key", id);
  out.result(revoked, () => `Revoked at ${moment(revoked.revokedAt)}: ${name}.`);
}

export const keyCommands: readonly Command[] = [
  {
    name: "key create",
    args: [],
    options: {
      label: { value: "L", doc: "What the key is for; shown in tables and in the history." },
      scope: { value: "full|read", doc: "What the key may do: everything, or only read (default: full)." },
      expires: {
        value: "DATE",
        doc: "When the key expires: a date (the end of that day) or a dateTime, in UTC if it has no offset.",
      },
      key: {
        value: "KEY",
        doc: "An existing key that integrations already use; - reads it from standard input, so that other users of the machine cannot see it.",
      },
    },
    doc: "Creates an API key and shows it once, or registers an existing key.",
    example: "key create --label 'Web shop' --expires 2027-12-31",
    inAccount: true,
    ifNotShown:
      "The key was created, but not shown: find its id with 'mailroll key list', and revoke it with 'mailroll key revoke ID'",
    run: async ({ option, store, account, now, out }) => {
      const label = option("label")?.trim() ?? "";
      const wanted = {
        label: label === "" ? "" : requireName(label),
        scope: parseChoice(option("scope") ?? "full", "--scope", scopes),
        expiresAt: parseExpiry(option("expires"), now),
      };
      const existing = option("key");
      const taken =
        existing === undefined ? null : requireKey(existing === "-" ? await firstLine() : existing);
      const { id, name } = await account();
      const key = taken ?? newKey();
      const made = await (await store()).keys.create({
        ...wanted,
        account: id,
        ...storedForm(key),
        at: now,
      });
      if (made === null)
        throw new Failure(
          taken === null
            ? "the new key already exists; try again"
            : "the key already exists in this installation, and a key belongs to one account only; give another key",
          "AlreadyExists",
        );
      if (isShort(made)) out.note(`warning: this key ${SHORT_KEY_WARNING}`);
      const { id: number, ...rest } = made;
      const what = `Key ${number} of account ${id} (${name}), scope ${made.scope}, ${validity(made)}.`;
      if (taken !== null) out.result(made, () => `${what}\nThe existing key was registered: ${made.hint}…`);
      else
        out.result(
          { id: number, key, ...rest },
          () => `${key}\n\n${what}\nIt is shown only once: save it now.`,
        );
    },
  },
  {
    name: "key list",
    args: [],
    options: {},
    doc: "Lists the API keys with their first four characters; the keys themselves are not stored.",
    example: "key list",
    inAccount: true,
    run: async ({ store, account, now, out }) => {
      const { id } = await account();
      const keys = await (await store()).keys.all({ account: id });
      out.table(keys, "There is no key yet; create one with 'mailroll key create'.", (key) => ({
        id: key.id,
        hint: `${key.hint}…`,
        label: key.label,
        scope: key.scope,
        works: isUsable(key, now),
        createdAt: key.createdAt,
        expiresAt: key.expiresAt,
        revokedAt: key.revokedAt,
        lastUsedAt: key.lastUsedAt,
      }));
    },
  },
  {
    name: "key revoke",
    args: ["ID"],
    options: yesOption,
    doc: "Revokes a key permanently, after confirmation; it stops working within a second.",
    example: "key revoke 3 --yes",
    inAccount: true,
    run: revoke,
  },
];
