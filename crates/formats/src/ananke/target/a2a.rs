//! An agent that speaks A2A.

use agentci_plan::{A2aCard, A2aKeys, A2aTarget, OutputRule, Target};
use agentci_source::shape::{Field, Kind, optional};
use agentci_source::{Diagnostics, Node, read};

use super::auth::AUTH;
use super::{Common, Place, auth};
use crate::ananke::words::{object, plain_texts, url};
use crate::hosts;
use crate::texts::template;

/// The keys of such a target beside the common ones.
pub(super) static KEYS: &[Field] = &[
    optional("agentCardUrl", Kind::Address, "The address of the agent's card."),
    optional("agentCard", Kind::Object, "The agent's card itself."),
    optional("endpoint", Kind::Address, "The address of an agent without a card."),
    optional("contextId", Kind::Text, "The context that messages belong to."),
    optional("blocking", Kind::Truth, "Whether the agent is asked to answer only once it is done."),
    optional("acceptedOutputModes", Kind::List(&Kind::Text), "The media types that answers may have."),
    optional("auth", AUTH, "How we say who we are."),
    optional(
        "hosts",
        Kind::List(&Kind::Name),
        "Further hosts that a card at `agentCardUrl` may name although they get credentials.",
    ),
];

pub(super) fn target(
    fields: &mut read::Fields<'_>,
    common: Common,
    place: Place<'_>,
    problems: &mut Diagnostics,
) -> Option<Target> {
    let card = card(fields, problems);
    let context = fields.optional("contextId").and_then(|node| template(node, "contextId", problems));
    let blocking = fields.optional("blocking").and_then(|node| read::truth(node, "blocking", problems));
    let modes = fields.optional("acceptedOutputModes");
    let accepted_output_modes =
        modes.map(|node| plain_texts(node, "acceptedOutputModes", problems)).unwrap_or_default();
    let auth = fields.optional("auth").and_then(|node| auth::auth(node, place, problems));
    let hosts = fields.optional("hosts");
    let hosts = hosts.map(|node| hosts::hosts(node, card.as_ref(), "agentCardUrl", problems)).unwrap_or_default();
    Some(Target::A2a(Box::new(A2aTarget {
        card: card?,
        context,
        blocking,
        accepted_output_modes,
        auth,
        hosts,
        headers: common.headers,
        timeout: common.timeout,
        output: OutputRule::Optional,
        keys: A2aKeys { card_url: "agentCardUrl", accepted_output_modes: "acceptedOutputModes" },
        span: common.span,
    })))
}

/// How the agent is found: one of three ways.
fn card(fields: &mut read::Fields<'_>, problems: &mut Diagnostics) -> Option<A2aCard> {
    match (fields.optional("agentCardUrl"), fields.optional("agentCard"), fields.optional("endpoint")) {
        (Some(node), None, None) => url(node, "agentCardUrl", problems).map(A2aCard::At),
        (None, Some(node), None) => inline(node, problems),
        (None, None, Some(node)) => url(node, "endpoint", problems).map(A2aCard::Endpoint),
        (at, inline, endpoint) => {
            let second = endpoint.filter(|_| at.is_some() || inline.is_some()).or(inline.filter(|_| at.is_some()));
            let message = "the target needs exactly one of `agentCardUrl`, `agentCard` and `endpoint`";
            let label = if second.is_some() { "another one" } else { "none of them is here" };
            problems
                .error(second.map_or(fields.span(), |node| node.span), message, label)
                .help("say where the agent's card is with `agentCardUrl`; `endpoint` is for agents without one");
            None
        }
    }
}

fn inline(node: &Node, problems: &mut Diagnostics) -> Option<A2aCard> {
    let card = object(node, "agentCard", problems)?.as_literal().cloned();
    if card.is_none() {
        let help = "say where the card is with `agentCardUrl`, or where the agent is with `endpoint`";
        problems.error(node.span, "`agentCard` can not hold variables", "a text in it holds one").help(help);
    }
    card.map(A2aCard::Inline)
}
