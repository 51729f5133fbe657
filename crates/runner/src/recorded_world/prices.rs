//! What model calls cost: the suite's own prices before the list prices of well-known models.

use std::collections::BTreeMap;

use agentci_plan::Price;
use agentci_recorder::PriceTable;

/// The prices that count in a suite.
pub(super) fn prices(own: &BTreeMap<String, Price>) -> PriceTable {
    let mut table = PriceTable::builtin();
    for (model, Price { input, cached_input, output }) in own {
        let price = agentci_recorder::TokenPrice {
            input: *input,
            cached_input: *cached_input,
            cache_write: None,
            output: *output,
        };
        table.extend(model, price);
    }
    table
}
