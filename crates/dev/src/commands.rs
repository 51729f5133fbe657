//! Generates `commands.md`: every command, flag, value and default, as defined for clap, and the exit codes.

use std::fmt::Write as _;
use std::fs;

use agentci::cli::documentation;
use agentci::verdict::ExitStatus::{self, Failed, Interrupted, Success, Usage};
use clap::{Arg, ArgAction, Command};

use super::{Generated, cell, generated_from, project};

pub(crate) fn page() -> Generated {
    let mut whole = documentation::command();
    whole.build();
    let mut page = format!("# Commands\n\n{}", generated_from("the definitions of the command line"));
    page += "`agentci` without a command prints its help. `-h` of each command prints the same descriptions as this page.\n\n";
    let everywhere = arguments(&whole, Arg::is_global_set);
    let _ = write!(page, "Flags of every command:\n\n{everywhere}");
    page += "\n| command | what it does |\n|---|---|\n";
    let mut commands = Vec::new();
    gather(&whole, &mut commands);
    for (name, command) in &commands {
        let _ = writeln!(page, "| [`{name}`](#{}) | {} |", name.replace(' ', "-"), about(command));
    }
    page += "| [exit codes](#exit-codes) | the exit codes of `agentci` |\n";
    for (name, command) in &commands {
        let usage = Command::clone(command).render_usage().to_string();
        let usage = usage.trim_start_matches("Usage: ");
        let _ = write!(page, "\n## {name}\n\n{}.\n\n```text\n{usage}\n```\n", about(command));
        let alike = commands
            .iter()
            .take_while(|(other, _)| other != name)
            .find(|(_, other)| sections(other) == sections(command));
        page += &alike.map_or_else(
            || sections(command),
            |(other, _)| format!("\nIt takes the same arguments as [`{other}`](#{}).\n", other.replace(' ', "-")),
        );
    }
    page += &exit_codes();
    Generated::new("commands.md", page)
}

/// Every command without subcommands, by its full name.
fn gather<'c>(command: &'c Command, found: &mut Vec<(String, &'c Command)>) {
    // The second form of `record` is a hidden command: users never type its name.
    let shown = |inner: &&Command| !inner.is_hide_set() || inner.get_bin_name() == Some("agentci record --");
    for inner in command.get_subcommands().filter(shown).filter(|inner| inner.get_name() != "help") {
        let name = inner.get_bin_name().unwrap_or(inner.get_name()).to_owned();
        if inner.has_subcommands() {
            gather(inner, found);
        } else {
            found.push((name, inner));
        }
    }
}

fn about(command: &Command) -> String {
    cell(&command.get_about().map(ToString::to_string).unwrap_or_default())
}

/// The arguments of a command, grouped by heading.
fn sections(command: &Command) -> String {
    let mut headings: Vec<Option<&str>> = Vec::new();
    for heading in command.get_arguments().filter(|argument| shown(argument)).map(Arg::get_help_heading) {
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    headings.sort_by_key(|heading| heading.is_some_and(|heading| heading != "Options" && heading != "Arguments"));
    let mut text = String::new();
    for heading in headings {
        let _ = match heading {
            Some(heading) => write!(text, "\n**{heading}**\n\n"),
            None => writeln!(text),
        };
        text += &arguments(command, |argument| shown(argument) && argument.get_help_heading() == heading);
    }
    text
}

fn shown(argument: &Arg) -> bool {
    !argument.is_global_set() && !argument.is_hide_set() && !["help", "version"].contains(&argument.get_id().as_str())
}

fn arguments(command: &Command, wanted: impl Fn(&Arg) -> bool) -> String {
    let mut text = "| argument | meaning |\n|---|---|\n".to_owned();
    for argument in command.get_arguments().filter(|argument| wanted(argument)) {
        let _ = writeln!(text, "| {} | {} |", spelling(argument), meaning(argument));
    }
    text
}

/// The notation of an argument: all its names, and its value.
fn spelling(argument: &Arg) -> String {
    let names = argument.get_value_names().unwrap_or_default();
    let value = names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ");
    let many = argument.is_positional() && argument.get_num_args().is_some_and(|range| range.max_values() > 1);
    if argument.is_positional() {
        let value = if many { format!("{value}...") } else { value };
        return format!("`{}`", cell(&if argument.is_required_set() { value } else { format!("[{value}]") }));
    }
    let optional = argument.get_num_args().is_some_and(|range| range.min_values() == 0);
    let value = match argument.get_action().takes_values() {
        true if optional => format!("[={value}]"),
        true => format!(" {value}"),
        false => String::new(),
    };
    let short = argument.get_short().map(|letter| format!("-{letter}"));
    let long = argument.get_long().into_iter().chain(argument.get_visible_aliases().into_iter().flatten());
    let names = short.into_iter().chain(long.map(|name| format!("--{name}")));
    names.map(|name| format!("`{}`", cell(&format!("{name}{value}")))).collect::<Vec<_>>().join(", ")
}

/// The meaning of an argument, with its values and whether it may be repeated.
fn meaning(argument: &Arg) -> String {
    let mut text = argument.get_help().map(ToString::to_string).unwrap_or_default();
    let values = argument.get_possible_values();
    let values: Vec<String> =
        values.iter().filter(|value| !value.is_hide_set()).map(|value| format!("`{}`", value.get_name())).collect();
    if !values.is_empty() && argument.get_action().takes_values() {
        let _ = write!(text, "; one of {}", values.join(", "));
    }
    let defaults: Vec<String> =
        argument.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if !defaults.is_empty() && argument.get_action().takes_values() && !text.contains("[default") {
        let _ = write!(text, " [default: {}]", defaults.join(", "));
    }
    if matches!(argument.get_action(), ArgAction::Append)
        && !argument.is_positional()
        && !text.contains("may be repeated")
    {
        text += " (may be repeated)";
    }
    if argument.is_required_set() {
        text += "; **required**";
    }
    cell(&text)
}

/// The exit codes, from their doc comments.
fn exit_codes() -> String {
    let source = fs::read_to_string(project().join("crates/verdict/src/exit.rs")).unwrap();
    let mut rows: Vec<(u8, String)> = Vec::new();
    let mut open = false;
    for line in source.lines().map(str::trim) {
        let said = line.strip_prefix("/// ");
        let code =
            said.and_then(|said| said.split_once(": ")).and_then(|(code, rest)| Some((code.parse().ok()?, rest)));
        match (code, said) {
            (Some((code, rest)), _) => rows.push((code, rest.to_owned())),
            (None, Some(more)) if open => rows.last_mut().unwrap().1.extend([" ", more]),
            _ => {}
        }
        open = said.is_some() && !rows.is_empty() && (open || code.is_some());
    }
    let codes: Vec<u8> = rows.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, [Success, Failed, Usage, Interrupted].map(ExitStatus::code));
    let mut text = "\n## Exit codes\n\n| code | meaning |\n|---|---|\n".to_owned();
    for (code, words) in rows {
        let _ = writeln!(text, "| {code} | {} |", cell(words.trim_end_matches('.')));
    }
    text
}
