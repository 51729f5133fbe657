//! Prints a suite of any dialect in native form.
//!
//! All defaults of the suite are folded into the cases. Wording that only a dialect has, such as its own name for a
//! check, is lost; everything that the run depends on is kept.

use std::convert::Infallible;
use std::sync::Arc;

use agentci_plan::{
    Case, Check, Gates, GrowthGate, Hook, Limits, Message, RepeatBudget, ScriptSource, Suite, Target, ToolSource, Turn,
    TurnInput, UnansweredRoute, World, escape,
};
use agentci_source::{Node, Reading, Spanned, print_duration};
use serde_json::Value;

use super::gates::print_percentage;
use super::limits::print_wall;
use super::matrix::print_combination;
use super::settings::STOP_RULES;
use super::{hook, lower};
use crate::ids::TakenIds;
use crate::printer::Printer;

/// Prints a suite so that loading the text gives the same plan, except for source positions.
///
/// `folder` is the path of the suite's folder relative to the place where the text will be stored; `None` if it is
/// stored in that folder. Broken cases have nothing to print: the caller must refuse a suite that has any.
pub fn print(suite: &Suite, folder: Option<&str>) -> String {
    let printer = Printer { span: suite.span, folder: &suite.folder };
    // A dialect may allow several cases with the same id.
    let mut taken = TakenIds::default();
    let common_runs = printer.common_runs(suite);
    let has_runs = common_runs.is_some();
    let cases =
        suite.cases.iter().enumerate().map(|(index, case)| printer.case(case, index, &mut taken, has_runs)).collect();
    let usual_mode = suite.mode == lower::usual_mode(&suite.cases);
    let agents = suite.agents.iter().map(|(name, target)| (name, Some(printer.target(target, 0))));
    agentci_source::yaml::write(&printer.map([
        ("suite", Some(printer.text(&suite.name))),
        ("folder", folder.map(|folder| printer.text(folder))),
        ("mode", (!usual_mode).then(|| printer.text(suite.mode.name()))),
        ("output_dir", suite.output_dir.as_deref().map(|folder| printer.path(folder))),
        ("embedder", suite.embedder.as_ref().map(|embedder| printer.text(&embedder.value))),
        ("prices", printer.prices(&suite.prices)),
        ("exclude", printer.texts(&suite.exclude)),
        ("gates", printer.gates(&suite.gates)),
        ("redact", printer.redaction(&suite.redact)),
        ("agents", printer.filled_map(agents)),
        ("runs", common_runs),
        ("cases", Some(Node::list(suite.span, cases))),
    ]))
}

/// What defines a case except for its agent and its world, in native form: equal for equal cases, wherever they are
/// written. `None` if it has no form in JSON.
pub fn case_definition(suite: &Suite, case: &Case) -> Option<Value> {
    let printer = Printer { span: suite.span, folder: &suite.folder };
    printer.own(case, &mut TakenIds::default(), true, [None, None]).value(Reading::Core).ok()
}

/// What defines the agent of a case, the suite's other agents, and what judges the answers.
pub fn agent_definition(suite: &Suite, target: &Target) -> Option<Value> {
    let printer = Printer { span: suite.span, folder: &suite.folder };
    let agents = suite.agents.iter().map(|(name, target)| (name, Some(printer.target(target, 0))));
    let node = printer.map([
        ("embedder", suite.embedder.as_ref().map(|embedder| printer.text(&embedder.value))),
        ("agents", printer.filled_map(agents)),
        ("target", Some(printer.target(target, 0))),
    ]);
    node.value(Reading::Core).ok()
}

/// What defines the world of a case.
pub fn world_definition(suite: &Suite, world: &World) -> Option<Value> {
    let printer = Printer { span: suite.span, folder: &suite.folder };
    printer.world(world).map_or(Some(Value::Null), |node| node.value(Reading::Core).ok())
}

