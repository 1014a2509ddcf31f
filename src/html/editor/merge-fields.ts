/**
 * The menu of merge fields: of an editor, and of other fields that take them (`data-takes-merge-fields`).
 * What it offers is read from the page, where people without a script copy it from.
 */
import { make } from "./ask.ts";

interface MergeField {
  readonly code: string;
  /** What it is for the person whose message is shown; "": not known. */
  readonly value: string;
}
interface Group {
  readonly title: string;
  readonly fields: MergeField[];
}

/** Those of the page: headings, and items with a code. */
function offered(): readonly Group[] {
  const groups: Group[] = [];
  for (const element of document.querySelectorAll("[data-merge-fields] :is(h2, h3, h4, li)")) {
    const code = element.querySelector("code")?.textContent;
    if (!element.matches("li")) groups.push({ title: element.textContent.trim(), fields: [] });
    else if (code) {
      if (groups.length === 0) groups.push({ title: "", fields: [] });
      const value = element.querySelector("[data-value]")?.textContent.trim() ?? "";
      groups.at(-1)?.fields.push({ code: code.trim(), value });
    }
  }
  return groups.filter(({ fields }) => fields.length > 0);
}
export const hasMergeFields = (): boolean => document.querySelector("[data-merge-fields] li code") !== null;

const itemsIn = (menu: HTMLElement): readonly HTMLElement[] => [
  ...menu.querySelectorAll<HTMLElement>("[role=menuitem]"),
];

/** Arrows, Home and End, and the first letters of a name. */
function onKey(event: KeyboardEvent, menu: HTMLElement, typed: { text: string; at: number }): void {
  const items = itemsIn(menu);
  const at = items.findIndex((item) => item.matches(":focus"));
  const isLetter =
    event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && event.key !== " ";
  if (isLetter) {
    typed.text = (event.timeStamp - typed.at > 1000 ? "" : typed.text) + event.key.toLowerCase();
    typed.at = event.timeStamp;
  }
  const next =
    event.key === "ArrowDown"
      ? items[(at + 1) % items.length]
      : event.key === "ArrowUp"
        ? items.at(at <= 0 ? -1 : at - 1)
        : event.key === "Home"
          ? items[0]
          : event.key === "End"
            ? items.at(-1)
            : isLetter
              ? items.find((item) => item.dataset.name?.startsWith(typed.text))
              : undefined;
  if (event.key === "Tab") menu.hidePopover();
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

/** Below its button, or above it where there is more room. Both end where the line ends. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const { right, top, bottom } = button.getBoundingClientRect();
  const { width, height } = menu.getBoundingClientRect();
  const isBelow = bottom + height + 8 <= innerHeight || top < innerHeight - bottom;
  menu.style.top = `${Math.max(8, isBelow ? Math.min(bottom + 4, innerHeight - height - 8) : top - height - 4)}px`;
  menu.style.left = `${Math.max(8, right - width)}px`;
}

/** `insert` gets the code that is chosen in the menu of this button. */
export function opensMergeFields(button: HTMLElement, insert: (code: string) => void): void {
  button.setAttribute("aria-haspopup", "menu");
  button.setAttribute("aria-expanded", "false");
  // A press beside an open menu closes it, also one on its button.
  let wasOpen = false;
  button.addEventListener("pointerdown", () => {
    wasOpen = button.getAttribute("aria-expanded") === "true";
  });
  button.addEventListener("click", () => {
    if (!wasOpen) open(button, insert);
    wasOpen = false;
  });
}

function open(button: HTMLElement, insert: (code: string) => void): void {
  const menu = make("div", {
    ...{ class: "menu-items merge-menu", popover: "auto", role: "menu", "aria-label": "Merge fields" },
  });
  for (const [index, { title, fields }] of offered().entries()) {
    const items = fields.map(({ code, value }) => {
      const item = make(
        "button",
        { type: "button", role: "menuitem", tabindex: "-1" },
        make("code", {}, code),
        ...(value === "" ? [] : [make("span", {}, value)]),
      );
      item.dataset.name = code.replace(/^\{\{\s*(?:fields[.[]["']?)?/, "").toLowerCase();
      item.addEventListener("click", () => {
        menu.hidePopover();
        insert(code);
      });
      return item;
    });
    const head =
      title === "" ? [] : [make("div", { class: "merge-head", id: `merge-group-${index}` }, title)];
    const label: Readonly<Record<string, string>> =
      title === "" ? {} : { "aria-labelledby": `merge-group-${index}` };
    menu.append(make("div", { role: "group", ...label }, ...head, ...items));
  }
  const typed = { text: "", at: 0 };
  menu.addEventListener("keydown", (event) => onKey(event, menu, typed));
  menu.addEventListener("toggle", ({ newState }) => {
    button.setAttribute("aria-expanded", String(newState === "open"));
    if (newState === "closed") menu.remove();
  });
  (document.querySelector("main") ?? document.body).append(menu);
  menu.showPopover();
  place(menu, button);
  itemsIn(menu)[0]?.focus();
}

// Fields of one line, and the plain text.

function insertInto(field: HTMLInputElement | HTMLTextAreaElement, code: string): void {
  field.focus();
  // Old, but the only way that can be undone.
  if (document.execCommand("insertText", false, code)) return;
  field.setRangeText(code, field.selectionStart ?? 0, field.selectionEnd ?? 0, "end");
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

/** A button beside the label of each field that takes merge fields. */
export function addMergeButtons(): void {
  for (const field of document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    "[data-takes-merge-fields]",
  )) {
    const label = field.labels?.[0];
    if (label === undefined || label.nextElementSibling?.matches(".merge") || !hasMergeFields()) continue;
    const name = make("span", { class: "visually-hidden" }, ` for ${label.firstChild?.textContent?.trim()}`);
    const button = make("button", { type: "button", class: "merge" }, "Merge field", name);
    opensMergeFields(button, (code) => insertInto(field, code));
    label.after(button);
  }
}
