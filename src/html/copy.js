/** Copy buttons: every element with data-copy gets one. */
function make(name, properties, ...children) {
  const node = Object.assign(document.createElement(name), properties);
  node.append(...children);
  return node;
}

// The clipboard is closed to pages served over plain HTTP, where selecting still works.

async function copy(block, button) {
  try {
    await navigator.clipboard.writeText(block.textContent);
  } catch {
    getSelection().selectAllChildren(block);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => {
    button.textContent = "Copy";
  }, 1500);
}

function addCopyButton(block) {
  if (block.nextElementSibling?.matches(".copy")) return;
  const button = make("button", { type: "button", className: "copy", textContent: "Copy" });
  button.setAttribute("aria-label", `Copy: ${block.getAttribute("aria-label")}`);
  button.addEventListener("click", () => copy(block, button));
  block.after(button);
}

function addCopyButtons() {
  for (const block of document.querySelectorAll("[data-copy]")) addCopyButton(block);
}

addCopyButtons();
