//! Reads `ananke.config.yaml`, the settings shared by all tests of a project.

use agentci_source::shape::{Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node};

use super::assertion::{INHERIT, inherit};
use super::named_blocks::{NAMED_BLOCKS, NamedBlocks};
use super::other_releases::refuse_unversioned;
use super::target::{AnankeTarget, SuiteFolder, TARGET, target};
use super::version::{VERSION, version};

/// The file names of a config.
pub(crate) const NAMES: [&str; 2] = ["ananke.config.yaml", "ananke.config.yml"];

/// The default folder of recordings, relative to the folder of the config.
const RECORDINGS: &str = "recordings";

pub(super) struct AnankeConfig {
    pub(super) target: AnankeTarget,
    pub(super) named: NamedBlocks<'static>,
    /// Whether turns inherit all requirements of the target and their tests.
    pub(super) inherit: bool,
    pub(super) recordings: String,
    /// Whether tests are meant to be answered from their recordings.
    pub(super) played: bool,
}

pub(crate) static CONFIG: Shape =
    Shape::new("the config", "Settings shared by all tests of a project.", VERSION).with(&[
        &[
            required("target", TARGET, "How to reach the agent."),
            optional("assertions", NAMED_BLOCKS, "Named assertion blocks for `extends`."),
        ],
        INHERIT,
        &[
            optional("recordings", Kind::Name, "Folder of recorded conversations. Default: `recordings`."),
            optional(
                "played",
                Kind::Truth,
                "Whether tests are meant to be answered from their recordings, so that `--require-agent` accepts them.",
            ),
        ],
    ]);

/// Reads a config; `None` if it is invalid.
pub(super) fn config(root: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<AnankeConfig> {
    if refuse_unversioned(root, problems) {
        return None;
    }
    let mut fields = CONFIG.reader(root, problems)?;
    let version = version(&mut fields);
    let target = fields.required("target", |node, _, problems| target(node, version, place, problems));
    let named = NamedBlocks::read(fields.node("assertions"), None, fields.problems);
    let inherit = inherit(&mut fields);
    let recordings = fields.name("recordings").unwrap_or_else(|| RECORDINGS.to_owned());
    let played = fields.truth("played").unwrap_or_default();
    fields.finish();
    if let Some(block) = target.as_ref().and_then(|target| target.block.as_ref()) {
        named.check(block, problems);
    }
    let target = target?;
    Some(AnankeConfig { inherit: inherit || target.inherit, target, named, recordings, played })
}
