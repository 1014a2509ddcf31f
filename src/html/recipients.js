/**
 * The number of people a campaign goes to, a part of the console's script. While somebody chooses in a part
 * with `data-counts`, its fields are sent to that address whenever they have not changed for a moment; a
 * question that is not of interest any more is given up. What has `data-counted="later"` was not counted when
 * the page was shown. The answer has the parts with `data-counted` in the same order.
 */

const UNCHANGED_MS = 300;

let quietTimer;
let asking = new AbortController();

const countedParts = (page) => [...page.querySelectorAll("[data-counted]")];

async function askNumber(address, init) {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  try {
    const response = await fetch(address, { ...init, headers: { Accept: "text/html" }, signal });
    const isAnswer = response.ok && !response.redirected;
    const text = isAnswer ? await response.text() : "";
    const found = countedParts(new DOMParser().parseFromString(text, "text/html"));
    for (const [index, part] of countedParts(document).entries()) {
      const next = found[index];
      if (signal.aborted) return;
      part.setAttribute("data-counted", "");
      if (next !== undefined) part.innerHTML = next.innerHTML;
      else if (init !== undefined) part.textContent = "Not counted.";
    }
  } catch {
    // It was given up, or there is no connection: the number stays as it is.
  }
}

function askAgain(part) {
  const fields = new URLSearchParams();
  for (const field of part.querySelectorAll("input, select, textarea"))
    if (field.name !== "" && (field.type !== "checkbox" || field.checked))
      fields.append(field.name, field.value);
  void askNumber(part.dataset.counts, { method: "POST", body: fields });
}

for (const name of ["input", "change"])
  addEventListener(name, ({ target }) => {
    const part = target.closest?.("[data-counts]");
    if (!part) return;
    clearTimeout(quietTimer);
    quietTimer = setTimeout(() => askAgain(part), UNCHANGED_MS);
  });

/** When the page was shown or changed. */
function askForTheRest() {
  if (document.querySelector('[data-counted="later"]') === null) return;
  const part = document.querySelector("[data-counts]");
  if (part !== null) return askAgain(part);
  const address = document.querySelector("[data-recount]")?.dataset.recount;
  if (address !== undefined) void askNumber(address);
}
document.addEventListener("console:update", askForTheRest);
