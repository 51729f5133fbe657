// Compares the runs of a case with each other, and the case with its baseline.

/** The runs of a case with their status and duration; one is selected. */
function runsSection(detail, selected, choose) {
  if (detail.ends.length < 2) return null;
  const passed = detail.ends.filter((end) => end.status === "pass").length;
  const kept = new Set((detail.attempts ?? []).map((attempt) => attempt.number));
  return section(`Runs: ${passed} of ${detail.runs} passed`,
    stabilityOf(detail.stability),
    el("div.runs", {},
      el("div.run-list", { role: "group", "aria-label": "Choose a run" }, detail.ends.map((end, at) => button(
        [badge(end.status), ` run ${at + 1} `, el("span.quiet", {}, duration(end.wall_ms)), !kept.has(at + 1) && el("span.quiet", {}, " no trace")],
        () => choose(at + 1), { "aria-pressed": String(at + 1 === selected), class: "chip" }))),
      el("figure", {}, runBars(detail.ends, selected, choose), el("figcaption", {}, "duration")),
      el("figure", {}, passRateLine(detail.ends), el("figcaption", {}, "pass rate"))),
    detail.ends.length < detail.runs && el("p.cut", {}, `${plural(detail.runs - detail.ends.length, "run")} not shown`),
    runComparison(detail, selected));
}

/** The stability of the runs. */
function stabilityOf(found) {
  if (!found) return null;
  const facts = [
    ["stability", el("span.tag.stability", {}, found.stability_class.replace("_", " "))],
    ["pass rate", percentage(found.pass_rate / 100)],
    ["mean", duration(found.avg_duration_ms)],
    ["min", duration(found.min_duration_ms)],
    ["max", duration(found.max_duration_ms)],
    ["deviation", found.std_deviation_ms < 100 ? `${found.std_deviation_ms.toFixed(1)} ms` : duration(found.std_deviation_ms)],
    ["same output", found.identical_outputs === null ? null : percentage(found.identical_outputs)],
  ];
  return el("dl.facts", {}, facts.filter(([, fact]) => fact).map(([name, fact]) => el("div", {}, el("dt", {}, name), el("dd", {}, fact))));
}

/** Compares the tool calls of the selected run with those of another, by default the first with a different result. */
function runComparison(detail, selected) {
  const here = detail.ends[selected - 1];
  const others = detail.ends.map((end, at) => at + 1).filter((number) => number !== selected);
  const other = others.find((number) => (detail.ends[number - 1].status === "pass") !== (here.status === "pass")) ?? others[0];
  const box = el("div", {});
  const draw = (number) => {
    const left = callsOf(detail, number);
    const right = callsOf(detail, selected);
    box.replaceChildren(aligned(`run ${number}`, left, `run ${selected}`, right));
  };
  const select = el("select", { onchange: (event) => draw(Number(event.target.value)) },
    others.map((number) => el("option", { value: String(number), selected: number === other }, `run ${number} (${detail.ends[number - 1].status})`)));
  draw(other);
  return el("div.comparison", {}, el("label.choose", {}, "Compare tool calls with ", select), box);
}

/** The tool calls of a run, with their arguments if the trace has them. */
function callsOf(detail, number) {
  const calls = detail.ends[number - 1]?.calls ?? [];
  const attempt = (detail.attempts ?? []).find((one) => one.number === number);
  const steps = attempt && !attempt.steps.left_out ? stepsOf(attempt).filter((step) => step.kind === "tool_call") : [];
  if (!calls.length) return steps.map((step) => ({ tool: step.name, args_hash: step.parts[0].json, json: step.parts[0].json }));
  return calls.map((call, at) => ({ ...call, json: (steps.length === calls.length && steps[at]?.parts[0]?.json) || call.args }));
}

function baselineSection(detail, selected) {
  const change = detail.baseline;
  if (!change) return null;
  const now = detail.ends[detail.decisive - 1].status;
  const said = [
    change.new && el("p", {}, "This case is not in the baseline."),
    change.status && el("p", {}, "Status in the baseline: ", badge(change.status), ", now: ", badge(now), "."),
  ];
  let steps = null;
  if (change.step) {
    const current = callsOf(detail, selected);
    const before = [...current.slice(0, change.step - 1), ...(change.calls ?? []).map((call) => ({ ...call, json: call.args }))];
    steps = [el("p", {}, `Step ${change.step} is the first that differs.`), aligned("baseline", before, "this run", current)];
  }
  return section("Compared with the baseline", said, steps);
}

const ALIKE = 3;

/** Two lists of calls, one row per step, with the first difference marked. */
function aligned(leftName, left, rightName, right) {
  if (!left.length && !right.length) return el("p.quiet", {}, "Neither made a tool call.");
  const same = (one, other) => one && other && one.tool === other.tool && one.args_hash === other.args_hash;
  const longest = Math.max(left.length, right.length);
  let first = 0;
  while (first < longest && same(left[first], right[first])) first += 1;
  const rows = [];
  const from = Math.max(0, first === longest ? first - 12 : first - ALIKE);
  if (from > 0) rows.push(el("tr.alike", {}, el("td", { colspan: "3" }, plural(from, "identical step"))));
  for (let at = from; at < longest; at += 1) {
    const [one, other] = [left[at], right[at]];
    const kind = at < first ? "alike" : at === first ? "first" : "after";
    const sameTool = at === first && one && other && one.tool === other.tool;
    rows.push(el(`tr.${kind}`, {}, el("th", { scope: "row" }, String(at + 1)), callCell(one, sameTool), callCell(other, sameTool)));
  }
  const words = first === longest ? "the same calls" : `the first difference is step ${first + 1}`;
  return el("table.aligned", {},
    el("caption", {}, `${leftName} and ${rightName}: ${words}`),
    el("thead", {}, el("tr", {}, ["step", leftName, rightName].map((name) => el("th", { scope: "col" }, name)))),
    el("tbody", {}, rows));
}

function callCell(call, otherArguments) {
  if (!call) return el("td.none", {}, "no call");
  return el("td", {}, el("code", {}, oneLine(call.tool)), " ",
    call.json ? el("span.quiet", {}, preview(readJson(call.json), 60)) : el("span.quiet", {}, `arguments ${call.args_hash.slice(0, 8)}`),
    otherArguments && el("span.tag.changed", {}, "different arguments"));
}
