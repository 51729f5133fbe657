//! A suite of any dialect in native form.
//!
//! Everything is folded into the cases, so nothing of the suite's own defaults is left to look up. What a dialect alone can
//! say, such as its own name for a check, is lost; what the run depends on is not.

use std::collections::HashSet;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agentci_plan::{
    Case, Check, Gates, Hook, Limits, Message, Missed, Said, ScriptSource, StopRule, Suite, Target, Text, ToolSource,
    Turn, World, escape,
};
use agentci_source::{Content, Node, Pair, Scalar, Span, print_duration, relative};

use crate::world::{
    print_faults, print_live_tools, print_normalization, print_redaction, print_routes, print_scripted,
};

use super::gates::print_percentage;
use super::limits::print_wall;
use super::matching::print_matching;
use super::mcp::print_servers;
use super::prices::print_prices;
use super::settings::STOP_RULES;
use super::{hook, lower};

/// Prints a suite so that loading the text gives the same plan, places aside.
///
/// `folder` is how the suite's folder is named from where the text will be kept; `None` when it is kept in that folder. Cases
/// that are broken have nothing to print: the caller refuses such a suite before.
pub fn print(suite: &Suite, folder: Option<&str>) -> String {
    let printer = Printer { span: suite.span, folder: &suite.folder };
    let mut pairs = vec![printer.pair("suite", printer.text(&suite.name))];
    if let Some(folder) = folder {
        pairs.push(printer.pair("folder", printer.text(folder)));
    }
    if suite.mode != lower::usual_mode(&suite.cases) {
        pairs.push(printer.pair("mode", printer.text(suite.mode.name())));
    }
    if let Some(output) = &suite.output_dir {
        pairs.push(printer.pair("output_dir", printer.path(output)));
    }
    if let Some(embedder) = &suite.embedder {
        pairs.push(printer.pair("embedder", printer.text(&embedder.value)));
    }
    pairs.extend(print_prices(&suite.prices, &printer).map(|node| printer.pair("prices", node)));
    if !suite.exclude.is_empty() {
        pairs.push(printer.pair("exclude", printer.list(&suite.exclude, |pattern| printer.text(pattern))));
    }
    pairs.extend(printer.gates(&suite.gates));
    pairs.extend(print_redaction(&suite.redact, suite.span).map(|node| printer.pair("redact", node)));
    let agent = |(name, target): &(String, Arc<Target>)| printer.pair(name, printer.target(target, 0));
    let agents: Vec<Pair> = suite.agents.iter().map(agent).collect();
    if !agents.is_empty() {
        pairs.push(printer.pair("agents", printer.map(agents)));
    }
    let mut taken = HashSet::new();
    let cases = suite.cases.iter().enumerate().map(|(index, case)| printer.case(case, index, &mut taken)).collect();
    pairs.push(printer.pair("cases", Node::list(suite.span, cases)));
    agentci_source::yaml::write(&printer.map(pairs))
}

pub(super) struct Printer<'s> {
    /// A place for the nodes that are made here; it is not printed.
    pub(super) span: Span,
    folder: &'s Path,
}

