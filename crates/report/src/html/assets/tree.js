// A value as a tree: objects and lists can be collapsed, long texts and lists are truncated and can be expanded.

const CHILDREN = 40;
const LETTERS = 400;

/** The tree of a value given as JSON text. */
function tree(text, cut, { open = true } = {}) {
  const node = readJson(text);
  const box = el("div.json", {});
  if (node.type === "raw") box.append(longText(node.value));
  else if (node.entries) box.append(branch(null, node, open ? 2 : 0));
  else box.append(leaf(node));
  if (cut) box.append(el("p.cut", {}, `cut after ${Math.max(1, Math.round(text.length / 1024))} KB; run.jsonl has all of it`));
  return box;
}

function branch(key, node, depth) {
  const count = node.type === "object" ? plural(node.entries.length, "field") : plural(node.entries.length, "item");
  const label = [key === null ? null : el("span.key", {}, oneLine(key), ": ")];
  if (!node.entries.length && !node.cut) return el("div.leaf", {}, label, node.type === "object" ? "{}" : "[]");
  const fold = el("details.branch", { open: depth > 0 && node.entries.length <= CHILDREN });
  const hint = el("span.hint", {}, preview(node, 80));
  fold.append(el("summary", {}, label, el("span.count", {}, count), hint));
  let filled = false;
  const unfold = () => {
    if (!fold.open || filled) return;
    filled = true;
    fold.append(children(node, depth - 1));
  };
  fold.addEventListener("toggle", unfold);
  unfold();
  return fold;
}

function children(node, depth) {
  const box = el("div.children", {});
  const show = (from) => {
    for (const [key, value] of node.entries.slice(from, from + CHILDREN)) {
      box.append(value.entries ? branch(key, value, depth) : leaf(value, key));
    }
    const left = node.entries.length - from - CHILDREN;
    if (left > 0) {
      const more = button(`show ${Math.min(left, CHILDREN)} more of ${left}`, () => {
        more.remove();
        show(from + CHILDREN);
      }, { class: "more" });
      box.append(more);
    }
  };
  show(0);
  return box;
}

function leaf(node, key = null) {
  const label = key === null ? null : el("span.key", {}, oneLine(key), ": ");
  const end = node.cut ? el("span.cut", {}, " …") : null;
  if (node.type === "text") return el("div.leaf", {}, label, el("span.text", {}, longText(node.value)), end);
  return el("div.leaf", {}, label, el(`span.${node.type}`, {}, node.value), end);
}

/** A long text: its beginning, with a button to show the rest. */
function longText(text, letters = LETTERS) {
  if (text.length <= letters) return el("span.long", {}, text);
  const shown = el("span.long", {}, text.slice(0, letters), "…");
  const more = button(`show all ${text.length.toLocaleString("en")} characters`, () => {
    shown.replaceChildren(visible(text));
    more.remove();
  }, { class: "more" });
  return el("span", {}, shown, " ", more);
}
