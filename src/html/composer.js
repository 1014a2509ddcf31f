/**
 * The preview beside the form of a campaign, a part of the console's script. What is in the form, saved or
 * not, is sent at most every 300 ms, and a newer question ends an older one. After a mistake in a template,
 * the last message stays in view. The colours and the pictures are chosen here: a message is changed for them
 * before a frame shows it.
 */

const ASKED_MS = 300;
/** Of a screen, for the messages of usual newsletters. */
const DESKTOP_WIDTH = 680;
const PHONE_WIDTH = 375;

let previewTimer = null;
let askingPreview = new AbortController();
/** The last message that could be made, and where it has changed last. */
let shownMessage = null;
let changedPlace = null;
let frameCount = 0;

const previewPart = () => document.querySelector("[data-preview]");
const chosen = (part, name) => part.querySelector(`[name="${name}"]:checked`)?.value;

async function askPreview() {
  previewTimer = null;
  const part = previewPart();
  if (part === null) return;
  askingPreview.abort();
  askingPreview = new AbortController();
  const { signal } = askingPreview;
  const body = new FormData(part.closest("form"));
  // It is not the form that saves.
  for (const name of ["do", "version", "once"]) body.delete(name);
  try {
    const response = await fetch(part.dataset.preview, { method: "POST", body, signal });
    const text = await response.text();
    if (response.redirected || !response.ok) return notCurrent(part);
    const answer = new DOMParser().parseFromString(text, "text/html");
    if (!signal.aborted && part.isConnected) showAnswer(part, answer);
  } catch {
    if (!signal.aborted) notCurrent(part);
  }
}

function notCurrent(part) {
  const notes = part.querySelector('[data-shown="notes"]');
  notes.textContent = "The preview could not be updated. It is tried again with the next change.";
}

function replace(old, next) {
  if (old !== null && next !== null && old.innerHTML !== next.innerHTML) old.innerHTML = next.innerHTML;
}

function showAnswer(part, answer) {
  for (const next of answer.querySelectorAll("[data-shown]"))
    replace(part.querySelector(`[data-shown="${next.dataset.shown}"]`), next);
  replace(document.querySelector("[data-merge-fields]"), answer.querySelector("[data-merge-fields]"));
  const made = answer.querySelector("[data-html]")?.value;
  if (made === undefined) return;
  part.toggleAttribute("data-text-only", made === "");
  if (made === shownMessage && part.querySelector("iframe") !== null) return;
  if (shownMessage !== null && made !== shownMessage) changedPlace = firstDifference(made, shownMessage);
  shownMessage = made;
  showMessage(part);
}

// A message is changed as text: a parsed document has the policy of this page, which refuses its styles.

/** Where two texts begin to differ. */
function firstDifference(one, other) {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

const CHANGED = "mailroll-changed";

/** Gives the element around a place in the body an id, to which the frame scrolls. */
function withChanged(text, place) {
  const body = text.search(/<body\b/i);
  const [start] = [...text.slice(Math.max(body, 0), place).matchAll(/<[a-z][a-z0-9]*/gi)].slice(-1);
  if (place === null || body < 0 || place < body || start === undefined) return [text, ""];
  const at = body + start.index + start[0].length;
  return [`${text.slice(0, at)} id="${CHANGED}"${text.slice(at)}`, CHANGED];
}

const hasDarkColours = (text) => /prefers-color-scheme\s*:\s*dark/i.test(text);

/** The colours of the message are those of the choice, whatever the system of the user says. */
const inColours = (text, scheme) =>
  text
    .replaceAll(/<style[^<]*|\smedia="[^"]*"/gi, (css) =>
      css
        .replaceAll(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_, wanted) =>
          wanted.toLowerCase() === scheme ? "(min-width: 0px)" : "(max-width: -1px)",
        )
        .replaceAll(/\bcolor-scheme\s*:\s*(?:light dark|dark light)\b/gi, `color-scheme: ${scheme}`),
    )
    .replaceAll(/<meta name="color-scheme" content="[^"]*"/gi, (meta) =>
      hasDarkColours(text) ? `<meta name="color-scheme" content="${scheme}"` : meta,
    );

