/**
 * What the console's pages do with a script; `copy.js` and `live.js` come before it in the same file. Forms
 * are sent by fetch and the page is changed in place; every form, link and menu also works without this. A
 * page's own script can listen to `console:update`, which follows each change of the page, and to
 * `console:trouble`, which says that a page stays as it is, and may send a form itself: a submit event that it
 * has cancelled is left alone.
 */

// Pages.

/** Two pages with different files are of different versions of the service. */
const filesOf = (page) =>
  [...page.head.querySelectorAll("link[rel=stylesheet], script[src]")]
    .map((node) => node.getAttribute("href") ?? node.getAttribute("src"))
    .join();

const morphing = {
  morphStyle: "innerHTML",
  callbacks: {
    // What the user has opened stays open; a menu closes. An editor stays in the place of its field.
    beforeAttributeUpdated: (name, node) =>
      !(name === "open" && node.matches("details:not(.menu)")) &&
      !(name === "hidden" && node.matches("[data-select-all], [data-editor], .editor")),
  },
};

/** That of a reply has no fragment, either. */
const shownAddress = () => location.href.replace(/#.*/s, "");

/** Shows the HTML of a reply in place of the page. If that fails, the browser loads the page itself. */
function show(text, address, isBack) {
  try {
    replacePage(text, address, isBack);
  } catch {
    location.assign(address);
  }
}

// Light or dark, at once and without losing what was typed. The server keeps it in a cookie.

const darkMedia = { auto: "(prefers-color-scheme: dark)", light: "not all", dark: "all" };
const schemes = { auto: "light dark", light: "light", dark: "dark" };

function onTheme(event) {
  const { target: form, submitter } = event;
  if (!form.matches("form[data-theme]") || submitter === null) return;
  event.preventDefault();
  const [address, init] = requestOf(form, submitter);
  // Without a reply, the browser forgets it.
  fetch(address, { ...init, redirect: "manual" }).catch(() => {});
  document.querySelector("link[data-dark]").media = darkMedia[submitter.value];
  document.querySelector("meta[name=color-scheme]").content = schemes[submitter.value];
  for (const button of form.querySelectorAll("button"))
    button.setAttribute("aria-pressed", String(button === submitter));
}
addEventListener("submit", onTheme);

/** Where a link leads, or what a button says. */
const meaningOf = (element) =>
  element.matches("a") ? element.href : element.matches("button") ? element.textContent : null;

function replacePage(text, address, isBack) {
  const page = new DOMParser().parseFromString(text, "text/html");
  if (filesOf(page) !== filesOf(document)) {
    location.assign(address);
    return;
  }
  const isSamePlace = new URL(address).pathname === location.pathname;
  if (!isBack && address !== shownAddress()) history.pushState(null, "", address);
  const focused = document.activeElement ?? document.body;
  const meaning = meaningOf(focused);
  document.title = page.title;
  // A node stands for itself: the body would become a child of the body.
  Idiomorph.morph(document.body, page.body.childNodes, morphing);
  if (!isSamePlace && !isBack) scrollTo(0, 0);
  const wanted = document.querySelector("[data-focus], [aria-invalid=true], [autofocus]");
  // What had the focus may be gone, such as a button that is a link now, or have become another button, which
  // the next press of the key would use.
  const isOther = meaningOf(focused) !== meaning;
  const hasLostFocus = focused !== document.body && (isOther || document.activeElement === document.body);
  if (wanted !== null) wanted.focus();
  else if (!isSamePlace || hasLostFocus) document.getElementById("main")?.focus({ preventScroll: true });
  enhance();
}

const isPage = (response) => /^text\/html\b/.test(response.headers.get("content-type") ?? "");

/** The address has changed already. */
async function goBack() {
  // Only when the browser leaves a page, it asks for what is not saved.
  if (hasChanged()) {
    location.reload();
    return;
  }
  const reply = await fetchPage(location.href);
  if (reply === null) location.reload();
  else show(reply.text, reply.address, true);
}

// Forms.

const isOurs = (form, submitter) =>
  !form.matches("[data-plain], [target]") &&
  form.method !== "dialog" &&
  !submitter?.matches("[data-plain], [formtarget]");

function requestOf(form, submitter) {
  const address = new URL(
    submitter?.getAttribute("formaction") ?? form.getAttribute("action") ?? "",
    location.href,
  );
  const data = new FormData(form, submitter);
  if (form.method === "get") {
    address.search = new URLSearchParams(data).toString();
    return [address.href, {}];
  }
  const body = form.enctype === "multipart/form-data" ? data : new URLSearchParams(data);
  return [address.href, { method: "POST", body }];
}

function tell(title, ...details) {
  document.dispatchEvent(new CustomEvent("console:trouble"));
  const strong = make("strong", { textContent: title });
  const text = make("div", { className: "notice-detail" }, ...details);
  const box = make("div", { className: "notice bad", role: "alert" }, make("div", {}, strong, text));
  document.getElementById("notice")?.replaceChildren(box);
  box.scrollIntoView({ block: "nearest" });
  return box;
}

/** Whether a POST without a reply was executed is not known, so it is not sent again without being asked. */
const tellNoReply = () =>
  tell(
    "There was no reply.",
    "Check the connection. Look whether the change was made before you send it again.",
  );

/** A page about an error does not replace a form that was sent: what was typed would be lost. */
function tellFailure(text) {
  const page = new DOMParser().parseFromString(text, "text/html");
  const failure = page.querySelector("[data-failure]");
  if (failure !== null) tell(failure.textContent, failure.dataset.failure);
  return failure !== null;
}

/** A form that was sent after the session has ended is not replaced by the page to sign in, either. */
function tellSignedOut(signIn) {
  signIn.searchParams.delete("not-saved");
  const link = make("a", { href: signIn.href, target: "_blank", textContent: "Sign in in another tab" });
  tell("You are not signed in any more.", link, ", then send this again.");
}

async function send(form, submitter) {
  const [address, init] = requestOf(form, submitter);
  const isPost = init.method === "POST";
  let response;
  let text = null;
  form.setAttribute("aria-busy", "true");
  try {
    response = await fetch(address, { ...init, headers: { Accept: "text/html" } });
    if (isPage(response)) text = await response.text();
  } catch {
    if (isPost) tellNoReply();
    else location.assign(address);
    return;
  } finally {
    form.removeAttribute("aria-busy");
  }
  const place = new URL(response.url);
  // After another redirect, the form was executed, and an error is about the next page.
  const isAnswer = !isPost || response.redirected;
  if (text === null) location.assign(isPost ? response.url : address);
  else if (response.redirected && place.searchParams.has("not-saved")) tellSignedOut(place);
  else if (isAnswer || !tellFailure(text)) show(text, response.url, false);
}

function onSubmit(event) {
  const { target: form, submitter } = event;
  if (event.defaultPrevented || !isOurs(form, submitter)) return;
  // As for `goBack`.
  if (form !== composerForm() && hasChanged()) return;
  event.preventDefault();
  if (form.getAttribute("aria-busy") !== "true") void send(form, submitter);
}

// Links within the page, such as those of an error summary. The browser would fire popstate for them, as for
// Back, and the page would be fetched again without what was typed.

/** A group of fields cannot have the focus: its first field gets it. */
function focusOn(place) {
  place.focus({ preventScroll: true });
  if (document.activeElement === place) return;
  const fields = [...place.querySelectorAll("input, select, textarea")];
  const first = fields.find((field) => field.checkVisibility());
  if (first === undefined) place.tabIndex = -1;
  (first ?? place).focus({ preventScroll: true });
}

function onClick(event) {
  const link = event.target.closest?.('a[href^="#"]');
  const isPlain = event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || event.defaultPrevented) return;
  event.preventDefault();
  const place = document.getElementById(link.getAttribute("href").slice(1));
  if (place === null) return;
  // With its label.
  (place.closest(".field") ?? place).scrollIntoView();
  focusOn(place);
}

