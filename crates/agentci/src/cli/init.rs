//! `agentci init`: a first suite, whose tests pass and say what can be asked.

use std::path::{Path, PathBuf};

use agentci::ledger;
use agentci::verdict::ExitStatus;
use clap::Args;

use super::context::Context;

/// The files of the suite.
const FILES: [(&str, &str); 4] = [
    ("01_text.yaml", include_str!("../../templates/init/01_text.yaml")),
    ("02_json.yaml", include_str!("../../templates/init/02_json.yaml")),
    ("03_tools.yaml", include_str!("../../templates/init/03_tools.yaml")),
    ("mock_config.yaml", include_str!("../../templates/init/mock_config.yaml")),
];

/// Arguments of `agentci init`.
#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The folder to write to; it is made if it is not there
    #[arg(value_name = "DIR", default_value = "agent-tests")]
    folder: PathBuf,
    /// Replace files that are there
    #[arg(long)]
    force: bool,
}

pub(crate) fn init(arguments: &InitArguments, context: &Context) -> ExitStatus {
    let folder = &arguments.folder;
    if let Err(error) = fs_err::create_dir_all(folder) {
        context.complain(&error.to_string(), Some("name a folder that can be made"));
        return ExitStatus::Failed;
    }
    for (name, text) in FILES {
        let path = folder.join(name);
        if taken(&path) && !arguments.force {
            context.say(&format!("left alone {}: it is there already\n", path.display()));
            continue;
        }
        if let Err(error) = ledger::write_whole(&path, text.as_bytes()) {
            context.complain(&error.to_string(), None);
            return ExitStatus::Failed;
        }
        context.say(&format!("wrote {}\n", path.display()));
    }
    context.say(&format!("run them with `agentci run {}`\n", folder.display()));
    ExitStatus::Success
}

/// Whether something stands at a path, be it a link that leads nowhere.
fn taken(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}
