// The case table. Only visible rows exist in the DOM, so 10,000 cases cost no more than fifty.

const MARGIN = 12;
const COLUMNS = [["status", "Status"], ["case", "Case"], ["", "Reason"], ["time", "Time"], ["calls", "Calls"], ["", "Checks"]];

const table = { rows: [], body: null, height: 37, from: -1, to: -1, longest: 1, all: false };

function showTable(view) {
  const counter = el("p.counter", { role: "status", "aria-live": "polite" });
  const head = el("tr", {});
  const body = el("tbody", {});
  const nothing = el("p.nothing", { hidden: true }, "No matching cases. ", button("Show all cases", () => go({ ...EMPTY })));
  const refresh = () => {
    table.rows = fitting();
    table.from = -1;
    const all = report.cases.length;
    counter.textContent = table.rows.length === all ? plural(all, "case") : `${table.rows.length.toLocaleString("en")} of ${plural(all, "case")}`;
    nothing.hidden = table.rows.length > 0 || all === 0;
    grid.hidden = !nothing.hidden;
    grid.setAttribute("aria-rowcount", String(table.rows.length + 1));
    headings(head, refresh);
    draw();
  };
  const grid = el("table.cases", { "aria-label": "Cases" }, el("thead", {}, head), body);
  table.body = body;
  table.longest = Math.max(...report.cases.map((row) => row.wall), 1);
  view.replaceChildren(el("h2.visually-hidden", {}, "Cases"), filterBar(refresh), counter, grid, nothing);
  refresh();
}

function headings(head, refresh) {
  head.setAttribute("aria-rowindex", "1");
  head.replaceChildren(...COLUMNS.map(([key, words]) => {
    if (!key) return el("th", { scope: "col" }, words);
    const sorted = state.sort.replace("-", "") === key;
    const back = state.sort.startsWith("-");
    const sort = sorted ? (back ? "" : `-${key}`) : key;
    return el("th", { scope: "col", "aria-sort": sorted ? (back ? "descending" : "ascending") : "none" },
      button([words, el("span.arrow", { "aria-hidden": "true" }, sorted ? (back ? " ↓" : " ↑") : "")], () => {
        adjust({ sort });
        refresh();
        [...head.querySelectorAll("button")].find((one) => one.textContent.startsWith(words))?.focus();
      }));
  }));
}

/** Creates the visible rows, unless they already exist. */
function draw() {
  if (!table.body?.isConnected) return;
  const top = -table.body.getBoundingClientRect().top;
  const screen = window.innerHeight;
  const total = table.rows.length;
  const from = table.all ? 0 : Math.min(Math.max(0, Math.floor(top / table.height) - MARGIN), Math.max(0, total - 1));
  const to = table.all ? total : Math.min(total, Math.max(from + MARGIN, Math.ceil((top + screen) / table.height) + MARGIN));
  if (from === table.from && to === table.to) return;
  table.from = from;
  table.to = to;
  const focused = document.activeElement?.closest?.("tr")?.dataset.number;
  table.body.replaceChildren(spacer(from), ...table.rows.slice(from, table.to).map((row, at) => tableRow(row, from + at)), spacer(total - table.to));
  if (focused) table.body.querySelector(`tr[data-number="${focused}"] a`)?.focus({ preventScroll: true });
  const first = table.body.querySelector("tr[data-number]");
  const height = first?.getBoundingClientRect().height;
  if (height && Math.abs(height - table.height) > 0.5 && !table.all) {
    table.height = height;
    table.from = -1;
    draw();
  }
}

function spacer(rows) {
  const row = el("tr.spacer", { "aria-hidden": "true" }, el("td", { colspan: String(COLUMNS.length) }));
  row.firstChild.style.height = `${rows * table.height}px`;
  row.hidden = rows === 0;
  return row;
}

function tableRow(row, at) {
  const share = row.wall / table.longest;
  const bar = svg("svg.bar", { viewBox: "0 0 100 4", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { width: Math.max(1, share * 100), height: 4 }));
  const ran = row.status !== "skipped";
  return el(`tr.${row.status}`, { "data-number": String(row.number), "aria-rowindex": String(at + 2), onclick: openRow },
    el("td", {}, badge(row.status)),
    el("td.name", {},
      el("a", { href: caseAddress(row.number), title: row.id }, oneLine(row.id)),
      row.flaky && el("span.tag.flaky", {}, `flaky ${row.passed}/${row.runs}`),
      row.change && el("span.tag.changed", {}, row.change),
      row.tags.slice(0, 3).map((tag) => el("span.tag", {}, oneLine(tag)))),
    el("td.why", { title: row.why }, oneLine(row.why)),
    el("td.number", {}, ran && duration(row.wall), ran && bar),
    el("td.number", {}, ran && String(row.calls)),
    el("td.number", {}, row.checks > 0 && ran && `${row.held}/${row.checks}`));
}

/** A click anywhere in a row opens it, unless text is being selected. */
function openRow(event) {
  if (event.target.closest("a, button") || String(getSelection())) return;
  go({ case: Number(event.currentTarget.dataset.number), run: 0, step: null });
}

/** Moves the focus to another row and brings it into view. */
function focusRow(step) {
  const focused = document.activeElement?.closest?.("tr[data-number]");
  const at = focused ? table.rows.findIndex((row) => String(row.number) === focused.dataset.number) + step : 0;
  const row = table.rows[Math.min(Math.max(at, 0), table.rows.length - 1)];
  if (row) focusCase(row.number);
}

function focusCase(number) {
  const at = table.rows.findIndex((row) => row.number === number);
  if (at < 0 || !table.body?.isConnected) return;
  const y = table.body.getBoundingClientRect().top + window.scrollY + at * table.height;
  const [above, below] = [window.scrollY + 80, window.scrollY + window.innerHeight - table.height * 2];
  if (y < above || y > below) window.scrollTo({ top: y - window.innerHeight / 2 });
  draw();
  table.body.querySelector(`tr[data-number="${number}"] a`)?.focus({ preventScroll: true });
}
