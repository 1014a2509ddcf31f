/** `/console/{account}/integrations/new`: creates a key, and shows it once with programs that use it. */
import { createKey } from "#admin/keys/keys.ts";
import { listLists } from "#admin/lists.ts";
import { contract } from "#contract/operations.ts";
import { type ApiKey, parseKey, type Scope, scopes } from "#domain/access/key.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { codeBlock, secret } from "#html/components/code.ts";
import { radioGroup, textField } from "#html/components/fields.ts";
import { pageHeader, section } from "#html/components/page-header.ts";
import { panels } from "#html/components/panels.ts";
import { type Html, html } from "#html/html.ts";
import { FormRefused } from "../../kit/failures.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import { expiryField, readExpiry } from "./expiry.ts";
import * as integrations from "./integrations.texts.ts";
import { nameOf } from "./key-names.ts";
import * as texts from "./new-key.texts.ts";
import { type Snippet, snippets } from "./snippets.ts";

const PATH = "/{account}/integrations/new";

export const newKeyPage = page({
  path: PATH,
  role: "owner",
  show: async ({ shown, link, formats }) => {
    const form = shown("create");
    const body = html`${textField({
      name: "name",
      label: texts.name,
      hint: texts.nameHint,
      placeholder: texts.namePlaceholder,
      value: form.value("name"),
      error: form.problem("name"),
    })}${radioGroup({
      name: "scope",
      label: texts.scope,
      value: form.value("scope", "full"),
      error: form.problem("scope"),
      options: [
        { value: "full", label: texts.full, hint: texts.fullHint },
        { value: "read", label: texts.read, hint: texts.readHint },
      ],
    })}${expiryField(form, formats, null)}${textField({
      name: "existing",
      label: texts.existing,
      hint: texts.existingHint,
      value: form.value("existing"),
      error: form.problem("existing"),
      isOptional: true,
    })}${buttonRow(button({ label: texts.create, emphasis: "primary" }))}`;
    return content(
      texts.title,
      html`${pageHeader({
        title: texts.title,
        parent: { label: integrations.title, href: link("/integrations") },
      })}
${formOf("create", { shown: form, isOnce: true, body })}`,
    );
  },
  forms: {
    create: {
      submit: async (visit) => {
        const { perform, account, form, formats } = visit;
        const scope = scopes.find((one) => one === form.text("scope"));
        if (scope === undefined) throw new FormRefused({ fields: { scope: texts.unknownScope } });
        const given = form.text("existing").trim();
        const created = await perform(createKey, {
          account: account.id,
          label: form.text("name"),
          scope,
          expiresAt: readExpiry(form, formats),
          existing: given === "" ? null : given,
        });
        // An existing key is stored in its normal form, in which programs may send it, too.
        const value = created.secret ?? parseKey(given) ?? given;
        return await shownOnce(visit, created.key, value, created.secret !== null);
      },
      hasSecret: true,
      inputs: { label: "name", expiresAt: "expires" },
    },
  },
});

async function shownOnce(visit: Visit<typeof PATH>, key: ApiKey, value: string, isNew: boolean) {
  const { link, serviceAddress } = visit;
  const title = texts.createdTitle(nameOf(key));
  const { list, said } = await listFor(visit, key.scope);
  const written = snippets({ base: serviceAddress, key: value, list });
  return content(
    title,
    html`${pageHeader({ title, parent: { label: integrations.title, href: link("/integrations") } })}
${secret(texts.secret, value, isNew ? texts.secretAdvice : texts.existingAdvice)}
${section(
  texts.snippets,
  html`<div class="stack">${panels(
    "snippet",
    texts.languages,
    written.map((one) => ({ label: one.language, body: snippetPanel(one) })),
  )}
${buttonRow(
  buttonLink({ label: texts.done, href: link(`/integrations/${key.id}`), emphasis: "primary" }),
  buttonLink({ label: texts.help, href: `${serviceAddress}${contract.path}`, icon: "help" }),
)}</div>`,
  { description: said },
)}`,
  );
}

/** The first list is as good as another: the developer changes it. */
async function listFor(
  { perform, account }: Visit<typeof PATH>,
  scope: Scope,
): Promise<{ readonly list: number | null; readonly said: string }> {
  if (scope === "read") return { list: null, said: texts.lists };
  const [first] = (await perform(listLists, { account: account.id, limit: 1 })).rows;
  return first === undefined
    ? { list: null, said: texts.noList }
    : { list: first.id, said: texts.adds(first.name) };
}

const snippetPanel = ({ language, fileName, code, needs, commands }: Snippet): Html =>
  html`<p class="hint">${needs}</p>
${codeBlock(texts.code(language), code)}${
  fileName === null
    ? null
    : html`<p class="hint">${texts.saveAs(fileName)}</p>${codeBlock(texts.commands(language), commands.join("\n"))}`
}`;