if (canMorph) {
  addEventListener("submit", onSubmit);
  addEventListener("click", onClick);
  addEventListener("popstate", () => void goBack());
}

// Keyboard, menus, tables, files.

addEventListener("keydown", (event) => {
  // An editor is in a shadow root: for others, its events come from its place.
  const isTyping = event.composedPath()[0].matches?.("input, textarea, select, [contenteditable]");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    const field = document.querySelector("[data-search]");
    if (field === null) return;
    event.preventDefault();
    field.focus();
    field.select();
  }
  if (event.key === "?" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey)
    document.getElementById("shortcuts")?.togglePopover();
  if (event.key === "Escape") {
    const menu = document.querySelector("details.menu[open]");
    if (menu !== null) {
      menu.open = false;
      menu.querySelector("summary").focus();
    } else if (event.target.matches?.("[data-search]")) event.target.blur();
  }
});
addEventListener("click", ({ target }) => {
  for (const menu of document.querySelectorAll("details.menu[open]"))
    if (!menu.contains(target)) menu.open = false;
});

/** The bar with what can be done with the selected rows; says how many there are, also to screen readers. */
function showSelection(bar, isNews) {
  const form = bar.closest("form");
  const boxes = [...form.querySelectorAll("tbody .box")];
  const count = boxes.filter((box) => box.checked).length;
  const said = `${count} selected`;
  const shown = bar.querySelector(".selection-count");
  shown.textContent = said;
  shown.hidden = false;
  bar.querySelector("[data-select=all]").hidden = count === boxes.length;
  bar.querySelector("[data-select=none]").hidden = false;
  bar.hidden = count === 0;
  for (const all of form.querySelectorAll("[data-select-all]")) {
    all.checked = count > 0 && count === boxes.length;
    all.indeterminate = count > 0 && count < boxes.length;
  }
  if (isNews) document.getElementById("status").textContent = said;
}
function showSelections(isNews) {
  for (const bar of document.querySelectorAll("[data-selection]")) showSelection(bar, isNews);
}
function select(form, isSelected) {
  for (const box of form.querySelectorAll("tbody .box")) box.checked = isSelected;
  showSelections(true);
}
addEventListener("change", ({ target }) => {
  if (target.matches("[data-select-all]")) select(target.closest("form"), target.checked);
  else if (target.matches("tbody .box")) showSelections(true);
});
addEventListener("click", ({ target }) => {
  const button = target.closest?.("[data-select]");
  if (!button) return;
  const form = button.closest("form");
  const first = form.querySelector("tbody .box:checked");
  select(form, button.dataset.select === "all");
  // The button is gone.
  if (button.dataset.select === "none") first?.focus();
  else form.querySelector("[data-select=none]").focus();
});
// What the browser has filled in again.
addEventListener("pageshow", () => showSelections(false));

