/**
 * Live progress, a part of the console's script. What the address in `data-stream` sends replaces the content
 * of the element; the event "end" shows the page as it is then.
 *
 * A stream holds a connection, of which a browser has six to a host over HTTP/1.1, for all its tabs together;
 * forms need them, too. So only a page that somebody sees has a stream. A page with several live parts has
 * none: it is fetched every few seconds. So is a page whose stream was refused, because the service had
 * trouble or the user has too many: a browser does not ask again by itself.
 */

/** Idiomorph is a file of its own. Where it has not arrived, forms and links work as without a script. */
const canMorph = globalThis.Idiomorph !== undefined;

const POLL_MS = 3000;

/** The open stream: its element, its address and its source. */
let stream = null;
/** The address of a stream that has ended. If the page still has it, another one would end at once. */
let endedAddress = null;
let pollTimer;
/** How often the page was shown, by whatever. */
let timesShown = 0;
/** The notice that the service does not answer; the one of a form that got no reply is another. */
let trouble = null;

const livePartsOf = (page) => [...page.querySelectorAll("[data-stream]")];

/** A link beside the element loads the page again. */
function offerReload(element, isOffered) {
  const link = element.nextElementSibling;
  if (link?.matches("[data-reload]")) link.hidden = !isOffered;
}

function closeStream() {
  stream?.source.close();
  stream = null;
}

function openStream(element) {
  const address = element.dataset.stream;
  const source = new EventSource(address);
  stream = { element, address, source };
  source.addEventListener("open", () => offerReload(element, false));
  source.addEventListener("message", ({ data }) => {
    Idiomorph.morph(element, data, { morphStyle: "innerHTML" });
  });
  source.addEventListener("end", () => {
    closeStream();
    endedAddress = address;
    void catchUp();
  });
  source.addEventListener("error", () => {
    // After an error of the network, the browser tries again; after a refusal, it does not.
    if (source.readyState !== EventSource.CLOSED) return;
    stream = null;
    offerReload(element, true);
    pollLater();
  });
}

function pollLater() {
  clearTimeout(pollTimer);
  pollTimer = setTimeout(catchUp, POLL_MS);
}

/** Opens or closes what the page needs now. */
function follow() {
  clearTimeout(pollTimer);
  const parts = livePartsOf(document);
  const [element] = parts;
  const address = element?.dataset.stream;
  if (address !== endedAddress) endedAddress = null;
  const isStreamed = parts.length === 1 && endedAddress === null && !document.hidden;
  if (!isStreamed || stream?.element !== element || stream.address !== address) closeStream();
  if (document.hidden || parts.length === 0) return;
  if (!isStreamed) pollLater();
  else if (stream === null) openStream(element);
}

/** The answer to a form shows the page as well, with its notice. */
const isSending = () => document.querySelector("form[aria-busy=true]") !== null;

/** Fetches the page and shows what has changed, as soon as the service answers. */
async function catchUp() {
  clearTimeout(pollTimer);
  const before = timesShown;
  const reply = isSending() ? null : await fetchPage(location.href);
  // A newer page is there; or this one is hidden, and catches up when it is visible.
  if (timesShown !== before || document.hidden) return;
  if (reply !== null && !isSending()) {
    refresh(reply);
    return;
  }
  if (!isSending()) tellTrouble();
  pollLater();
}

/** Null: there is no connection, or the service has trouble. */
async function fetchPage(address) {
  try {
    const response = await fetch(address, { headers: { Accept: "text/html" } });
    return response.status < 500 && isPage(response)
      ? { address: response.url, text: await response.text() }
      : null;
  } catch {
    return null;
  }
}

function tellTrouble() {
  trouble ??= tell(
    "The service does not answer.",
    "This page goes on by itself as soon as there is an answer.",
  );
}

/** The badge beside the title. */
const stateOfPage = () => document.querySelector(".page-title .badge")?.textContent ?? "";

/** Nobody has asked for this change, so a screen reader would not notice it. */
function showAndAnnounce(text, address) {
  const before = stateOfPage();
  show(text, address, false);
  const [state, status] = [stateOfPage(), document.getElementById("status")];
  if (status === null || state === "" || state === before) return;
  status.textContent = `${document.querySelector(".page-title h1").textContent}: ${state}`;
}

/** If the page has the same live parts, only these are replaced: what was typed elsewhere stays. */
function refresh({ address, text }) {
  const [parts, next] = [document, new DOMParser().parseFromString(text, "text/html")].map(livePartsOf);
  const addressesOf = (elements) => elements.map(({ dataset }) => dataset.stream).join("\n");
  trouble?.remove();
  trouble = null;
  if (address !== shownAddress() || addressesOf(parts) !== addressesOf(next)) {
    showAndAnnounce(text, address);
    return;
  }
  for (const [index, element] of parts.entries())
    Idiomorph.morph(element, next[index].innerHTML, { morphStyle: "innerHTML" });
  follow();
}

if (!canMorph) for (const element of livePartsOf(document)) offerReload(element, true);
else {
  document.addEventListener("console:update", () => {
    timesShown += 1;
    trouble = null;
    follow();
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden || livePartsOf(document).length === 0) follow();
    else void catchUp();
  });
}
