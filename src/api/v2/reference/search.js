/**
 * The search of the reference: shows the operations whose heading, path or description has every word. Without
 * this script the field stays hidden, and the page is whole.
 */
const field = document.querySelector("[data-search]");
const state = document.getElementById("found");
const sections = [...document.querySelectorAll("main section")].map((section) => ({
  section,
  articles: [...section.querySelectorAll("article")].map((article) => ({
    article,
    text: [...article.querySelectorAll(":scope > :is(h3, p)")]
      .map((one) => one.textContent.toLowerCase())
      .join(" "),
  })),
}));

function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const { section, articles } of sections) {
    let shown = 0;
    for (const { article, text } of articles) {
      article.hidden = !words.every((word) => text.includes(word));
      if (!article.hidden) shown += 1;
    }
    // Conventions and problems belong to no operation.
    section.hidden = words.length > 0 && shown === 0;
    count += shown;
  }
  const found = count === 1 ? "1 operation" : `${count} operations`;
  state.textContent = words.length === 0 ? "" : count === 0 ? "No operation has these words." : found;
}

/** A link to what is hidden shows everything again. */
function showTarget() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target === null || target.checkVisibility()) return;
  field.value = "";
  search();
  target.scrollIntoView();
}

field.closest("search").hidden = false;
field.addEventListener("input", search);
addEventListener("hashchange", showTarget);
addEventListener("keydown", (event) => {
  const isTyping = event.target.matches?.("input, textarea, select");
  if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    field.focus();
    field.select();
  } else if (event.key === "Escape" && event.target === field) {
    field.value = "";
    search();
  } else if (event.key === "Enter" && event.target === field) {
    const first = sections.flatMap(({ articles }) => articles).find(({ article }) => !article.hidden);
    if (first !== undefined) location.hash = first.article.querySelector("h3").id;
  }
});
// A browser keeps what was typed when the page is loaded again.
search();
