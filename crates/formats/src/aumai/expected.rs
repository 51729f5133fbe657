//! `expected_behavior`: lowers the expectations for an answer to checks.

use agentci_plan::Check;
use agentci_source::shape::{Kind, Shape, filled};
use agentci_source::{Content, Diagnostic, Diagnostics, Node, Reading, Scalar, Span, Spanned, read};
use serde_json::Value;

use crate::mock_script::lax_number;
use crate::suggestion::meant_and_known;

/// The names of all expectations, in the order of evaluation.
pub const ALLOWED: [&str; 7] =
    ["contains_text", "calls_tools", "max_tokens", "max_latency_ms", "no_pii", "valid_json", "matches_schema"];

pub(super) static EXPECTED: Shape = Shape::new(
    "`expected_behavior`",
    "What is expected of an answer.",
    &[
        filled("contains_text", Kind::Word, "A string that the answer must contain, case-insensitive."),
        filled("calls_tools", Kind::OneOrMore(&Kind::Word), "Tools that the answer must call."),
        filled("max_tokens", Kind::SpeltCount, "Maximum number of tokens."),
        filled("max_latency_ms", Kind::Spelt(f64::INFINITY), "Maximum latency in milliseconds."),
        filled("no_pii", Kind::Truth, "Whether the answer must not contain personal data."),
        filled("valid_json", Kind::Truth, "Whether the answer must be JSON."),
        filled("matches_schema", Kind::Object, "A JSON Schema that the answer must match."),
    ],
);

/// Lowers expectations to checks and reports their problems.
pub fn checks(node: &Node, problems: &mut Diagnostics) -> Vec<Check> {
    // A value that is not a mapping is reported when it is read as data.
    let Some(pairs) = node.pairs() else { return Vec::new() };
    for pair in pairs.iter().filter(|pair| !ALLOWED.contains(&pair.key.text.as_str())) {
        let help = meant_and_known(&pair.key.text, &ALLOWED, "known keys");
        let message = format!("unknown key `{}` in `expected_behavior`", pair.key.text.escape_debug());
        problems.error(pair.key.span, message, "unknown key").help(help);
    }
    let mut found = Vec::new();
    for name in ALLOWED {
        let Some(pair) = pairs.iter().find(|pair| pair.key.text == name) else { continue };
        let expected = Expectation { name, key: pair.key.span, value: &pair.value };
        let checks = match name {
            "contains_text" => expected.contains_text().map(|check| vec![check]),
            "calls_tools" => expected.calls_tools(),
            "max_tokens" => expected.max_tokens().map(|check| vec![check]),
            "max_latency_ms" => expected.max_latency().map(|check| vec![check]),
            "matches_schema" => expected.matches_schema(problems),
            _ => expected.asked(),
        };
        match checks {
            Ok(checks) => found.extend(checks),
            Err(problem) => problems.push(problem),
        }
    }
    found
}

struct Expectation<'n> {
    name: &'static str,
    key: Span,
    value: &'n Node,
}

impl Expectation<'_> {
    fn check(&self, kind: &str, arguments: Node) -> Check {
        Check::new(kind, self.key, arguments).with_label(Some(self.name))
    }

    fn wrong(&self, wanted: &str) -> Diagnostic {
        let message = format!("`{}` must be {wanted}, found {}", self.name, self.value.describe());
        Diagnostic::error(self.value.span, message).label(format!("expected {wanted}"))
    }

    fn contains_text(&self) -> Result<Check, Diagnostic> {
        let text = word(self.value).ok_or_else(|| self.wrong("a string"))?;
        let truth = plain("true", self.value.span);
        let arguments = [("text", Node::text(text.as_str(), self.value.span)), ("ignore_case", truth)];
        Ok(self.check("contains", Node::map(self.value.span, arguments)).with_subject(Some(text)))
    }

    fn calls_tools(&self) -> Result<Vec<Check>, Diagnostic> {
        let items = self.value.items().unwrap_or(std::slice::from_ref(self.value));
        // The original accepts an empty list, which expects no tool.
        if items.is_empty() {
            let warning = Diagnostic::warning(self.value.span, "`calls_tools` expects nothing: the list is empty");
            let help = "add the name of a tool to the list, or remove `calls_tools`";
            return Err(warning.label("expects nothing").help(help));
        }
        let tools: Vec<Spanned<String>> =
            items.iter().filter_map(|item| Some(Spanned::new(word(item)?, item.span))).collect();
        if tools.len() < items.len() || tools.iter().any(|tool| tool.value.trim().is_empty()) {
            let help = "write `calls_tools: search_web`, or a list of names";
            return Err(self.wrong("the name of a tool or a list of names").help(help));
        }
        let check = |tool: Spanned<String>| {
            let check = Check::new("tool_evidence", self.key, Node::text(tool.value.as_str(), tool.span));
            check.with_label(Some("calls_tool")).with_subject(Some(tool.value))
        };
        Ok(tools.into_iter().map(check).collect())
    }

    fn max_tokens(&self) -> Result<Check, Diagnostic> {
        let max = self.value.scalar().and_then(|scalar| scalar.text.trim().parse::<u32>().ok());
        let max = max.ok_or_else(|| self.wrong("an integer of 0 or more"))?.to_string();
        let arguments = [("max", plain(max.as_str(), self.value.span))];
        Ok(self.check("tokens", Node::map(self.value.span, arguments)).with_subject(Some(max)))
    }

    fn max_latency(&self) -> Result<Check, Diagnostic> {
        let max = lax_number(self.value).filter(|max| *max >= 0.0);
        let max = max.ok_or_else(|| self.wrong("a number of milliseconds"))?;
        let arguments = [("max_ms", plain(max.to_string(), self.value.span))];
        Ok(self.check("latency", Node::map(self.value.span, arguments)).with_subject(Some(format!("{max:?}"))))
    }

    /// The check of an expectation that is switched on with `true`.
    fn asked(&self) -> Result<Vec<Check>, Diagnostic> {
        let truth = self.value.scalar().and_then(Scalar::truth).ok_or_else(|| {
            let quoted = self.value.scalar().is_some_and(|scalar| scalar.quoted);
            let help = if quoted { "write it without quotes" } else { "write `true`, or remove it" };
            self.wrong("true or false").help(help)
        })?;
        Ok(truth.then(|| self.check(self.name, plain("null", self.value.span))).into_iter().collect())
    }

    fn matches_schema(&self, problems: &mut Diagnostics) -> Result<Vec<Check>, Diagnostic> {
        if self.value.pairs().is_none() {
            return Err(self.wrong("a mapping (a JSON Schema)"));
        }
        let schema = read::data(self.value, self.name, Reading::Legacy, problems);
        let word = |word: &str| Node::text(word, self.value.span);
        let check = |schema: &Value| {
            let schema = Node::from_value(schema, self.value.span);
            let arguments = [("schema", schema), ("of", word("text")), ("format", word("warn"))];
            self.check("json_schema", Node::map(self.value.span, arguments))
        };
        Ok(schema.iter().map(check).collect())
    }
}

