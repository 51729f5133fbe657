//! Finds checks of text that comes from the script of the model behind the agent.

use agentci_plan::{Case, Check, ModelRule, Target, TurnInput};
use agentci_source::{Diagnostic, Node, Span};
use regex::{Regex, RegexBuilder};

use super::cannot_fail::items;

/// The expected text of an answer.
enum ScriptText {
    Containing { words: String, ignore_case: bool },
    Matching(Regex),
    Being(String),
}

impl ScriptText {
    fn fits(&self, said: &str) -> bool {
        match self {
            ScriptText::Containing { words, ignore_case: true } => said.to_lowercase().contains(&words.to_lowercase()),
            ScriptText::Containing { words, .. } => said.contains(words),
            ScriptText::Matching(pattern) => pattern.is_match(said),
            ScriptText::Being(whole) => said.trim_end() == whole,
        }
    }

    /// Whether the text may come from the input of the case.
    fn is_asked(&self, asked: &str) -> bool {
        match self {
            ScriptText::Being(whole) => asked.contains(whole),
            ScriptText::Containing { .. } | ScriptText::Matching(_) => self.fits(asked),
        }
    }
}

/// Warns about a text that comes from the script. Data that `equals` expects is not reported: the agent made it from
/// the model's text.
pub(super) fn repeated(check: &Check, case: &Case) -> Option<Diagnostic> {
    let rules = first_rules(case)?;
    let script = &case.world.model.as_ref()?.script;
    let replies: Vec<&String> = rules.iter().flat_map(|rule| &rule.replies).chain(&script.default).collect();
    let only_script = |wanted: &ScriptText| replies.iter().any(|reply| wanted.fits(reply)) && !is_asked(case, wanted);
    let (_, found, span) = wanted(check).into_iter().find(|(wanted, ..)| only_script(wanted))?;
    let is = if check.kind.value == "matches" { "matches" } else { "is" };
    let message = format!("`{}` only repeats the script: `{found}` {is} what the scripted model replies", check.name());
    let help = "check what the agent does, such as its tool calls and their results, or text that is not in the \
                script; or add `tool_result: true` to the rule of this reply";
    Some(Diagnostic::warning(span, message).label("text of the script").help(help))
}

/// The texts that a check expects, each with its source and place.
fn wanted(check: &Check) -> Vec<(ScriptText, String, Span)> {
    let arguments = &check.arguments;
    let ignore_case = arguments.get("ignore_case").and_then(Node::scalar).is_some_and(|scalar| &*scalar.text == "true");
    let key = match check.kind.value.as_str() {
        "contains" => "text",
        "matches" => "pattern",
        _ => {
            let whole = arguments.as_text().filter(|whole| !whole.trim_end().is_empty());
            let being = |whole: String| (ScriptText::Being(whole.trim_end().to_owned()), whole, arguments.span);
            return whole.map(being).into_iter().collect();
        }
    };
    let one = |node: &Node| {
        let written = node.as_text()?;
        let wanted = if key == "pattern" {
            ScriptText::Matching(RegexBuilder::new(&written).case_insensitive(ignore_case).build().ok()?)
        } else {
            let words = Some(written.trim_end_matches('\n')).filter(|words| !words.is_empty())?;
            ScriptText::Containing { words: words.to_owned(), ignore_case }
        };
        Some((wanted, written, node.span))
    };
    items(arguments.get(key).unwrap_or(arguments)).iter().filter_map(one).collect()
}

/// The rules of a scripted model behind the agent that match whatever the agent does: those that expect neither a tool
/// result nor an earlier answer.
fn first_rules(case: &Case) -> Option<Vec<&ModelRule>> {
    if !matches!(&*case.target, Target::Process(_) | Target::Http(_)) {
        return None;
    }
    let script = &case.world.model.as_ref()?.script;
    let first = |rule: &&ModelRule| !rule.goes_on();
    Some(script.rules.iter().filter(first).collect())
}

/// Whether the text may come from the input of the case.
fn is_asked(case: &Case, wanted: &ScriptText) -> bool {
    case.turns.iter().any(|turn| match &turn.said {
        TurnInput::Input(data) => wanted.is_asked(&data.written().to_string()),
        TurnInput::Messages(messages) => messages.iter().any(|message| wanted.is_asked(&message.content.written())),
        TurnInput::Action(_) => false,
    })
}
