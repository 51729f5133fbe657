// Filters the cases, and builds the filter controls.

const STATUSES = [["fail", "failed"], ["error", "errors"], ["pass", "passed"], ["skipped", "skipped"]];
const ORDERS = {
  status: (row) => ["error", "fail", "skipped", "pass"].indexOf(row.status),
  case: (row) => row.id,
  time: (row) => -row.wall,
  calls: (row) => -row.calls,
};

const isFailed = (row) => row.status === "fail" || row.status === "error";

/** The matching cases, in the selected order; those that did not pass come first by default. */
function fitting(at = state) {
  const words = at.q.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = report.cases.filter((row) =>
    (!at.status.length || at.status.includes(row.status))
    && (!at.flaky || row.flaky)
    && (!at.changed || row.change)
    && (!at.tag || row.tags.includes(at.tag))
    && (!at.file || row.file === at.file)
    && (!at.group || row.group === at.group)
    && words.every((word) => row.text.includes(word)));
  const [, back, key] = /^(-?)(\w*)$/.exec(at.sort) ?? [];
  const order = ORDERS[key];
  if (!order) return [...rows.filter(isFailed), ...rows.filter((row) => !isFailed(row))];
  const sign = back ? -1 : 1;
  return rows.sort((one, other) => {
    const [left, right] = [order(one), order(other)];
    return left < right ? -sign : left > right ? sign : one.number - other.number;
  });
}

/** The filter controls; `changed` is called when the filter changes. */
function filterBar(changed) {
  const count = (test) => report.cases.filter(test).length;
  const toggle = (changes) => {
    adjust(changes);
    changed();
  };
  const search = el("input", {
    type: "search", id: "search", placeholder: "Search cases, reasons, tags, tools", "aria-label": "Search cases", value: state.q,
    autocomplete: "off", spellcheck: "false", oninput: (event) => toggle({ q: event.target.value }),
  });
  const chips = [];
  const chip = (words, total, kind, pressed, flip) => {
    const one = button([words, " ", el("b", {}, total.toLocaleString("en"))], () => {
      toggle(flip());
      chips.forEach(([each, isPressed]) => each.setAttribute("aria-pressed", String(isPressed())));
    }, { class: `chip ${kind}`, "aria-pressed": String(pressed()), disabled: total === 0 });
    chips.push([one, pressed]);
    return one;
  };
  const status = STATUSES.map(([key, words]) => chip(words, count((row) => row.status === key), key,
    () => state.status.includes(key),
    () => ({ status: state.status.includes(key) ? state.status.filter((one) => one !== key) : [...state.status, key] })));
  const flaky = count((row) => row.flaky);
  const differing = count((row) => row.change);
  const more = [
    (flaky > 0 || state.flaky) && chip("flaky", flaky, "flaky", () => state.flaky, () => ({ flaky: !state.flaky })),
    report.baseline && chip("changed since the baseline", differing, "changed", () => state.changed, () => ({ changed: !state.changed })),
  ];
  const choice = (key, label, values) => values.length > (key === "tag" ? 0 : 1) && el("label.choose", {}, `${label} `,
    el("select", { onchange: (event) => toggle({ [key]: event.target.value }) },
      el("option", { value: "" }, "any"),
      [...values].sort().map((value) => el("option", { value, selected: value === state[key] }, oneLine(value)))));
  return el("div.filters", { role: "search" },
    search,
    el("div.chips", { role: "group", "aria-label": "Status" }, status, more),
    choice("tag", "Tag", report.tags), choice("file", "File", report.files.filter(Boolean)),
    choice("group", "Failure", report.groups.map((group) => group.title)));
}
