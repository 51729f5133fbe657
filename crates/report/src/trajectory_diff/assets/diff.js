// Folds equal steps, and moves between differences with the keyboard.

/** How many equal steps stay visible around a difference. */
const CONTEXT = 2;

/** The rows of equal steps that are not near a difference, in runs. */
function foldable(table) {
  const rows = [...table.tBodies[0].rows];
  const near = (at) => rows.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((row) => !row.classList.contains("same"));
  const runs = [];
  rows.forEach((row, at) => {
    if (near(at)) return;
    const last = runs.at(-1);
    if (last && last.at(-1) === row.previousElementSibling) last.push(row);
    else runs.push([row]);
  });
  return runs;
}

const folds = [];
for (const table of document.querySelectorAll("table.steps")) {
  for (const run of foldable(table)) {
    const button = document.createElement("button");
    button.className = "more";
    const cell = document.createElement("td");
    cell.colSpan = 2;
    cell.append(button);
    const row = document.createElement("tr");
    row.className = "fold";
    row.append(cell);
    run[0].before(row);
    const fold = { run, button, open: true };
    button.addEventListener("click", () => show(fold, !fold.open));
    folds.push(fold);
    show(fold, false);
  }
}

function show(fold, open) {
  fold.open = open;
  fold.run.forEach((row) => { row.hidden = !open; });
  const steps = fold.run.length === 1 ? "1 equal step" : `${fold.run.length} equal steps`;
  fold.button.textContent = open ? `hide ${steps}` : steps;
  fold.button.setAttribute("aria-expanded", String(open));
}

/** Focuses the next or previous of these elements, seen from the one that has the focus. */
function move(selector, by) {
  const all = [...document.querySelectorAll(selector)];
  const here = document.activeElement;
  const at = all.findIndex((one) => one === here);
  const before = all.filter((one) => one.compareDocumentPosition(here) & Node.DOCUMENT_POSITION_FOLLOWING).length;
  const from = at >= 0 ? at + by : here === document.body ? (by > 0 ? 0 : -1) : by > 0 ? before : before - 1;
  const next = all[from];
  next?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "center" });
}

const KEYS = {
  j: () => move("tr[tabindex]", 1),
  k: () => move("tr[tabindex]", -1),
  n: () => move("section.case", 1),
  p: () => move("section.case", -1),
  e: () => { const open = folds.some((fold) => !fold.open); folds.forEach((fold) => show(fold, open)); },
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key]) return;
  event.preventDefault();
  KEYS[event.key]();
});
document.querySelector(".keys-hint").hidden = false;
