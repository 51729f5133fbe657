// The view of one case.

/** The case on the screen: its steps can be selected by the URL, the chart and the keyboard. */
const shown = { number: 0, run: 0, steps: [], cards: new Map(), chart: null, list: null };

async function showCase(view, row) {
  const detail = await loadDetail(row);
  if (state.case !== row.number) return;
  const run = detail ? Math.min(state.run || detail.decisive, detail.ends.length) : 1;
  Object.assign(shown, { number: row.number, run, steps: [], cards: new Map(), chart: null, list: null });
  const heading = el("h2", { tabindex: "-1" }, oneLine(row.id));
  const end = detail?.ends[run - 1];
  view.replaceChildren(
    caseBar(row),
    el("div.case-head", {}, badge(row.status), heading,
      row.flaky && el("span.tag.flaky", {}, `flaky: ${row.passed} of ${row.runs} passed`),
      row.change && el("span.tag.changed", {}, row.change)),
    detail ? caseBody(detail, end, run) : el("p.nothing", {}, row.why ? oneLine(row.why) : "",
      el("span", {}, ` The details of this case did not fit into this page; run.jsonl has its ${plural(row.calls, "tool call")} and its checks.`)));
  heading.focus({ preventScroll: true });
  window.scrollTo(0, 0);
  if (state.step !== null) chooseStep(state.step, { scroll: true });
}

function caseBar(row) {
  const rows = fitting();
  const at = rows.findIndex((one) => one.number === row.number);
  const link = (other, words) => (other
    ? el("a.button", { href: caseAddress(other.number), title: other.id }, words)
    : el("span.button", { "aria-disabled": "true" }, words));
  return el("nav.case-bar", { "aria-label": "Cases" },
    el("a.button.back", { href: address({ ...state, case: 0, run: 0, step: null }) }, "← All cases"),
    el("span.quiet", {}, at < 0 ? "" : `${at + 1} of ${rows.length.toLocaleString("en")}`),
    link(rows[at - 1], "↑ Previous"), link(at < 0 ? null : rows[at + 1], "↓ Next"));
}

function caseBody(detail, end, run) {
  const attempt = (detail.attempts ?? []).find((one) => one.number === run);
  const steps = stepsOf(attempt);
  shown.steps = steps;
  const output = steps.findLast((step) => step.kind === "final_output");
  return el("div", {}, [
    detail.description && el("p.description", {}, detail.description),
    factsOf(detail, end),
    end.skip_reason && el("p", {}, `Skipped: ${end.skip_reason}`),
    findingsSection(end),
    end.lives?.length > 0 && section("Observed tool calls", el("ul.lives", {}, end.lives.map((life) => el("li", {}, life)))),
    end.warnings?.length > 0 && section("Warnings", el("ul.warnings", {}, end.warnings.map((warning) => el("li", {}, warning)))),
    runsSection(detail, run, (number) => go({ run: number, step: null })),
    baselineSection(detail, run),
    checksSection(attempt, end),
    output && section("Final output", partOf(output.parts[0], output)),
    (detail.notes ?? []).map((note) => section(note.label, tree(note.json, note.cut))),
    end.stderr && section("Standard error (end)", el("pre.stderr", { tabindex: "0" }, end.stderr)),
    traceSection(steps, end, attempt),
  ]);
}

function factsOf(detail, end) {
  const code = (text) => el("code", {}, oneLine(text));
  const used = [
    end.usage?.tokens_in != null && `${end.usage.tokens_in} tokens in`,
    end.usage?.tokens_out != null && `${end.usage.tokens_out} tokens out`,
    end.usage?.cost_usd != null && `${end.usage.cost_usd} USD`,
  ].filter(Boolean).join(", ");
  const calls = (detail.tools ?? []).map(([name, count]) => [code(name), count > 1 ? ` ×${count} ` : " "]);
  const facts = [
    ["time", end.status === "skipped" ? null : duration(end.wall_ms)],
    ["cause", end.cause && code(end.cause)],
    ["suite line", detail.place && code(detail.place.line ? `${detail.place.path}:${detail.place.line}:${detail.place.column}` : detail.place.path)],
    ["tags", detail.tags?.map((tag) => el("span.tag", {}, oneLine(tag)))],
    ["tools", calls.length ? calls : null],
    ["tool errors", end.tool_errors ? String(end.tool_errors) : null],
    ["model calls", end.model_calls == null ? null : String(end.model_calls)],
    ["usage", used || null],
    ["cassette", detail.cassette && [code(detail.cassette.path),
      detail.cassette.unused?.length ? ` unused: line ${detail.cassette.unused.join(", ")}` : null]],
  ];
  return el("dl.facts", {}, facts.filter(([, fact]) => fact).map(([name, fact]) => el("div", {}, el("dt", {}, name), el("dd", {}, fact))));
}

function traceSection(steps, end, attempt) {
  if (!steps.length) {
    const words = attempt ? "The agent sent nothing." : "The trace of this run is not in this page; run.jsonl has it.";
    return end.status === "skipped" ? null : section("Trace", el("p.quiet", {}, words));
  }
  const chart = laneChart(steps, end.wall_ms, (step) => chooseStep(step, { scroll: true }));
  const { list, cards } = conversation(steps, chart.spans, chooseStep);
  Object.assign(shown, { chart, cards, list });
  const all = (open) => list.querySelectorAll(":scope > li > details").forEach((fold) => { fold.open = open; });
  return section("Trace",
    el("div.trace-bar", {}, button("Expand all", () => all(true)), button("Collapse all", () => all(false))),
    chart.element, list);
}

/** Selects a step in the trace, the chart and the URL. */
function chooseStep(step, { scroll = false, quiet = false } = {}) {
  const card = shown.cards.get(step);
  if (!card) return;
  shown.list.querySelectorAll(".chosen").forEach((other) => other.classList.remove("chosen"));
  card.classList.add("chosen");
  if (!quiet) card.querySelector("details").open = true;
  shown.chart.mark(step);
  adjust({ step });
  if (!scroll) return;
  card.scrollIntoView({ block: "center" });
  card.querySelector(".at").focus({ preventScroll: true });
}

/** Selects the next or previous step. */
function stepBy(by) {
  const all = [...new Set(shown.cards.values())];
  if (!all.length) return;
  const at = all.findIndex((card) => card.classList.contains("chosen"));
  const next = all[Math.min(Math.max(at < 0 ? 0 : at + by, 0), all.length - 1)];
  chooseStep(Number(next.dataset.step), { scroll: true });
}
