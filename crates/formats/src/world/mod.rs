//! The settings of an agent's world that several dialects share: live tools, routed tools, faults, normalization,
//! redaction. Each module reads its part and prints it.

mod bases;
mod faults;
mod fixture;
mod live_tools;
mod normalization;
mod redaction;
mod routes;
mod scripted;

pub(crate) use bases::{BASES, read_bases};
pub(crate) use faults::{FAULTS, read_faults};
pub(crate) use fixture::{FixtureManner, MANNER, check_delay, read_manner, read_tool_id};
pub(crate) use live_tools::{LIVE_TOOLS, read_live_tools};
pub(crate) use normalization::{NORMALIZATION, read_normalization};
pub(crate) use redaction::{REDACTION, read_redaction};
pub(crate) use routes::{PORT, ROUTES, RouteSettings, either_answer, read_port, read_routes};
pub(crate) use scripted::{SCRIPTED, read_scripted};

use agentci_source::{Diagnostics, Spanned};
use regex::Regex;

/// Reports a pattern that cannot be compiled.
pub(crate) fn check_pattern(written: &Spanned<String>, problems: &mut Diagnostics) -> Option<()> {
    let error = Regex::new(&written.value).err()?;
    // The last line of the library's message is the reason; the lines before it show the pattern.
    let reason = error.to_string();
    let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
    problems
        .error(written.span, format!("this pattern cannot be used: {reason}"), "not a regular expression")
        .help("patterns are RE2-style: no look-around, no back-references");
    Some(())
}
