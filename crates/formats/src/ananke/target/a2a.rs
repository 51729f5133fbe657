//! Reads a target of type `a2a`.

use agentci_plan::{A2aCard, A2aKeys, A2aTarget, OutputRule, Target};
use agentci_source::shape::{Field, Kind, optional};
use agentci_source::{Diagnostics, Node, Reader};

use super::auth::AUTH;
use super::{SuiteFolder, TargetSettings, auth};
use crate::ananke::readers::{plain_texts, url};
use crate::hosts::hosts;
use crate::texts::{object_data, template};

/// The keys in addition to the common ones.
pub(super) static KEYS: &[Field] = &[
    optional("agentCardUrl", Kind::Address, "URL of the agent's card."),
    optional("agentCard", Kind::Object, "The agent's card itself."),
    optional("endpoint", Kind::Address, "URL of an agent without a card."),
    optional("contextId", Kind::Text, "Context of all turns."),
    optional("blocking", Kind::Truth, "Whether to ask the agent to answer only when the task is done."),
    optional("acceptedOutputModes", Kind::List(&Kind::Text), "Media types accepted as answers."),
    optional("auth", AUTH, "Authentication."),
    optional(
        "hosts",
        Kind::List(&Kind::Name),
        "Additional hosts that may receive credentials if a card at `agentCardUrl` names them.",
    ),
];

pub(super) fn target(fields: &mut Reader<'_, '_>, common: TargetSettings, place: SuiteFolder<'_>) -> Option<Target> {
    let card = card(fields);
    Some(Target::A2a(Box::new(A2aTarget {
        context: fields.optional("contextId", template),
        blocking: fields.truth("blocking"),
        accepted_output_modes: fields.optional("acceptedOutputModes", plain_texts).unwrap_or_default(),
        auth: fields.optional("auth", |node, _, problems| auth::auth(node, place, problems)),
        hosts: fields.or_default("hosts", |node, problems| hosts(node, card.as_ref(), "agentCardUrl", problems)),
        card: card?,
        headers: common.headers,
        timeout: common.timeout,
        output: OutputRule::Optional,
        keys: A2aKeys { card_url: "agentCardUrl", accepted_output_modes: "acceptedOutputModes" },
        span: common.span,
    })))
}

/// Reads the card or the address of the agent: exactly one of three keys.
fn card(fields: &mut Reader<'_, '_>) -> Option<A2aCard> {
    match ["agentCardUrl", "agentCard", "endpoint"].map(|key| fields.node(key)) {
        [Some(_), None, None] => fields.optional("agentCardUrl", url).map(A2aCard::At),
        [None, Some(_), None] => fields.optional("agentCard", inline),
        [None, None, Some(_)] => fields.optional("endpoint", url).map(A2aCard::Endpoint),
        [at, inline, endpoint] => {
            let second = endpoint.filter(|_| at.is_some() || inline.is_some()).or(inline.filter(|_| at.is_some()));
            let span = second.map_or(fields.span(), |node| node.span);
            let message = "the target needs exactly one of `agentCardUrl`, `agentCard` and `endpoint`";
            let label = if second.is_some() { "another one" } else { "none of them is set" };
            let help = "set `agentCardUrl` to the URL of the agent's card; `endpoint` is for agents without one";
            fields.problems.error(span, message, label).help(help);
            None
        }
    }
}

fn inline(node: &Node, name: &str, problems: &mut Diagnostics) -> Option<A2aCard> {
    let card = object_data(node, name, problems)?.as_literal().cloned();
    if card.is_none() {
        let help = "set `agentCardUrl` to the URL of the card, or `endpoint` to the URL of the agent";
        problems.error(node.span, "`agentCard` cannot contain variables", "contains a variable").help(help);
    }
    card.map(A2aCard::Inline)
}
