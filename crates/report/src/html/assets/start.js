// Starts the page and follows the URL.

const view = document.getElementById("view");
const overview = document.getElementById("overview");

function show() {
  const before = state.case;
  state = readAddress();
  const row = report.byNumber.get(state.case);
  overview.hidden = Boolean(row);
  if (row) {
    const same = shown.number === row.number && before === row.number && (state.run || shown.run) === shown.run;
    if (same && shown.list && state.step !== null) chooseStep(state.step, { scroll: true });
    else if (!same || before !== row.number) showCase(view, row).catch(giveUp);
    return;
  }
  state.case = 0;
  showTable(view);
  if (before) focusCase(before);
}

function giveUp(error) {
  view.replaceChildren(el("p.undone", { role: "alert" },
    `This browser cannot show the data of this page (${error.message}). With JavaScript disabled, the page lists every case; run.jsonl has everything.`));
}

/** Shows everything for printing, where nothing can be scrolled or expanded. */
function beforePrint() {
  table.all = true;
  draw();
  document.querySelectorAll(".trace > li > details").forEach((fold) => { fold.open = true; });
}

function afterPrint() {
  table.all = false;
  draw();
}

/** Makes each group of failures in the overview a filter of the table. */
function linkGroups() {
  document.querySelectorAll(".failures > li").forEach((item, at) => {
    const { title } = report.groups[at];
    item.replaceChildren(button([...item.childNodes], () => go({ ...EMPTY, group: title }), { class: "group" }));
  });
}

async function start() {
  document.querySelector("body > header").append(el("div.tools", {},
    button("Light or dark", turnTheme, { class: "quiet" }), button("Keys", showKeys, { class: "quiet", title: "keyboard shortcuts" })));
  await loadTable();
  linkGroups();
  window.addEventListener("hashchange", show);
  window.addEventListener("scroll", draw, { passive: true });
  window.addEventListener("resize", draw);
  window.addEventListener("beforeprint", beforePrint);
  window.addEventListener("afterprint", afterPrint);
  document.addEventListener("keydown", onKey);
  show();
}

start().catch(giveUp);
