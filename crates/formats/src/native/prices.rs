//! `prices: { my-model: { input: 2.5, cached_input: 1.25, output: 10 } }`: what models cost, in US dollars per million tokens.

use std::collections::BTreeMap;

use agentci_plan::Price;
use agentci_source::shape::{Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, Pair, read};

use crate::printer::Printer;

/// Prices by the names of models.
pub(super) const PRICES: Kind = Kind::Map(&Kind::Shape(&PRICE));

/// The most that a price may be: no model costs a million dollars for a million tokens.
const HIGHEST: f64 = 1_000_000.0;

static PRICE: Shape = Shape::new(
    "the price of a model",
    "What a model costs, in US dollars per million tokens.",
    &[
        required("input", Kind::Range(0.0, HIGHEST), "Tokens that it reads."),
        optional("cached_input", Kind::Range(0.0, HIGHEST), "Tokens that it read before. Default: as much as others."),
        required("output", Kind::Range(0.0, HIGHEST), "Tokens that it writes."),
    ],
);

/// Reads prices; the good ones are kept when one is wrong.
pub(super) fn read_prices(node: &Node, problems: &mut Diagnostics) -> BTreeMap<String, Price> {
    let Some(pairs) = node.pairs() else {
        problems.mismatch(node, "`prices` must be a mapping", "expected `model: { input: .., output: .. }` lines");
        return BTreeMap::new();
    };
    pairs.iter().filter_map(|pair| Some((pair.key.text.to_string(), price(pair, problems)?))).collect()
}

fn price(pair: &Pair, problems: &mut Diagnostics) -> Option<Price> {
    let mut fields = PRICE.open(&pair.value, problems)?;
    let input = fields.required("input", problems).and_then(|node| amount(node, "input", problems));
    let cached = fields.optional("cached_input").map(|node| amount(node, "cached_input", problems));
    let output = fields.required("output", problems).and_then(|node| amount(node, "output", problems));
    fields.finish(problems);
    let cached_input = match cached {
        None => None,
        Some(cached) => Some(cached?),
    };
    Some(Price { input: input?, cached_input, output: output? })
}

fn amount(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    let amount = read::number(node, name, problems)?;
    if (0.0..=HIGHEST).contains(&amount) {
        return Some(amount);
    }
    let message = format!("`{name}` must be from 0 to {HIGHEST}, found {amount}");
    problems.error(node.span, message, "US dollars per million tokens");
    None
}

impl Printer<'_> {
    pub(super) fn prices(&self, prices: &BTreeMap<String, Price>) -> Option<Node> {
        let price = |price: &Price| {
            self.map([
                ("input", Some(self.plain(price.input))),
                ("cached_input", price.cached_input.map(|cached| self.plain(cached))),
                ("output", Some(self.plain(price.output))),
            ])
        };
        self.filled_map(prices.iter().map(|(name, of_model)| (name, Some(price(of_model)))))
    }
}
