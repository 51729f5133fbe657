//! `auth`: how we say who we are.

use std::path::PathBuf;

use agentci_plan::{ApiKeyPlace, Auth, Text};
use agentci_source::shape::{Field, Kind, Shape, Tagged, optional, required, words};
use agentci_source::{Diagnostics, Node, join, read};

use super::Place;
use crate::ananke::words::{plain_texts, url};
use crate::texts::template;

#[derive(Clone, Copy)]
enum Scheme {
    ApiKey,
    Bearer,
    OAuth2,
    Mtls,
}

const SCHEMES: [(&str, Scheme); 4] =
    [("apiKey", Scheme::ApiKey), ("bearer", Scheme::Bearer), ("oauth2", Scheme::OAuth2), ("mtls", Scheme::Mtls)];

/// How we say who we are.
pub(super) const AUTH: Kind = Kind::Tagged(&Tagged {
    tag: "scheme",
    variants: &[(SCHEMES[0].0, &API_KEY), (SCHEMES[1].0, &BEARER), (SCHEMES[2].0, &OAUTH2), (SCHEMES[3].0, &MTLS)],
    usual: None,
});

static SCHEME: &[Field] = &[required("scheme", Kind::Choice(&words(&SCHEMES)), "The way to say it.")];

static UNKNOWN: Shape = Shape::new("`auth`", "A way that is not known yet.", SCHEME);

static API_KEY: Shape = Shape::new("`auth`", "A key in a header, the query or a cookie.", SCHEME).with(&[&[
    optional("in", Kind::Choice(&words(&ApiKeyPlace::NAMES)), "Where it stands, `header` without it."),
    optional("name", Kind::Name, "The name of the header, parameter or cookie."),
    required("value", Kind::Text, "The key, usually a variable."),
]]);

static BEARER: Shape = Shape::new("`auth`", "A token.", SCHEME).with(&[&[required(
    "token",
    Kind::Text,
    "The token, usually a variable.",
)]]);

static OAUTH2: Shape = Shape::new("`auth`", "Client credentials that are exchanged for a token.", SCHEME).with(&[&[
    required("tokenUrl", Kind::Address, "Where the token is got."),
    required("clientId", Kind::Text, "Our id."),
    required("clientSecret", Kind::Text, "Our secret, usually a variable."),
    optional("scopes", Kind::List(&Kind::Text), "What the token is for."),
]]);

static MTLS: Shape = Shape::new("`auth`", "A certificate of our own.", SCHEME).with(&[&[
    required("cert", Kind::Name, "The file of the certificate."),
    required("key", Kind::Name, "The file of its key."),
    optional("ca", Kind::Name, "The file of the authority that the server is known to."),
]]);

pub(super) fn auth(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<Auth> {
    let mut fields = UNKNOWN.open(node, problems)?;
    let scheme = fields.required("scheme", problems)?;
    let scheme = read::choice(scheme, "scheme", &SCHEMES, problems)?;
    fields.becomes(match scheme {
        Scheme::ApiKey => &API_KEY,
        Scheme::Bearer => &BEARER,
        Scheme::OAuth2 => &OAUTH2,
        Scheme::Mtls => &MTLS,
    });
    let auth = match scheme {
        Scheme::ApiKey => api_key(&mut fields, problems),
        Scheme::Bearer => required_text(&mut fields, "token", problems).map(Auth::Bearer),
        Scheme::OAuth2 => oauth2(&mut fields, problems),
        Scheme::Mtls => {
            let certificate = path(&mut fields, "cert", place, problems);
            let key = path(&mut fields, "key", place, problems);
            let authority = fields.optional("ca").and_then(|node| read::name(node, "ca", problems));
            let authority = authority.map(|path| join(place.folder, &path.value));
            certificate.zip(key).map(|(certificate, key)| Auth::Mtls { certificate, key, authority })
        }
    };
    fields.finish(problems);
    auth
}

fn api_key(fields: &mut read::Fields<'_>, problems: &mut Diagnostics) -> Option<Auth> {
    let place = fields.optional("in").and_then(|node| read::choice(node, "in", &ApiKeyPlace::NAMES, problems));
    let place = place.unwrap_or_default();
    let name = fields.optional("name").and_then(|node| read::name(node, "name", problems));
    let value = required_text(fields, "value", problems)?;
    let usual = match place {
        ApiKeyPlace::Header => "X-API-Key",
        ApiKeyPlace::Query | ApiKeyPlace::Cookie => "api_key",
    };
    Some(Auth::ApiKey { name: name.map_or_else(|| usual.to_owned(), |name| name.value), place, value })
}

fn oauth2(fields: &mut read::Fields<'_>, problems: &mut Diagnostics) -> Option<Auth> {
    let token_url = fields.required("tokenUrl", problems).and_then(|node| url(node, "tokenUrl", problems));
    let client_id = required_text(fields, "clientId", problems);
    let client_secret = required_text(fields, "clientSecret", problems);
    let scopes = fields.optional("scopes").map(|node| plain_texts(node, "scopes", problems)).unwrap_or_default();
    Some(Auth::OAuth2 { token_url: token_url?.value, client_id: client_id?, client_secret: client_secret?, scopes })
}

fn required_text(fields: &mut read::Fields<'_>, key: &'static str, problems: &mut Diagnostics) -> Option<Text> {
    fields.required(key, problems).and_then(|node| template(node, key, problems))
}

/// A file, named from the config's folder.
fn path(
    fields: &mut read::Fields<'_>,
    key: &'static str,
    place: Place<'_>,
    problems: &mut Diagnostics,
) -> Option<PathBuf> {
    let node = fields.required(key, problems)?;
    let name = read::name(node, key, problems)?;
    match Text::parse(&name.value) {
        Text::Literal(path) => Some(join(place.folder, &path)),
        Text::Template(_) => {
            problems
                .error(node.span, format!("`{key}` can not hold variables"), "expected the path of a file")
                .help("let a hook copy the file to a fixed place");
            None
        }
    }
}
