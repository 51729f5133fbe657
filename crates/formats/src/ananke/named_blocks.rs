//! `assertions` and `extends`: blocks that have a name and are built upon.

use std::collections::{BTreeMap, HashMap};

use agentci_source::shape::Kind;
use agentci_source::{Diagnostics, Node, Pair, Spanned, did_you_mean, read};

use super::assertion::{AssertionBlock, BlockLevel, NAMED, block};
use super::rules::Rules;

/// Blocks by their names.
pub(super) const NAMED_BLOCKS: Kind = Kind::Map(&Kind::Shape(&NAMED));

/// How many named blocks may stand one upon another.
const MOST_STEPS: usize = 32;

/// With how many names one that is not known is compared.
const MOST_COMPARED: usize = 1000;

/// The named blocks of a file, and behind them those of the file that it belongs to.
#[derive(Debug, Default)]
pub(super) struct NamedBlocks<'o> {
    own: BTreeMap<String, AssertionBlock>,
    outer: Option<&'o NamedBlocks<'o>>,
}

impl<'o> NamedBlocks<'o> {
    /// Reads the blocks under `assertions`. Each may build upon others of this file and of the outer one; where both have a block
    /// of one name, this file's is meant.
    pub(super) fn read(node: Option<&Node>, outer: Option<&'o NamedBlocks<'o>>, problems: &mut Diagnostics) -> Self {
        let pairs = node.map(|node| read::pairs(node, "`assertions`", "`name: {..}`", problems)).unwrap_or_default();
        let named = |pair: &Pair| (pair.key.text.to_string(), block(&pair.value, BlockLevel::Named, problems));
        let named = Self { own: pairs.iter().map(named).collect(), outer };
        let mut heights = HashMap::with_capacity(named.own.len());
        for name in named.own.keys() {
            named.visit(name, &mut Vec::new(), &mut heights, problems);
        }
        named
    }

    /// Looks at what a block builds upon; how many blocks stand one upon another with it on top.
    fn visit<'n>(
        &'n self,
        name: &'n str,
        way: &mut Vec<&'n str>,
        heights: &mut HashMap<&'n str, usize>,
        problems: &mut Diagnostics,
    ) -> usize {
        if let Some(height) = heights.get(name) {
            return *height;
        }
        let Some(block) = self.own.get(name) else { return 0 };
        way.push(name);
        let mut height = 1;
        for base in &block.extends {
            let below = match self.own.get_key_value(&base.value) {
                None => {
                    self.known(base, problems);
                    0
                }
                Some((base_name, _)) if way.contains(&base_name.as_str()) => {
                    let message = format!("the block `{}` builds upon itself", base.value.escape_debug());
                    problems.error(base.span, message, "leads back to it").help("remove it from one of the `extends`");
                    0
                }
                Some(_) if way.len() >= MOST_STEPS => MOST_STEPS,
                Some((base_name, _)) => self.visit(base_name, way, heights, problems),
            };
            height = height.max(below + 1);
            if height > MOST_STEPS {
                let message = format!("more than {MOST_STEPS} blocks build one upon another");
                problems.error(base.span, message, "one too many").help("put some of them into one");
                // Said once; blocks further up are looked at anew.
                height = 1;
                break;
            }
        }
        way.pop();
        heights.insert(name, height);
        height
    }

    fn find(&self, name: &str) -> Option<(&AssertionBlock, &NamedBlocks<'o>)> {
        match (self.own.get(name), self.outer) {
            (Some(block), _) => Some((block, self)),
            (None, Some(outer)) => outer.find(name),
            (None, None) => None,
        }
    }

    fn known(&self, name: &Spanned<String>, problems: &mut Diagnostics) {
        if self.find(&name.value).is_some() {
            return;
        }
        let mut names: Vec<&str> = self.own.keys().map(String::as_str).collect();
        names.extend(self.outer.into_iter().flat_map(|outer| outer.own.keys()).map(String::as_str));
        names.truncate(MOST_COMPARED);
        let help = match did_you_mean(&name.value, names.iter().copied()) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None if names.is_empty() => "describe it under `assertions:` in the config or in the test".to_owned(),
            None => format!("known blocks are {}", read::quoted_list(names.get(..10).unwrap_or(&names))),
        };
        let message = format!("there is no block `{}`", name.value.escape_debug());
        problems.error(name.span, message, "not under `assertions`").help(help);
    }

    /// Reports the blocks that a block builds upon and that are not there.
    pub(super) fn check(&self, block: &AssertionBlock, problems: &mut Diagnostics) {
        for name in &block.extends {
            self.known(name, problems);
        }
    }

    /// What a block asks with all that it builds upon: those first and in their order, then its own words. The blocks must have
    /// been found right.
    pub(super) fn gather(&self, block: &AssertionBlock, budget: &mut CheckBudget) -> Rules {
        let mut rules = Rules::default();
        for (base, layer) in block.extends.iter().filter_map(|name| self.find(&name.value)) {
            if budget.take(1) {
                rules.add(&layer.gather(base, budget));
            }
        }
        if budget.take(block.rules.len()) {
            rules.add(&block.rules);
        }
        rules
    }
}

/// How many checks one file may still come to. Blocks that build upon blocks, and turns that inherit, multiply what is written.
#[derive(Debug)]
pub(super) struct CheckBudget {
    left: usize,
    exceeded: bool,
}

impl CheckBudget {
    /// The most checks of one file.
    pub(super) const MOST: usize = 100_000;

    pub(super) fn new() -> Self {
        Self { left: Self::MOST, exceeded: false }
    }

    /// Takes some of it; false once there was not enough.
    pub(super) fn take(&mut self, count: usize) -> bool {
        match self.left.checked_sub(count) {
            Some(left) if !self.exceeded => self.left = left,
            _ => self.exceeded = true,
        }
        !self.exceeded
    }

    /// Whether there ever was not enough.
    pub(super) fn exceeded(&self) -> bool {
        self.exceeded
    }
}
