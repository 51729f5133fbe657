//! Collects the warnings of all suites, each once.

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use agentci_plan::{Case, ChatApi, Check, ModelScript, Suite, Target, Text, Verdicts};
use agentci_source::{Diagnostic, Diagnostics, Files, Node, Span, Spanned};

use super::every_text::matches_all;
use super::every_value::any_value;
use super::script_words;
use crate::model_called::may_go_unasked;
use crate::{ineffective, unreachable};

/// Warnings about checks that cannot fail and settings that have no effect, each reported once however many cases share
/// it.
pub fn cannot_fail<'s>(suites: impl IntoIterator<Item = &'s Suite>, files: &dyn Files) -> Diagnostics {
    let mut problems = Diagnostics::default();
    let mut told: HashSet<Span> = HashSet::new();
    let mut scripts: Vec<&Arc<ModelScript>> = Vec::new();
    for suite in suites {
        let strict = suite.conventions.verdicts == Verdicts::Strict;
        for case in suite.cases.iter().filter(|case| case.broken.is_none()) {
            let mut found = Vec::new();
            for check in checks(case) {
                found.extend(passes_always(check, case, &suite.folder, files));
                found.extend(ineffective::settings(check));
                found.extend(forbids_nothing(check).filter(|_| strict));
            }
            found.extend(case.world.refusals.iter().filter_map(every_result));
            found.extend(silent_model(case));
            for script in scripts_of(case) {
                if !scripts.iter().any(|known| Arc::ptr_eq(known, script)) {
                    scripts.push(script);
                    found.extend(script.warnings.iter().cloned());
                    found.extend(unreachable::rules(script));
                }
            }
            found.into_iter().filter(|found| told.insert(found.span)).for_each(|found| problems.push(found));
        }
    }
    problems
}

fn checks(case: &Case) -> impl Iterator<Item = &Check> {
    case.checks.iter().chain(case.turns.iter().flat_map(|turn| turn.checks.iter())).map(|check| &**check)
}

fn passes_always(check: &Check, case: &Case, folder: &Path, files: &dyn Files) -> Option<Diagnostic> {
    match check.kind.value.as_str() {
        _ if check.negate => None,
        "matches" if check.templated => every_text_by_default(check, case),
        _ if check.templated => None,
        "json_schema" => any_value(check, folder, files),
        "matches" => every_text(check).or_else(|| script_words::repeated(check, case)),
        "contains" | "equals" => script_words::repeated(check, case),
        _ => None,
    }
}

/// Warns about a negated check with an empty list. Other formats inherit and override such lists; in a native suite it
/// is a mistake.
fn forbids_nothing(check: &Check) -> Option<Diagnostic> {
    let arguments = &check.arguments;
    let list = match check.kind.value.as_str() {
        _ if !check.negate => None,
        // Here an empty list is the value to search for.
        "contains" if arguments.get("of").and_then(Node::as_text).as_deref() == Some("output") => None,
        "contains" => arguments.get("text").or(Some(arguments)),
        "matches" => arguments.get("pattern").or(Some(arguments)),
        "tool_called" => arguments.get("any").or(Some(arguments)),
        "tool_evidence" => Some(arguments),
        _ => None,
    };
    let list = list.filter(|list| list.items().is_some_and(<[Node]>::is_empty))?;
    let message = format!("`{}` forbids nothing: the list is empty", check.name());
    Some(warning(list.span, message, "list what is forbidden, or remove the check"))
}

/// The scripts of a case: that of the model behind its agent, and that of the model that is its agent.
fn scripts_of(case: &Case) -> impl Iterator<Item = &Arc<ModelScript>> {
    let chat = if let Target::Chat(chat) = &*case.target { Some(chat) } else { None };
    let own = chat.and_then(|chat| match &chat.connector.api {
        ChatApi::Scripted(script) => Some(script),
        ChatApi::OpenAi | ChatApi::Anthropic => None,
    });
    case.world.model.as_ref().map(|model| &model.script).into_iter().chain(own)
}

/// Warns about a pattern that makes every tool result a refusal.
fn every_result(pattern: &Spanned<String>) -> Option<Diagnostic> {
    let message = format!("every tool result counts as a refusal: `{}` matches any text", pattern.value);
    let warning = Diagnostic::warning(pattern.span, message).label("matches every result");
    matches_all(&pattern.value).then(|| warning.help("write a pattern that matches only refusals"))
}

/// Warns about a model that answers no request, unless the agent need not call it.
fn silent_model(case: &Case) -> Option<Diagnostic> {
    let model = case.world.model.as_ref()?;
    let silent = model.script.rules.is_empty() && model.script.default.is_empty();
    (silent && !may_go_unasked(case)).then(|| {
        let help =
            "add a rule or `default` to the script; if the agent must not call its model, write `not: model_called`";
        Diagnostic::warning(model.span, "this model answers no request: its script has neither rules nor `default`")
            .label("every request is a miss")
            .help(help)
    })
}

pub(super) fn warning(span: Span, message: String, help: &str) -> Diagnostic {
    Diagnostic::warning(span, message).label("cannot fail").help(help)
}

/// Warns about a pattern that matches every text if its variables have their defaults.
fn every_text_by_default(check: &Check, case: &Case) -> Option<Diagnostic> {
    let patterns = check.arguments.get("pattern").unwrap_or(&check.arguments);
    let is_unset = |name: &str| !case.variables.iter().any(|(known, _)| known == name);
    items(patterns).iter().find_map(|node| {
        let written = Text::parse(&node.as_text()?);
        let variable = written.variables().next()?.to_owned();
        let pattern = written.fill(&|_| None).ok().filter(|pattern| matches_all(pattern))?;
        written.variables().all(is_unset).then(|| {
            let message = format!(
                "`{}` accepts every answer if `{variable}` is not set: its default `{pattern}` matches any text",
                check.name()
            );
            warning(node.span, message, "write a default that an empty answer does not match, or none")
        })
    })
}

/// Warns about a pattern that matches every text, including the empty one.
fn every_text(check: &Check) -> Option<Diagnostic> {
    let patterns = check.arguments.get("pattern").unwrap_or(&check.arguments);
    let found = items(patterns).iter().find(|node| node.as_text().is_some_and(|pattern| matches_all(&pattern)))?;
    let message = format!("`{}` accepts every answer: `{}` matches any text", check.name(), found.as_text()?);
    Some(warning(found.span, message, "write a pattern that an empty answer does not match; or remove the check"))
}

pub(crate) fn items(node: &Node) -> &[Node] {
    node.items().unwrap_or(std::slice::from_ref(node))
}
