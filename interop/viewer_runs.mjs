// Runs for the tests of the viewer, in the format of `run.jsonl`.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const BEGIN = 1_763_176_000_000;

/** Markup, end tags of elements that may contain it, and characters that hide or reorder text. */
export const HARM = "</script></noscript></style><script>window.harmed=1</script><img src=x onerror=window.harmed=1>"
  + "<svg onload=window.harmed=1> javascript:window.harmed=1 {{7*7}} ${window.harmed=1} \u001b[31m\u202e'\"`&amp;--><!--";

/** A number that JavaScript cannot represent exactly; written without the `#` and the quotes. */
const BIG = "#12345678901234567890";

class Run {
  constructor(suite, start = {}) {
    this.suite = suite;
    this.lines = [];
    this.index = 0;
    this.clock = 0;
    this.begin = {
      agentci_version: "0.1.0", run_id: "20251115-030640", dialect: "native", mode: "replay", suite_path: "evals/agentci.yaml",
      agent_command: ["python3", "agent.py"], cases_total: 0, git_sha: "0123abcd", ...start,
    };
  }

  event(type, id, attempt, at, body) {
    const place = id === null ? {} : { case_id: id, attempt };
    const line = JSON.stringify({ v: 1, type, suite: this.suite, ...place, timestamp: BEGIN + at, ...body });
    this.lines.push(line.replace(`"${BIG}"`, BIG.slice(1)));
  }

  /** A case: each attempt has a list of events, `[offset, type, body]`, and its outcome. */
  case(id, attempts, about = {}) {
    const index = this.index;
    this.index += 1;
    attempts.forEach(({ events = [], ...end }, at) => {
      const begun = this.clock;
      for (const [offset, type, body] of events) this.event(type, id, at + 1, begun + offset, body);
      const { wall_ms = events.at(-1)?.[0] ?? 0, status = "pass", findings = [], metrics = {}, ...rest } = end;
      this.clock += wall_ms + 1;
      this.event("case_end", id, at + 1, this.clock, {
        index, runs: attempts.length, passed: status === "pass", status, cause: findings[0]?.cause ?? null, wall_ms,
        metrics: { tool_calls: 0, tool_errors: 0, tool_calls_by_name: {}, tool_errors_by_name: {}, usage: {}, ...metrics },
        assertions: { total: 0, failed: 0 }, findings, ...about, ...rest,
      });
    });
    return this;
  }

  write(folder, gates = null) {
    this.begin.cases_total = this.index;
    const lines = this.lines;
    this.lines = [];
    this.event("run_start", null, null, 0, this.begin);
    const [start] = this.lines;
    this.lines = [];
    if (gates) this.event("gates", null, null, this.clock, gates);
    this.event("run_end", null, null, this.clock, { wall_ms: this.clock, interrupted: false, not_run: 0 });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "run.jsonl"), `${[start, ...lines, ...this.lines].join("\n")}\n`);
    return folder;
  }
}

const call = (name, call_id, args, turn = 0) => ({ turn, name, call_id, args });
const result = (call_id, value, turn = 0) => ({ turn, call_id, ok: true, result: value, error: null });
const refused = (call_id, error, turn = 0) => ({ turn, call_id, ok: false, result: null, error });
const check = (name, status = "held", message) => ({ name, status, ...(message ? { message } : {}) });
const step = (tool, hash) => ({ tool, args_hash: hash.repeat(16).slice(0, 16) });

