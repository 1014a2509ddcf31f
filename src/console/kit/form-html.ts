/**
 * A form of a page: sent to the page itself, with what was wrong at its top. Most pages that change something
 * consist of one form: `formPage` for what is typed, `confirmPage` for what is only confirmed.
 */
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { type Confirmation, confirmation, notice } from "#html/components/feedback.ts";
import { errorSummary, textField } from "#html/components/fields.ts";
import { pageHeader } from "#html/components/page-header.ts";
import type { Link } from "#html/frame.ts";
import { type Html, html, trusted } from "#html/html.ts";
import { FormRefused } from "./errors.ts";
import { doing, type Form, type FormState, hidden, IDEMPOTENCY_FIELD, newIdempotencyKey } from "./form.ts";
import {
  type Answer,
  type AnyPage,
  content,
  type FormHandler,
  type PageContext,
  page,
  type UserPage,
} from "./page.ts";

interface FormOptions {
  /** As `context.formState(name)` returns it. */
  readonly state: FormState;
  /**
   * Fields and buttons. The names of fields are unique within the page, because their ids are made of them.
   */
  readonly body: Html;
  /** Of the thing that the form edits (`versionOf`): two users who edit it do not overwrite each other. */
  readonly version?: string;
  /** It creates something, or starts a job: sent twice, it is executed once. */
  readonly isIdempotent?: true;
  readonly takesFile?: true | undefined;
  /** One column, unless the fields are in one line, or the body has its own layout. */
  readonly look?: "form" | "inline-form" | "composer" | "plain";
  /** The page that has the form, if it is not the page that shows it. */
  readonly action?: string;
}

const CANCEL = "Cancel";
const SUMMARY = "Nothing was saved. Check what you have entered.";

export const formOf = (
  name: string,
  { state, body, version, isIdempotent, takesFile, action, look = "form" }: FormOptions,
): Html => html`<form method="post"${look === "plain" ? null : html` class="${look}"`}${action === undefined ? null : html` action="${action}"`}${
  takesFile === true ? trusted(' enctype="multipart/form-data"') : null
}${
  // A browser that fills in again what was typed would hide what is stored.
  look === "composer" ? trusted(' autocomplete="off"') : null
}>
${doing(name, version ?? null)}${isIdempotent === true ? hidden(IDEMPOTENCY_FIELD, newIdempotencyKey()) : null}${state.message === null ? null : notice("bad", state.message)}${errorSummary(SUMMARY, state.errors, body)}
${body}
</form>`;

const ID = "id";
const ID_LABEL = "ID";
const idHint = (thing: string): string =>
  `Only if your programs already use a certain ID for this ${thing}. Otherwise leave it empty.`;
const NOT_AN_ID = "Must be a whole number.";

/** For administrators: the id of something new. */
export const newIdField = (shown: FormState, thing: string, width: "short" | "medium"): Html =>
  textField({
    ...{ ...shown.field(ID), label: ID_LABEL, hint: idHint(thing) },
    ...{ inputMode: "numeric", width, isOptional: true },
  });
/** Its digits; null: it is chosen automatically. */
export function newIdIn(form: Form, maxDigits: number): string | null {
  const id = form.text(ID).trim();
  if (!/^\d*$/.test(id) || id.length > maxDigits) throw new FormRefused({ fields: { [ID]: NOT_AN_ID } });
  return id || null;
}

/** Below the fields: `back` is where nothing has changed. */
export const saveOrCancel = (
  label: string,
  back: string,
  others: readonly Html[] = [],
  cancel: string = CANCEL,
): Html =>
  buttonRow(
    button({ label, emphasis: "primary" }),
    ...others,
    buttonLink({ label: cancel, href: back, emphasis: "quiet" }),
  );

/** A page that consists of one form, with the handler of the form. */
interface OneForm<Path extends string, Shown>
  extends Pick<UserPage<Path>, "path" | "role" | "takesFile">,
    FormHandler<PageContext<Path>> {
  /** The name of the form. */
  readonly form: string;
  /** An answer is sent as it is, such as a redirect because there is nothing to do. */
  readonly show: (context: PageContext<Path>, form: FormState) => Promise<Shown | Answer>;
}

interface ShownOneForm extends Pick<FormOptions, "version" | "isIdempotent" | "look"> {
  readonly title: string;
  /** Where the user leaves the form to. */
  readonly parent: Link;
  readonly description?: string;
  /** Further buttons, between the buttons that send the form and leave it. */
  readonly others?: readonly Html[];
}

export interface ShownFields extends ShownOneForm {
  /** A function has a place of its own for the buttons. */
  readonly fields: Html | ((buttons: Html) => Html);
  /** If something else is wrong than what its handler has found. */
  readonly state?: FormState;
  /** What the button says that sends the form, and the link that leaves it. */
  readonly save: string;
  readonly cancel?: string;
}

/** A page that creates or changes something: fields, and buttons to save or to cancel. */
export const formPage = <const Path extends string>(declared: OneForm<Path, ShownFields>): AnyPage =>
  page<Path>({
    ...declared,
    show: async (context) => {
      const shown = context.formState(declared.form);
      const form = await declared.show(context, shown);
      if ("kind" in form) return form;
      const { fields } = form;
      const buttons = saveOrCancel(form.save, form.parent.href, form.others, form.cancel);
      const body = typeof fields === "function" ? fields(buttons) : html`${fields}${buttons}`;
      return content(
        form.title,
        html`${pageHeader(form)}
${formOf(declared.form, { state: shown, ...form, takesFile: declared.takesFile, body })}`,
      );
    },
    forms: { [declared.form]: declared },
  });

export interface ShownQuestion
  extends ShownOneForm,
    Pick<Confirmation, "affected" | "consequences" | "isDangerous"> {
  readonly question: string;
  readonly fields?: Html;
  /** What the buttons say that do it, and that leave everything as it is. */
  readonly confirm: string;
  readonly keep?: string;
}

/** A page that asks before a step is taken, and says what will happen. */
export const confirmPage = <const Path extends string>(declared: OneForm<Path, ShownQuestion>): AnyPage =>
  page<Path>({
    ...declared,
    show: async (context) => {
      const shown = context.formState(declared.form);
      const asked = await declared.show(context, shown);
      if ("kind" in asked) return asked;
      const { title, parent, question, isDangerous, confirm, others = [], keep = CANCEL } = asked;
      const buttons = buttonRow(
        button({ label: confirm, emphasis: isDangerous ? "danger" : "primary" }),
        ...others,
        buttonLink({ label: keep, href: parent.href, emphasis: "quiet" }),
      );
      const body = formOf(declared.form, {
        ...asked,
        state: shown,
        body: html`${asked.fields ?? null}${buttons}`,
      });
      return content(
        title,
        html`${pageHeader(asked)}
${confirmation({ ...asked, title: question, body })}`,
      );
    },
    forms: { [declared.form]: declared },
  });
