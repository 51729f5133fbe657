// The trace as a conversation: inputs, text of the agent, and calls.

const LEVELS = { reasoning: "thought", state: "state", violation: "protocol violation" };

function stepLabel(step) {
  switch (step.kind) {
    case "task_start": return "task";
    case "turn_start": return `turn ${(step.turn ?? 0) + 1}`;
    case "text": return "text";
    case "tool_call": return step.observer === "model_wire" ? `requested ${step.name}` : step.observer ? `${step.name} (${step.observer})` : step.name;
    case "tool_result": return "result";
    case "model_call": return "model call";
    case "final_output": return "final output";
    case "task_error": return "agent error";
    case "log": return LEVELS[step.name] ?? (step.name ? `log ${step.name}` : "log");
    default: return step.kind.replaceAll("_", " ");
  }
}

/** The conversation; `choose` is called with the selected step. */
function conversation(steps, spans, choose) {
  const cards = new Map();
  const answered = new Map(spans.filter((span) => span.answer !== undefined).map((span) => [span.step, span.answer]));
  const merged = new Set(answered.values());
  const list = el("ol.trace", { "aria-label": "Trace" });
  steps.forEach((step, at) => {
    if (step.kind === "gap") {
      list.append(el("li.gap", {}, `${plural(step.count, "step")} left out; run.jsonl has them`));
      return;
    }
    if (merged.has(at)) return;
    const answer = answered.get(at);
    const span = spans.find((one) => one.step === at);
    const card = stepCard(step, at, answer === undefined ? null : steps[answer], span, choose);
    cards.set(at, card);
    if (answer !== undefined) cards.set(answer, card);
    list.append(card);
  });
  return { list, cards };
}

function stepCard(step, at, answer, span, choose) {
  const starts = step.kind === "task_start" || step.kind === "turn_start";
  const side = starts ? "told" : ["text", "final_output"].includes(step.kind) ? "said" : "did";
  const bad = step.bad || answer?.bad || (step.kind === "tool_call" && !answer);
  const card = el(`li.step.${side}.${step.kind.replaceAll("_", "-")}${bad ? ".bad" : ""}`, { "data-step": String(at) });
  const time = button(`+${duration(step.at)}`, () => choose(at), { class: "at", "aria-label": `select step ${at + 1}, at ${duration(step.at)}` });
  const open = side !== "did" || bad;
  const fold = el("details", { open }, el("summary", {},
    el("span.label", {}, starts ? `Turn ${(step.turn ?? 0) + 1}` : oneLine(stepLabel(step))),
    el("span.preview", {}, summaryOf(step, answer)),
    span && span.kind === "tool" && el("span.took", {}, answer ? duration(span.to - span.from) : "no answer")));
  let filled = false;
  const fillIn = () => {
    if (!fold.open || filled) return;
    filled = true;
    fold.append(stepBody(step, answer));
  };
  fold.addEventListener("toggle", fillIn);
  fillIn();
  card.append(time, fold);
  card.addEventListener("click", (event) => {
    if (!event.target.closest("button, a") && !String(getSelection())) choose(at, { quiet: true });
  });
  return card;
}

/** A call on one line: its arguments and its result. */
function summaryOf(step, answer) {
  const first = step.parts?.[0] ? preview(readJson(step.parts[0].json), 90) : oneLine(step.text ?? "").slice(0, 140);
  if (step.kind === "model_call") return `→ ${preview(readJson(step.parts[1]?.json ?? ""), 90)}`;
  if (!answer) return first;
  const gave = answer.bad ? oneLine(answer.text ?? "failed").slice(0, 90) : preview(readJson(answer.parts?.[0]?.json ?? "null"), 60);
  return `${first} → ${gave}`;
}

function stepBody(step, answer) {
  const body = el("div.body", {});
  if (step.text) append(body, el(step.kind === "log" && step.name !== "reasoning" ? "p.logged" : "p.words", {}, longText(step.text, 3000)));
  if (step.cut) append(body, el("p.cut", {}, "cut; run.jsonl has all of it"));
  for (const part of step.parts ?? []) append(body, partOf(part, step));
  if (answer) {
    if (answer.text) append(body, el("div.part-of.bad", {}, el("p.caption", {}, "error"), el("p.words", {}, longText(answer.text, 3000))));
    for (const part of answer.parts ?? []) append(body, partOf(part, answer));
    if (answer.refused) append(body, el("p.fault", {}, `refused, recognised by ${answer.refused}`));
    if (answer.name) append(body, el("p.fault", {}, `injected fault: ${answer.name}`));
  } else if (step.kind === "tool_call") {
    append(body, el("p.cut", {}, "no answer was recorded"));
  }
  return body;
}

/** A value: as messages or text if possible, otherwise as a tree. */
function partOf(part, step) {
  const node = readJson(part.json);
  const talk = ["task_start", "turn_start", "final_output"].includes(step.kind) ? asTalk(node, part.cut) : null;
  return el("div.part-of", {}, step.kind === "tool_call" || step.kind === "tool_result" || step.kind === "model_call" || step.kind === "log"
    ? el("p.caption", {}, part.label) : null, talk ?? tree(part.json, part.cut));
}

function asTalk(node, cut) {
  if (node.type === "text") return el("p.words", {}, longText(node.value, 3000), cut && el("span.cut", {}, " …"));
  const field = (object, key) => object.entries?.find(([name]) => name === key)?.[1];
  const messages = node.type === "list" ? node : field(node, "messages");
  if (messages?.type !== "list" || !messages.entries.length || (node.type === "object" && node.entries.length > 1)) return null;
  const read = messages.entries.map(([, message]) => [field(message, "role"), field(message, "content")]);
  if (!read.every(([role, content]) => role?.type === "text" && content?.type === "text")) return null;
  return el("div.messages", {}, read.map(([role, content]) => el("div.message", {}, el("p.caption", {}, oneLine(role.value)), el("p.words", {}, longText(content.value, 3000)))));
}
