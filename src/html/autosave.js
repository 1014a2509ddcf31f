/**
 * A draft of a campaign saves itself, a part of the console's script: when nothing was typed for a moment,
 * and when the page is left. A new campaign does not, because nobody has asked for it yet; nor does a draft
 * that somebody else has saved meanwhile, until the user has chosen. The bar below the form says how it is.
 */

const QUIET_MS = 1500;
const RETRY_MS = 10_000;
/** In bytes: what a browser still sends for a page that is gone. It refuses more than 64 KiB. */
const MOST_AT_THE_END = 60_000;
/** Of the lines before a field. */
const PART_BYTES = 150;

let saveTimer;
/** While a request is under way: its promise. */
let saving = null;
/** The fields as they are stored; null: they were never saved. */
let savedFields = null;
/** The form is being sent, and nobody is asked whether to leave. */
let isSubmitted = false;
/** How often the page was shown or changed: a reply about an earlier one is ignored. */
let timesBegun = 0;
/** Another form, whose submit event waits for the draft to be saved. */
let waitingForm = null;

const saveState = () => document.querySelector("[data-save-state]");
const composerForm = () => saveState()?.closest("form") ?? null;
const savesItself = () => saveState()?.dataset.saveState === "draft";

function say(text, mood = "") {
  const state = saveState();
  if (state === null || state.textContent === text) return;
  state.textContent = text;
  state.className = `save-state ${mood}`;
}

/** What the user has written: not how it is shown, and not the version. */
function writtenFields(form) {
  const fields = [...new FormData(form)].filter(([name]) => !/^(?:preview-|version$|once$|next$)/.test(name));
  return JSON.stringify(fields);
}
const hasChanged = () => {
  const form = composerForm();
  return form !== null && writtenFields(form) !== savedFields;
};

/** A line break has two bytes in both. */
function isSentAtTheEnd(form) {
  const fields = [...new FormData(form)];
  return new Blob([JSON.stringify(fields)]).size + fields.length * PART_BYTES < MOST_AT_THE_END;
}

function requestToSave(form) {
  const body = new FormData(form);
  body.set("next", "stay");
  return { method: "POST", body, headers: { Accept: "text/html" } };
}

/** Whether it is saved. */
async function saveNow() {
  clearTimeout(saveTimer);
  // Each save needs the version that the one before has made.
  while (saving !== null) await saving;
  const form = composerForm();
  if (form === null || !savesItself()) return false;
  const fields = writtenFields(form);
  if (fields === savedFields) return true;
  say("Saving…");
  saving = sendToSave(form, fields);
  try {
    return await saving;
  } finally {
    saving = null;
  }
}

async function sendToSave(form, fields) {
  const begun = timesBegun;
  let answer = null;
  let response = null;
  try {
    response = await fetch(form.action, requestToSave(form));
    answer = new DOMParser().parseFromString(await response.text(), "text/html");
  } catch {
    response = null;
  }
  if (begun !== timesBegun) return false;
  // What was refused is not tried again until it changes.
  if (response === null || response.redirected || response.status === 429 || response.status >= 500)
    saveSoon(RETRY_MS);
  if (response === null) {
    say("Not saved: there is no connection. It is tried again.", "bad");
    return false;
  }
  const version = answer.querySelector("[data-saved] [name=version]");
  if (version !== null) {
    savedFields = fields;
    form.querySelector("[name=version]").value = version.value;
    say(hasChanged() ? "Not saved" : "Saved", hasChanged() ? "" : "good");
    return true;
  }
  if (response.redirected) say("Not saved: you are not signed in any more. Sign in in another tab.", "bad");
  else if (response.status === 409) {
    saveState().dataset.saveState = "conflict";
    say("Not saved: somebody else has changed the draft. Save shows both.", "bad");
  } else {
    const error = answer.querySelector(".field-error") ?? answer.querySelector("[role=alert] strong");
    say(`Not saved: ${error?.textContent ?? "the service has refused it. Save says why."}`, "bad");
  }
  return false;
}

function saveSoon(ms) {
  clearTimeout(saveTimer);
  saveTimer = setTimeout(() => void saveNow(), ms);
}

for (const name of ["input", "change"])
  addEventListener(name, ({ target }) => {
    const form = target.closest?.("form");
    if (!form || form !== composerForm()) return;
    isSubmitted = false;
    if (!hasChanged()) return;
    if (!savesItself()) return;
    say("Not saved");
    saveSoon(QUIET_MS);
  });

// The button saves in place. What cannot be saved so is sent as a form, whose answer says why.
addEventListener("submit", (event) => {
  const { target: form, submitter } = event;
  if (form !== composerForm()) {
    saveBefore(event);
    return;
  }
  clearTimeout(saveTimer);
  const isInPlace = savesItself() && !submitter?.name && !isSubmitted;
  if (!isInPlace && saving === null) {
    isSubmitted = true;
    return;
  }
  event.preventDefault();
  const begun = timesBegun;
  void (isInPlace ? saveNow() : saving).then((isSaved) => {
    if ((isInPlace && isSaved) || begun !== timesBegun) return;
    isSubmitted = true;
    form.requestSubmit(submitter);
  });
});

/** Another form of the page, such as the one that signs out. */
function saveBefore(event) {
  const { target: form, submitter } = event;
  if (form.method === "dialog" || form === waitingForm || !savesItself() || !hasChanged()) return;
  event.preventDefault();
  waitingForm = form;
  void saveNow().then(() => {
    form.requestSubmit(submitter);
    waitingForm = null;
  });
}

// A form got no reply, or a refusal: the page stays, with what was typed.
document.addEventListener("console:trouble", () => {
  isSubmitted = false;
});

// Who takes what somebody else has saved does not want to be asked.
addEventListener("click", ({ target }) => {
  if (target.closest?.(".conflict a")) isSubmitted = true;
});

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden" && hasChanged()) void saveNow();
});
addEventListener("pagehide", () => {
  if (isSubmitted || saving !== null || !savesItself() || !hasChanged()) return;
  const form = composerForm();
  if (isSentAtTheEnd(form))
    void fetch(form.action, { ...requestToSave(form), keepalive: true }).catch(() => {});
});
/** What cannot be saved at the end is not lost without a question. */
addEventListener("beforeunload", (event) => {
  if (isSubmitted || !hasChanged()) return;
  if (savesItself() && saving === null && isSentAtTheEnd(composerForm())) return;
  event.preventDefault();
});

/** When the page was shown or changed. */
function beginSaving() {
  const form = composerForm();
  clearTimeout(saveTimer);
  isSubmitted = false;
  timesBegun += 1;
  if (form === null) return;
  // The address of the page changes before the page does, when the user goes back.
  form.action = location.href;
  const { saveState: kind, unsaved } = saveState().dataset;
  savedFields = unsaved === undefined ? writtenFields(form) : null;
  if (kind === "new") {
    say("Not saved yet. Save it once; from then on it saves itself.");
    // Where the form leads to, unless a button says something else: it comes before this.
    form.append(make("input", { type: "hidden", name: "next", value: "edit" }));
  } else if (kind === "conflict") say("Not saved: choose one of the two.", "bad");
  else if (unsaved !== undefined) say("Not saved: correct what is wrong.", "bad");
  else say("Saved", "good");
}
document.addEventListener("console:update", beginSaving);
