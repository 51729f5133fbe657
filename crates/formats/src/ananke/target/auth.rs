//! `auth`: how we say who we are.

use std::path::PathBuf;

use agentci_plan::{ApiKeyPlace, Auth, Diagnostic, Diagnostics, Node, Text, join, read};

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

pub(super) fn auth(node: &Node, place: Place<'_>, problems: &mut Diagnostics) -> Option<Auth> {
    let mut fields = read::Fields::open(node, "`auth`", problems)?;
    let scheme = fields.required("scheme", problems)?;
    let scheme = read::choice(scheme, "scheme", &SCHEMES, problems)?;
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
            problems.push(
                Diagnostic::error(node.span, format!("`{key}` can not hold variables"))
                    .label("expected the path of a file")
                    .help("let a hook copy the file to a fixed place"),
            );
            None
        }
    }
}
