//! `auth`: how requests are authenticated.

use std::path::PathBuf;

use agentci_plan::{ApiKeyPlace, Auth, Text};
use agentci_source::shape::{Field, Kind, Shape, Tagged, optional, required, words};
use agentci_source::{Diagnostics, Node, Reader, read};

use super::SuiteFolder;
use crate::ananke::readers::{plain_texts, url};
use crate::texts::template;

static SCHEMES: [(&str, &Shape); 4] = [("apiKey", &API_KEY), ("bearer", &BEARER), ("oauth2", &OAUTH2), ("mtls", &MTLS)];

static NAMES: [&str; 4] = words(&SCHEMES);

pub(super) const AUTH: Kind = Kind::Tagged(&Tagged { tag: "scheme", variants: &SCHEMES, usual: None });

static SCHEME: &[Field] = &[required("scheme", Kind::Choice(&NAMES), "Authentication scheme.")];

static UNKNOWN: Shape = Shape::new("`auth`", "Authentication with a scheme that is not known yet.", SCHEME);

static API_KEY: Shape = Shape::new("`auth`", "API key in a header, a query parameter or a cookie.", SCHEME).with(&[&[
    optional("in", Kind::Choice(&words(&ApiKeyPlace::NAMES)), "Where the key is sent. Default: `header`."),
    optional(
        "name",
        Kind::Name,
        "Name of the header, parameter or cookie. Default: `X-API-Key` for a header, else `api_key`.",
    ),
    required("value", Kind::Text, "The key, usually a variable."),
]]);

static BEARER: Shape = Shape::new("`auth`", "Bearer token.", SCHEME).with(&[&[required(
    "token",
    Kind::Text,
    "The token, usually a variable.",
)]]);

static OAUTH2: Shape = Shape::new("`auth`", "Client credentials that are exchanged for a token.", SCHEME).with(&[&[
    required("tokenUrl", Kind::Address, "URL of the token endpoint."),
    required("clientId", Kind::Text, "Client ID."),
    required("clientSecret", Kind::Text, "Client secret, usually a variable."),
    optional("scopes", Kind::List(&Kind::Text), "Scopes of the token."),
]]);

static MTLS: Shape = Shape::new("`auth`", "Client certificate.", SCHEME).with(&[&[
    required("cert", Kind::Name, "File with the certificate, PEM."),
    required("key", Kind::Name, "File with the private key, PEM."),
    optional("ca", Kind::Name, "File with the certificate authority of the server, PEM."),
]]);

pub(super) fn auth(node: &Node, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<Auth> {
    let mut fields = UNKNOWN.reader(node, problems)?;
    let schemes = SCHEMES.map(|(word, shape)| (word, (word, shape)));
    let (scheme, shape) =
        fields.required("scheme", |node, key, problems| read::choice(node, key, &schemes, problems))?;
    fields.becomes(shape);
    let auth = match scheme {
        "apiKey" => api_key(&mut fields),
        "bearer" => fields.required("token", template).map(Auth::Bearer),
        "oauth2" => oauth2(&mut fields),
        _ => mtls(&mut fields, place),
    };
    fields.finish();
    auth
}

fn api_key(fields: &mut Reader<'_, '_>) -> Option<Auth> {
    let place = fields.choice("in", &ApiKeyPlace::NAMES).unwrap_or_default();
    let usual = match place {
        ApiKeyPlace::Header => "X-API-Key",
        ApiKeyPlace::Query | ApiKeyPlace::Cookie => "api_key",
    };
    let name = fields.name("name").unwrap_or_else(|| usual.to_owned());
    Some(Auth::ApiKey { name, place, value: fields.required("value", template)? })
}

fn oauth2(fields: &mut Reader<'_, '_>) -> Option<Auth> {
    let url = fields.required("tokenUrl", url);
    let [id, secret] = ["clientId", "clientSecret"].map(|key| fields.required(key, template));
    let scopes = fields.optional("scopes", plain_texts).unwrap_or_default();
    Some(Auth::OAuth2 { token_url: url?.value, client_id: id?, client_secret: secret?, scopes })
}

fn mtls(fields: &mut Reader<'_, '_>, place: SuiteFolder<'_>) -> Option<Auth> {
    let path = |node: &Node, key: &str, problems: &mut Diagnostics| path(node, key, place, problems);
    let (certificate, key) = (fields.required("cert", path), fields.required("key", path));
    let authority = fields.name("ca").map(|file| place.path(&file));
    Some(Auth::Mtls { certificate: certificate?, key: key?, authority })
}

/// Reads a file path, relative to the config's folder.
fn path(node: &Node, key: &str, place: SuiteFolder<'_>, problems: &mut Diagnostics) -> Option<PathBuf> {
    match Text::parse(&read::name(node, key, problems)?.value) {
        Text::Literal(path) => Some(place.path(&path)),
        Text::Template(_) => {
            problems
                .error(node.span, format!("`{key}` cannot contain variables"), "expected a file path")
                .help("use a hook to copy the file to a fixed path");
            None
        }
    }
}
