/** Asks for what a link or a picture needs, in a dialog of the page. */
import { markdownUrl } from "./to-markdown.ts";

interface Asked {
  readonly label: string;
  readonly value: string;
  readonly hint?: string;
  readonly isOptional?: true;
  /** An address, with the schemes that it may have. */
  readonly schemes?: RegExp;
}

/** As it is written in Markdown; null: it is none. People leave out `https://`. */
function urlIn(typed: string, schemes: RegExp): string | null {
  const text = typed.trim();
  const isBare = /^[\w-]+(?:\.[\w-]+)+(?:[/?#:]|$)/.test(text);
  return markdownUrl(isBare ? `https://${text}` : text, schemes);
}

export function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/** The values of the fields, in their order; null: the user has cancelled. */
export function ask(
  title: string,
  save: string,
  fields: readonly Asked[],
): Promise<readonly string[] | null> {
  const inputs = fields.map(({ value, isOptional, schemes, hint }, index) => {
    const input = make("input", {
      ...{ class: "input full", id: `ask-${index}`, type: "text", autocomplete: "off", value },
      ...(isOptional ? {} : { required: "" }),
      ...(schemes === undefined ? {} : { inputmode: "url", spellcheck: "false" }),
      ...(hint === undefined ? {} : { "aria-describedby": `ask-${index}-hint` }),
    });
    const check = (): void => {
      const isWrong =
        schemes !== undefined && input.value.trim() !== "" && urlIn(input.value, schemes) === null;
      input.setCustomValidity(isWrong ? "Must be an address such as https://www.example.org/page." : "");
    };
    input.addEventListener("input", check);
    check();
    return input;
  });
  const rows = fields.map(({ label, hint, isOptional }, index) => {
    const optional = isOptional ? [" ", make("span", { class: "optional" }, "optional")] : [];
    const notes =
      hint === undefined ? [] : [make("p", { class: "field-hint", id: `ask-${index}-hint` }, hint)];
    return make(
      "div",
      { class: "field" },
      make("label", { for: `ask-${index}` }, label, ...optional),
      inputs[index] ?? "",
      ...notes,
    );
  });
  const cancel = make("button", { type: "button", class: "button quiet" }, "Cancel");
  const buttons = make(
    "div",
    { class: "buttons" },
    make("button", { class: "button primary" }, save),
    cancel,
  );
  const form = make(
    "form",
    { method: "dialog", class: "form" },
    make("h2", { id: "ask-title" }, title),
    ...rows,
    buttons,
  );
  const dialog = make("dialog", { class: "ask", "aria-labelledby": "ask-title" }, form);
  return new Promise((resolve) => {
    let answer: readonly string[] | null = null;
    cancel.addEventListener("click", () => dialog.close());
    form.addEventListener("submit", () => {
      answer = inputs.map(({ value }, index) => {
        const schemes = fields[index]?.schemes;
        return schemes === undefined ? value.trim() : (urlIn(value, schemes) ?? "");
      });
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}
