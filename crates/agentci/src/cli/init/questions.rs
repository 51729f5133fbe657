//! The prompts on a terminal. Each has a default; the end of the input ends them.

use std::fmt::Write as _;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use clap::ValueEnum as _;

use super::agent::OwnAgent;
use super::kind::AgentKind;
use super::new_suite::{FOLDER, NewSuite};
use crate::cli::CliContext;

/// The longest answer, in bytes.
const ANSWER_LIMIT: u64 = 1 << 16;
/// How often a question is asked at most.
const PATIENCE: usize = 10;

/// Asks for everything that is unknown; `None` without an answer.
pub(super) fn ask(folder: Option<&Path>, context: &CliContext) -> Option<NewSuite> {
    let kind = kind(context)?;
    let own = own(kind, context)?;
    let folder = match folder {
        Some(folder) => folder.to_path_buf(),
        None => PathBuf::from(answer(&format!("Folder for the suite? [{FOLDER}] "), context)?),
    };
    let folder = if folder.as_os_str().is_empty() { FOLDER.into() } else { folder };
    Some(NewSuite { folder, kind, own })
}

fn kind(context: &CliContext) -> Option<AgentKind> {
    let kinds = AgentKind::value_variants();
    let mut question = "What kind of agent do you have?\n".to_owned();
    for (number, kind) in (1..).zip(kinds) {
        let _ = writeln!(question, "  {number}) {:<8} {}", kind.word(), kind.about());
    }
    context.say(&question);
    for _ in 0..PATIENCE {
        let given = answer("Number or name? [1] ", context)?;
        let number = given.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let chosen = match number {
            _ if given.is_empty() => kinds.first(),
            Some(position) => kinds.get(position),
            None => kinds.iter().find(|kind| kind.word().eq_ignore_ascii_case(&given)),
        };
        match chosen {
            Some(kind) => return Some(*kind),
            None => context.say(&format!("Unknown kind; enter a number from 1 to {}.\n", kinds.len())),
        }
    }
    None
}

fn own(kind: AgentKind, context: &CliContext) -> Option<OwnAgent> {
    let question = match (kind.has_command(), kind.has_url()) {
        (true, true) if kind == AgentKind::Mcp => "Its command or URL? [an example] ",
        (_, true) => "Its URL, such as http://127.0.0.1:8000/? [an example] ",
        (true, false) => "Its command, as typed in a shell? [an example] ",
        (false, false) => return Some(OwnAgent::default()),
    };
    for _ in 0..PATIENCE {
        let given = answer(question, context)?;
        if given.is_empty() {
            return Some(OwnAgent::default());
        }
        let address = kind.has_url() && (kind != AgentKind::Mcp || given.contains("://"));
        let (command, url) = if address { (None, Some(given.as_str())) } else { (Some(given.as_str()), None) };
        match OwnAgent::new(kind, command, url) {
            Ok(own) => return Some(own),
            Err(error) => context.say(&format!("{}; {}.\n", error.message, error.help.unwrap_or_default())),
        }
    }
    None
}

/// One typed line without surrounding white space; `None` at the end of the input.
pub(in crate::cli) fn answer(question: &str, context: &CliContext) -> Option<String> {
    context.say(question);
    line(std::io::stdin().lock())
}

fn line(input: impl BufRead) -> Option<String> {
    let mut line = Vec::new();
    input.take(ANSWER_LIMIT).read_until(b'\n', &mut line).ok()?;
    if line.last() != Some(&b'\n') {
        return None;
    }
    Some(String::from_utf8_lossy(&line).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignores_answer_without_newline_or_over_limit() {
        assert_eq!(line(&b" yes \nmore\n"[..]).as_deref(), Some("yes"));
        assert_eq!(line(&b"yes"[..]), None);
        let long = |letters: usize| format!("{}\n", "x".repeat(letters));
        let most = usize::try_from(ANSWER_LIMIT).unwrap();
        assert_eq!(line(long(most - 1).as_bytes()).map(|answer| answer.len()), Some(most - 1));
        assert_eq!(line(long(most).as_bytes()), None);
    }
}