const dropOf = (event) => event.target.closest?.("[data-drop]");
for (const name of ["dragover", "dragleave", "drop"])
  addEventListener(name, (event) => {
    const place = dropOf(event);
    if (!place) return;
    event.preventDefault();
    place.classList.toggle("over", name === "dragover");
    if (name !== "drop" || event.dataTransfer.files.length === 0) return;
    const input = place.querySelector("input[type=file]");
    input.files = event.dataTransfer.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });

/** On a small screen, tabs may be wider than the page: the current one is shown. */
function showCurrentTab() {
  for (const tabs of document.querySelectorAll(".tab-links")) {
    const tab = tabs.querySelector("[aria-current]");
    const hidden = (tab?.getBoundingClientRect().right ?? 0) - tabs.getBoundingClientRect().right;
    if (hidden > 0) tabs.scrollLeft += hidden;
  }
}

/** A field that a choice in its form shows is required as long as it is shown. */
function requireShown() {
  for (const field of document.querySelectorAll("[data-required]")) field.required = field.checkVisibility();
}
addEventListener("change", requireShown);

/** The module of the editors is large: it comes after the page, and only where there is one. */
function loadEditors() {
  const name = document.querySelector(".editor")?.dataset.module;
  // Without it, the fields stay as they are.
  if (name !== undefined) import(`./${name}`).catch(() => {});
}

/** After each change of the page: what only exists with a script. */
function enhance() {
  loadEditors();
  showCurrentTab();
  addCopyButtons();
  requireShown();
  showSelections(false);
  for (const box of document.querySelectorAll("[data-select-all]")) box.hidden = false;
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  for (const field of document.querySelectorAll("[data-time-zone]")) field.value = timeZone;
  document.dispatchEvent(new CustomEvent("console:update"));
}
enhance();
