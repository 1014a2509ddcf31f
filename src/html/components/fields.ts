/**
 * The fields of a form: label, hint, error, and the value that was sent. Most fields of our forms are
 * required, so the optional ones are marked.
 */
import { type Html, html, trusted } from "../html.ts";

export interface Field {
  readonly name: string;
  /** If several fields of the form have the name. */
  readonly id?: string;
  readonly label: string;
  readonly hint?: Html | string | null;
  /** What was wrong with the value that was sent. */
  readonly error?: string | null;
  /** "while hidden": a choice in the same form shows it (`or-new`, `send-when`), and then needs it. */
  readonly isOptional?: boolean | "while hidden";
  /** In a table, whose headings are the visible labels. */
  readonly hidesLabel?: boolean;
}

const flag = (name: string, isOn: boolean | undefined): Html | null =>
  isOn === true ? trusted(` ${name}`) : null;
const attribute = (name: string, value: string | number | null | undefined): Html | null =>
  value == null ? null : html` ${trusted(name)}="${value}"`;

export const idOf = (name: string): string => `field-${name}`;

/** The attributes that join a control with its label, hint and error. */
function joined({ name, id = name, hint, error, isOptional }: Field): Html {
  const described = [
    ...(error == null ? [] : [`${idOf(id)}-error`]),
    ...(hint == null ? [] : [`${idOf(id)}-hint`]),
  ];
  return html` id="${idOf(id)}" name="${name}"${flag("required", isOptional === undefined || isOptional === false)}${
    isOptional === "while hidden" ? trusted(" data-required") : null
  }${
    error == null ? null : trusted(' aria-invalid="true"')
  }${attribute("aria-describedby", described.length === 0 ? null : described.join(" "))}`;
}

const optional = (isOptional: Field["isOptional"]): Html | null =>
  isOptional === true ? html` <span class="optional">optional</span>` : null;

function notes({ name, id = name, hint, error }: Field): Html {
  return html`${error == null ? null : html`<p class="field-error" id="${idOf(id)}-error">${error}</p>`}${
    hint == null ? null : html`<p class="field-hint" id="${idOf(id)}-hint">${hint}</p>`
  }`;
}

const around = (field: Field, control: Html): Html =>
  html`<div class="field"><label for="${idOf(field.id ?? field.name)}"${field.hidesLabel === true ? trusted(' class="visually-hidden"') : null}>${field.label}${optional(field.isOptional)}</label>${control}${notes(field)}</div>`;

interface WrittenField extends Field {
  readonly value?: string;
  /** With a script, there is a button that inserts those of the page (`data-merge-fields`). */
  readonly takesMergeFields?: boolean;
}

export interface TextField extends WrittenField {
  readonly type?:
    | "text"
    | "email"
    | "password"
    | "number"
    | "date"
    | "datetime-local"
    | "search"
    | "url"
    | "tel";
  /** An example, never a label. */
  readonly placeholder?: string;
  readonly autocomplete?: string;
  readonly inputMode?: "numeric" | "decimal" | "email" | "text";
  readonly maxLength?: number;
  /** The page is about this field: one can type at once. */
  readonly hasFocus?: boolean;
  /** How wide the expected value is. */
  readonly width?: "short" | "medium" | "full";
}

export const textField = (field: TextField): Html =>
  around(
    field,
    html`<input type="${field.type ?? "text"}" class="input ${field.width ?? "full"}"${joined(field)}${
      // A password is never sent back.
      field.type === "password" ? null : attribute("value", field.value)
    }${attribute("placeholder", field.placeholder)}${attribute("autocomplete", field.autocomplete ?? "off")}${attribute("inputmode", field.inputMode)}${attribute("maxlength", field.maxLength)}${flag("autofocus", field.hasFocus)}${flag("data-takes-merge-fields", field.takesMergeFields)}>`,
  );

export interface TextArea extends WrittenField {
  readonly rows?: number;
  /** With a script, an editor for this language takes its place. `module`: the name of `editorModule`. */
  readonly editor?: { readonly language: "markdown" | "html"; readonly module: string } | null;
}

export const textArea = (field: TextArea): Html =>
  // The line break after the tag is not part of the value, but a line break at the start of the value must
  // stay. The place of the editor has an id, so that a change of the page keeps it with what it contains.
  around(
    field,
    html`<textarea class="input" rows="${field.rows ?? 4}"${joined(field)}${attribute("data-editor", field.editor?.language)}${flag("data-takes-merge-fields", field.takesMergeFields)}>
${field.value ?? ""}</textarea>${
      field.editor == null
        ? null
        : html`<div class="editor" id="${idOf(field.id ?? field.name)}-editor" data-module="${field.editor.module}" hidden></div>`
    }`,
  );

export interface Option {
  readonly value: string;
  readonly label: string;
  readonly hint?: string | null;
}

export interface OptionGroup {
  readonly group: string;
  readonly options: readonly Option[];
}

export const selectField = (
  field: Field & {
    readonly value?: string;
    readonly options: readonly (Option | OptionGroup)[];
    readonly width?: "short" | "medium" | "full";
  },
): Html =>
  around(
    field,
    html`<select class="input ${field.width ?? "full"}"${joined(field)}>${field.options.map((one) =>
      "group" in one
        ? html`<optgroup label="${one.group}">${one.options.map((inner) => optionOf(inner, field.value))}</optgroup>`
        : optionOf(one, field.value),
    )}</select>`,
  );
