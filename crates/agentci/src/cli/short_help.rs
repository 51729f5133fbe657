//! Keeps `-h` to one screen: it leaves out the flags that few readers need, which `--help` shows.

use clap::Arg;

use super::dialect::FORMAT_HEADINGS;

/// The headings whose flags are left out, besides those of the formats.
const HEADINGS: [&str; 3] = ["Sharding", "Stub tool server", "Semantic checks"];
/// Other flags that are left out.
const FLAGS: [&str; 8] = ["color", "exclude", "output_dir", "require_agent", "retries", "seed", "dry_run", "agent"];

/// Leaves a flag out of `-h` if few readers need it.
pub(super) fn only_common(flag: Arg) -> Arg {
    let rare = flag
        .get_help_heading()
        .is_some_and(|heading| HEADINGS.iter().chain(&FORMAT_HEADINGS).any(|rare| *rare == heading))
        || FLAGS.contains(&flag.get_id().as_str());
    if rare { flag.hide_short_help(true) } else { flag }
}
