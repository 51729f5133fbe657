// The timeline: turns at the top, calls below them, overlapping calls in separate lanes.

/** The key of a call as one observer saw it; each observer has its own ids. */
function callKey(step) {
  return `${step.observer ?? ""} ${step.call}`;
}

/** The spans of an attempt, each with its step. */
function spansOf(steps, total) {
  const results = new Map();
  steps.forEach((step, at) => {
    if (step.kind === "tool_result") results.set(callKey(step), [...(results.get(callKey(step)) ?? []), at]);
  });
  const spans = [];
  let before = 0;
  let turn = null;
  steps.forEach((step, at) => {
    if (step.kind === "task_start" || step.kind === "turn_start") {
      if (turn) turn.to = step.at;
      turn = { kind: "turn", step: at, from: step.at, to: total, label: `turn ${(step.turn ?? 0) + 1}` };
      spans.push(turn);
    } else if (step.kind === "tool_call") {
      const answers = results.get(callKey(step)) ?? [];
      const answer = answers.find((index) => index > at);
      if (answer !== undefined) results.set(callKey(step), answers.filter((index) => index !== answer));
      const result = answer === undefined ? null : steps[answer];
      spans.push({
        kind: "tool", step: at, answer, from: step.at, to: result ? result.at : total, label: step.name,
        bad: result ? Boolean(result.bad) : true, open: !result,
      });
    } else if (step.kind === "model_call") {
      // Only its end is known, so it is drawn from the previous event.
      spans.push({ kind: "model", step: at, from: Math.min(before, step.at), to: step.at, label: "model call" });
    } else if (["text", "log", "task_error", "final_output"].includes(step.kind)) {
      spans.push({ kind: "point", step: at, from: step.at, to: step.at, label: stepLabel(step), bad: Boolean(step.bad) });
    }
    before = step.at;
  });
  return spans;
}

/** Assigns spans to lanes without overlaps; turns have their own lane, and so have points in time. */
function packLanes(spans, total) {
  const lanes = [];
  for (const kinds of [["turn"], ["tool", "model"], ["point"]]) {
    const own = [];
    // A small gap between two calls; turns follow each other directly.
    const air = kinds[0] === "turn" ? 0 : total * 0.004;
    for (const span of spans.filter((one) => kinds.includes(one.kind))) {
      const free = kinds[0] === "point" ? own[0] : own.find((lane) => lane.at(-1).to + air <= span.from);
      if (free) free.push(span);
      else own.push([span]);
    }
    lanes.push(...own);
  }
  return lanes;
}

/** The chart; `choose` is called with the step of a span. */
function laneChart(steps, wall, choose) {
  const total = Math.max(wall, ...steps.map((step) => step.at), 1);
  const spans = spansOf(steps, total);
  const lanes = packLanes(spans, total);
  const buttons = new Map();
  const percent = (ms) => `${(ms / total) * 100}%`;
  const drawn = lanes.map((lane) => el(`div.lane.${lane[0].kind}`, {}, lane.map((span) => {
    const took = span.kind === "point" ? `at ${duration(span.from)}` : duration(span.to - span.from);
    const words = `${oneLine(span.label)}, ${span.open ? "no answer" : took}`;
    const bar = button(span.kind === "point" ? null : el("span", {}, oneLine(span.label)), () => choose(span.step), {
      class: `span ${span.kind}${span.bad ? " bad" : ""}`, title: words, "aria-label": words,
    });
    bar.style.left = percent(span.from);
    if (span.kind !== "point") bar.style.width = percent(span.to - span.from);
    buttons.set(span.step, bar);
    if (span.answer !== undefined) buttons.set(span.answer, bar);
    return bar;
  })));
  const ticks = el("div.ticks", { "aria-hidden": "true" }, [0, 0.25, 0.5, 0.75, 1].map((share) => {
    const tick = el("span", {}, duration(total * share));
    tick.style.left = percent(total * share);
    return tick;
  }));
  const element = el("div.lanes", { role: "group", "aria-label": "Timeline" }, drawn, ticks);
  const mark = (step) => {
    for (const [at, bar] of buttons) {
      if (at === step) bar.setAttribute("aria-current", "true");
      else if (buttons.get(step) !== bar) bar.removeAttribute("aria-current");
    }
  };
  return { element, mark, spans };
}
