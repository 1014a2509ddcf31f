/** Conditions of a filter, a part of the console's script: once the last row is used, there is another one. */
function addCondition({ target }) {
  const row = target.closest?.(".condition");
  const rows = row?.parentElement;
  const number = rows?.children.length ?? 0;
  if (!rows || row !== rows.lastElementChild || number >= Number(rows.dataset.most)) return;
  const next = row.cloneNode(true);
  const renamed = (id) => `${id.slice(0, id.lastIndexOf("-"))}-${number}`;
  next.setAttribute("aria-label", `Condition ${number + 1}`);
  for (const label of next.querySelectorAll("label")) {
    label.htmlFor = renamed(label.htmlFor);
    label.textContent = label.textContent.replace(String(number), String(number + 1));
  }
  for (const input of next.querySelectorAll("input, select")) {
    input.id = renamed(input.id);
    if (input.matches("select")) input.selectedIndex = 0;
    else input.value = "";
  }
  rows.append(next);
}
for (const name of ["input", "change"]) addEventListener(name, addCondition);
