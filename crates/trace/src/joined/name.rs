//! Compares names of tools.

/// Separators between a prefix and the name of a tool: `mcp__orders__refund`, `orders.refund`, `orders/refund`.
const SEPARATORS: [&str; 4] = ["__", ".", "/", ":"];

/// Whether two names refer to the same tool: they are equal, or equal without the prefix of an MCP server or a
/// namespace.
pub fn same_tool(one: &str, other: &str) -> bool {
    one == other || ends_in(one, other) || ends_in(other, one)
}

fn ends_in(long: &str, short: &str) -> bool {
    let before = long.strip_suffix(short).filter(|_| !short.is_empty());
    before.is_some_and(|before| {
        SEPARATORS.iter().any(|separator| before.len() > separator.len() && before.ends_with(separator))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignores_namespace_prefixes_of_tool_names() {
        for name in ["refund", "mcp__orders__refund", "orders.refund", "orders/refund", "orders:refund"] {
            assert!(same_tool(name, "refund") && same_tool("refund", name), "{name}");
        }
        for name in ["order_refund", "refund_all", "", "__refund", "orders.refund.all"] {
            assert!(!same_tool(name, "refund") && !same_tool("refund", name), "{name}");
        }
        assert!(!same_tool("a.refund", "b.refund"));
    }
}
