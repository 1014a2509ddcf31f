/** `/console/{account}/integrations/new`: creates a key, and shows it once with programs that use it. */

import { createKey } from "#admin/keys/keys.ts";
import { listLists } from "#admin/lists.ts";
import { contract } from "#contract/operations.ts";
import { type ApiKey, parseKey, type Scope, scopes } from "#domain/access/key.ts";
import { buttonLink, buttonRow } from "#html/components/buttons.ts";
import { codeBlock, secret } from "#html/components/code.ts";
import { radioGroup, textField } from "#html/components/fields.ts";
import { section } from "#html/components/page-header.ts";
import { type Html, html, trusted } from "#html/html.ts";
import { quoted } from "#html/names.ts";
import { FormRefused } from "../../kit/errors.ts";
import { formPage } from "../../kit/form-html.ts";
import { type PageContext, titled } from "../../kit/page.ts";
import { expiryField, readExpiry } from "./expiry.ts";
import { integrationsTexts } from "./integrations.ts";
import { nameOf } from "./key-names.ts";
import { SNIPPET_EMAIL, type Snippet, snippets } from "./snippets.ts";

/**
 * One of several panels at a time, such as the same program in several languages. Radio buttons choose it:
 * that works without a script, and by keyboard.
 */
interface Panel {
  readonly label: string;
  readonly body: Html;
}

/** At most six: the style has a rule for each. `name` is unique within the page. */
const panels = (name: string, label: string, all: readonly Panel[]): Html =>
  html`<div class="panels" role="group" aria-label="${label}">
${all.map(
  ({ label: text }, at) =>
    html`<input type="radio" name="${name}" id="${name}-${at}"${at === 0 ? trusted(" checked") : null}><label for="${name}-${at}">${text}</label>
`,
)}${all.map(
  ({ body }) => html`<div class="panel">${body}</div>
`,
)}</div>`;

export const newKeyTexts = {
  name: "What is it for?",
  nameHint: "Shown here, and in the history of the subscribers that the program changes.",
};

const PATH = "/{account}/integrations/new";

export const newKeyPage = formPage({
  path: PATH,
  role: "owner",
  form: "create",
  show: async ({ link, formats }, form) => ({
    title: "New API key",
    parent: { label: integrationsTexts.title, href: link("/integrations") },
    isIdempotent: true,
    fields: html`${textField({
      ...form.field("name"),
      label: newKeyTexts.name,
      hint: newKeyTexts.nameHint,
      placeholder: "e.g. Web shop",
    })}${radioGroup({
      ...form.field("scope", "full"),
      label: "What may it do?",
      options: [
        {
          value: "full",
          label: "Read and write",
          hint: "Add and unsubscribe people, create fields, read lists and campaigns.",
        },
        {
          value: "read",
          label: "Read only",
          hint: "Read lists, fields and campaigns. Calls that would change something get the fault NotAllowed.",
        },
      ],
    })}${expiryField(form, formats, null)}${textField({
      ...form.field("existing"),
      label: "Existing key",
      hint: "A key that your programs already use with another service. They then only need the new address. If empty, Mailroll makes a new key.",
      isOptional: true,
    })}`,
    save: "Create the key",
  }),
  submit: async (context) => {
    const { performHere, form, formats } = context;
    const scope = scopes.find((one) => one === form.text("scope"));
    if (scope === undefined) throw new FormRefused({ fields: { scope: "Choose what the key may do." } });
    const given = form.text("existing").trim();
    const created = await performHere(createKey, {
      label: form.text("name"),
      scope,
      expiresAt: readExpiry(form, formats),
      existing: given === "" ? null : given,
    });
    // An existing key is stored in its normal form, in which programs may send it, too.
    const value = created.secret ?? parseKey(given) ?? given;
    return await shownOnce(context, created.key, value, created.secret !== null);
  },
  hasSecret: true,
  inputs: { label: "name", expiresAt: "expires" },
});

async function shownOnce(context: PageContext<typeof PATH>, key: ApiKey, value: string, isNew: boolean) {
  const { link, serviceAddress } = context;
  const { list, said } = await listFor(context, key.scope);
  const written = snippets({ base: serviceAddress, key: value, list });
  return titled(
    {
      title: `The key ${quoted(nameOf(key))} is ready`,
      parent: { label: integrationsTexts.title, href: link("/integrations") },
    },
    html`${secret("The API key", value, isNew ? "Copy it now: it is not stored, and is never shown again." : "It works from now on. It is not stored, and is never shown again.")}
${section(
  "Example program",
  html`<div class="stack">${panels(
    "snippet",
    "Language",
    written.map((one) => ({ label: one.language, body: snippetPanel(one) })),
  )}
${buttonRow(
  buttonLink({ label: "Go to the key", href: link(`/integrations/${key.id}`), emphasis: "primary" }),
  buttonLink({ label: "All operations", href: `${serviceAddress}${contract.path}`, icon: "help" }),
)}</div>`,
  { description: said },
)}`,
  );
}

/** The first list is as good as another: the developer changes it. */
async function listFor(
  { performHere }: PageContext<typeof PATH>,
  scope: Scope,
): Promise<{ readonly list: number | null; readonly said: string }> {
  if (scope === "read")
    return {
      list: null,
      said: "It shows the lists of the account. It contains the key: send it over a safe channel.",
    };
  const [first] = (await performHere(listLists, { limit: 1 })).rows;
  return first === undefined
    ? {
        list: null,
        said: "The account has no list yet, so it only shows that there is none. It contains the key: send it over a safe channel.",
      }
    : {
        list: first.id,
        said: `It adds the address ${SNIPPET_EMAIL} to the list ${quoted(first.name)}. It contains the key: send it over a safe channel.`,
      };
}

const snippetPanel = ({ language, fileName, code, needs, commands }: Snippet): Html =>
  html`<p class="hint">${needs}</p>
${codeBlock(`Program in ${language}`, code)}${
  fileName === null
    ? null
    : html`<p class="hint">Save it as ${fileName} and run:</p>${codeBlock(`Commands for ${language}`, commands.join("\n"))}`
}`;
