//! Reads a target that is an A2A agent.

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
        optional("card_url", Kind::Address, "URL of the agent's card."),
        optional("card", Kind::Object, "The agent's card itself."),
        optional("endpoint", Kind::Address, "URL of an agent without a card."),
        optional("context", Kind::Text, "Context of all turns."),
        optional("blocking", Kind::Truth, "Whether to ask the agent to answer only when the task is done."),
        optional("accepted_output_modes", Kind::List(&Kind::Text), "Media types accepted as answers."),
        optional("auth", Kind::Shape(&AUTH), "Authentication."),
        optional(
            "hosts",
            Kind::List(&Kind::Name),
            "Additional hosts that may receive credentials if a card at `card_url` names them.",
        ),
        optional("headers", Kind::Map(&Kind::Word), "Additional request headers."),
        optional("timeout", Kind::Duration, "Timeout of one request. Default: 2m."),
        optional("output", Kind::Choice(&words(&OutputRule::NAMES)), OutputRule::ABOUT),
    ],
)
.rules(&[KeyRule::One(&["card_url", "card", "endpoint"])]);

pub(super) static AUTH: Shape = Shape::new(
    "`auth`",
    "Authentication: a mapping with one key, the scheme.",
    &[
        filled("bearer", Kind::Text, "A token, usually a variable."),
        filled("api_key", Kind::Shape(&API_KEY), "API key in a header, a query parameter or a cookie."),
        filled("oauth2", Kind::Shape(&OAUTH2), "Client credentials that are exchanged for a token."),
        filled("mtls", Kind::Shape(&MTLS), "Client certificate."),
    ],
)
.rules(&[KeyRule::OneKey]);

static API_KEY: Shape = Shape::new(
    "`api_key`",
    "API key.",
    &[
        required("name", Kind::Name, "The name of the header, parameter or cookie."),
        optional("in", Kind::Choice(&words(&ApiKeyPlace::NAMES)), "Where the key is sent. Default: `header`."),
        required("value", Kind::Text, "The key, usually a variable."),
    ],
);

static OAUTH2: Shape = Shape::new(
    "`oauth2`",
    "Client credentials.",
    &[
        required("token_url", Kind::Text, "URL of the token endpoint."),
        required("client_id", Kind::Text, "Client ID."),
        required("client_secret", Kind::Text, "Client secret, usually a variable."),
        optional("scopes", Kind::OneOrMore(&Kind::Text), "Scopes of the token."),
    ],
);

static MTLS: Shape = Shape::new(
    "`mtls`",
    "Client certificate.",
    &[
        required("certificate", Kind::Name, "File with the certificate, PEM."),
        required("key", Kind::Name, "File with the private key, PEM."),
        optional("authority", Kind::Name, "File with the certificate authority of the server, PEM."),
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

/// Reads how to find the agent: exactly one of three keys.
fn card(fields: &mut Reader<'_, '_>) -> Option<A2aCard> {
    match ["card_url", "card", "endpoint"].map(|key| fields.node(key).is_some()) {
        [true, false, false] => fields.optional("card_url", read_address).map(A2aCard::At),
        [false, true, false] => fields.optional("card", object).map(A2aCard::Inline),
        [false, false, true] => fields.optional("endpoint", read_address).map(A2aCard::Endpoint),
        _ => {
            let message = "`a2a` needs exactly one of `card_url`, `card` and `endpoint`";
            let help = "write `card_url: https://..` if the agent has a card";
            fields.problems.error(fields.span(), message, "no way to reach the agent").help(help);
            None
        }
    }
}

/// Reads a mapping with one key, the scheme.
pub(super) fn auth(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<Auth> {
    const SCHEMES: &str = "schemes are `api_key`, `bearer`, `oauth2` and `mtls`";
    let Some([pair]) = node.pairs() else {
        problems.mismatch(node, "`auth` must be a mapping with one key", "expected a scheme").help(SCHEMES);
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
            problems.error(pair.key.span, message, "unknown scheme").help(SCHEMES);
            None
        }
    }
}
