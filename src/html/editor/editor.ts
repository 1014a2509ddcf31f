/**
 * The editors in which campaigns are written: Markdown with a toolbar, and HTML in colours. Each takes the
 * place of a text area with `data-editor`, which keeps the text: what reads, sends or checks the form does
 * not know of editors. `console.js` loads this module where there is one.
 *
 * An editor is in a shadow root. There, its styles are objects instead of elements, which the content
 * security policy refuses; and a change of the page leaves alone what is in it.
 */
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { html } from "@codemirror/lang-html";
import { markdown, markdownLanguage } from "@codemirror/lang-markdown";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorState, type TransactionSpec } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  type KeyBinding,
  keymap,
  MatchDecorator,
  placeholder,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { ask, make } from "./ask.ts";
import {
  insertParagraphs,
  link,
  linkAt,
  picture,
  replaceWith,
  toggleHeading,
  toggleLines,
  toggleMark,
} from "./commands.ts";
import css from "./editor.css";
import { addMergeButtons, hasMergeFields, opensMergeFields } from "./merge-fields.ts";
import { toMarkdown, withoutStyles } from "./to-markdown.ts";

// What the toolbar has.

interface Tool {
  readonly label: string;
  /** As CodeMirror writes it; "Mod" is Ctrl, or Command on a Mac. */
  readonly key: string;
  /** 16 by 16 pixels. */
  readonly icon: string;
  readonly run: (view: EditorView) => void;
}

const change =
  (made: (state: EditorState) => TransactionSpec) =>
  (view: EditorView): void => {
    view.dispatch({ ...made(view.state), userEvent: "input" });
    view.focus();
  };

const ADDRESS = { label: "Address", hint: "Such as https://www.example.org. It may contain merge fields." };

async function askForLink(view: EditorView): Promise<void> {
  const found = linkAt(view.state);
  const answer = await ask("Link", "Insert", [
    { label: "Text", value: found.text },
    { ...ADDRESS, value: found.url, schemes: /^(?:https?:\/\/|mailto:|tel:)/i },
  ]);
  view.focus();
  if (answer === null) return;
  const [text = "", url = ""] = answer;
  change(replaceWith(found, link(text, url)))(view);
}

async function askForButton(view: EditorView): Promise<void> {
  const { main } = view.state.selection;
  const answer = await ask("Button", "Insert", [
    {
      label: "Text",
      value: view.state.sliceDoc(main.from, main.to),
      hint: "A link in a paragraph of its own.",
    },
    { ...ADDRESS, value: "", schemes: /^(?:https?:\/\/|mailto:|tel:)/i },
  ]);
  view.focus();
  if (answer !== null) change(insertParagraphs(link(answer[0] ?? "", answer[1] ?? ""), true))(view);
}

