/**
 * Sends a file in parts, and goes on where it stopped after a lost connection. Each part is a form of the
 * page of the upload; the page that answers says how many bytes have arrived (`data-arrived`).
 */

const PART_BYTES = 1024 ** 2;
const LEAST_BYTES = 16 * 1024;
const LONGEST_WAIT_MS = 30_000;

const number = new Intl.NumberFormat(document.documentElement.lang, { maximumFractionDigits: 1 });
const megabytes = (bytes) => `${number.format(bytes / 1e6)} MB`;
const after = (seconds) =>
  seconds < 50
    ? "less than a minute left"
    : seconds < 90
      ? "about a minute left"
      : `about ${Math.round(seconds / 60)} minutes left`;

/** A reply that is no answer to what was sent: the connection, or the service, has trouble. */
class Lost extends Error {}
/** The service does not want it; the notice says why. */
class Refused extends Error {}

const pause = (ms) =>
  new Promise((resolve) => {
    const timer = setTimeout(done, ms);
    function done() {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    }
    addEventListener("online", done);
  });

async function ask(address, fields) {
  const body = fields === undefined ? undefined : new FormData();
  for (const [name, value] of Object.entries(fields ?? {})) body.append(name, value);
  let response;
  let text;
  try {
    response = await fetch(address, { method: body === undefined ? "GET" : "POST", body });
    text = await response.text();
  } catch {
    throw new Lost();
  }
  if (response.status >= 500 || response.status === 429) throw new Lost();
  return { response, page: new DOMParser().parseFromString(text, "text/html") };
}

/** What the page says about what was wrong; another page, such as the sign-in, says nothing. */
function refusal(page) {
  const alert = page.querySelector("[role=alert]");
  const text = alert?.textContent.trim() ?? page.querySelector(".empty p")?.textContent.trim();
  return new Refused(text ?? "You are not signed in any more. Open the page again; what has arrived stays.");
}

const arrivedIn = (page) => {
  const element = page.querySelector("[data-arrived]");
  return element === null ? null : Number(element.dataset.arrived);
};

async function sendPart(address, file, offset, length) {
  const part = file.slice(offset, offset + length);
  const { response, page } = await ask(address, { do: "part", offset: String(offset), part });
  if (response.status === 413 && length > LEAST_BYTES)
    return await sendPart(address, file, offset, Math.ceil(length / 2));
  const arrived = arrivedIn(page);
  if (!response.ok || arrived === null) throw refusal(page);
  return { arrived, length };
}

/** Repeats it until there is an answer. */
async function persist(attempt, onWaiting) {
  for (let wait = 1000; ; wait = Math.min(2 * wait, LONGEST_WAIT_MS)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      onWaiting();
      await pause(wait);
    }
  }
}

async function begin(address, file) {
  const { response, page } = await ask(address, {
    do: "begin",
    fileName: file.name,
    size: String(file.size),
  });
  if (!response.ok || arrivedIn(page) === null) throw refusal(page);
  return response.url;
}

/** Where the bytes so far came from another file, the service refuses the first part of this one. */
async function resume(address, file, { arrived, expected }) {
  if (file.size !== expected)
    throw new Refused(
      `This file has ${megabytes(file.size)}, the one whose beginning has arrived ${megabytes(expected)}.`,
    );
  if (arrived > 0) await sendPart(address, file, 0, Math.min(PART_BYTES, arrived));
  return arrived;
}

class Shown {
  constructor(place, file) {
    this.file = file;
    this.bar = Object.assign(document.createElement("progress"), { max: file.size, value: 0 });
    this.bar.setAttribute("aria-label", "Upload");
    this.text = document.createElement("p");
    const box = Object.assign(document.createElement("div"), { className: "progress upload-progress" });
    const name = Object.assign(document.createElement("strong"), { textContent: file.name });
    box.append(name, this.bar, this.text);
    this.before = [...place.children];
    this.place = place;
    place.replaceChildren(box);
  }
  begin(arrived) {
    this.started = { arrived, at: performance.now() };
    this.show(arrived);
  }
  show(arrived) {
    const { started, file } = this;
    const seconds = (performance.now() - started.at) / 1000;
    const speed = (arrived - started.arrived) / seconds;
    this.bar.value = arrived;
    this.text.textContent = [
      `${megabytes(arrived)} of ${megabytes(file.size)}`,
      ...(seconds > 1 && speed > 0 ? [after((file.size - arrived) / speed)] : []),
    ].join(" · ");
  }
  waiting() {
    this.text.textContent =
      "No connection. The upload goes on by itself as soon as there is one; what has arrived stays.";
  }
  restore() {
    this.place.replaceChildren(...this.before);
    const input = this.place.querySelector("input[type=file]");
    if (input !== null) input.value = "";
  }
}

async function send(place, file) {
  const holder = place.closest("[data-arrived]");
  const shown = new Shown(place, file);
  document.getElementById("notice")?.replaceChildren();
  const waiting = () => shown.waiting();
  try {
    const given = place.dataset.upload;
    const from =
      holder === null
        ? null
        : { arrived: Number(holder.dataset.arrived), expected: Number(holder.dataset.expected) };
    const address = from === null ? await persist(() => begin(given, file), waiting) : given;
    let offset = from === null ? 0 : await persist(() => resume(address, file, from), waiting);
    let length = PART_BYTES;
    shown.begin(offset);
    while (offset < file.size) {
      let isLost = false;
      const sent = await persist(
        async () => {
          // A part whose answer was lost may have arrived.
          if (isLost) offset = arrivedIn((await ask(address)).page) ?? offset;
          return offset >= file.size ? null : await sendPart(address, file, offset, length);
        },
        () => {
          isLost = true;
          waiting();
        },
      );
      if (sent === null) break;
      offset = sent.arrived;
      length = sent.length;
      shown.show(offset);
    }
    const { response, page } = await persist(() => ask(address, { do: "finish" }), waiting);
    if (!response.ok) throw refusal(page);
    location.assign(response.url);
  } catch (error) {
    shown.restore();
    tell(error instanceof Refused ? error.message : "The file could not be read. Choose it again.");
  }
}

function tell(message) {
  const strong = Object.assign(document.createElement("strong"), { textContent: message });
  const inner = document.createElement("div");
  inner.append(strong);
  const box = Object.assign(document.createElement("div"), { className: "notice bad" });
  box.setAttribute("role", "alert");
  box.append(inner);
  document.getElementById("notice")?.replaceChildren(box);
  box.scrollIntoView({ block: "nearest" });
}

function start(place) {
  const file = place.querySelector("input[type=file]")?.files[0];
  if (file !== undefined) void send(place, file);
}

addEventListener("change", ({ target }) => {
  const place = target.matches("input[type=file]") ? target.closest("[data-upload]") : null;
  if (place !== null) start(place);
});
const prepare = () => {
  for (const element of document.querySelectorAll("[data-without-script]")) element.hidden = true;
};
document.addEventListener("console:update", prepare);
prepare();

// A file may be chosen before this script has arrived.
for (const place of document.querySelectorAll("[data-upload]")) start(place);
