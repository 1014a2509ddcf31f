/** `mailroll key …` */
import { createKey, findKey, listKeys, revokeKey, setKey } from "#admin/keys/keys.ts";
import { type ApiKey, isShort, isUsable, SHORT_KEY_WARNING, scopes } from "#domain/access/key.ts";
import { asTyped } from "#shipped.ts";
import { type Command, type Context, UsageError } from "../kit/command.ts";
import { requireConfirmation, yesOption } from "../kit/confirmation.ts";
import { keyDocument, keyName } from "../kit/documents.ts";
import { everyPage } from "../kit/every-page.ts";
import { firstLine } from "../kit/files.ts";
import { parseChoice, parseId } from "../kit/parse-call.ts";
import { moment } from "../kit/terminal/output.ts";
import { parseEnd } from "../kit/terminal/text.ts";

const validity = ({ expiresAt }: ApiKey): string =>
  expiresAt === null ? "does not expire" : `expires ${moment(expiresAt)}`;

async function revoke(context: Context): Promise<void> {
  const { args, perform, account, out } = context;
  const id = parseId(args[0], "ID");
  const owner = await account();
  const one = { account: owner.id, id };
  const found = await perform(findKey, one);
  const name = keyName(id, [found]);
  if (found.revokedAt === null)
    await requireConfirmation(context, {
      verb: "Revoke",
      done: "revoked",
      what: `${name} of account ${owner.id} (${owner.name}), ${found.lastUsedAt === null ? "never used" : `last used ${moment(found.lastUsedAt)}`}`,
      consequence: "Programs that use it stop working within a second, permanently.",
    });
  const revoked = await perform(revokeKey, one);
  out.result(keyDocument(revoked), () => `Revoked at ${moment(revoked.revokedAt)}: ${name}.`);
}

async function set({ args, option, perform, account, out }: Context): Promise<void> {
  const label = option("label");
  if (label === undefined && option("expires") === undefined)
    throw new UsageError("nothing to set: give --label or --expires");
  const id = parseId(args[0], "ID");
  const changes = {
    label,
    expiresAt: option("expires", (text, what) => (text === "none" ? null : parseEnd(text, what))),
  };
  const owner = await account();
  const changed = await perform(setKey, { account: owner.id, id, ...changes });
  out.result(
    keyDocument(changed),
    () => `Changed: ${keyName(id, [changed])} of account ${owner.id} (${owner.name}), ${validity(changed)}.`,
  );
}

export const keyCommands: readonly Command[] = [
  {
    name: "key create",
    options: {
      label: { value: "L", doc: "What the key is for; shown in tables and in the history." },
      scope: { value: "full|read", doc: "What the key may do: everything, or only read (default: full)." },
      expires: {
        value: "DATE",
        doc: "When the key expires: a date (the end of that day in UTC) or a dateTime with its time zone.",
      },
      key: {
        value: "KEY",
        doc: "An existing key that integrations already use; - reads it from standard input, so that other users of the machine cannot see it.",
      },
    },
    doc: "Creates an API key and shows it once, or registers an existing key.",
    example: "key create --label 'Web shop' --expires 2027-12-31",
    ifNotShown:
      "The key was created, but not shown: find its id with 'mailroll key list', and revoke it with 'mailroll key revoke ID'",
    inputs: { expiresAt: "expires", existing: "key" },
    run: async ({ option, perform, account, out }) => {
      const wanted = {
        label: option("label") ?? "",
        scope: parseChoice(option("scope") ?? "full", "--scope", scopes),
        expiresAt: option("expires", parseEnd) ?? null,
      };
      const given = option("key");
      const existing = given === undefined ? null : given === "-" ? await firstLine() : given;
      const { id, name } = await account();
      const { key: made, secret } = await perform(createKey, { ...wanted, account: id, existing });
      if (isShort(made)) out.note(`warning: this key ${asTyped(SHORT_KEY_WARNING)}`);
      const { id: number, ...rest } = keyDocument(made);
      const what = `Key ${number} of account ${id} (${name}), scope ${made.scope}, ${validity(made)}.`;
      if (secret === null)
        out.result(keyDocument(made), () => `${what}\nThe existing key was registered: ${made.hint}…`);
      else
        out.result(
          { id: number, secret, ...rest },
          () => `${secret}\n\n${what}\nIt is shown only once: save it now.`,
        );
    },
  },
  {
    name: "key list",
    doc: "Lists the API keys with their first four characters; the keys themselves are not stored.",
    example: "key list",
    run: async ({ performInAccount, now, out }) => {
      const keys = await everyPage((page) => performInAccount(listKeys, page));
      const shown = keys.map(keyDocument);
      out.table(shown, "There is no key yet; create one with 'mailroll key create'.", (key) => ({
        id: key.id,
        hint: `${key.hint}…`,
        name: key.name,
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
    name: "key set",
    args: ["ID"],
    options: {
      label: { value: "L", doc: "What the key is for; '' for no label." },
      expires: {
        value: "DATE",
        doc: "When the key expires: a date (the end of that day in UTC) or a dateTime with its time zone; 'none' if it does not.",
      },
    },
    doc: "Changes the label of a key, or when it expires.",
    details:
      "A key that has expired works again with a later date; one that was revoked never does. To stop a key at once, use 'key revoke'.",
    example: "key set 3 --label 'Web shop' --expires 2027-12-31",
    inputs: { expiresAt: "expires" },
    run: set,
  },
  {
    name: "key revoke",
    args: ["ID"],
    options: yesOption,
    doc: "Revokes a key permanently, after confirmation; it stops working within a second.",
    example: "key revoke 3 --yes",
    run: revoke,
  },
];