/** A realistic run: passes, failures of every kind, a flaky case, a baseline. */
export function story(folder) {
  const run = new Run("refunds");
  const orders = Array.from({ length: 60 }, (_, at) => ({ id: `A-${at}`, total: at * 3, state: at % 4 ? "shipped" : "open" }));
  run.case("partial-refund", [{
    status: "fail",
    wall_ms: 2480,
    events: [
      [0, "task_start", { task_id: "partial-refund", input: { messages: [{ role: "system", content: "You are the refund desk." }, { role: "user", content: "Please refund 20 euros of my order A-17." }] } }],
      [180, "log", { level: "reasoning", message: "The customer wants a part of the order back. ", data: null }],
      [190, "log", { level: "reasoning", message: "I look up the order and the policy at once.", data: null }],
      [420, "model_call", { turn: 0, request: { model: "gpt-4o", messages: 2 }, response: { tool_calls: ["search_orders", "read_policy"], usage: { total: 182 } } }],
      [430, "tool_call", call("search_orders", "c1", { customer: "k-100", first: BIG, limit: 60 })],
      [440, "tool_call", call("read_policy", "c2", { topic: "partial refunds" })],
      [900, "tool_result", result("c2", { text: `Refunds up to 50 euros need no approval. ${"Keep the receipt. ".repeat(60)}` })],
      [1310, "tool_result", result("c1", { orders })],
      [1320, "text", { turn: 0, text: "I found your order A-17. " }],
      [1330, "text", { turn: 0, text: "Shall I refund it now?" }],
      [1400, "turn_start", { turn: 1, input: "Yes, please." }],
      [1700, "tool_call", call("refund_order", "c3", { order: "A-17", amount: 200 }, 1)],
      [2300, "tool_result", result("c3", { refunded: 200, currency: "EUR" }, 1)],
      [2310, "log", { level: "state", message: "the agent's state", data: { step: "done", refunded: 200 } }],
      [2400, "usage", { tokens_in: 812, tokens_out: 164, cost_usd: 0.0042 }],
      [2480, "final_output", { output: { answer: "I have refunded 200 euros.", refunded: 200, exact: 1.50 } }],
      [2480, "check", check("tool_called", "failed", "`refund_order` was called with `amount: 200`")],
      [2480, "check", check("semantic", "held", "similarity 0.8312, threshold 0.8")],
      [2480, "check", check("json_schema")],
      [2480, "check", check("contains")],
    ],
    findings: [{
      cause: "check", name: "tool_called", message: "`refund_order` was called, but not with these arguments",
      place: { path: "evals/agentci.yaml", line: 14, column: 60, width: 2, text: "      - tool_called: { name: refund_order, args: { amount: 20 } }" },
      label: "the agent sent 200", notes: ["turn 2, call 1 of 1: refund_order(order=\"A-17\", amount=200)"],
      details: [{ path: "/amount", expected: 20, actual: 200 }],
    }],
    assertions: { total: 4, failed: 1 },
    metrics: {
      tool_calls: 3, tool_calls_by_name: { read_policy: 1, refund_order: 1, search_orders: 1 },
      usage: { tokens_in: 812, tokens_out: 164, cost_usd: 0.0042 },
      steps: [step("search_orders", "a"), step("read_policy", "b"), step("refund_order", "c")],
    },
    stderr_tail: ["INFO loading the policy index", "WARNING amount was given in cents"],
  }], {
    description: "Only the part that was asked for is refunded.", tags: ["money", "smoke"],
    place: { path: "evals/agentci.yaml", line: 9, column: 9, width: 14, text: "  - id: partial-refund" },
  });
  run.case("order-not-found", [{
    status: "fail",
    wall_ms: 640,
    events: [
      [0, "task_start", { task_id: "order-not-found", input: { order: "Z-99" } }],
      [120, "tool_call", call("search_orders", "c1", { q: "Z-9" })],
      [600, "tool_result", refused("c1", "no recording fits")],
    ],
    findings: [{
      cause: "replay_miss", name: "replay_miss", message: "the recording has no call search_orders {\"q\":\"Z-9\"}",
      notes: ["closest: line 2, search_orders {\"q\":\"Z-99\"}", "first difference at /q: `Z-99` was recorded, `Z-9` was sent"],
      place: { path: "evals/agentci.yaml", line: 22, column: 15, width: 27, text: "    cassette: cassettes/not-found.jsonl" },
      label: "this recording", help: "if this call is intended, record the case again: `agentci record`",
    }],
    metrics: { tool_calls: 1, tool_errors: 1, tool_calls_by_name: { search_orders: 1 }, tool_errors_by_name: { search_orders: 1 }, steps: [step("search_orders", "d")] },
    replay: { cassette_path: "cassettes/not-found.jsonl", cassette_sha256: "ab".repeat(32), unused_lines: [2] },
  }], { tags: ["money"] });
  run.case("too-many-calls", [{
    status: "fail",
    wall_ms: 5200,
    events: [
      [0, "task_start", { task_id: "too-many-calls", input: "Refund everything." }],
      ...Array.from({ length: 12 }, (_, at) => [
        [at * 400 + 50, "tool_call", call("search_orders", `c${at}`, { page: at })],
        [at * 400 + 350, "tool_result", result(`c${at}`, { orders: [] })],
      ]).flat(),
    ],
    findings: [{
      cause: "limit", name: "max_tool_calls", message: "budget exceeded: max_tool_calls limit=10 actual=12",
      place: { path: "evals/agentci.yaml", line: 6, column: 34, width: 2, text: "limits: { wall: 20s, tool_calls: 10 }" },
      label: "the agent made 12 calls", details: [{ path: "", expected: 10, actual: 12 }],
    }],
    metrics: { tool_calls: 12, tool_calls_by_name: { search_orders: 12 } },
  }]);
  const attempt = (status, answer, hash) => ({
    status,
    output_hash: status,
    wall_ms: 300 + answer.length * 20,
    events: [
      [0, "task_start", { task_id: "checkout", input: { cart: "c-1" } }],
      [40, "tool_call", call("validate_cart", "c1", { cart: "c-1" })],
      [90, "tool_result", result("c1", { ok: true })],
      [100, "tool_call", call(status === "pass" ? "charge_card" : "apply_coupon", "c2", { cart: "c-1", hash })],
      [260, "tool_result", result("c2", { ok: true })],
      [290, "final_output", { output: answer }],
      [290, "check", check("contains", status === "pass" ? "held" : "failed", status === "pass" ? undefined : "the answer does not contain `charged`")],
    ],
    findings: status === "pass" ? [] : [{ cause: "check", name: "contains", message: "the answer does not contain `charged`", place: { path: "evals/agentci.yaml", line: 31, column: 23, width: 7, text: "          - contains: charged" }, label: "not in the answer" }],
    assertions: { total: 1, failed: status === "pass" ? 0 : 1 },
    metrics: { tool_calls: 2, tool_calls_by_name: { validate_cart: 1 }, steps: [step("validate_cart", "1"), step(status === "pass" ? "charge_card" : "apply_coupon", hash)] },
  });
  run.case("checkout", ["pass", "pass", "fail", "pass", "pass"].map((status, at) => attempt(status, status === "pass" ? "Your card was charged." : "A coupon was applied instead.", String(at))), { tags: ["smoke"] });
  run.case("agent-hangs", [{
    status: "error",
    wall_ms: 30_000,
    events: [[0, "task_start", { task_id: "agent-hangs", input: { order: "A-18" } }], [90, "tool_call", call("search_orders", "c1", { q: "A-18" })]],
    findings: [{ cause: "timeout", name: "timeout", message: "the answer is empty for 30 s" }],
    stderr_tail: ["still thinking", "still thinking"],
    metrics: { tool_calls: 1, tool_calls_by_name: { search_orders: 1 } },
  }]);
  run.case("not-yet", [{ status: "skipped", skip_reason: "waits for the new policy" }]);
  for (let number = 1; number <= 40; number += 1) {
    const wall = 60 + ((number * 7919) % 900);
    run.case(`order-status-${String(number).padStart(2, "0")}`, [{
      wall_ms: wall,
      events: [
        [0, "task_start", { task_id: `order-status-${number}`, input: `Where is order B-${number}?` }],
        [20, "tool_call", call("search_orders", "c1", { q: `B-${number}` })],
        [wall - 20, "tool_result", result("c1", { state: "shipped" })],
        [wall - 5, "final_output", { output: `Order B-${number} is on its way.` }],
        [wall - 5, "check", check("contains")],
      ],
      assertions: { total: 1, failed: 0 },
      metrics: { tool_calls: 1, tool_calls_by_name: { search_orders: 1 }, steps: [step("search_orders", "e")] },
    }], { tags: ["status"] });
  }
  run.case("long-history", [{
    wall_ms: 800,
    events: [
      [0, "task_start", { task_id: "long-history", input: "What did I order?" }],
      [20, "tool_call", call("search_orders", "c1", { q: "*" })],
      [700, "tool_result", result("c1", { orders, note: "all of them" })],
      [790, "final_output", { output: "You made 60 orders." }],
    ],
    metrics: { tool_calls: 1, tool_calls_by_name: { search_orders: 1 } },
  }]);
  const gate = (id, status, more) => ({ id, status, threshold: 0, baseline: null, current: null, ...more });
  return run.write(folder, {
    baseline_path: "baseline.json", problem: null, thresholds: {}, written: {},
    comparison: {
      passed: false,
      checks: [
        gate("min_pass_rate", "fail", { threshold: 0.95, baseline: 1.0, current: 0.88, delta: -0.12 }),
        gate("no_new_failures", "fail", { threshold: 0, cases: ["partial-refund"] }),
        gate("no_missing_cases", "pass", {}),
      ],
      metrics: { pass_rate: { baseline: 1, current: 0.88, delta: -0.12 }, wall_ms: { mean: {}, p95: {} } },
      case_diffs: {
        missing_in_current: [], new_in_current: ["not-yet"],
        status_changed: [{ id: "partial-refund", baseline: "pass", current: "fail" }],
        steps_changed: [{
          id: "partial-refund", first_difference: 2, baseline: step("refund_order", "9"),
          baseline_after: [step("send_mail", "8"), step("close_ticket", "7")], current: step("read_policy", "b"),
        }],
      },
      warnings: [],
    },
  });
}

