//! An agent that speaks A2A.

use agentci_plan::{A2aCard, A2aKeys, A2aTarget, ApiKeyPlace, Auth, OutputRule, REQUEST_TIMEOUT, Target};
use agentci_source::shape::{KeyRule, Kind, Shape, filled, optional, required, words};
use agentci_source::{Diagnostics, Node, Reader, read};

use super::super::readers::{SuiteFolder, named_texts, object, template};
use super::{ReadTarget, read_address};
use crate::hosts::hosts;

pub(super) static A2A: Shape = Shape::new(
    "`a2a`",
    "An agent that speaks A2A.",
    &[
        optional("card_url", Kind::Address, "The address of the agent's card."),
        optional("card", Kind::Object, "The agent's card itself."),
        optional("endpoint", Kind::Address, "The address of an agent without a card."),
        optional("context", Kind::Text, "The context that messages belong to."),
        optional("blocking", Kind::Truth, "Whether the agent is asked to answer only once it is done."),
        optional("accepted_output_modes", Kind::List(&Kind::Text), "The media types that answers may have."),
        optional("auth", Kind::Shape(&AUTH), "How we say who we are."),
        optional(
            "hosts",
            Kind::List(&Kind::Name),
            "Further hosts that a card at `card_url` may name although they get credentials.",
        ),
        optional("headers", Kind::Map(&Kind::Word), "Headers that are sent along."),
        optional("timeout", Kind::Duration, "How long one request may take."),
        optional("output", Kind::Choice(&words(&OutputRule::NAMES)), OutputRule::ABOUT),
    ],
)
.rules(&[KeyRule::One(&["card_url", "card", "endpoint"])]);

pub(super) static AUTH: Shape = Shape::new(
    "`auth`",
    "How we say who we are: one key, the scheme.",
    &[
        filled("bearer", Kind::Text, "A token, usually a variable."),
        filled("api_key", Kind::Shape(&API_KEY), "A key in a header, the query or a cookie."),
        filled("oauth2", Kind::Shape(&OAUTH2), "Client credentials that are exchanged for a token."),
        filled("mtls", Kind::Shape(&MTLS), "A certificate of our own."),
    ],
)
.rules(&[KeyRule::OneKey]);

static API_KEY: Shape = Shape::new(
    "`api_key`",
    "A key.",
    &[
        required("name", Kind::Name, "The name of the header, parameter or cookie."),
        optional("in", Kind::Choice(&words(&ApiKeyPlace::NAMES)), "Where it stands, `header` without it."),
        required("value", Kind::Text, "The key, usually a variable."),
    ],
);

static OAUTH2: Shape = Shape::new(
    "`oauth2`",
    "Client credentials.",
    &[
        required("token_url", Kind::Text, "Where the token is got."),
        required("client_id", Kind::Text, "Our id."),
        required("client_secret", Kind::Text, "Our secret, usually a variable."),
        optional("scopes", Kind::OneOrMore(&Kind::Text), "What the token is for."),
    ],
);

static MTLS: Shape = Shape::new(
    "`mtls`",
    "A certificate of our own.",
    &[
        required("certificate", Kind::Name, "The file of the certificate."),
        required("key", Kind::Name, "The file of its key."),
        optional("authority", Kind::Name, "The file of the authority that the server is known to."),
    ],
);

pub(super) fn a2a(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<ReadTarget> {
    let a2a = A2A.read(node, problems, |fields| {
        let card = card(fields);
        let context = fields.optional("context", template);
        let blocking = fields.truth("blocking");
        let modes = fields.optional("accepted_output_modes", read::texts).unwrap_or_default();
        let auth = fields.valid("auth", |node, _, problems| auth(node, place, problems));
        Some(A2aTarget {
            context,
            blocking,
            accepted_output_modes: modes.into_iter().map(|mode| mode.value).collect(),
            hosts: fields.or_default("hosts", |node, problems| hosts(node, card.as_ref(), "card_url", problems)),
            headers: fields.named_or_default("headers", named_texts),
            timeout: fields.duration("timeout").unwrap_or(REQUEST_TIMEOUT),
            output: fields.choice("output", &OutputRule::NAMES).unwrap_or_default(),
            keys: A2aKeys { card_url: "card_url", accepted_output_modes: "accepted_output_modes" },
            span: node.span,
            card: card?,
            auth: auth?,
        })
    });
    Some(Target::A2a(Box::new(a2a?)).into())
}

/// How the agent is found: one of three ways.
fn card(fields: &mut Reader<'_, '_>) -> Option<A2aCard> {
    match ["card_url", "card", "endpoint"].map(|key| fields.node(key).is_some()) {
        [true, false, false] => fields.optional("card_url", read_address).map(A2aCard::At),
        [false, true, false] => fields.optional("card", object).map(A2aCard::Inline),
        [false, false, true] => fields.optional("endpoint", read_address).map(A2aCard::Endpoint),
        _ => {
            let message = "`a2a` needs exactly one of `card_url`, `card` and `endpoint`";
            let help = "write `card_url: https://..` where the agent has a card";
            fields.problems.error(fields.span(), message, "it is not said how the agent is found").help(help);
            None
        }
    }
}

/// A mapping of one key, the scheme.
pub(super) fn auth(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<Auth> {
    const SCHEMES: &str = "schemes are `api_key`, `bearer`, `oauth2` and `mtls`";
    let Some([pair]) = node.pairs() else {
        problems.mismatch(node, "`auth` must be a mapping of one key", "expected the scheme").help(SCHEMES);
        return None;
    };
    let value = &pair.value;
    match pair.key.text.as_str() {
        "bearer" => template(value, "bearer", problems).map(Auth::Bearer),
        "api_key" => API_KEY.read(value, problems, |fields| {
            let name = fields.required("name", read::name);
            let place = fields.choice("in", &ApiKeyPlace::NAMES).unwrap_or_default();
            let value = fields.required("value", template);
            Some(Auth::ApiKey { name: name?.value, place, value: value? })
        }),
        "oauth2" => OAUTH2.read(value, problems, |fields| {
            let [url, id, secret] =
                ["token_url", "client_id", "client_secret"].map(|key| fields.required(key, template));
            let scopes = fields.texts("scopes");
            Some(Auth::OAuth2 { token_url: url?, client_id: id?, client_secret: secret?, scopes })
        }),
        "mtls" => MTLS.read(value, problems, |fields| {
            let [certificate, key, authority] =
                ["certificate", "key", "authority"].map(|key| fields.name(key).map(|path| place.path(&path)));
            fields.required_node("certificate");
            fields.required_node("key");
            Some(Auth::Mtls { certificate: certificate?, key: key?, authority })
        }),
        scheme => {
            let message = format!("unknown scheme `{}`", scheme.escape_debug());
            problems.error(pair.key.span, message, "not known here").help(SCHEMES);
            None
        }
    }
}