fn plain(word: impl Into<String>, span: Span) -> Node {
    Node { span, content: Content::Scalar(Scalar::plain(word)) }
}

/// Reads a string; a number or boolean counts as the string that is written.
fn word(node: &Node) -> Option<String> {
    node.scalar().filter(|scalar| !scalar.is_null()).map(|scalar| scalar.text.to_string())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_source::Sources;

    use super::*;

    fn read_checks(text: &str) -> (Vec<(String, Option<String>)>, Vec<String>) {
        let file = Sources::default().add(Path::new("a"), text);
        let mut problems = Diagnostics::default();
        let found = checks(&agentci_source::yaml::parse(text, file).unwrap(), &mut problems);
        let found = found.into_iter().map(|check| (check.name(), check.subject().map(String::from))).collect();
        (found, problems.into_iter().map(|problem| problem.message).collect())
    }

    #[test]
    fn allowed_keys_match_declared_keys() {
        assert_eq!(EXPECTED.keys(), ALLOWED);
    }

    #[test]
    fn expectations_become_checks_in_a_fixed_order() {
        let (found, problems) = read_checks(
            "{ matches_schema: {}, valid_json: yes, no_pii: true, max_latency_ms: 100, max_tokens: '50', \
             calls_tools: [a, b], contains_text: 404 }",
        );
        assert_eq!(problems, Vec::<String>::new());
        let subject = |text: &str| Some(text.to_owned());
        let expected = [
            ("contains_text", subject("404")),
            ("calls_tool", subject("a")),
            ("calls_tool", subject("b")),
            ("max_tokens", subject("50")),
            ("max_latency_ms", subject("100.0")),
            ("no_pii", None),
            ("valid_json", None),
            ("matches_schema", None),
        ];
        assert_eq!(found, expected.map(|(name, subject)| (name.to_owned(), subject)));
        assert_eq!(read_checks("{ no_pii: false, valid_json: no }").0, []);
    }

    #[test]
    fn empty_tool_list_is_a_warning_without_a_check() {
        let (found, problems) = read_checks("{ calls_tools: [], contains_text: ok }");
        assert_eq!(found, [("contains_text".to_owned(), Some("ok".to_owned()))]);
        assert_eq!(problems, ["`calls_tools` expects nothing: the list is empty"]);
    }

    #[test]
    fn refuses_invalid_values() {
        let (found, problems) = read_checks(
            "{ no_pii: 'true', valid_json: 1, matches_schema: text, max_tokens: plenty, max_latency_ms: -1, \
             calls_tools: [''], contains_text: [a], contain_text: b }",
        );
        assert_eq!(found, []);
        assert_eq!(
            problems,
            [
                "unknown key `contain_text` in `expected_behavior`",
                "`contains_text` must be a string, found a list",
                "`calls_tools` must be the name of a tool or a list of names, found a list",
                "`max_tokens` must be an integer of 0 or more, found the string `plenty`",
                "`max_latency_ms` must be a number of milliseconds, found the number -1",
                "`no_pii` must be true or false, found the string `true`",
                "`valid_json` must be true or false, found the number 1",
                "`matches_schema` must be a mapping (a JSON Schema), found the string `text`",
            ]
        );
    }
}
