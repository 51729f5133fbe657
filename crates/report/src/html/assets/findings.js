// The findings of a case, with the lines of the suite that they are about.

const KINDS = {
  check: "Check", limit: "Budget", replay_miss: "Recording", stub_miss: "Stub", tool_not_allowed: "Tool",
  provider_would_refuse: "Model", tool_not_offered: "Model", arguments_do_not_fit: "Model", format_not_met: "Model", model_miss: "Model",
  model_never_asked: "Model", timeout: "Time",
  protocol: "Protocol", agent_exited: "Agent", agent_error: "Agent", unreachable: "Agent", embedding: "Embedding", check_timeout: "Check", hook: "Hook",
  config: "Suite", interrupted: "Stopped",
};

function findingsSection(end) {
  if (!end.findings?.length) {
    return ["fail", "error"].includes(end.status) ? section("What went wrong", el("p.quiet", {}, "no reason was recorded")) : null;
  }
  const more = end.findings_left_out ? el("p.cut", {}, `${plural(end.findings_left_out, "finding")} left out; run.jsonl has them`) : null;
  return section("What went wrong", end.findings.map(findingCard), more);
}

function findingCard(finding) {
  return el(`article.finding.${finding.broken ? "error" : "fail"}`, {},
    el("h4", {}, el("span.kind", {}, KINDS[finding.cause] ?? finding.cause), el("span", {}, oneLine(finding.headline))),
    finding.place && sourceLine(finding.place, finding.label),
    saidLines(finding).map((line) => el(/^(first )?differ/i.test(line) ? "p.note.first-difference" : "p.note", {}, longText(line, 1200))),
    finding.details?.length > 0 && differences(finding.details),
    finding.help && el("p.help", {}, el("b", {}, "help "), finding.help));
}

/** What the headline, which ends with the first line of the message, does not say. */
function saidLines(finding) {
  const own = finding.message.split("\n").slice(1);
  return [...own, ...(finding.notes ?? []).filter((note) => !own.includes(note))].filter((line) => line.trim());
}

/** The source line with its number and the marked text. */
function sourceLine(place, label) {
  const where = place.line ? `${place.path}:${place.line}:${place.column}` : place.path;
  const letters = [...(place.text ?? "")];
  const from = Math.max(0, place.column - 1);
  const to = Math.min(letters.length, from + Math.max(1, place.width));
  return el("figure.source", {},
    el("figcaption", {}, oneLine(where)),
    letters.length > 0 && el("div.code", { tabindex: "0", role: "group", "aria-label": "line of the suite" },
      el("span.line-number", { "aria-hidden": "true" }, String(place.line)),
      el("code", {},
        letters.slice(0, from).join(""),
        el("mark", {}, letters.slice(from, to).join("") || " "),
        letters.slice(to).join(""),
        label && el("span.label", {}, ` ← ${oneLine(label)}`))),
    letters.length === 0 && label && el("p.note", {}, label));
}

function differences(details) {
  return el("table.differences", {},
    el("thead", {}, el("tr", {}, ["where", "expected", "actual"].map((words) => el("th", { scope: "col" }, words)))),
    el("tbody", {}, details.map(({ path, expected, actual }) => {
      const numbers = [expected, actual].map((text) => (/^-?\d/.test(text) ? Number(text) : NaN));
      return el("tr", {},
        el("td", {}, path ? el("code", {}, oneLine(path)) : el("span.quiet", {}, "value")),
        el("td", {}, tree(expected, false)),
        el("td", {}, tree(actual, false), numbers.every(Number.isFinite) && gauge(...numbers)));
    })));
}

function checksSection(attempt, end) {
  const list = attempt?.checks.list ?? [];
  if (!list.length) return null;
  const rank = { failed: 0, error: 1, not_evaluated: 2, held: 3 };
  const words = { held: "passed", failed: "failed", error: "could not be evaluated", not_evaluated: "was not evaluated" };
  const sorted = [...list].sort((one, other) => rank[one.status] - rank[other.status]);
  const seen = new Set((end.findings ?? []).map((finding) => finding.message));
  const left = attempt.checks.left_out;
  return section(`Checks: ${list.filter((check) => check.status === "held").length} of ${list.length + left} passed`,
    el("ul.checks", {}, sorted.map((check) => el("li", {},
      badge(check.status, words[check.status]),
      el("code", {}, oneLine(check.name)),
      check.subject && el("span.subject", {}, oneLine(check.subject)),
      check.message && !seen.has(check.message) && el("span.quiet", {}, longText(check.message, 300)),
      check.measured && el("span.quiet.measured", {}, oneLine(check.measured)),
      similarity(check)))),
    left > 0 && el("p.cut", {}, `${plural(left, "check")} left out; run.jsonl has them`));
}

function section(title, ...content) {
  return el("section.part", {}, el("h3", {}, title), content);
}
