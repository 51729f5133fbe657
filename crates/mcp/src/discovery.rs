//! Discovers the token endpoint of a server: its metadata (RFC 9728) names an authorization server, whose metadata (RFC
//! 8414 or `OpenID` Connect) names the token endpoint.

use std::net::IpAddr;

use reqwest::Url;
use serde_json::Value;

use super::auth::unauthorized;
use super::error::McpError;
use agentci_wire::http::{HttpMethod, StreamRequest, send};

/// Maximum size of a metadata document in bytes.
const DOCUMENT_LIMIT: usize = 1 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TokenEndpoint {
    pub(super) url: String,
    /// Whether the client sends its secret in a header rather than in the form.
    pub(super) basic: bool,
    /// Whether `basic` is a guess.
    pub(super) guessed: bool,
}

impl TokenEndpoint {
    /// An endpoint set by the user.
    pub(super) fn given(url: String) -> Self {
        Self { url, basic: true, guessed: true }
    }
}

/// The result of discovery.
#[derive(Debug)]
pub(super) struct DiscoveredAuth {
    pub(super) endpoint: TokenEndpoint,
    /// The scopes that the server supports.
    pub(super) scopes: Vec<String>,
    /// The resource name of the server, exactly as in its metadata.
    pub(super) resource: Option<String>,
}

/// Finds the token endpoint for a server.
pub(super) async fn discover(resource: &Url, challenge: &str) -> Result<DiscoveredAuth, McpError> {
    let metadata = resource_metadata(resource, challenge).await?;
    let scopes = metadata.as_ref().map(|metadata| strings(&metadata["scopes_supported"])).unwrap_or_default();
    let issuer = match &metadata {
        Some(metadata) => strings(&metadata["authorization_servers"]).into_iter().next(),
        // Without such metadata, as in older revisions, a server is its own authorization server.
        None => Some(resource.origin().ascii_serialization()),
    };
    let Some(issuer) = issuer else { return Err(unauthorized("the server's metadata names no authorization server")) };
    let issuer_url = Url::parse(&issuer).map_err(|_| unauthorized("the authorization server is not a valid URL"))?;
    for address in issuer_documents(&issuer_url) {
        let Some(document) = fetch(&address).await? else { continue };
        if document["issuer"].as_str().map(without_slash) != Some(without_slash(&issuer)) {
            return Err(unauthorized("the authorization server's metadata names another issuer"));
        }
        let Some(url) = document["token_endpoint"].as_str() else {
            return Err(unauthorized("the authorization server's metadata names no token endpoint"));
        };
        secure(&Url::parse(url).map_err(|_| unauthorized("the token endpoint is not a valid URL"))?)?;
        let methods = strings(&document["token_endpoint_auth_methods_supported"]);
        let basic = methods.is_empty() || methods.iter().any(|method| method == "client_secret_basic");
        let endpoint = TokenEndpoint { url: url.to_owned(), basic, guessed: methods.is_empty() };
        let resource = metadata.and_then(|metadata| metadata["resource"].as_str().map(str::to_owned));
        return Ok(DiscoveredAuth { endpoint, scopes, resource });
    }
    Err(unauthorized("no metadata of the authorization server was found; set its token endpoint"))
}

/// The server's own metadata, from the address in its challenge or from the standard addresses.
async fn resource_metadata(resource: &Url, challenge: &str) -> Result<Option<Value>, McpError> {
    let named = parameter(challenge, "resource_metadata");
    let addresses = match named.as_deref().map(|address| resource.join(address)) {
        Some(Ok(address)) => vec![address],
        _ => resource_documents(resource),
    };
    for address in addresses {
        let Some(document) = fetch(&address).await? else { continue };
        if document["resource"].as_str().is_some_and(|said| !covers(said, resource)) {
            return Err(unauthorized("the server's metadata describes another server"));
        }
        return Ok(Some(document));
    }
    Ok(None)
}

fn resource_documents(resource: &Url) -> Vec<Url> {
    let path = resource.path().trim_end_matches('/');
    let paths =
        [format!("/.well-known/oauth-protected-resource{path}"), "/.well-known/oauth-protected-resource".into()];
    at(resource, &paths)
}

fn issuer_documents(issuer: &Url) -> Vec<Url> {
    let path = issuer.path().trim_end_matches('/');
    let paths = [
        format!("/.well-known/oauth-authorization-server{path}"),
        format!("/.well-known/openid-configuration{path}"),
        format!("{path}/.well-known/openid-configuration"),
    ];
    at(issuer, &paths)
}

