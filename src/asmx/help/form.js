/**
 * The form that calls an operation; `copy.js` comes before it on the page. It knows no operation: an
 * element with data-element becomes an XML element of that name, and the outcomes are read from the page's
 * own table. Nothing leaves the page but the call itself; only what data-shared marks is kept, in this tab.
 */
const MOST_SHOWN = 200_000;

// XML, to send and to show.

const escapes = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const escapeXml = (text) => text.replace(/[&<>"]/g, (character) => escapes[character]);

function partsOf(container) {
  const isOwn = (node) => node.parentElement.closest("[data-element]") === container;
  return [...container.querySelectorAll("[data-element]")].filter(isOwn);
}

/** A parameter without a value is left out, and so is a record without parameters. */
function xmlOf(node) {
  const name = node.dataset.element;
  const content = node.matches("input, select") ? escapeXml(node.value) : partsOf(node).map(xmlOf).join("");
  return content === "" ? "" : `<${name}>${content}</${name}>`;
}

function envelope(form, { prefix, namespace }) {
  const { element, namespace: target } = form.dataset;
  const call = `<${element} xmlns="${escapeXml(target)}">${partsOf(form).map(xmlOf).join("")}</${element}>`;
  return `<?xml version="1.0" encoding="utf-8"?><${prefix}:Envelope xmlns:${prefix}="${namespace}"><${prefix}:Body>${call}</${prefix}:Body></${prefix}:Envelope>`;
}

/** One element a line; the markup is stepped back, the values stand out. */
function highlighted(xml) {
  const out = document.createDocumentFragment();
  let depth = 0;
  let before = "";
  for (const token of xml.match(/<[^<>]*>|[^<]+/g) ?? []) {
    const isTag = token.startsWith("<");
    const isEnd = token.startsWith("</");
    const isStart = isTag && !isEnd && !token.startsWith("<?") && !token.endsWith("/>");
    if (isEnd) depth -= 1;
    if (isTag && before !== "" && before !== "text" && !(isEnd && before === "start"))
      out.append(`\n${"  ".repeat(depth)}`);
    if (isStart) depth += 1;
    before = isStart ? "start" : isTag ? "tag" : "text";
    out.append(isTag ? make("span", { className: "tag", textContent: token }) : token);
  }
  return out;
}

function codeBlock(label, text, isXml) {
  const shown = text.slice(0, MOST_SHOWN);
  const code = make("code", {}, isXml ? highlighted(shown) : shown);
  const block = make("pre", { tabIndex: 0, role: "group" }, code);
  block.setAttribute("aria-label", label);
  const frame = make("div", { className: "code" }, block);
  addCopyButton(block);
  if (shown !== text)
    frame.append(
      make("p", { className: "hint", textContent: `Cut here; ${text.length} characters in all.` }),
    );
  return frame;
}

// The call and its reply.

const byLocalName = (root, name) => root.getElementsByTagNameNS("*", name)[0];
const textOf = (root, ...names) =>
  names.map((name) => byLocalName(root, name)?.textContent).find(Boolean) ?? "";

/** What the reply says, in words: mood, headline, explanation. */
function verdict(form, reply) {
  const fault = byLocalName(reply, "Fault");
  if (fault !== undefined)
    return [
      "bad",
      `Fault ${textOf(fault, "code", "faultcode", "Value")}`,
      textOf(fault, "faultstring", "Text"),
    ];
  const result = byLocalName(reply, `${form.dataset.element}Result`);
  if (result === undefined) return ["bad", "Not an answer of this operation", ""];
  const outcome = document.querySelector(`[data-byte="${CSS.escape(result.textContent)}"]`);
  if (outcome !== null) {
    const [byte, name, meaning] = [...outcome.cells].map((cell) => cell.textContent);
    return [outcome.matches(":first-child") ? "good" : "refused", `${byte} ${name}`, meaning];
  }
  if (result.getAttributeNS("http://www.w3.org/2001/XMLSchema-instance", "nil") === "true")
    return ["good", "nil", "There is none."];
  if (form.dataset.result === "array")
    return [
      "good",
      `${result.childElementCount} ${result.childElementCount === 1 ? "record" : "records"}`,
      "",
    ];
  if (form.dataset.result === "sequence") return ["good", "1 record", ""];
  return ["good", result.textContent, ""];
}

async function call(form, version) {
  const body = envelope(form, version.dataset);
  const started = performance.now();
  try {
    const response = await fetch(location.pathname, {
      method: "POST",
      headers: JSON.parse(version.dataset.headers),
      body,
      credentials: "omit",
    });
    const text = await response.text();
    const milliseconds = Math.max(1, Math.round(performance.now() - started));
    const isXml = /xml/.test(response.headers.get("content-type") ?? "");
    return { body, text, isXml, status: `HTTP ${response.status}`, took: `${milliseconds} ms` };
  } catch (error) {
    return { body, text: "", isXml: false, status: "No answer", took: String(error) };
  }
}

/** The required controls without a value. */
function missingOf(form) {
  const required = [...form.querySelectorAll("[aria-required]")];
  for (const control of required) control.setAttribute("aria-invalid", String(control.value.trim() === ""));
  return required.filter((control) => control.value.trim() === "");
}

function showMissing(missing, reply) {
  const names = new Intl.ListFormat("en").format(missing.map((control) => control.dataset.element));
  reply.replaceChildren(
    make(
      "div",
      { className: "verdict bad" },
      make("strong", { textContent: "Not sent" }),
      make("span", { textContent: `Fill in ${names}.` }),
    ),
  );
  reply.hidden = false;
  missing[0].focus();
}

async function send(form, reply) {
  const version = form.querySelector("input[name=version]:checked");
  const button = form.querySelector("button:not([type])");
  button.disabled = true;
  const { body, text, isXml, status, took } = await call(form, version);
  button.disabled = false;
  const parsed = new DOMParser().parseFromString(text, "text/xml");
  const [mood, headline, explanation] = isXml ? verdict(form, parsed) : ["bad", status, took];
  reply.replaceChildren(
    make(
      "div",
      { className: `verdict ${mood}` },
      make("strong", { textContent: headline }),
      make("span", { textContent: explanation }),
    ),
    make("p", { className: "hint status", textContent: `${status}, ${took}, SOAP ${version.value}` }),
    codeBlock("Reply", text, isXml),
    make(
      "details",
      {},
      make("summary", { textContent: "The request as it was sent" }),
      codeBlock("Request as it was sent", body, true),
    ),
  );
  reply.hidden = false;
}

// The form: rows of arrays, the example, what is kept in the tab.

function addRow(list) {
  const rows = list.querySelector(".rows");
  rows.append(list.querySelector("template").content.cloneNode(true));
  const row = rows.lastElementChild;
  row.querySelector("[data-remove]").addEventListener("click", () => {
    row.remove();
    list.querySelector("[data-add]").focus();
  });
  return row;
}

/** Without a key: that of the example is nobody's, and a call with it would only fail. */
function fillExample(form) {
  for (const list of form.querySelectorAll("fieldset.list"))
    if (list.querySelector(".row") === null) addRow(list);
  for (const control of form.querySelectorAll("[data-example]:not([data-shared])"))
    control.value = control.dataset.example;
}

/** A browser may refuse to keep anything; then the key is typed again. */
function kept(name, value) {
  try {
    if (value !== undefined) sessionStorage.setItem(name, value);
    return sessionStorage.getItem(name) ?? "";
  } catch {
    return "";
  }
}

/** Text nodes of the samples, with their text as it came. */
function sampleTexts() {
  const blocks = document.querySelectorAll(".tabs pre");
  return [...blocks].flatMap((block) => {
    const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    const nodes = [];
    while (walker.nextNode() !== null) nodes.push([walker.currentNode, walker.currentNode.data]);
    return nodes;
  });
}

/** The samples have the key that was typed, if it needs no escaping in XML and in a shell. */
function takeOver(control, texts) {
  const { example } = control.dataset;
  const value = /^[\w.-]{1,200}$/.test(control.value) ? control.value : example;
  for (const [node, text] of texts) {
    const length = (_, start, bytes) => start + (Number(bytes) + value.length - example.length);
    node.data = text.replaceAll(example, value).replace(/^(Content-Length: )(\d+)$/m, length);
  }
}

function startForm(form) {
  const shared = [...form.querySelectorAll("[data-shared]")];
  const texts = sampleTexts();
  for (const control of shared) {
    control.value = kept(control.dataset.element);
    takeOver(control, texts);
    control.addEventListener("input", () => takeOver(control, texts));
  }
  for (const list of form.querySelectorAll("fieldset.list")) {
    list
      .querySelector("[data-add]")
      .addEventListener("click", () => addRow(list).querySelector("input, select").focus());
    addRow(list);
  }
  document.getElementById("example").addEventListener("click", () => fillExample(form));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    for (const control of shared) kept(control.dataset.element, control.value);
    const reply = document.getElementById("reply");
    const missing = missingOf(form);
    if (missing.length > 0) showMissing(missing, reply);
    else void send(form, reply);
  });
  document.getElementById("without-script").remove();
  form.hidden = false;
}

for (const form of document.querySelectorAll("form[data-element]")) startForm(form);
