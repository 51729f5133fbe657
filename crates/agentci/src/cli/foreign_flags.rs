//! Flags that other programs have for the same formats, and how to say the same here.

use clap::error::{ContextKind, ContextValue, ErrorKind};

/// The flags, each with what to write instead.
const FLAGS: [(&str, &str); 4] = [
    (
        "--record",
        "to record conversations write `agentci record PATH`; the config's `recordings` says where they are kept",
    ),
    ("--replay", "to play recordings write `agentci run PATH --mode replay`"),
    ("-d", "`agentci check PATH` finds mistakes in the files, `--dry-run` says what would run"),
    ("--debug", "`-v` shows every check and tool call; what was said is in `report.html` of the run"),
];

/// Adds what to write instead of a flag that is not known.
pub(super) fn advise(error: &mut clap::Error) {
    if error.kind() != ErrorKind::UnknownArgument {
        return;
    }
    let Some(ContextValue::String(flag)) = error.get(ContextKind::InvalidArg) else { return };
    let Some((_, advice)) = FLAGS.iter().find(|(known, _)| known == flag) else { return };
    // What looks alike is not what was meant.
    error.remove(ContextKind::SuggestedArg);
    error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![(*advice).into()]));
}