/// The URLs of these paths on the same server, without duplicates.
fn at(server: &Url, paths: &[String]) -> Vec<Url> {
    let mut addresses = Vec::new();
    for path in paths {
        let mut address = server.clone();
        address.set_path(path);
        address.set_query(None);
        address.set_fragment(None);
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    addresses
}

/// Fetches a document; `None` if it does not exist.
async fn fetch(address: &Url) -> Result<Option<Value>, McpError> {
    secure(address)?;
    let headers = vec![("accept".to_owned(), "application/json".to_owned())];
    let request = StreamRequest { url: address.to_string(), method: HttpMethod::Get, headers, body: Vec::new().into() };
    let failed = |error| unauthorized(&format!("metadata could not be read: {error}"));
    let mut incoming = send(request).await.map_err(failed)?;
    if incoming.status != 200 {
        return Ok(None);
    }
    let body = incoming.body(DOCUMENT_LIMIT).await.map_err(failed)?;
    Ok(serde_json::from_slice(&body).ok().filter(Value::is_object))
}

/// Requires HTTPS, except for this machine, because secrets are sent.
fn secure(address: &Url) -> Result<(), McpError> {
    let host = address.host_str().unwrap_or_default().trim_matches(['[', ']']);
    let here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    if address.scheme() == "https" || here {
        Ok(())
    } else {
        Err(unauthorized("an address used to fetch a token is not https"))
    }
}

/// Whether a resource name in metadata covers a server: the same URL, or a parent path of it.
fn covers(said: &str, resource: &Url) -> bool {
    let Ok(said) = Url::parse(said) else { return false };
    let (above, below) = (said.path().trim_end_matches('/'), resource.path());
    let inside = below.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    said.origin() == resource.origin() && inside
}

/// The canonical resource name of a server, as used in token requests.
pub(super) fn canonical(resource: &Url) -> String {
    let mut address = resource.clone();
    address.set_fragment(None);
    let text = address.to_string();
    if address.path() == "/" && address.query().is_none() { without_slash(&text).to_owned() } else { text }
}

fn without_slash(text: &str) -> &str {
    text.strip_suffix('/').unwrap_or(text)
}

pub(super) fn strings(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(|item| item.as_str().map(str::to_owned)).collect()
}

/// The value of a parameter in a `WWW-Authenticate` header.
pub(super) fn parameter(challenge: &str, name: &str) -> Option<String> {
    let mut rest = challenge;
    loop {
        let equals = rest.find('=')?;
        let key = rest[..equals].trim_end().rsplit([' ', ',', '\t']).next().expect("a split has a first part");
        let (value, after) = value(rest[equals + 1..].trim_start());
        if key.eq_ignore_ascii_case(name) {
            return Some(value);
        }
        rest = after;
    }
}

/// A value, quoted or not, and the rest of the text.
fn value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find([',', ' ']).unwrap_or(text.len());
        return (text[..end].to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, &quoted[at + 1..]),
            '\\' => value.extend(characters.next().map(|(_, escaped)| escaped)),
            other => value.push(other),
        }
    }
    (value, "")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn parses_challenge_parameters() {
        let challenge = r#"Bearer realm="a, scope=\"no\"", error=invalid_token, Scope="files:read x", resource_metadata="https://e.com/?a=b""#;
        assert_eq!(parameter(challenge, "scope").as_deref(), Some("files:read x"));
        assert_eq!(parameter(challenge, "error").as_deref(), Some("invalid_token"));
        assert_eq!(parameter(challenge, "resource_metadata").as_deref(), Some("https://e.com/?a=b"));
        assert_eq!(parameter(challenge, "none"), None);
        assert_eq!(parameter("Basic", "scope"), None);
        assert_eq!(parameter(r#"Bearer scope="open"#, "scope").as_deref(), Some("open"));
    }

    proptest! {
        #[test]
        fn finds_parameter_among_arbitrary_others(before in "[a-z]+=\"[^\"\\\\]*\"", value in "[^\"\\\\]*") {
            let challenge = format!("Bearer {before}, Wanted = \"{value}\", other=1");
            prop_assert_eq!(parameter(&challenge, "wanted"), Some(value));
        }

        #[test]
        fn never_panics_on_arbitrary_challenge(challenge in "[ ,=\"\\\\a-cé]*") {
            let _ = parameter(&challenge, "none");
        }
    }

    #[test]
    fn metadata_urls_follow_the_standards() {
        let text = |urls: Vec<Url>| urls.iter().map(Url::to_string).collect::<Vec<_>>();
        assert_eq!(
            text(resource_documents(&url("https://e.com/a/mcp?x=1"))),
            [
                "https://e.com/.well-known/oauth-protected-resource/a/mcp",
                "https://e.com/.well-known/oauth-protected-resource"
            ]
        );
        assert_eq!(text(resource_documents(&url("https://e.com/"))).len(), 1);
        assert_eq!(
            text(issuer_documents(&url("https://e.com/t"))),
            [
                "https://e.com/.well-known/oauth-authorization-server/t",
                "https://e.com/.well-known/openid-configuration/t",
                "https://e.com/t/.well-known/openid-configuration"
            ]
        );
        assert_eq!(text(issuer_documents(&url("https://e.com"))).len(), 2);
    }

    #[test]
    fn rejects_metadata_of_another_server() {
        assert!(covers("https://e.com/mcp", &url("https://e.com/mcp")));
        assert!(covers("https://e.com", &url("https://e.com/mcp")));
        assert!(!covers("https://e.com/mc", &url("https://e.com/mcp")));
        assert!(!covers("https://evil.com/mcp", &url("https://e.com/mcp")));
        assert!(!covers("nonsense", &url("https://e.com/mcp")));
    }

    #[test]
    fn refuses_to_send_secrets_over_plain_http() {
        assert!(secure(&url("https://e.com")).is_ok());
        assert!(secure(&url("http://127.0.0.1:3")).is_ok());
        assert!(secure(&url("http://[::1]:3")).is_ok());
        assert!(secure(&url("http://e.com")).is_err());
        assert!(secure(&url("http://localhost.e.com")).is_err());
    }
}
