//! An agent that speaks A2A.

use agentci_plan::{A2aCard, A2aKeys, A2aTarget, ApiKeyPlace, Auth, OutputRule, REQUEST_TIMEOUT, Text};
use agentci_source::shape::{Kind, Rule, Shape, filled, optional, required, words};
use agentci_source::{Diagnostics, Node, Reading, join, read};

use super::super::words::{Place, named_texts, template};
use super::read_address;

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
.rules(&[Rule::One(&["card_url", "card", "endpoint"])]);

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
.rules(&[Rule::OneKey]);

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

pub(super) fn a2a(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<A2aTarget> {
    let mut fields = A2A.open(node, problems)?;
    let ways = [fields.optional("card_url"), fields.optional("card"), fields.optional("endpoint")];
    let card = match ways {
        [Some(url), None, None] => read_address(url, "card_url", problems).map(A2aCard::At),
        [None, Some(card), None] => read::object(card, "card", Reading::Core, problems).map(A2aCard::Inline),
        [None, None, Some(endpoint)] => read_address(endpoint, "endpoint", problems).map(A2aCard::Endpoint),
        _ => {
            let message = "`a2a` needs exactly one of `card_url`, `card` and `endpoint`";
            let help = "write `card_url: https://..` where the agent has a card";
            problems.error(node.span, message, "it is not said how the agent is found").help(help);
            None
        }
    };
    let context = fields.optional("context").and_then(|node| template(node, "context", problems));
    let blocking = fields.optional("blocking").and_then(|node| read::truth(node, "blocking", problems));
    let modes = fields.optional("accepted_output_modes");
    let modes = modes.and_then(|node| read::texts(node, "accepted_output_modes", problems)).unwrap_or_default();
    let auth = fields.optional("auth").map(|node| auth(node, place, problems));
    let hosts = fields.optional("hosts");
    let hosts = hosts.map(|node| crate::hosts::hosts(node, card.as_ref(), "card_url", problems)).unwrap_or_default();
    let headers = fields.optional("headers").map(|node| named_texts(node, "headers", problems)).unwrap_or_default();
    let timeout = fields.optional("timeout").and_then(|node| read::duration(node, "timeout", problems));
    let output = fields.optional("output").and_then(|node| read::choice(node, "output", &OutputRule::NAMES, problems));
    fields.finish(problems);
    Some(A2aTarget {
        card: card?,
        context,
        blocking,
        accepted_output_modes: modes.into_iter().map(|mode| mode.value).collect(),
        auth: match auth {
            None => None,
            Some(auth) => Some(auth?),
        },
        hosts,
        headers,
        timeout: timeout.unwrap_or(REQUEST_TIMEOUT),
        output: output.unwrap_or_default(),
        keys: A2aKeys { card_url: "card_url", accepted_output_modes: "accepted_output_modes" },
        span: node.span,
    })
}

/// A mapping of one key, the scheme.
pub(super) fn auth(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<Auth> {
    const SCHEMES: &str = "schemes are `api_key`, `bearer`, `oauth2` and `mtls`";
    let Some([pair]) = node.pairs() else {
        problems.mismatch(node, "`auth` must be a mapping of one key", "expected the scheme").help(SCHEMES);
        return None;
    };
    let value = &pair.value;
    match pair.key.text.as_str() {
        "bearer" => template(value, "bearer", problems).map(Auth::Bearer),
        "api_key" => {
            let mut fields = API_KEY.open(value, problems)?;
            let name = fields.required("name", problems).and_then(|node| read::name(node, "name", problems));
            let place = fields.optional("in").and_then(|node| read::choice(node, "in", &ApiKeyPlace::NAMES, problems));
            let key = text(&mut fields, "value", problems);
            fields.finish(problems);
            Some(Auth::ApiKey { name: name?.value, place: place.unwrap_or_default(), value: key? })
        }
        "oauth2" => {
            let mut fields = OAUTH2.open(value, problems)?;
            let token_url = text(&mut fields, "token_url", problems);
            let client_id = text(&mut fields, "client_id", problems);
            let client_secret = text(&mut fields, "client_secret", problems);
            let scopes = fields.optional("scopes").and_then(|node| read::one_or_more_texts(node, "scopes", problems));
            fields.finish(problems);
            let scopes = scopes.unwrap_or_default().into_iter().map(|scope| scope.value).collect();
            Some(Auth::OAuth2 { token_url: token_url?, client_id: client_id?, client_secret: client_secret?, scopes })
        }
        "mtls" => {
            let mut fields = MTLS.open(value, problems)?;
            let mut path = |name: &'static str, node: Option<&Node>| {
                node.and_then(|node| read::name(node, name, problems)).map(|path| join(place.folder, &path.value))
            };
            let certificate = path("certificate", fields.optional("certificate"));
            let key = path("key", fields.optional("key"));
            let authority = path("authority", fields.optional("authority"));
            fields.required("certificate", problems);
            fields.required("key", problems);
            fields.finish(problems);
            Some(Auth::Mtls { certificate: certificate?, key: key?, authority })
        }
        scheme => {
            let message = format!("unknown scheme `{}`", scheme.escape_debug());
            problems.error(pair.key.span, message, "not known here").help(SCHEMES);
            None
        }
    }
}

fn text(fields: &mut read::Fields<'_>, name: &'static str, problems: &mut Diagnostics) -> Option<Text> {
    fields.required(name, problems).and_then(|node| template(node, name, problems))
}
