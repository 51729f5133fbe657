//! Messages after a recording or a replay.

use agentci::report::{Paint, Tone, one_line};
use agentci_recorder::{Bypass, Warning, is_stdio};

use crate::cli::CliContext;

/// How many warnings of one kind are shown.
const MOST_SHOWN: usize = 10;

/// The host of an origin, with its port unless that is the default; the command of a stdio MCP server.
pub(in crate::cli) fn host(origin: &str) -> &str {
    if is_stdio(origin) { origin } else { origin.split_once("://").map_or(origin, |(_, host)| host) }
}

/// `1 call`, `1,200 calls`.
pub(in crate::cli) fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{} {}", grouped(count as u64), if count == 1 { one } else { many })
}

/// A number with commas as thousands separators.
pub(in crate::cli) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join(",")
}

/// Warns that programs outlived the command.
pub(in crate::cli) fn say_left(left: &[String], context: &CliContext) {
    if !left.is_empty() {
        let named = left.iter().take(MOST_SHOWN).map(|name| one_line(name)).collect::<Vec<_>>().join(", ");
        warn(&format!("the command left programs running, which were stopped: {named}"), context);
    }
}

/// Warns about connections that bypassed the recorder.
pub(in crate::cli) fn say_bypassed(bypassed: &[Bypass], context: &CliContext) {
    for bypass in bypassed.iter().take(MOST_SHOWN) {
        warn(&format!("{}, so {} is not in the recording", who(bypass), bypass.to), context);
    }
    if let Some(more) = bypassed.len().checked_sub(MOST_SHOWN).filter(|more| *more > 0) {
        warn(&format!("and another {} bypassed the recorder", counted(more, "connection", "connections")), context);
    }
}

/// The program that bypassed the recorder, and why: `python3 (pid 17) was started with -I`.
pub(in crate::cli) fn who(bypass: &Bypass) -> String {
    let Bypass { program, pid, reason, .. } = bypass;
    let program = if program.is_empty() { "a program" } else { program };
    let reason = reason.strip_prefix("it ").unwrap_or(reason);
    // A program that exited before it was found has no process ID.
    if *pid == 0 { format!("{program} {reason}") } else { format!("{program} (pid {pid}) {reason}") }
}

/// Prints the warnings of the recorder.
pub(in crate::cli) fn say_warnings(warnings: &[Warning], context: &CliContext) {
    warnings.iter().take(MOST_SHOWN).for_each(|warning| warn(&warning.to_string(), context));
    if let Some(more) = warnings.len().checked_sub(MOST_SHOWN).filter(|more| *more > 0) {
        warn(&format!("and {}", counted(more, "more warning", "more warnings")), context);
    }
}

/// Prints a warning.
pub(in crate::cli) fn warn(message: &str, context: &CliContext) {
    let paint = Paint::new(context.stderr_color);
    let message = context.without_secrets(&one_line(message));
    context.say(&format!("{}: {message}\n", paint.apply(Tone::Warning, "warning")));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_bypass_as_a_sentence() {
        let bypass =
            |pid, reason: &str| who(&Bypass { program: "curl".into(), pid, to: "x".into(), reason: reason.into() });
        assert_eq!(bypass(7, "it was started with -I"), "curl (pid 7) was started with -I");
        assert_eq!(bypass(0, "does not trust the recorder"), "curl does not trust the recorder");
    }

    #[test]
    fn groups_digits_in_thousands() {
        for (number, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }
}
