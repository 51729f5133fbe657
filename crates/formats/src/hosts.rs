//! `hosts` of an A2A target: hosts that may receive credentials in addition to the host of the agent's card.

use agentci_plan::A2aCard;
use agentci_source::{Diagnostics, Node, read};

/// Reads the list. `card_url` is the dialect's key for the address of a card; the list only applies with it.
pub(crate) fn hosts(node: &Node, card: Option<&A2aCard>, card_url: &str, problems: &mut Diagnostics) -> Vec<String> {
    if matches!(card, Some(A2aCard::Inline(_) | A2aCard::Endpoint(_))) {
        problems
            .error(node.span, format!("`hosts` is only used with `{card_url}`"), "this list has no effect")
            .help("remove it: the suite itself says where requests are sent");
    }
    let mut hosts = Vec::new();
    for host in read::texts(node, "hosts", problems).unwrap_or_default() {
        if is_host(&host.value) {
            hosts.push(host.value);
        } else {
            let message = format!("`{}` is not a host", host.value.escape_debug());
            let help = "write `agents.example.com` or `agents.example.com:8443`, without `https://` and without `*`";
            problems.error(host.span, message, "expected a host name, optionally with a port").help(help);
        }
    }
    hosts
}

fn is_host(text: &str) -> bool {
    !text.is_empty() && !text.contains(|letter: char| letter.is_whitespace() || "/@*?#\\$".contains(letter))
}