impl Printer<'_> {
    fn gates(&self, gates: &Gates) -> Option<Node> {
        let number = |number: &Spanned<f64>| self.plain(number.value);
        let percentage = |fraction: &Spanned<f64>| self.plain(print_percentage(fraction.value));
        let truth = |truth: &Spanned<bool>| self.plain(truth.value);
        let growth = |gate: &Spanned<GrowthGate>| {
            let effect = format!("{}%", print_percentage(gate.value.min_effect));
            self.map([("alpha", Some(self.plain(gate.value.alpha))), ("min_effect", Some(self.text(&effect)))])
        };
        let undecided = |fails: &Spanned<bool>| self.text(if fails.value { "fail" } else { "pass" });
        self.filled_map([
            ("baseline", gates.baseline.as_ref().map(|path| self.path(&path.value))),
            ("min_pass_rate", gates.min_pass_rate.as_ref().map(number)),
            ("max_avg_wall_ms_delta_pct", gates.max_avg_wall_ms_delta_pct.as_ref().map(percentage)),
            ("max_p95_wall_ms_delta_pct", gates.max_p95_wall_ms_delta_pct.as_ref().map(percentage)),
            ("min_wall_ms_delta", gates.min_wall_ms_delta.as_ref().map(number)),
            ("no_new_failures", gates.no_new_failures.as_ref().map(truth)),
            ("no_missing_cases", gates.no_missing_cases.as_ref().map(truth)),
            ("no_changed_steps", gates.no_changed_steps.as_ref().map(truth)),
            ("no_changed_prompts", gates.no_changed_prompts.as_ref().map(truth)),
            (
                "no_regression",
                gates.no_regression.as_ref().map(|alpha| self.map([("alpha", Some(self.plain(alpha.value)))])),
            ),
            ("no_slower", gates.no_slower.as_ref().map(growth)),
            ("no_costlier", gates.no_costlier.as_ref().map(growth)),
            ("undecided", gates.undecided_fails.as_ref().map(undecided)),
            ("decide", gates.decide.as_ref().map(truth)),
        ])
    }

    fn case(&self, case: &Case, index: usize, taken: &mut TakenIds, common: bool) -> Node {
        self.own(case, taken, common, [Some(self.target(&case.target, index)), self.world(&case.world)])
    }

    fn own(&self, case: &Case, taken: &mut TakenIds, common: bool, [target, world]: [Option<Node>; 2]) -> Node {
        let skip =
            |reason: Option<&String>| reason.map_or_else(|| self.plain(true), |reason| self.text(&escape(reason)));
        let value = |value: &Arc<Value>| self.value(value);
        let (input, turns) = match &*case.turns {
            [Turn { said: TurnInput::Input(data), checks, limits, .. }]
                if checks.is_empty() && **limits == Limits::default() =>
            {
                (Some(self.data(data)), None)
            }
            turns => (None, Some(Node::list(self.span, turns.iter().map(|turn| self.turn(turn)).collect()))),
        };
        let data = case.data.as_deref();
        let id = match data {
            Some(data) => data.id.as_ref().map(|id| self.text(id)),
            None => Some(self.text(&taken.free(&case.id, case.span))),
        };
        let timeout = match case.timeout {
            None => Some(self.text("none")),
            Some(timeout) => self.duration(timeout, lower::DEFAULT_TIMEOUT),
        };
        self.map([
            ("from", data.map(|data| data.from.clone())),
            ("where", data.and_then(|data| data.filter.clone())),
            ("id", id),
            ("combination", case.combination.as_ref().map(|combination| print_combination(self, combination))),
            ("description", case.description.as_deref().map(|description| self.text(description))),
            ("tags", self.texts(&case.tags)),
            ("skip", case.skip.as_ref().map(|case| skip(case.reason.as_ref()))),
            ("asked", case.asked.as_ref().map(value)),
            ("expected", case.expected.as_ref().map(value)),
            ("metadata", case.metadata.as_ref().map(value)),
            ("target", target),
            ("world", world),
            ("variables", self.named_texts(&case.variables)),
            ("hooks", self.list(&case.hooks, |hook| self.hook(hook))),
            ("input", input),
            ("turns", turns),
            ("checks", self.checks(&case.checks)),
            ("limits", self.limits(&case.limits)),
            ("timeout", timeout),
            ("runs", self.runs(case, common)),
            ("stop", self.choice(case.stop, &STOP_RULES)),
            ("played", self.flag(case.played && case.world.recording.is_some())),
        ])
    }

    fn runs(&self, case: &Case, common: bool) -> Option<Node> {
        let Some(repeats) = &case.repeats else { return (case.runs != 1 || common).then(|| self.plain(case.runs)) };
        let min = ("min", (repeats.min != 1).then(|| self.plain(repeats.min)));
        let own = [("until", Some(self.text("decided"))), min, ("max", Some(self.plain(case.runs)))];
        let [cost, wall] = self.repeat_budget(repeats.budget);
        Some(self.map(own.into_iter().chain([cost, wall])))
    }

    fn repeat_budget(&self, budget: RepeatBudget) -> [(&'static str, Option<Node>); 2] {
        let cost = budget.cost_usd.map(|cost| self.plain(cost));
        [("max_cost_usd", cost), ("max_wall", budget.wall.map(|wall| self.text(&print_duration(wall))))]
    }

    /// The budget of all cases that are repeated until they are decided, as `runs` of the suite.
    fn common_runs(&self, suite: &Suite) -> Option<Node> {
        let (case, repeats) = suite.cases.iter().find_map(|case| Some((case, case.repeats.as_ref()?)))?;
        let total = self.filled_map(self.repeat_budget(repeats.total))?;
        let until = [("until", Some(self.text("decided"))), ("max", Some(self.plain(case.runs)))];
        Some(self.map(until.into_iter().chain([("total", Some(total))])))
    }

    fn world(&self, world: &World) -> Option<Node> {
        self.filled_map([
            ("model", self.model(world)),
            ("mcp", self.servers(&world.mcp)),
            ("tools", self.tools(world)),
            ("recording", world.recording.as_ref().map(|recording| self.path(&recording.path))),
            ("match", self.matching(&world.matching)),
            ("normalization", self.normalization(&world.normalization)),
            ("faults", self.list(&world.faults, |fault| self.fault(fault))),
        ])
    }

    fn model(&self, world: &World) -> Option<Node> {
        let model = world.model.as_ref();
        let script = model.map(|model| match &model.source {
            ScriptSource::File(path) => self.path(path),
            ScriptSource::Suite(node) => node.clone(),
        });
        let recording = world.recorded_model.as_ref().filter(|_| model.is_none());
        self.filled_map([
            ("script", script),
            ("recording", recording.map(|recording| self.path(&recording.path))),
            ("optional", self.flag(world.model_optional)),
            ("miss", model.and_then(|model| self.word(model.miss?, &UnansweredRoute::NAMES))),
            ("strict", model.and_then(|model| model.strict).map(|strict| self.plain(strict))),
        ])
    }

    fn tools(&self, world: &World) -> Option<Node> {
        let answers = match &world.tools {
            ToolSource::None => Vec::new(),
            ToolSource::Cassette(cassette) => vec![("cassette", Some(self.path(&cassette.path)))],
            ToolSource::Routes(routes) => self.routes(routes),
        };
        let allowed = world
            .allowed
            .as_ref()
            .map(|allowed| Node::list(self.span, allowed.iter().map(|tool| self.text(&tool.value)).collect()));
        let others = [
            ("allow", allowed),
            ("live", self.live_tools(&world.live.tools)),
            ("module", world.live.module.as_ref().map(|module| self.text(&module.value))),
            ("scripted", self.scripted(&world.scripted)),
            ("refusals", self.placed_texts(&world.refusals)),
        ];
        self.filled_map(answers.into_iter().chain(others))
    }

    fn hook(&self, hook: &Hook) -> Node {
        self.map([
            ("command", self.command(&hook.command)),
            ("folder", hook.folder.as_deref().map(|folder| self.path(folder))),
            ("env", self.named_texts(&hook.environment)),
            ("timeout", self.duration(hook.timeout, hook::DEFAULT_TIMEOUT)),
        ])
    }

    fn turn(&self, turn: &Turn) -> Node {
        let (key, said) = match &turn.said {
            TurnInput::Input(data) => ("input", self.data(data)),
            TurnInput::Messages(messages) => match messages.as_slice() {
                [Message { role, content, more }] if role == "user" && more.is_empty() => {
                    ("user", self.template(content))
                }
                _ => {
                    ("messages", Node::list(self.span, messages.iter().map(|message| self.message(message)).collect()))
                }
            },
            TurnInput::Action(action) => (action.kind.value.as_str(), action.arguments.clone()),
        };
        self.map([(key, Some(said)), ("checks", self.checks(&turn.checks)), ("limits", self.limits(&turn.limits))])
    }

    fn message(&self, message: &Message) -> Node {
        let content = (!message.more.contains_key("content")).then(|| self.template(&message.content));
        let own = [("role", Some(self.text(&message.role))), ("content", content)];
        let more = message.more.iter().map(|(key, value)| (key.as_str(), Some(self.value(value))));
        self.map(own.into_iter().chain(more))
    }

    /// Prints the checks that expect something. A check with an empty demand always passes in some formats and is
    /// invalid in this one.
    fn checks(&self, checks: &[Arc<Check>]) -> Option<Node> {
        let asks = |check: &&Arc<Check>| check.templated || check.empty_demand().is_none();
        let asking: Vec<_> = checks.iter().filter(asks).collect();
        self.list(&asking, |check| self.check(check))
    }

    fn check(&self, check: &Check) -> Node {
        if check.invalid {
            return self.never(check);
        }
        let kind = check.kind.value.as_str();
        let bare = check.arguments.is_null();
        let message = check.message().map(|message| self.text(message));
        if bare && !check.negate && message.is_none() {
            return self.text(kind);
        }
        let arguments = if check.templated { check.arguments.clone() } else { escaped(&check.arguments) };
        let (key, asked) = match (check.negate, bare) {
            (false, _) => (kind, arguments),
            (true, false) => ("not", self.map([(kind, Some(arguments))])),
            (true, true) => ("not", self.text(kind)),
        };
        self.map([(key, Some(asked)), ("message", message)])
    }

    /// Writes an invalid check as one that no output passes, with the reason in its message.
    fn never(&self, check: &Check) -> Node {
        let refuses_all = self.map([("schema", Some(self.plain(false)))]);
        let reason = check.arguments.scalar().map(|reason| &*reason.text).unwrap_or_default();
        let message = match check.message() {
            Some(own) => self.text(&format!("{own} ({reason})")),
            None => self.text(reason),
        };
        self.map([("json_schema", Some(refuses_all)), ("message", Some(message))])
    }

    fn limits(&self, limits: &Limits) -> Option<Node> {
        let counts = [
            ("tool_calls", limits.tool_calls),
            ("tool_errors", limits.tool_errors),
            ("model_calls", limits.model_calls),
            ("tokens_in", limits.tokens_in),
            ("tokens_out", limits.tokens_out),
            ("cost_usd", limits.cost_usd),
        ];
        let wall = ("wall", limits.wall_ms.map(|limit| self.plain(print_wall(limit.most))));
        let counts = counts.map(|(name, limit)| (name, limit.map(|limit| self.plain(limit.most))));
        self.filled_map([wall].into_iter().chain(counts))
    }
}

/// Escapes arguments without variables, so that nothing in them looks like a variable.
fn escaped(arguments: &Node) -> Node {
    arguments.try_map_text(&mut |text| Ok::<_, Infallible>(escape(text))).unwrap_or_else(|never| match never {})
}
