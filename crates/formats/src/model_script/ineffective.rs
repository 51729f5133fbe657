//! Warns about settings of a model's script that have no effect or contradict each other. `agentci check` reports them.

use agentci_plan::{Finish, ModelCondition, ModelRule, WantedWords};
use agentci_source::{Diagnostics, Node};

/// Warns about a rule, or the steps of one.
pub(super) fn of_rule(node: &Node, rules: &[ModelRule], warnings: &mut Diagnostics) {
    if let Some(first) = rules.first() {
        of_condition(node, &first.when, warnings);
    }
    match node.get("steps") {
        Some(steps) => of_steps(steps, rules, warnings),
        None => rules.iter().for_each(|rule| of_answer(node, rule, warnings)),
    }
}

/// Warns about steps: those of one conversation, or a list of lists.
pub(super) fn of_steps(node: &Node, rules: &[ModelRule], warnings: &mut Diagnostics) {
    let items = node.items().unwrap_or_default().iter();
    let steps = items.flat_map(|item| item.items().unwrap_or(std::slice::from_ref(item)));
    for (step, rule) in steps.zip(rules) {
        of_answer(step, rule, warnings);
    }
}

fn of_condition(node: &Node, when: &ModelCondition, warnings: &mut Diagnostics) {
    let wanted = [
        ("system", &when.system, "of the system prompt"),
        ("user", &when.user, "of the user's message"),
        ("messages", &when.messages, "of a message"),
    ];
    for (key, words, whose) in wanted {
        let empty = words.as_ref().is_some_and(WantedWords::is_empty);
        if let Some(found) = node.get("when").and_then(|when| when.get(key)).filter(|_| empty) {
            let message = format!("`{key}` has no effect: an empty string matches every request");
            let help = format!("write a part {whose}, or remove `{key}`");
            warnings.warning(found.span, message, "has no effect").help(help);
        }
    }
}

fn of_answer(node: &Node, rule: &ModelRule, warnings: &mut Diagnostics) {
    let never = rule.failure.as_ref().is_some_and(|failure| failure.rate <= 0.0);
    if let Some(rate) = node.get("fail").and_then(|fail| fail.get("rate")).filter(|_| never) {
        warnings
            .warning(rate.span, "`fail` has no effect: with a `rate` of 0 no request fails", "never fails")
            .help("write the share of requests that fail, such as `rate: 0.5`, or remove `fail`");
    }
    if let Some(finish) = node.get("finish").filter(|_| !rule.misbehaves && ends_on_missing_calls(rule)) {
        warnings
            .warning(finish.span, "`finish: tool_calls` contradicts the answer, which calls no tool", "no tool call")
            .help("add `tool_calls`, or remove `finish`; to do this on purpose, set `misbehaves: true`");
    }
    if let Some((misbehaves, why)) = node.get("misbehaves").filter(|_| rule.misbehaves).zip(behaves(rule)) {
        let help = "only tool calls, and text where a format is requested, can misbehave: remove `misbehaves`";
        warnings.warning(misbehaves.span, format!("`misbehaves` has no effect: {why}"), "has no effect").help(help);
    }
}

/// Warns about a `default` that is never used.
pub(super) fn of_default(default: Option<&Node>, rules: &[ModelRule], warnings: &mut Diagnostics) {
    let all = rules.iter().find(|rule| rule.when.is_met_by_all() && rule.always_answers());
    if let Some((default, rule)) = default.zip(all) {
        let message = format!("`default` is never used: the rule on line {} matches every request", rule.span.line);
        let help = "add a `when` to that rule, or remove one of them";
        warnings.warning(default.span, message, "never used").help(help);
    }
}

/// The opposite is allowed: providers end an answer with `stop` if the request names the tool to call.
fn ends_on_missing_calls(rule: &ModelRule) -> bool {
    rule.finish == Some(Finish::ToolCalls) && rule.tool_calls.is_empty()
}

/// Why no answer of a rule is compared with what the request offers and expects. Plain text may be, since the request
/// can expect a format.
fn behaves(rule: &ModelRule) -> Option<&'static str> {
    if !rule.tool_calls.is_empty() {
        return None;
    }
    match rule.finish {
        _ if rule.replies.is_empty() => Some("this rule only fails"),
        Some(Finish::Length) => Some("an answer cut off by `length` need not match a format"),
        Some(Finish::ContentFilter) => Some("an answer stopped by `content_filter` need not match a format"),
        None | Some(Finish::Stop | Finish::ToolCalls) => None,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_source::{MemoryFiles, Sources};

    use crate::load_model_script;

    /// The warnings about a script, each with its line and column.
    fn warned(text: &str) -> Vec<String> {
        let files = MemoryFiles::default().with("model.yaml", text);
        let mut sources = Sources::default();
        let script = load_model_script(&files, &mut sources, Path::new("model.yaml")).unwrap();
        let told = script.warnings.iter().map(|problem| {
            let place = problem.place(&sources);
            format!("{}:{} {}", place.line, place.column, problem.message)
        });
        told.collect()
    }

    #[test]
    fn reports_settings_without_effect_at_their_location() {
        for (text, told) in [
            (
                "rules:\n- when: { user: '' }\n  reply: a\n",
                "2:17 `user` has no effect: an empty string matches every request",
            ),
            (
                "rules:\n- reply: a\n  finish: tool_calls\n",
                "3:11 `finish: tool_calls` contradicts the answer, which calls no tool",
            ),
            (
                "rules:\n- fail: { hang: true }\n  misbehaves: true\n",
                "3:15 `misbehaves` has no effect: this rule only fails",
            ),
            (
                "rules:\n- reply: a\n  finish: length\n  misbehaves: true\n",
                "4:15 `misbehaves` has no effect: an answer cut off by `length` need not match a format",
            ),
            (
                "rules:\n- reply: a\n  fail: { status: 429, rate: 0 }\n",
                "3:30 `fail` has no effect: with a `rate` of 0 no request fails",
            ),
            (
                "rules:\n- fail: { hang: true, rate: 0.0, times: 2 }\ndefault: b\n",
                "2:29 `fail` has no effect: with a `rate` of 0 no request fails",
            ),
            (
                "rules:\n- reply: a\ndefault: b\n",
                "3:10 `default` is never used: the rule on line 2 matches every request",
            ),
        ] {
            assert_eq!(warned(text), [told], "{text}");
        }
    }

    #[test]
    fn does_not_report_effective_settings() {
        for text in [
            "rules:\n- when: { user: a }\n  reply: b\ndefault: c\n",
            // A request may expect a format that this text does not have.
            "rules:\n- reply: a\n  misbehaves: true\n",
            "rules:\n- tool_calls: [{ name: a }]\n  finish: length\n  misbehaves: true\n",
            "rules:\n- reply: a\n  finish: tool_calls\n  misbehaves: true\n",
            "rules:\n- tool_calls: [{ name: a }]\n  finish: tool_calls\n",
            // Providers do this if the request names the tool.
            "rules:\n- tool_calls: [{ name: a }]\n  finish: stop\n",
            "rules:\n- reply: a\n  finish: length\n  misbehaves: false\n",
            "rules:\n- fail: { status: 429, times: 1 }\ndefault: b\n",
            "rules:\n- when: { turn: 1 }\n  reply: a\ndefault: b\n",
            "rules:\n- reply: a\n  fail: { status: 429, rate: 0.001 }\n",
            "rules:\n- reply: a\n  fail: { cut: true }\n",
        ] {
            assert_eq!(warned(text), [""; 0], "{text}");
        }
    }
}
