/** A form of a page: sent to the page itself, with what was wrong at its top. */
import { button, buttonLink, buttonRow } from "#html/components/buttons.ts";
import { notice } from "#html/components/feedback.ts";
import { errorSummary, textField } from "#html/components/fields.ts";
import { type Html, html, trusted } from "#html/html.ts";
import { FormRefused } from "./failures.ts";
import { doing, type Form, hidden, newOnce, ONCE, type ShownForm } from "./form.ts";

interface FormOptions {
  /** As `visit.shown(name)` returns it. */
  readonly shown: ShownForm;
  /**
   * Fields and buttons. The names of fields are unique within the page, because their ids are made of them.
   */
  readonly body: Html;
  /** Of the thing that the form edits (`versionOf`): two users who edit it do not overwrite each other. */
  readonly version?: string;
  /** It creates something, or starts a job: sent twice, it is executed once. */
  readonly isOnce?: true;
  readonly takesFile?: true;
  /** One column, unless the fields are in one line, or the body has its own layout. */
  readonly look?: "form" | "inline-form" | "plain";
  /** The page that has the form, if it is not the page that shows it. */
  readonly action?: string;
}

const CANCEL = "Cancel";
const SUMMARY = "Nothing was saved. Check what you have entered.";

export const formOf = (
  name: string,
  { shown, body, version, isOnce, takesFile, action, look = "form" }: FormOptions,
): Html => html`<form method="post"${look === "plain" ? null : html` class="${look}"`}${action === undefined ? null : html` action="${action}"`}${
  takesFile === true ? trusted(' enctype="multipart/form-data"') : null
}>
${doing(name, version ?? null)}${isOnce === true ? hidden(ONCE, newOnce()) : null}${shown.message === null ? null : notice("bad", shown.message)}${errorSummary(SUMMARY, shown.errors)}
${body}
</form>`;

const ID = "id";
const ID_LABEL = "ID";
const idHint = (thing: string): string =>
  `Only if your programs already use a certain ID for this ${thing}. Otherwise leave it empty.`;
const NOT_AN_ID = "Must be a whole number.";

/** For administrators: the id of something new. */
export const newIdField = (shown: ShownForm, thing: string, width: "short" | "medium"): Html =>
  textField({
    ...{ name: ID, label: ID_LABEL, hint: idHint(thing), value: shown.value(ID), error: shown.problem(ID) },
    ...{ inputMode: "numeric", width, isOptional: true },
  });
/** Its digits; null: it is chosen automatically. */
export function newIdIn(form: Form, maxDigits: number): string | null {
  const id = form.text(ID).trim();
  if (!/^\d*$/.test(id) || id.length > maxDigits) throw new FormRefused({ fields: { [ID]: NOT_AN_ID } });
  return id || null;
}

/** Below the fields: `back` is where nothing has changed. */
export const saveOrCancel = (label: string, back: string): Html =>
  buttonRow(
    button({ label, emphasis: "primary" }),
    buttonLink({ label: CANCEL, href: back, emphasis: "quiet" }),
  );
