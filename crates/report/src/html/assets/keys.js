// Keyboard shortcuts.

const KEYS = [
  ["/", "search"], ["↓ ↑ or j k", "next and previous case in the table, or step in a case"], ["Enter", "open the case"],
  ["n p", "next and previous case, in a case"], ["Escape or u", "back to all cases"], ["e", "expand all steps"], ["t", "light or dark"], ["?", "this list"],
];
let singleKeys = true;

function onKey(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.closest?.("input, select, textarea");
  const dialog = document.querySelector("dialog[open]");
  if (dialog) return;
  if (typing) {
    if (event.key === "Escape") event.target.blur();
    if (event.key === "ArrowDown" && event.target.type === "search") act(event, () => focusRow(0));
    return;
  }
  const arrows = { ArrowDown: 1, ArrowUp: -1 };
  const letters = { j: 1, k: -1 };
  const by = arrows[event.key] ?? (singleKeys ? letters[event.key] : undefined);
  if (by && !state.case) return act(event, () => focusRow(by));
  // In a case the arrow keys scroll, as everywhere, unless a step has the focus.
  if (by && (letters[event.key] || event.target.closest?.(".trace .at"))) return act(event, () => stepBy(by));
  if (event.key === "Escape" && state.case) return act(event, leaveCase);
  if (!singleKeys) return;
  const actions = {
    "/": () => (state.case ? leaveCase() : document.getElementById("search")?.focus()),
    u: () => state.case && leaveCase(),
    n: () => neighbour(1),
    p: () => neighbour(-1),
    e: () => shown.list?.querySelectorAll(":scope > li > details").forEach((fold) => { fold.open = true; }),
    t: turnTheme,
    "?": showKeys,
  };
  if (actions[event.key]) act(event, actions[event.key]);
}

function act(event, action) {
  event.preventDefault();
  action();
}

function leaveCase() {
  go({ case: 0, run: 0, step: null });
}

function neighbour(by) {
  if (!state.case) return;
  const rows = fitting();
  const at = rows.findIndex((row) => row.number === state.case);
  const next = at < 0 ? null : rows[at + by];
  if (next) go({ case: next.number, run: 0, step: null });
}

/** Switches between light and dark, regardless of the system setting. */
function turnTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
}

function showKeys() {
  const dialog = el("dialog", { "aria-label": "Keyboard shortcuts" },
    el("h2", {}, "Keyboard shortcuts"),
    el("dl.keys", {}, KEYS.map(([key, words]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)])),
    el("label", {}, el("input", { type: "checkbox", checked: singleKeys, onchange: (event) => { singleKeys = event.target.checked; } }), " enable single-key shortcuts"),
    el("p", {}, button("Close", () => dialog.close())));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
