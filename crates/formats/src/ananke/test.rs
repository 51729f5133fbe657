//! Reads a test file.

use std::path::Path;

use agentci_plan::{Hook, Skip};
use agentci_source::shape::{Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, Spanned, read};

use super::assertion::{ABOVE, AssertionBlock, BlockLevel, INHERIT, block, inherit};
use super::config::AnankeConfig;
use super::hook::{HOOK, hooks};
use super::named_blocks::{NAMED_BLOCKS, NamedBlocks};
use super::other_releases::refuse_steps;
use super::readers::filled_list;
use super::target::{SuiteFolder, TargetProtocol};
use super::tool::{TOOLS, WrittenTool, tools};
use super::turn::{ReadTurn, TURNS, TurnSetting, turn};
use super::version::{VERSION, version};
use crate::skip::{SKIP, skip};

/// The content of a test file, as far as it could be read.
#[derive(Default)]
pub(super) struct TestFile<'c> {
    /// `None` if it is missing or invalid.
    pub(super) name: Option<Spanned<String>>,
    pub(super) tags: Vec<String>,
    pub(super) skip: Option<Skip>,
    pub(super) hooks: Vec<Hook>,
    pub(super) tools: Option<Vec<WrittenTool>>,
    pub(super) turns: Vec<ReadTurn>,
    pub(super) block: Option<AssertionBlock>,
    pub(super) named: NamedBlocks<'c>,
    /// Whether turns inherit all requirements of the target and the test.
    pub(super) inherit: bool,
}

pub(crate) static TEST: Shape = Shape::new("the test", "A conversation and its assertions.", VERSION).with(&[
    &[
        required("name", Kind::Name, "Name of the test in reports, unique within a project."),
        optional("tags", Kind::OneOrMore(&Kind::Text), "Tags to select the test by."),
        optional("skip", SKIP, "Whether to skip the test: a boolean, or the reason as a string."),
        optional("hooks", Kind::List(&Kind::Shape(&HOOK)), "Commands that run before the turns."),
        optional("tools", TOOLS, "Tools that the client offers, in addition to those of the target."),
        required("turns", TURNS, "The conversation, turn by turn."),
        optional("assert", Kind::Shape(&ABOVE), "Assertions for the whole test."),
        optional("assertions", NAMED_BLOCKS, "Named assertion blocks for `extends`."),
    ],
    INHERIT,
]);

pub(super) fn test<'c>(
    root: &Node,
    config: &'c AnankeConfig,
    place: SuiteFolder<'_>,
    folder: &Path,
    problems: &mut Diagnostics,
) -> TestFile<'c> {
    let fields = if refuse_steps(root, problems) { None } else { TEST.reader(root, problems) };
    let Some(mut fields) = fields else { return TestFile::default() };
    let setting = TurnSetting { version: version(&mut fields), protocol: config.target.protocol };
    let name = fields.required("name", read::name);
    let tags = fields.texts("tags");
    let skip = fields.optional("skip", skip);
    let hooks = fields.or_default("hooks", |node, problems| hooks(node, place, folder, problems));
    let tools = fields.node("tools").map(|node| client_tools(node, config, fields.problems));
    let turns = fields.required("turns", |node, key, problems| filled_list(node, key, "[{ user: Hello }]", problems));
    let turns: Vec<ReadTurn> =
        turns.unwrap_or_default().iter().filter_map(|node| turn(node, setting, fields.problems)).collect();
    let block = fields.node("assert").map(|node| block(node, BlockLevel::Above, fields.problems));
    let named = NamedBlocks::read(fields.node("assertions"), Some(&config.named), fields.problems);
    let inherit = inherit(&mut fields);
    fields.finish();
    for block in block.iter().chain(turns.iter().filter_map(|turn| turn.block.as_ref())) {
        named.check(block, problems);
    }
    TestFile { name, tags, skip, hooks, tools, turns, block, named, inherit }
}

fn client_tools(node: &Node, config: &AnankeConfig, problems: &mut Diagnostics) -> Vec<WrittenTool> {
    let protocol = config.target.protocol;
    if protocol != TargetProtocol::Agui {
        let message = "`tools` are only supported for targets of type `agui`";
        let help = "remove them";
        problems
            .error(node.span, message, format!("the config has a target of type `{}`", protocol.facts().name))
            .help(help);
    }
    tools(node, &config.target.tools, problems)
}