async function askForPicture(view: EditorView): Promise<void> {
  const answer = await ask("Picture", "Insert", [
    { ...ADDRESS, value: "", schemes: /^https?:\/\//i },
    {
      ...{ label: "Alternative text", value: "", isOptional: true },
      hint: "What it shows, for readers who do not see it. Empty if it only decorates.",
    },
  ]);
  view.focus();
  if (answer !== null) change(insertParagraphs(picture(answer[1] ?? "", answer[0] ?? ""), true))(view);
}

/** In groups. */
const tools: readonly (readonly Tool[])[] = [
  [
    {
      ...{ label: "Bold", key: "Mod-b", run: change(toggleMark("**")) },
      icon: "M4.5 2.8h4a2.5 2.5 0 0 1 0 5h-4ZM4.5 7.8h4.8a2.7 2.7 0 0 1 0 5.4H4.5Z",
    },
    {
      ...{ label: "Italic", key: "Mod-i", run: change(toggleMark("*")) },
      icon: "M6.5 2.8h5M4.5 13.2h5M9.2 2.8l-2.4 10.4",
    },
    {
      ...{ label: "Link", key: "Mod-k", run: (view) => void askForLink(view) },
      icon: "M6.5 9.5l3-3M7 4.5l1.3-1.3a2.9 2.9 0 0 1 4.1 4.1L11.1 8.6M4.9 7.4 3.6 8.7a2.9 2.9 0 0 0 4.1 4.1L9 11.5",
    },
  ],
  [
    {
      ...{ label: "Heading", key: "Mod-Alt-1", run: change(toggleHeading(null)) },
      icon: "M3.5 2.8v10.4M12.5 2.8v10.4M3.5 8h9",
    },
    {
      ...{ label: "List", key: "Mod-Shift-8", run: change(toggleLines("list")) },
      icon: "M6 4h7.5M6 8h7.5M6 12h7.5M2.8 4h.01M2.8 8h.01M2.8 12h.01",
    },
    {
      ...{ label: "Numbered list", key: "Mod-Shift-7", run: change(toggleLines("numbered")) },
      icon: "M7 4h6.5M7 8h6.5M7 12h6.5M2.2 3l1.1-.7v3.4M2.1 10.9c.1-.9 2-.9 2 .2 0 .9-1.9 1.3-2 2.4h2.1",
    },
    {
      ...{ label: "Quote", key: "Mod-Shift-9", run: change(toggleLines("quote")) },
      icon: "M3 3v10M6.5 4.5h7M6.5 8h7M6.5 11.5h4.5",
    },
  ],
  [
    {
      ...{ label: "Button", key: "Mod-Shift-k", run: (view) => void askForButton(view) },
      icon: "M3 4.5h10a1 1 0 0 1 1 1v5a1 1 0 0 1-1 1H3a1 1 0 0 1-1-1v-5a1 1 0 0 1 1-1ZM5 8h6",
    },
    {
      ...{ label: "Picture", key: "Mod-Alt-p", run: (view) => void askForPicture(view) },
      icon: "M3 3h10a.8.8 0 0 1 .8.8v8.4a.8.8 0 0 1-.8.8H3a.8.8 0 0 1-.8-.8V3.8A.8.8 0 0 1 3 3ZM2.4 11.5 6 8l2.6 2.6L10.5 9l3 2.7M10.6 6h.01",
    },
    {
      ...{ label: "Divider", key: "Mod-Shift-Enter", run: change(insertParagraphs("---", true)) },
      icon: "M2 8h12M5 4h6M5 12h6",
    },
  ],
];
const headings = ([1, 2, 3] as const).map((level) => ({
  key: `Mod-Alt-${level}`,
  run: change(toggleHeading(level)),
}));

const isMac = /^Mac|^iP/.test(navigator.platform);
const shownKey = (key: string): string =>
  isMac
    ? key
        .replaceAll("-", "")
        .replace("Mod", "⌘")
        .replace("Alt", "⌥")
        .replace("Shift", "⇧")
        .replace("Enter", "↩")
        .replace(/\b[a-z]$/, (letter) => letter.toUpperCase())
    : key
        .replace("Mod", "Ctrl")
        .replaceAll("-", "+")
        .replace(/\b[a-z]$/, (letter) => letter.toUpperCase());
const ariaKey = (key: string): string =>
  key
    .replace("Mod", isMac ? "Meta" : "Control")
    .replaceAll("-", "+")
    .replace(/\b[a-z]$/, (letter) => letter.toUpperCase());

function iconOf(path: string): SVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const attributes = { viewBox: "0 0 16 16", width: "16", height: "16", "aria-hidden": "true" };
  for (const [name, value] of Object.entries(attributes)) svg.setAttribute(name, value);
  svg.append(document.createElementNS(svg.namespaceURI, "path"));
  svg.firstElementChild?.setAttribute("d", path);
  return svg;
}

function buttonOf({ label, key, icon, run }: Tool, view: EditorView): HTMLButtonElement {
  const attributes = { type: "button", "aria-label": label, title: `${label} (${shownKey(key)})` };
  const button = make("button", { ...attributes, "aria-keyshortcuts": ariaKey(key) }, iconOf(icon));
  button.addEventListener("click", () => run(view));
  return button;
}