/** A run with hostile markup in every string. */
export function hostile(folder) {
  const run = new Run(HARM, {
    agentci_version: HARM, run_id: HARM, dialect: HARM, mode: HARM, suite_path: HARM, agent_command: [HARM], git_sha: HARM,
  });
  const value = { [HARM]: [HARM, 1, null, { [HARM]: HARM }] };
  const place = { path: HARM, line: 3, column: 2, width: 9, text: HARM };
  for (const status of ["pass", "fail", "error", "skipped"]) {
    const finding = {
      cause: status === "error" ? "timeout" : "check", name: HARM, message: `${HARM}\n${HARM}`, place, label: HARM, notes: [HARM], help: HARM,
      details: [{ path: HARM, expected: HARM, actual: value }],
    };
    run.case(`${status} ${HARM}`, [{
      status,
      wall_ms: 90,
      skip_reason: HARM,
      stderr_tail: [HARM],
      findings: ["fail", "error"].includes(status) ? [finding] : [],
      assertions: { total: 4, failed: 1 },
      replay: { cassette_path: HARM, cassette_sha256: HARM, unused_lines: [1] },
      metrics: { tool_calls: 1, tool_calls_by_name: { [HARM]: 1 }, steps: [{ tool: HARM, args_hash: HARM }] },
      events: status === "skipped" ? [] : [
        [0, "task_start", { task_id: HARM, input: { messages: [{ role: HARM, content: HARM }] } }],
        [5, "text", { turn: 0, text: HARM }],
        [10, "tool_call", call(HARM, HARM, value)],
        [20, "tool_result", result(HARM, value)],
        [30, "tool_call", call(HARM, "c2", HARM)],
        [40, "tool_result", { ...refused("c2", HARM), fault: HARM }],
        [45, "turn_start", { turn: 1, input: HARM }],
        [50, "model_call", { turn: 1, request: value, response: HARM }],
        [60, "log", { level: HARM, message: HARM, data: value }],
        [65, "log", { level: "reasoning", message: HARM, data: null }],
        [66, "log", { level: "violation", message: HARM, data: null }],
        [70, "task_error", { message: HARM, data: value }],
        [80, "final_output", { output: HARM }],
        ...["held", "failed", "error", "not_evaluated"].map((word) => [85, "check", { name: HARM, subject: HARM, status: word, message: HARM }]),
      ],
    }], { description: HARM, tags: [HARM], place });
  }
  return run.write(folder);
}