/** Boxes in the place of pictures that are not loaded, with their alternative text. */
const BOXES = `img:not([src^="data:"]) { display: inline-block; min-width: min(100%, 12em); min-height: 6em;
 padding: 4px; box-sizing: border-box; background: #d8dbe0; color: #3c4149; font: 13px/1.4 sans-serif; }`;
/** What the server has put into each message: so links do nothing. */
const BASE = '<base target="_blank">';

function framedMessage(scheme, showsPictures) {
  const [text, changed] = withChanged(shownMessage, changedPlace);
  const style = `${showsPictures ? "" : BOXES} #${CHANGED} { scroll-margin: 30vh 0; }`;
  return { text: inColours(text, scheme).replace(BASE, `${BASE}<style>${style}</style>`), changed };
}

/** In a new frame, which takes the place of the one before when it is loaded: nothing flickers. */
function showMessage(part) {
  const place = part.querySelector("[data-frame]");
  if (!shownMessage) return place.replaceChildren();
  const [scheme, showsPictures] = [
    chosen(part, "preview-scheme"),
    chosen(part, "preview-pictures") === "true",
  ];
  const { text, changed } = framedMessage(scheme, showsPictures);
  part.querySelector("[data-only-light]").hidden = scheme !== "dark" || hasDarkColours(shownMessage);
  frameCount += 1;
  const frame = make("iframe", { className: "framed", title: "Message", name: `message-${frameCount}` });
  frame.setAttribute("sandbox", "");
  place.append(frame);
  fitFrame(part);
  const fields = [["html", text], ...(showsPictures ? [["pictures", "true"]] : []), ["do", "submit"]];
  const form = make(
    "form",
    {
      ...{ method: "post", enctype: "multipart/form-data", target: frame.name, hidden: true },
      action: `${part.dataset.message}#${changed}`,
    },
    ...fields.map(([name, value]) => make("textarea", { name, value })),
  );
  frame.addEventListener("load", () => {
    while (frame.previousElementSibling !== null) frame.previousElementSibling.remove();
    frame.classList.add("loaded");
  });
  document.body.append(form);
  form.submit();
  form.remove();
}

/** A screen that is wider than its place is shown smaller. */
function fitFrame(part) {
  const place = part.querySelector("[data-frame]");
  const room = place.clientWidth;
  const width = chosen(part, "preview-width") === "phone" ? PHONE_WIDTH : Math.max(DESKTOP_WIDTH, room);
  place.style.setProperty("--screen", `${width}px`);
  place.style.setProperty("--scale", String(Math.min(1, room / width)));
}

const frameRoom = new ResizeObserver(() => {
  const part = previewPart();
  if (part !== null) fitFrame(part);
});

const looks = ["preview-scheme", "preview-pictures"];
const views = ["preview-width", "preview-part"];

function onComposed({ target }) {
  const part = target.closest?.("form")?.querySelector("[data-preview]");
  if (!part) return;
  if (looks.includes(target.name)) return showMessage(part);
  if (views.includes(target.name)) return fitFrame(part);
  if (previewTimer === null) previewTimer = setTimeout(() => void askPreview(), ASKED_MS);
}
for (const name of ["input", "change"]) addEventListener(name, onComposed);

/** What is typed in the preview sends nothing. */
addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !event.target.matches?.("[data-preview] input")) return;
  event.preventDefault();
  void askPreview();
});

/** When the page was shown or changed. */
function showPreview() {
  const part = previewPart();
  frameRoom.disconnect();
  if (part === null) {
    shownMessage = null;
    changedPlace = null;
    return;
  }
  frameRoom.observe(part.querySelector("[data-frame]"));
  void askPreview();
}
document.addEventListener("console:update", showPreview);
