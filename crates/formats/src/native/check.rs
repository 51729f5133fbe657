//! Reads `checks` as data. Whether a kind of check exists is decided later, by the registry of checks.

use std::sync::Arc;

use agentci_plan::Check;
use agentci_source::{Content, Diagnostic, Diagnostics, Key, Node, Pair, Scalar, read};

use crate::canonical;

/// Reads a list of checks; an invalid one does not discard the others.
pub(super) fn checks(node: &Node, problems: &mut Diagnostics) -> Vec<Arc<Check>> {
    read::each(node, "checks", problems, |item, problems| check(item, problems).map(Arc::new))
}

fn check(node: &Node, problems: &mut Diagnostics) -> Option<Check> {
    let Some(pairs) = node.pairs() else { return bare(node, problems) };
    let mut message = None;
    let mut kinds = Vec::with_capacity(1);
    for pair in pairs {
        if pair.key.text == "message" {
            message = read::text(&pair.value, "message", problems);
        } else {
            kinds.push(pair);
        }
    }
    let pair = only_kind(&kinds, node, problems)?;
    let check = if pair.key.text == "not" { negated(&pair.value, problems)? } else { of_pair(pair) };
    Some(check.with_message(message))
}

/// A check that is only a name, without arguments.
fn bare(node: &Node, problems: &mut Diagnostics) -> Option<Check> {
    let kind = read::name(node, "a check", problems)?;
    if kind.value == "not" {
        problems.push(nothing_to_negate(node));
        return None;
    }
    Some(Check::new(kind.value, kind.span, Node { span: kind.span, content: Content::Scalar(Scalar::plain("null")) }))
}

fn negated(node: &Node, problems: &mut Diagnostics) -> Option<Check> {
    if node.is_null() {
        problems.push(nothing_to_negate(node));
        return None;
    }
    let check = match node.pairs() {
        None => bare(node, problems)?,
        Some(pairs) => {
            let pair = only_kind(&pairs.iter().collect::<Vec<_>>(), node, problems)?;
            if matches!(pair.key.text.as_str(), "not" | "message") {
                let (message, help) = match pair.key.text.as_str() {
                    "not" => ("`not` cannot contain another `not`", "remove both"),
                    _ => ("`message` cannot be inside `not`", "move it next to `not`"),
                };
                problems.error(pair.key.span, message, "not allowed here").help(help);
                return None;
            }
            of_pair(pair)
        }
    };
    Some(Check { negate: true, ..check })
}

fn nothing_to_negate(node: &Node) -> Diagnostic {
    Diagnostic::error(node.span, "`not` needs a check")
        .label("a check is missing")
        .help("write `not: { contains: text }`")
}

fn only_kind<'n>(kinds: &[&'n Pair], node: &Node, problems: &mut Diagnostics) -> Option<&'n Pair> {
    match kinds {
        [one] if one.key.text.trim().is_empty() => {
            problems.error(one.key.span, "a check needs a kind", "empty name").help("write `kind: arguments`");
            None
        }
        [one] => Some(one),
        [] => {
            problems.error(node.span, "a check needs a kind", "no kind here").help("write `kind: arguments`");
            None
        }
        [first, second, ..] => {
            let names = [first, second].map(|pair| pair.key.text.escape_debug());
            let message = format!("a check has one kind, found `{}` and `{}`", names[0], names[1]);
            let help = "start a new item with `- `, or indent it if it is an argument of the first check";
            problems.error(second.key.span, message, "a second kind").help(help);
            None
        }
    }
}

fn of_pair(pair: &Pair) -> Check {
    let Key { text, span } = &pair.key;
    let (arguments, templated) = canonical::arguments(&pair.value);
    Check { templated, ..Check::new(text.clone(), *span, arguments) }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_source::{Reading, Sources};
    use serde_json::json;

    use super::*;

    fn read_checks(text: &str) -> (Vec<Arc<Check>>, Vec<String>) {
        let file = Sources::default().add(Path::new("a"), text);
        let mut problems = Diagnostics::default();
        let checks = checks(&agentci_source::yaml::parse(text, file).unwrap(), &mut problems);
        (checks, problems.into_iter().map(|problem| problem.message).collect())
    }

    #[test]
    fn reads_kinds_negation_and_message() {
        let (checks, problems) = read_checks(
            "- contains: hello\n  message: greet first\n- not: { tool_called: pay }\n- valid_json\n- not: valid_json\n",
        );
        assert_eq!(problems, Vec::<String>::new());
        let names: Vec<_> = checks.iter().map(|check| check.name()).collect();
        assert_eq!(names, ["contains", "not tool_called", "valid_json", "not valid_json"]);
        assert_eq!(checks[0].message(), Some("greet first"));
        assert_eq!((checks[1].kind.span.line, checks[1].kind.span.column), (3, 10));
        assert!(checks[2].arguments.is_null());
    }

    #[test]
    fn only_arguments_with_a_variable_are_templates() {
        let (checks, _) = read_checks("- contains: ['a $${X}', 1]\n- contains: ['a ${X}', '$${Y}']\n");
        assert!(!checks[0].templated);
        assert_eq!(checks[0].arguments.value(Reading::Core), Ok(json!(["a ${X}", 1])));
        assert!(checks[1].templated);
        assert_eq!(checks[1].arguments.value(Reading::Core), Ok(json!(["a ${X}", "$${Y}"])));
    }

    #[test]
    fn rejects_items_that_are_not_a_single_check() {
        let (checks, problems) =
            read_checks("- { a: 1, b: 2 }\n- {}\n- not: { not: { a: 1 } }\n- not:\n- 7\n- message: x\n- not\n");
        assert!(checks.is_empty());
        assert_eq!(
            problems,
            [
                "a check has one kind, found `a` and `b`",
                "a check needs a kind",
                "`not` cannot contain another `not`",
                "`not` needs a check",
                "`a check` must be a string, found the number 7",
                "a check needs a kind",
                "`not` needs a check",
            ]
        );
    }

    #[test]
    fn refuses_check_without_a_name() {
        for text in ["- \"\": 1\n", "- { &0equals: \"\" }\n", "- not: { ' ': 1 }\n", "- {}\n"] {
            let (checks, problems) = read_checks(text);
            assert_eq!((checks.len(), problems), (0, vec!["a check needs a kind".to_owned()]), "{text}");
        }
        assert_eq!(read_checks("- ''\n").1, ["`a check` must not be empty"]);
    }
}
