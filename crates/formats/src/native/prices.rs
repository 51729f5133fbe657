//! Reads `prices: { my-model: { input: 2.5, cached_input: 1.25, output: 10 } }`: prices of models in US dollars per
//! million tokens.

use std::collections::BTreeMap;

use agentci_plan::Price;
use agentci_source::shape::{Kind, Shape, optional, required};
use agentci_source::{Diagnostics, Node, read};

use crate::printer::Printer;
use crate::quantity::number_to;

/// Kind of `prices`: prices by model name.
pub(super) const PRICES: Kind = Kind::Map(&Kind::Shape(&PRICE));

/// The maximum price: no model costs a million dollars for a million tokens.
const HIGHEST: f64 = 1_000_000.0;

static PRICE: Shape = Shape::new(
    "the price of a model",
    "Prices of a model, in US dollars per million tokens.",
    &[
        required("input", Kind::Range(0.0, HIGHEST), "Price of input tokens."),
        optional("cached_input", Kind::Range(0.0, HIGHEST), "Price of cached input tokens. Default: `input`."),
        required("output", Kind::Range(0.0, HIGHEST), "Price of output tokens."),
    ],
);

/// Reads prices; an invalid one does not discard the others.
pub(super) fn read_prices(node: &Node, problems: &mut Diagnostics) -> BTreeMap<String, Price> {
    let pairs = read::pairs(node, "`prices`", "`model: { input: .., output: .. }`", problems);
    pairs.iter().filter_map(|pair| Some((pair.key.text.to_string(), price(&pair.value, problems)?))).collect()
}

fn price(node: &Node, problems: &mut Diagnostics) -> Option<Price> {
    PRICE.read(node, problems, |fields| {
        let input = fields.required("input", amount);
        let cached_input = fields.valid("cached_input", amount);
        let output = fields.required("output", amount);
        Some(Price { input: input?, cached_input: cached_input?, output: output? })
    })
}

fn amount(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<f64> {
    number_to(HIGHEST, node, name, "US dollars per million tokens", problems)
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