const optionOf = ({ value, label }: Option, chosen: string | undefined): Html =>
  html`<option value="${value}"${flag("selected", value === chosen)}>${label}</option>`;

/** Few choices that are worth a sentence each. */
export function radioGroup(
  field: Field & { readonly value?: string; readonly options: readonly Option[] },
): Html {
  const { name, label, value, options, error, isOptional } = field;
  return html`<fieldset class="field choices" id="${idOf(name)}"${
    error == null && field.hint == null
      ? null
      : attribute("aria-describedby", `${idOf(name)}-${error == null ? "hint" : "error"}`)
  }><legend>${label}${optional(isOptional)}</legend>
${options.map(
  (option) =>
    html`<label class="choice"><input type="radio" name="${name}" value="${option.value}"${flag("checked", option.value === value)}${flag("required", isOptional !== true)}><span>${option.label}${
      option.hint == null ? null : html`<small>${option.hint}</small>`
    }</span></label>
`,
)}${notes(field)}</fieldset>`;
}

/**
 * Some of many things. What is sent also has an empty value, so that nothing chosen is an answer, too. A hint
 * is in the line of its label, which may be a name in any direction.
 */
export function checkboxGroup(
  field: Field & { readonly values: readonly string[]; readonly options: readonly Option[] },
): Html {
  const { name, label, values, options, error, isOptional } = field;
  const chosen = new Set(values);
  return html`<fieldset class="field choices compact" id="${idOf(name)}"${
    error == null && field.hint == null
      ? null
      : attribute("aria-describedby", `${idOf(name)}-${error == null ? "hint" : "error"}`)
  }><legend>${label}${optional(isOptional)}</legend><input type="hidden" name="${name}" value="">
<div class="choice-box" role="group" tabindex="0" aria-label="${label}">${options.map(
    (option) =>
      html`<label class="choice"><input type="checkbox" class="box" name="${name}" value="${option.value}"${flag("checked", chosen.has(option.value))}><span><bdi>${option.label}</bdi>${
        option.hint == null ? null : html`<small>${option.hint}</small>`
      }</span></label>
`,
  )}</div>${notes(field)}</fieldset>`;
}

export const checkbox = (
  field: Omit<Field, "isOptional"> & {
    readonly isChecked?: boolean;
    readonly value?: string;
    readonly isRequired?: boolean;
  },
): Html =>
  html`<div class="field"><label class="choice"><input type="checkbox" class="box" value="${field.value ?? "true"}"${joined({ ...field, isOptional: field.isRequired !== true })}${flag("checked", field.isChecked)}><span>${field.label}</span></label>${notes(field)}</div>`;

/**
 * A place to drop a file. Without a script it is an ordinary file field. `data-upload` is for the script that
 * sends the file in parts: it has the address to send to.
 */
export const fileField = (
  field: Field & { readonly accept?: string; readonly prompt: string; readonly upload?: string | null },
): Html =>
  html`<div class="field"><label for="${idOf(field.name)}">${field.label}${optional(field.isOptional)}</label>
<div class="drop" data-drop${attribute("data-upload", field.upload)}><input type="file"${joined(field)}${attribute("accept", field.accept)}><p class="drop-prompt">${field.prompt}</p></div>${notes(field)}</div>`;

/**
 * The label of a field in the fields of a form, as HTML. null: there is none, or the label of a checkbox,
 * which is a sentence.
 */
function labelIn(fields: Html, name: string): Html | null {
  const id = html`${idOf(name)}`.html;
  const textAfter = (...marks: readonly string[]): string | null => {
    let at = 0;
    for (const mark of marks) {
      const found = fields.html.indexOf(mark, at);
      if (found < 0) return null;
      at = found + mark.length;
    }
    return fields.html.slice(at, fields.html.indexOf("<", at)).trim();
  };
  const groups = ["choices", "choices compact"].map((look) => `<fieldset class="field ${look}" id="${id}"`);
  const label =
    textAfter(`<label for="${id}"`, ">") ??
    groups.map((mark) => textAfter(mark, "<legend>")).find((one) => one !== null) ??
    null;
  return label === null || label === "" ? null : trusted(label);
}

/** A sentence after a label and a colon. */
const continued = (text: string): string =>
  /^\p{Lu}\p{Ll}/u.test(text) ? `${text.slice(0, 1).toLowerCase()}${text.slice(1)}` : text;

/** What was wrong, at the top of a form: each line names its field, and leads to it. */
export const errorSummary = (
  title: string,
  errors: readonly { readonly name: string; readonly text: string }[],
  fields: Html,
): Html | null =>
  errors.length === 0
    ? null
    : html`<div class="notice bad" role="alert" tabindex="-1" data-focus><div><strong>${title}</strong><ul>${errors.map(
        ({ name, text }) => {
          const label = labelIn(fields, name);
          const said = label === null ? text : html`${label}: ${continued(text)}`;
          return html`<li><a href="#${idOf(name)}">${said}</a></li>`;
        },
      )}</ul></div></div>`;
