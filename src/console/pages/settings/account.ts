/** `/console/{account}/settings`: the account itself. Owners rename it, administrators change its limits. */
import { renameAccount, setAccount } from "#admin/accounts.ts";
import { countries } from "#domain/country.ts";
import { versionOf } from "#domain/version.ts";
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { selectField, textField } from "#html/components/fields.ts";
import { definitions } from "#html/components/figures.ts";
import { card, section } from "#html/components/page-header.ts";
import { type Html, html } from "#html/html.ts";
import { formOf } from "../../kit/forms/form-html.ts";
import { content, page, redirect } from "../../kit/page.ts";
import type { Visit } from "../../kit/visit.ts";
import * as texts from "./account.texts.ts";
import { placeOf } from "./place.ts";

const PATH = "/{account}/settings";
type AccountVisit = Visit<typeof PATH>;

const countryNames = new Intl.DisplayNames("en", { type: "region" });
const countryName = (code: string): string => countryNames.of(code) ?? code;
const countryOptions = countries
  .map((value) => ({ value, label: countryName(value) }))
  .sort((one, other) => one.label.localeCompare(other.label, "en"));

function facts({ account, formats }: AccountVisit): Html {
  const { number, date } = formats;
  const { limitSubscribers, limitFields, activeSubscribers, country } = account;
  const limit = (value: number | null): string => (value === null ? texts.noLimit : number(value));
  return card(
    definitions([
      [texts.name, account.name],
      [texts.number, String(account.id)],
      [
        texts.subscribers,
        limitSubscribers === null
          ? number(activeSubscribers)
          : texts.ofLimit(number(activeSubscribers), number(limitSubscribers)),
      ],
      [texts.fieldLimit, limit(limitFields)],
      [texts.country, country === null ? texts.anyCountry : countryName(country)],
      [texts.created, date(account.createdAt)],
    ]),
  );
}

function renameForm({ account, shown }: AccountVisit): Html {
  const form = shown("rename");
  return section(
    texts.rename,
    formOf("rename", {
      shown: form,
      version: versionOf("account", account),
      body: html`${textField({
        name: "name",
        label: texts.name,
        value: form.value("name", account.name),
        error: form.problem("name"),
      })}${buttonRow(button({ label: texts.save, emphasis: "primary" }))}`,
    }),
  );
}

function limitsForm({ account, shown }: AccountVisit): Html {
  const form = shown("set");
  const limit = (name: "limitSubscribers" | "limitFields", label: string): Html =>
    textField({
      name,
      label,
      hint: texts.limitHint,
      value: form.value(name, account[name] === null ? "" : String(account[name])),
      error: form.problem(name),
      inputMode: "numeric",
      width: "medium",
      isOptional: true,
    });
  return section(
    texts.limits,
    formOf("set", {
      shown: form,
      version: versionOf("account", account),
      body: html`${selectField({
        name: "country",
        label: texts.country,
        hint: texts.countryHint,
        value: form.value("country", account.country ?? ""),
        error: form.problem("country"),
        options: [{ value: "", label: texts.anyCountry }, ...countryOptions],
        width: "medium",
        isOptional: true,
      })}${limit("limitSubscribers", texts.subscriberLimit)}${limit("limitFields", texts.fieldLimit)}${buttonRow(
        button({ label: texts.save }),
      )}`,
    }),
    { description: texts.limitsDescription },
  );
}

/** Empty: none. What is no number is refused by the action. */
const readLimit = (text: string): number | null => (text.trim() === "" ? null : Number(text));

export const accountPage = page({
  path: PATH,
  role: "viewer",
  show: async (visit) => {
    const { may } = visit;
    const place = placeOf(visit);
    return content(
      texts.title,
      html`${place.top("")}
${facts(visit)}
${may("owner") ? renameForm(visit) : null}
${may("administrator") ? limitsForm(visit) : null}
${
  may("administrator")
    ? section(
        texts.deletion,
        buttonRow(buttonLink({ label: texts.goToDeletion, href: place.at("/delete"), icon: "delete" })),
        { description: texts.deletionDescription },
      )
    : null
}`,
    );
  },
  forms: {
    rename: {
      submit: async ({ perform, account, form, path }) => {
        await perform(renameAccount, { account: account.id, name: form.text("name") });
        return redirect(path, texts.renamed);
      },
    },
    set: {
      submit: async ({ perform, account, form, path }) => {
        await perform(setAccount, {
          account: account.id,
          country: form.text("country") === "" ? null : form.text("country"),
          limitSubscribers: readLimit(form.text("limitSubscribers")),
          limitFields: readLimit(form.text("limitFields")),
        });
        return redirect(path, texts.changed);
      },
    },
  },
});
