//! `assertions` and `extends`: named blocks of assertions that other blocks extend.

use std::collections::{BTreeMap, HashMap};

use agentci_source::shape::Kind;
use agentci_source::{Diagnostics, Node, Pair, Spanned, did_you_mean, read};

use super::assertion::{AssertionBlock, BlockLevel, NAMED, block};
use super::rules::Rules;

pub(super) const NAMED_BLOCKS: Kind = Kind::Map(&Kind::Shape(&NAMED));

/// The maximum depth of `extends`.
const MOST_STEPS: usize = 32;

/// The maximum number of names that an unknown name is compared with.
const MOST_COMPARED: usize = 1000;

/// The named blocks of a file, and those of the outer file (the config of a test).
#[derive(Debug, Default)]
pub(super) struct NamedBlocks<'o> {
    own: BTreeMap<String, AssertionBlock>,
    outer: Option<&'o NamedBlocks<'o>>,
}

impl<'o> NamedBlocks<'o> {
    /// Reads the blocks under `assertions`. Each may extend others of this file and of the outer one; a block of this
    /// file takes precedence over an outer one of the same name.
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

    /// Checks the blocks that a block extends; returns the depth of `extends` below it, including itself.
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
                    let message = format!("the block `{}` extends itself", base.value.escape_debug());
                    problems.error(base.span, message, "points back to it").help("remove it from one of the `extends`");
                    0
                }
                Some(_) if way.len() >= MOST_STEPS => MOST_STEPS,
                Some((base_name, _)) => self.visit(base_name, way, heights, problems),
            };
            height = height.max(below + 1);
            if height > MOST_STEPS {
                let message = format!("more than {MOST_STEPS} levels of `extends`");
                problems.error(base.span, message, "one level too many").help("merge some of the blocks");
                // Reported once: blocks that extend this one start counting again.
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
            None if names.is_empty() => "define it under `assertions:` in the config or in the test".to_owned(),
            None => format!("known blocks are {}", read::quoted_list(names.get(..10).unwrap_or(&names))),
        };
        let message = format!("unknown block `{}`", name.value.escape_debug());
        problems.error(name.span, message, "not defined under `assertions`").help(help);
    }

    /// Reports unknown blocks in `extends`.
    pub(super) fn check(&self, block: &AssertionBlock, problems: &mut Diagnostics) {
        for name in &block.extends {
            self.known(name, problems);
        }
    }

    /// The assertions of a block: first those of the blocks it extends, in order, then its own. The blocks must have
    /// been checked.
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

/// The number of checks that one file may still expand to. Nested `extends` and inheritance multiply the checks.
#[derive(Debug)]
pub(super) struct CheckBudget {
    left: usize,
    exceeded: bool,
}

impl CheckBudget {
    /// The maximum number of checks of one file.
    pub(super) const MOST: usize = 100_000;

    pub(super) fn new() -> Self {
        Self { left: Self::MOST, exceeded: false }
    }

    /// Takes `count` checks from the budget; returns `false` once the budget is exceeded.
    pub(super) fn take(&mut self, count: usize) -> bool {
        match self.left.checked_sub(count) {
            Some(left) if !self.exceeded => self.left = left,
            _ => self.exceeded = true,
        }
        !self.exceeded
    }

    pub(super) fn exceeded(&self) -> bool {
        self.exceeded
    }
}
