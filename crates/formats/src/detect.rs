//! Which dialect a file is written in: its content decides, its name only where the content leaves a choice.

use agentci_plan::Dialect;
use agentci_source::{Node, did_you_mean};

use crate::{ananke, aumai, native, scenario};

/// The dialect of a file that was named directly.
pub(crate) fn dialect(name: &str, root: &Node) -> Option<Dialect> {
    if let Some(expected) = expected(name).filter(|expected| fits_name(root, *expected)) {
        return Some(expected);
    }
    // A mistyped key must not make a suite look like another dialect, so the mark that no other dialect has comes first.
    let choices = if root.get("agent_command").is_some() {
        [Dialect::Runledger, Dialect::Native, Dialect::Aumai, Dialect::Ananke, Dialect::Scenario]
    } else {
        [Dialect::Native, Dialect::Runledger, Dialect::Aumai, Dialect::Ananke, Dialect::Scenario]
    };
    choices.into_iter().find(|choice| fits(root, *choice))
}

/// Whether the top level of a file bears the marks of a dialect.
pub(crate) fn fits(root: &Node, dialect: Dialect) -> bool {
    let has = |key: &str| root.get(key).is_some();
    match dialect {
        // A suite whose `cases` is mistyped, or called `tests` as elsewhere, is still a suite.
        Dialect::Native => has("cases") || has("suite") || native::has_target(root),
        Dialect::Runledger => has("suite_name") || has("agent_command"),
        Dialect::Aumai => aumai::has_tests(root),
        Dialect::Ananke => ananke::is_test(root) || ananke::is_config(root),
        Dialect::Scenario => scenario::is_scenario(root),
        Dialect::Yao => false,
    }
}

/// Whether a file whose name leads to a dialect is one of it, if need be with its marks mistyped.
pub(crate) fn fits_name(root: &Node, dialect: Dialect) -> bool {
    fits(root, dialect) || (dialect == Dialect::Native && is_nearly_native(root))
}

fn is_nearly_native(root: &Node) -> bool {
    let near = |key: &str| did_you_mean(key, ["suite", "cases"]).is_some();
    let others = [Dialect::Runledger, Dialect::Aumai, Dialect::Ananke, Dialect::Scenario];
    root.pairs().unwrap_or_default().iter().any(|pair| near(&pair.key.text))
        && !others.into_iter().any(|other| fits(root, other))
}

/// The dialect a file of this name is looked at for when a folder is searched.
pub(crate) fn expected(name: &str) -> Option<Dialect> {
    match name {
        "agentci.yaml" | "agentci.yml" => Some(Dialect::Native),
        "suite.yaml" | "suite.yml" => Some(Dialect::Runledger),
        _ => None,
    }
}

/// Whether an `agentci.yaml` holds the settings of a project rather than a suite.
pub(crate) fn is_settings(root: &Node) -> bool {
    (root.is_null() || root.pairs().is_some()) && !fits_name(root, Dialect::Native)
}

/// Whether a file says nothing at all: it has only comments, or not even those.
pub(crate) fn is_empty(root: &Node) -> bool {
    root.is_null() || root.pairs().is_some_and(<[_]>::is_empty)
}

/// What a suite looks like, for someone who named something else.
pub(crate) const WHAT_IS_A_SUITE: &str = "a suite is an `agentci.yaml` with `cases:`, a `suite.yaml` with `suite_name` and `agent_command`, an `ananke.config.yaml` \
     with tests that have `turns:`, a folder of tests with `name` and `expected_behavior`, scenarios with `test_name` and \
     `user_input`, or JSON lines of `id` and `input` below a `package.yao`";

#[cfg(test)]
mod tests {
    use std::path::Path;

    use agentci_source::Sources;

    use super::*;

    #[test]
    fn a_mistyped_key_does_not_change_the_dialect() {
        for (name, text, found) in [
            ("suite.yaml", "{ suite_name: a, cases: b }", Some(Dialect::Runledger)),
            ("x.yaml", "{ agent_command: [a], cases: b }", Some(Dialect::Runledger)),
            ("agentci.yaml", "{ suite_name: a, cases: [] }", Some(Dialect::Native)),
            ("x.yaml", "{ suite_name: a, cases: [] }", Some(Dialect::Native)),
            ("x.yaml", "{ suite_name: a }", Some(Dialect::Runledger)),
            ("suite.yaml", "[cases]", None),
            ("x.yaml", "{ name: a, expected_behavior: {} }", Some(Dialect::Aumai)),
            ("suite.yaml", "tests: [{ name: a, input_messages: [] }]", Some(Dialect::Aumai)),
            ("x.yaml", "[{ name: a, expected_behaviour: {} }]", Some(Dialect::Aumai)),
            ("x.yaml", "{ name: deploy, jobs: {} }", None),
            ("x.yaml", "{ name: a, turns: [] }", Some(Dialect::Ananke)),
            ("x.yaml", "{ suite: a, turns: [] }", Some(Dialect::Native)),
            ("x.yaml", "{ name: a, turns: 3 }", None),
            ("x.yaml", "{ version: 1.0, target: { type: agui } }", Some(Dialect::Ananke)),
            ("x.yaml", "{ test_name: a, user_input: b }", Some(Dialect::Scenario)),
            ("x.yaml", "{ test_name: a }", None),
            ("agentci.yaml", "{ name: a, target: { process: { cmd: [a] } }, tests: [] }", Some(Dialect::Native)),
            ("agentci.yaml", "{ target: { default: { url: a } } }", None),
            ("agentci.yaml", "{ suit: a, casess: [] }", Some(Dialect::Native)),
            ("agentci.yaml", "{ tool_bases: { A: b } }", None),
            ("x.yaml", "{ suit: a, casess: [] }", None),
            ("agentci.yaml", "{ target: { process: {} }, cases: [{ turns: [] }] }", Some(Dialect::Native)),
        ] {
            let file = Sources::default().add(Path::new(name), text);
            let root = agentci_source::yaml::parse(text, file).unwrap();
            assert_eq!(dialect(name, &root), found, "{name} {text}");
        }
    }
}