impl Printer<'_> {
    fn gates(&self, gates: &Gates) -> Option<Pair> {
        let mut pairs = Vec::new();
        if let Some(path) = &gates.baseline {
            pairs.push(self.pair("baseline", self.path(&path.value)));
        }
        if let Some(rate) = &gates.min_pass_rate {
            pairs.push(self.pair("min_pass_rate", self.plain(rate.value.to_string())));
        }
        let times = [
            ("max_avg_wall_ms_delta_pct", &gates.max_avg_wall_ms_delta_pct),
            ("max_p95_wall_ms_delta_pct", &gates.max_p95_wall_ms_delta_pct),
        ];
        for (name, fraction) in times.into_iter().filter_map(|(name, time)| Some((name, time.as_ref()?.value))) {
            pairs.push(self.pair(name, self.plain(print_percentage(fraction))));
        }
        if let Some(least) = &gates.min_wall_ms_delta {
            pairs.push(self.pair("min_wall_ms_delta", self.plain(least.value.to_string())));
        }
        let truths = [
            ("no_new_failures", &gates.no_new_failures),
            ("no_missing_cases", &gates.no_missing_cases),
            ("no_changed_steps", &gates.no_changed_steps),
            ("no_changed_prompts", &gates.no_changed_prompts),
            ("decide", &gates.decide),
        ];
        for (name, truth) in truths.into_iter().filter_map(|(name, truth)| Some((name, truth.as_ref()?.value))) {
            pairs.push(self.pair(name, self.plain(truth.to_string())));
        }
        (!pairs.is_empty()).then(|| self.pair("gates", self.map(pairs)))
    }

    fn case(&self, case: &Case, index: usize, taken: &mut HashSet<String>) -> Node {
        let mut pairs = vec![self.pair("id", self.text(&own_id(&case.id, taken)))];
        if let Some(description) = &case.description {
            pairs.push(self.pair("description", self.text(description)));
        }
        if !case.tags.is_empty() {
            pairs.push(self.pair("tags", self.list(&case.tags, |tag| self.text(tag))));
        }
        if let Some(skip) = &case.skip {
            let reason = skip.reason.as_ref().map_or_else(|| self.plain("true"), |reason| self.text(reason));
            pairs.push(self.pair("skip", reason));
        }
        for (key, value) in [("asked", &case.asked), ("expected", &case.expected), ("metadata", &case.metadata)] {
            pairs.extend(value.as_ref().map(|value| self.pair(key, Node::from_value(value, self.span))));
        }
        pairs.push(self.pair("target", self.target(&case.target, index)));
        pairs.extend(self.world(&case.world));
        if !case.variables.is_empty() {
            pairs.push(self.pair("variables", self.named_texts(&case.variables)));
        }
        if !case.hooks.is_empty() {
            pairs.push(self.pair("hooks", self.list(&case.hooks, |hook| self.hook(hook))));
        }
        pairs.push(self.turns(&case.turns));
        pairs.extend(self.checks(&case.checks));
        pairs.extend(self.limits(&case.limits));
        match case.timeout {
            None => pairs.push(self.pair("timeout", self.text("none"))),
            Some(lower::DEFAULT_TIMEOUT) => {}
            Some(timeout) => pairs.push(self.pair("timeout", self.text(&print_duration(timeout)))),
        }
        if case.runs != 1 {
            pairs.push(self.pair("runs", self.plain(case.runs.to_string())));
        }
        if case.stop != StopRule::default() {
            let name = STOP_RULES.iter().find(|(_, rule)| *rule == case.stop).map_or("", |(name, _)| name);
            pairs.push(self.pair("stop", self.text(name)));
        }
        if case.played && case.world.recording.is_some() {
            pairs.push(self.pair("played", self.plain("true")));
        }
        self.map(pairs)
    }

    fn world(&self, world: &World) -> Option<Pair> {
        let mut tools = Vec::new();
        if let ToolSource::Cassette(cassette) = &world.tools {
            tools.push(self.pair("cassette", self.path(&cassette.path)));
        }
        if let ToolSource::Routes(routes) = &world.tools {
            let path = |path: &PathBuf| relative(self.folder, path).to_string_lossy().into_owned();
            let pairs = print_routes(routes, &path, self.span).into_iter();
            tools.extend(pairs.map(|(key, node)| self.pair(key, node)));
        }
        if let Some(allowed) = &world.allowed {
            tools.push(self.pair("allow", self.list(allowed, |tool| self.text(&tool.value))));
        }
        if let Some(live) = print_live_tools(&world.live.tools, self.span) {
            tools.push(self.pair("live", live));
        }
        if let Some(module) = &world.live.module {
            tools.push(self.pair("module", self.text(&module.value)));
        }
        let mut pairs = Vec::new();
        if let Some(model) = &world.model {
            let mut keys = vec![self.pair("script", self.script(&model.source))];
            if world.model_optional {
                keys.push(self.pair("optional", self.plain("true")));
            }
            if let Some(miss) = model.miss {
                let name = Missed::NAMES.iter().find(|(_, known)| *known == miss).map_or("", |(name, _)| name);
                keys.push(self.pair("miss", self.text(name)));
            }
            keys.extend(model.strict.map(|strict| self.pair("strict", self.plain(strict.to_string()))));
            pairs.push(self.pair("model", self.map(keys)));
        }
        if world.model.is_none() && (world.recorded_model.is_some() || world.model_optional) {
            let recording = world.recorded_model.as_ref().map(|recording| self.path(&recording.path));
            let mut keys: Vec<_> = recording.map(|path| self.pair("recording", path)).into_iter().collect();
            if world.model_optional {
                keys.push(self.pair("optional", self.plain("true")));
            }
            pairs.push(self.pair("model", self.map(keys)));
        }
        pairs.extend(print_servers(&world.mcp, self).map(|node| self.pair("mcp", node)));
        if let Some(scripted) = print_scripted(&world.scripted, self.span) {
            tools.push(self.pair("scripted", scripted));
        }
        if !world.refusals.is_empty() {
            tools.push(self.pair("refusals", self.list(&world.refusals, |pattern| self.text(&pattern.value))));
        }
        if !tools.is_empty() {
            pairs.push(self.pair("tools", self.map(tools)));
        }
        if let Some(recording) = &world.recording {
            pairs.push(self.pair("recording", self.path(&recording.path)));
        }
        pairs.extend(print_matching(&world.matching, self).map(|node| self.pair("match", node)));
        pairs.extend(print_normalization(&world.normalization, self.span).map(|node| self.pair("normalization", node)));
        pairs.extend(print_faults(&world.faults, self.span).map(|node| self.pair("faults", node)));
        (!pairs.is_empty()).then(|| self.pair("world", self.map(pairs)))
    }

    fn hook(&self, hook: &Hook) -> Node {
        let mut pairs = vec![self.pair("command", self.list(&hook.command, |part| self.template(&part.text)))];
        if let Some(folder) = &hook.folder {
            pairs.push(self.pair("folder", self.path(folder)));
        }
        if !hook.environment.is_empty() {
            pairs.push(self.pair("env", self.named_texts(&hook.environment)));
        }
        if hook.timeout != hook::DEFAULT_TIMEOUT {
            pairs.push(self.pair("timeout", self.text(&print_duration(hook.timeout))));
        }
        self.map(pairs)
    }

    fn turns(&self, turns: &[Turn]) -> Pair {
        match turns {
            [Turn { said: Said::Input(data), checks, limits, .. }]
                if checks.is_empty() && **limits == Limits::default() =>
            {
                self.pair("input", Node::from_value(&data.written(), self.span))
            }
            _ => self.pair("turns", self.list(turns, |turn| self.turn(turn))),
        }
    }

    fn turn(&self, turn: &Turn) -> Node {
        let said = match &turn.said {
            Said::Input(data) => self.pair("input", Node::from_value(&data.written(), self.span)),
            Said::Messages(messages) => match messages.as_slice() {
                [Message { role, content, more }] if role == "user" && more.is_empty() => {
                    self.pair("user", self.template(content))
                }
                _ => self.pair("messages", self.list(messages, |message| self.message(message))),
            },
            Said::Action(action) => self.pair(&action.kind.value, action.arguments.clone()),
        };
        let mut pairs = vec![said];
        pairs.extend(self.checks(&turn.checks));
        pairs.extend(self.limits(&turn.limits));
        self.map(pairs)
    }

    fn message(&self, message: &Message) -> Node {
        let mut pairs = vec![self.pair("role", self.text(&message.role))];
        if !message.more.contains_key("content") {
            pairs.push(self.pair("content", self.template(&message.content)));
        }
        pairs.extend(message.more.iter().map(|(key, value)| self.pair(key, Node::from_value(value, self.span))));
        self.map(pairs)
    }

    /// Those that ask for something: a check that does not always passes in some formats, and is refused in this one.
    fn checks(&self, checks: &[Arc<Check>]) -> Option<Pair> {
        let asking = checks.iter().filter(|check| check.templated || check.empty_demand().is_none());
        let written: Vec<Node> = asking.map(|check| self.check(check)).collect();
        (!written.is_empty()).then(|| self.pair("checks", Node::list(self.span, written)))
    }

    fn check(&self, check: &Check) -> Node {
        if check.invalid {
            return self.never(check);
        }
        let kind = &check.kind.value;
        let bare = check.arguments.is_null();
        if bare && !check.negate && check.message().is_none() {
            return self.text(kind);
        }
        let pair = self.pair(kind, if check.templated { check.arguments.clone() } else { escaped(&check.arguments) });
        let pair = match (check.negate, bare) {
            (false, _) => pair,
            (true, false) => self.pair("not", self.map(vec![pair])),
            (true, true) => self.pair("not", self.text(kind)),
        };
        let message = check.message().map(|message| self.pair("message", self.text(message)));
        self.map(std::iter::once(pair).chain(message).collect())
    }

    /// A check that cannot be understood is written as one that no output passes, with the reason in its message.
    fn never(&self, check: &Check) -> Node {
        let refuses_all = self.map(vec![self.pair("schema", Node::from_value(&false.into(), self.span))]);
        let reason = check.arguments.scalar().map(|reason| &*reason.text).unwrap_or_default();
        let message = match check.message() {
            Some(own) => self.text(&format!("{own} ({reason})")),
            None => self.text(reason),
        };
        self.map(vec![self.pair("json_schema", refuses_all), self.pair("message", message)])
    }

    fn limits(&self, limits: &Limits) -> Option<Pair> {
        let counts = [
            ("tool_calls", limits.tool_calls),
            ("tool_errors", limits.tool_errors),
            ("model_calls", limits.model_calls),
            ("tokens_in", limits.tokens_in),
            ("tokens_out", limits.tokens_out),
            ("cost_usd", limits.cost_usd),
        ];
        let wall = limits.wall_ms.map(|limit| self.pair("wall", self.plain(print_wall(limit.most))));
        let counts =
            counts.into_iter().filter_map(|(name, limit)| Some(self.pair(name, self.plain(limit?.most.to_string()))));
        let pairs: Vec<Pair> = wall.into_iter().chain(counts).collect();
        (!pairs.is_empty()).then(|| self.pair("limits", self.map(pairs)))
    }

    pub(super) fn named_texts(&self, named: &[(String, Text)]) -> Node {
        self.map(named.iter().map(|(name, text)| self.pair(name, self.template(text))).collect())
    }

    fn script(&self, source: &ScriptSource) -> Node {
        match source {
            ScriptSource::File(path) => self.path(path),
            ScriptSource::Suite(node) => node.clone(),
        }
    }

    pub(super) fn path(&self, path: &Path) -> Node {
        self.text(&relative(self.folder, path).to_string_lossy())
    }

    pub(super) fn template(&self, text: &Text) -> Node {
        self.text(&text.written())
    }

    pub(super) fn text(&self, text: &str) -> Node {
        Node::text(text, self.span)
    }

    pub(super) fn plain(&self, word: impl Into<String>) -> Node {
        Node { span: self.span, content: Content::Scalar(Scalar::plain(word)) }
    }

    pub(super) fn list<T>(&self, items: &[T], item: impl FnMut(&T) -> Node) -> Node {
        Node::list(self.span, items.iter().map(item).collect())
    }

    pub(super) fn pair(&self, key: &str, value: Node) -> Pair {
        Pair { key: agentci_source::Key { text: key.into(), span: self.span }, value }
    }

    pub(super) fn map(&self, pairs: Vec<Pair>) -> Node {
        Node { span: self.span, content: Content::Map(pairs.into()) }
    }
}

/// The id of a case, with a number after it where another case of a dialect that allows it has the same.
fn own_id(wish: &str, taken: &mut HashSet<String>) -> String {
    let mut id = wish.to_owned();
    let mut number = 1_u32;
    while !taken.insert(id.clone()) {
        number += 1;
        id = format!("{wish}-{number}");
    }
    id
}

/// Arguments without variables, in which nothing may look like one.
fn escaped(arguments: &Node) -> Node {
    arguments.try_map_text(&mut |text| Ok::<_, Infallible>(escape(text))).unwrap_or_else(|never| match never {})
}