/** Many small cases; every hundredth fails. */
export function large(folder, count) {
  const run = new Run("large");
  for (let number = 0; number < count; number += 1) {
    const id = `case-${String(number).padStart(5, "0")}`;
    const bad = number % 100 === 99;
    run.case(id, [{
      status: bad ? "fail" : "pass",
      wall_ms: 5 + ((number * 7919) % 400),
      events: [
        [0, "task_start", { task_id: id, input: { question: `where is ${number}?` } }],
        [1, "tool_call", call("search", "c1", { q: id })],
        [3, "tool_result", result("c1", { hits: [number, number + 1] })],
        [4, "final_output", { output: { answer: `here, at ${number}` } }],
        [4, "check", check("contains", bad ? "failed" : "held", bad ? `\`${number}\` is missing` : undefined)],
      ],
      findings: bad ? [{ cause: "check", name: "contains", message: `\`${number}\` is missing` }] : [],
      assertions: { total: 1, failed: bad ? 1 : 0 },
      metrics: { tool_calls: 1, tool_calls_by_name: { search: 1 } },
    }], { tags: [`group-${number % 7}`], place: { path: `cases/${number % 20}.yaml`, line: number, column: 3, width: 2, text: `- id: ${id}` } });
  }
  return run.write(folder);
}

