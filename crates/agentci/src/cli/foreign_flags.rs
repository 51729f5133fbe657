//! Flags of other programs for the same formats, and their equivalents here.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The flags, each with its equivalent.
const FLAGS: [(&str, &str); 4] = [
    (
        "--record",
        "to record conversations, use `agentci record PATH`; `recordings` in the config sets where they are stored",
    ),
    ("--replay", "to replay recordings, use `agentci run PATH --mode replay`"),
    ("-d", "`agentci check PATH` finds errors in the files; `--dry-run` lists what would run"),
    ("--debug", "`-v` shows every check and tool call; the conversations are in the run's `report.html`"),
];

/// Adds the equivalent of an unknown flag to the error.
pub(super) fn advise(error: &mut clap::Error) {
    if error.kind() != ErrorKind::UnknownArgument {
        return;
    }
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return };
    let Some((_, advice)) = FLAGS.iter().find(|(known, _)| known == flag) else { return };
    // A flag with a similar name is not what was meant.
    error.remove(ContextKind::SuggestedArg);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![(*advice).into()]));
}