/** One of its buttons is reached with the Tab key; arrows lead from it to the others. */
function rove(toolbar: HTMLElement): void {
  const buttons = [...toolbar.querySelectorAll("button")];
  const focusable = (current: HTMLElement | undefined): void => {
    for (const button of buttons) button.tabIndex = button === current ? 0 : -1;
  };
  focusable(buttons[0]);
  toolbar.addEventListener("focusin", ({ target }) => focusable(buttons.find((button) => button === target)));
  toolbar.addEventListener("keydown", (event) => {
    const at = buttons.findIndex((button) => button.tabIndex === 0);
    const moves: Readonly<Record<string, number>> = {
      ArrowRight: (at + 1) % buttons.length,
      ArrowLeft: (at + buttons.length - 1) % buttons.length,
      Home: 0,
      End: buttons.length - 1,
    };
    const next = buttons[moves[event.key] ?? -1];
    if (next === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    next.focus();
  });
}

// How the text looks. Colours are those of the page, so that they change with it.

const colors = HighlightStyle.define([
  { tag: tags.heading1, fontWeight: "650", fontSize: "1.4em" },
  { tag: tags.heading2, fontWeight: "650", fontSize: "1.2em" },
  { tag: tags.heading, fontWeight: "650" },
  { tag: tags.strong, fontWeight: "650" },
  { tag: tags.emphasis, fontStyle: "italic" },
  { tag: tags.strikethrough, textDecoration: "line-through" },
  { tag: tags.link, color: "var(--accent)" },
  { tag: tags.url, color: "var(--soft)" },
  { tag: tags.quote, color: "var(--soft)" },
  { tag: tags.monospace, fontFamily: "var(--mono)", fontSize: "0.92em" },
  {
    tag: [tags.processingInstruction, tags.contentSeparator, tags.labelName],
    color: "var(--faint)",
    fontWeight: "400",
  },
  { tag: [tags.tagName, tags.keyword, tags.modifier], color: "var(--accent)" },
  { tag: [tags.attributeName, tags.propertyName, tags.className], color: "var(--warning)" },
  {
    tag: [tags.attributeValue, tags.string, tags.number, tags.color, tags.atom, tags.unit],
    color: "var(--good)",
  },
  { tag: [tags.angleBracket, tags.definitionOperator, tags.punctuation], color: "var(--faint)" },
  { tag: [tags.comment, tags.documentMeta], color: "var(--faint)", fontStyle: "italic" },
  { tag: tags.character, color: "var(--good)" },
]);

const liquid = new MatchDecorator({
  regexp: /\{\{[^{}\n]*\}\}|\{%[^%\n]*%\}/g,
  decoration: Decoration.mark({ class: "cm-merge" }),
});
const mergeFields = ViewPlugin.fromClass(
  class {
    marks: DecorationSet;
    constructor(view: EditorView) {
      this.marks = liquid.createDeco(view);
    }
    update(update: ViewUpdate): void {
      this.marks = liquid.updateDeco(update, this.marks);
    }
  },
  { decorations: ({ marks }) => marks },
);

// What is pasted.

/** Longer markup is pasted as the plain text that comes with it. */
const MAX_MARKUP = 2_000_000;

/** Markup that was copied elsewhere becomes Markdown. Returns false: it is pasted as plain text. */
function pasteMarkup(event: ClipboardEvent, view: EditorView): boolean {
  const data = event.clipboardData;
  const markup = data?.getData("text/html") ?? "";
  const isUrl = /^https?:\/\/\S+$/i.test((data?.getData("text/plain") ?? "").trim());
  const isForSelection = isUrl && !view.state.selection.main.empty;
  // Source code is copied with its colours.
  const isSource = data?.types.includes("vscode-editor-data") === true;
  if (markup === "" || markup.length > MAX_MARKUP || isForSelection || isSource) return false;
  const text = toMarkdown(new DOMParser().parseFromString(withoutStyles(markup), "text/html").body);
  if (text === "") return false;
  const made = text.includes("\n") || /^(?:#|>|- |\d+\. )/.test(text);
  event.preventDefault();
  view.dispatch({
    ...(made ? insertParagraphs(text, false)(view.state) : view.state.replaceSelection(text)),
    ...{ userEvent: "input.paste", scrollIntoView: true },
  });
  return true;
}

// An editor and its text area.

const sheet = new CSSStyleSheet();
sheet.replaceSync(css);

/** Every one of a page has its own texts for screen readers; ids do not lead out of a shadow root. */
class Editor {
  readonly #host: HTMLElement;
  readonly #field: HTMLTextAreaElement;
  readonly #view: EditorView;
  readonly #description = make("div", { id: "description", class: "visually-hidden" });
  readonly #merge: HTMLElement;
  #isRequired = false;

  constructor(host: HTMLElement, field: HTMLTextAreaElement) {
    this.#host = host;
    this.#field = field;
    const isMarkdown = field.dataset.editor === "markdown";
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    root.replaceChildren();
    root.adoptedStyleSheets = [sheet];
    const box = make("div", { class: isMarkdown ? "markdown" : "html" });
    const toolbar = make("div", { class: "toolbar", role: "toolbar" });
    root.append(toolbar, box, this.#description);
    this.#view = new EditorView({ state: this.#newState(), root, parent: box });
    for (const [index, group] of (isMarkdown ? tools : []).entries()) {
      if (index > 0) toolbar.append(make("span", { class: "gap" }));
      toolbar.append(...group.map((tool) => buttonOf(tool, this.#view)));
    }
    this.#merge = make(
      "button",
      { type: "button", class: "merge" },
      iconOf(
        "M6 2.5c-2.6 0-.9 4.9-3.5 5.5 2.6.6.9 5.5 3.5 5.5M10 2.5c2.6 0 .9 4.9 3.5 5.5-2.6.6-.9 5.5-3.5 5.5",
      ),
      "Merge field",
    );
    opensMergeFields(this.#merge, (code) => change((state) => state.replaceSelection(code))(this.#view));
    toolbar.append(this.#merge);
    rove(toolbar);
    toolbar.setAttribute("aria-label", `${this.#label()}: formatting`);
    // The label of the field, an error summary and the console lead to the field.
    field.addEventListener("click", () => this.#view.focus());
    field.focus = () => this.#view.focus();
    field.addEventListener("input", () => this.#take());
    this.update();
  }

  get isConnected(): boolean {
    return this.#host.isConnected && this.#field.isConnected;
  }
  destroy(): void {
    this.#view.destroy();
  }

  /** After a change of the page: its text area may have another text, or an error. */
  update(): void {
    this.#field.hidden = true;
    this.#host.hidden = false;
    // The browser could not show at a hidden field that it is missing; the service does.
    this.#isRequired ||= this.#field.required;
    this.#field.required = false;
    this.#merge.hidden = !hasMergeFields();
    const ids = this.#field.getAttribute("aria-describedby")?.split(" ") ?? [];
    const texts = ids.map((id) => document.getElementById(id)?.textContent.trim() ?? "");
    this.#description.textContent = texts.join(" ");
    this.#host.toggleAttribute("data-invalid", this.#field.getAttribute("aria-invalid") === "true");
    this.#take();
    // Its attributes are those of the field.
    this.#view.dispatch({});
  }

  #label(): string {
    return this.#field.labels[0]?.firstChild?.textContent?.trim() ?? "";
  }

  #take(): void {
    if (this.#field.value !== this.#view.state.doc.toString()) this.#view.setState(this.#newState());
  }

  #attributes(): Readonly<Record<string, string>> {
    const isInvalid = this.#field.getAttribute("aria-invalid") === "true";
    return {
      ...{ spellcheck: "true", autocapitalize: "sentences", autocorrect: "on" },
      "aria-label": this.#label(),
      "aria-describedby": "description",
      ...(isInvalid ? { "aria-invalid": "true" } : {}),
      ...(this.#isRequired ? { "aria-required": "true" } : {}),
    };
  }

  #newState(): EditorState {
    const field = this.#field;
    const isMarkdown = field.dataset.editor === "markdown";
    const keys: readonly KeyBinding[] = [...headings, ...tools.flat()].map(({ key, run }) => ({
      key,
      preventDefault: true,
      run: (view) => {
        run(view);
        return true;
      },
    }));
    return EditorState.create({
      doc: field.value,
      extensions: [
        isMarkdown
          ? [
              keymap.of(keys),
              markdown({ base: markdownLanguage, completeHTMLTags: false }),
              EditorView.domEventHandlers({ paste: pasteMarkup }),
            ]
          : html(),
        history(),
        // Without the Tab key: it leads to the next field.
        keymap.of([...historyKeymap, ...defaultKeymap]),
        EditorView.lineWrapping,
        syntaxHighlighting(colors),
        mergeFields,
        field.placeholder === "" ? [] : placeholder(field.placeholder),
        EditorView.contentAttributes.of(() => this.#attributes()),
        EditorView.updateListener.of(({ docChanged, state }) => {
          if (!docChanged) return;
          field.value = state.doc.toString();
          field.dispatchEvent(new Event("input", { bubbles: true }));
        }),
      ],
    });
  }
}

const editors = new Map<HTMLElement, Editor>();

/** After each change of the page. */
function enhance(): void {
  for (const [host, editor] of editors)
    if (!editor.isConnected) {
      editor.destroy();
      editors.delete(host);
    }
  for (const field of document.querySelectorAll<HTMLTextAreaElement>("textarea[data-editor]")) {
    const host = field.nextElementSibling;
    if (!(host instanceof HTMLElement) || !host.matches(".editor")) continue;
    const present = editors.get(host);
    if (present === undefined) editors.set(host, new Editor(host, field));
    else present.update();
  }
  addMergeButtons();
}
document.addEventListener("console:update", enhance);
// What the browser has filled in again.
addEventListener("pageshow", enhance);
enhance();
