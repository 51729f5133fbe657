//! Checks that commands named in prose exist, and that the flags named with them do.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use regex::Regex;

use crate::docs_page::{files_below, text_of};
use crate::suite::Suite;

static NAMED: LazyLock<Regex> = LazyLock::new(|| Regex::new(r"`agentci ([^`]+)`").unwrap());

/// Commands with subcommands.
const GROUPS: [&str; 2] = ["serve", "baseline"];

#[test]
fn commands_and_flags_in_prose_exist() {
    let mut named: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    for path in files_below("docs", "md").into_iter().chain(["README.md".to_owned(), "CONTRIBUTING.md".to_owned()]) {
        for found in NAMED.captures_iter(&text_of(&path)) {
            let words: Vec<&str> = found[1].split_whitespace().collect();
            let Some(first) = words.first().filter(|word| !word.starts_with('-')) else { continue };
            let second = words.get(1).filter(|_| GROUPS.contains(first)).map(|second| format!(" {second}"));
            let command = format!("{first}{}", second.unwrap_or_default());
            let flags = words.iter().filter(|word| word.starts_with("--")).map(|word| {
                word.split('=')
                    .next()
                    .unwrap_or_default()
                    .trim_matches(|letter: char| !letter.is_alphanumeric() && letter != '-')
            });
            let here = named.entry(command).or_default();
            here.push((path.clone(), String::new()));
            here.extend(flags.map(|flag| (path.clone(), flag.to_owned())));
        }
    }
    assert!(named.len() > 10, "{named:?}");
    let suite = Suite::empty();
    for (command, uses) in named {
        let words: Vec<&str> = command.split(' ').chain(["--help"]).collect();
        let help = suite.agentci(&words);
        assert_eq!(help.code, Some(0), "{}: there is no `agentci {command}`", uses[0].0);
        for (path, flag) in uses.iter().filter(|(_, flag)| !flag.is_empty()) {
            let known =
                help.stdout.split(|letter: char| letter != '-' && !letter.is_alphanumeric()).any(|word| word == flag);
            assert!(known, "{path}: `agentci {command}` has no flag `{flag}`");
        }
    }
}