/** Suites of every dialect with hostile markup in every string, and with hostile agents where they have one. */
export function hostileSuites(folder) {
  const harm = JSON.stringify(HARM);
  const said = JSON.stringify({ type: "final_output", output: { [HARM]: HARM } });
  const log = JSON.stringify({ type: "log", level: HARM, message: HARM, data: { [HARM]: HARM } });
  const call = JSON.stringify({ type: "tool_call", name: HARM, call_id: "c1", args: { [HARM]: HARM } });
  const files = {
    "agent.sh": `read -r line\ncat said\necho "$line" >&2\nread -r line\n`,
    said: `${log}\n${call}\n${said}\n`,
    "native/agentci.yaml": `suite: ${harm}
target: { process: { command: [sh, agent.sh] } }
cases:
  - id: ${harm}
    description: ${harm}
    tags: [${harm}]
    input: { ${harm}: ${harm} }
    checks:
      - contains: ${harm}
      - tool_called: ${harm}
      - not: { contains: ${harm} }
  - { id: skipped, input: {}, skip: ${harm} }
`,
    "runledger/suite.yaml": `suite_name: ${harm}\nagent_command: [sh, agent.sh]\nmode: replay\ncases_path: cases\ntool_registry: [${harm}]\n`,
    "runledger/cases/one.yaml": `id: ${harm}
description: ${harm}
input: { ${harm}: ${harm} }
cassette: cassettes/one.jsonl
assertions:
  - { type: must_call, tools: [${harm}] }
`,
    "runledger/cassettes/one.jsonl": `${JSON.stringify({ tool: HARM, args: { [HARM]: 1 }, ok: true, result: HARM })}\n`,
    "aumai/mock_config.yaml": `model_name: ${harm}\nresponses: [{ content: ${harm}, model: ${harm}, tokens_used: 3, latency_ms: 1 }]\n`,
    "aumai/one.yaml": `name: ${harm}
description: ${harm}
tags: [${harm}]
input_messages: [{ role: user, content: ${harm} }]
expected_behavior: { contains_text: nowhere, calls_tools: [${harm}] }
`,
    // No server listens on this port; the answers come from the recording.
    "ananke/ananke.config.yaml": `version: "1.0"
target: { type: agui, endpoint: "http://127.0.0.1:9/", agentId: ${harm}, headers: { x-name: harm } }
`,
    "ananke/one.test.yaml": `version: "1.0"
name: ${harm}
tags: [${harm}]
turns: [{ user: ${harm}, assert: { tools: { forbid: [${harm}] }, text: { must_match: nowhere } } }]
`,
    "ananke/recordings/one.test.jsonl": recorded([
      { type: "RUN_STARTED", threadId: HARM, runId: HARM },
      { type: HARM },
      { type: "TEXT_MESSAGE_START", messageId: "m" },
      { type: "TEXT_MESSAGE_CONTENT", messageId: "m", delta: HARM },
      { type: "TEXT_MESSAGE_END", messageId: "m" },
      { type: "TOOL_CALL_START", toolCallId: HARM, toolCallName: HARM },
      { type: "TOOL_CALL_ARGS", toolCallId: HARM, delta: JSON.stringify({ [HARM]: HARM }) },
      { type: "TOOL_CALL_END", toolCallId: HARM },
      { type: "TOOL_CALL_RESULT", messageId: HARM, toolCallId: HARM, content: HARM },
      { type: "CUSTOM", name: HARM, value: HARM },
      { type: "RUN_FINISHED", threadId: HARM, runId: HARM },
    ]),
  };
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return ["native", "runledger", "aumai", "ananke"];
}

/** A recorded conversation of one turn with hostile answers. */
function recorded(events) {
  const identity = { method: "agent/run", messages: [{ role: "user", content: HARM }], tools: [] };
  const frames = events.map((event) => ({ type: "frame", at_us: 3, raw: `data: ${JSON.stringify(event)}\n\n` }));
  const lines = [
    { v: 1, type: "recording" },
    { type: "request", at_us: 1, method: "POST", identity },
    { type: "response", at_us: 2, status: 200, headers: { "content-type": "text/event-stream" } },
    ...frames,
    { type: "end", at_us: 4, how: "closed" },
  ];
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
