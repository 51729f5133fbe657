//! Builds OAuth 2.0 token requests with client credentials.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use agentci_text::percent_encoded;

/// The headers and the body of the request. The credentials are in a header, or else in the body.
pub fn token_request(
    (id, secret): (&str, &str),
    fields: &[(&str, &str)],
    in_header: bool,
) -> (Vec<(String, String)>, String) {
    let headers = [("content-type", "application/x-www-form-urlencoded"), ("accept", "application/json")];
    let mut headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    let mut all = vec![("grant_type", "client_credentials")];
    all.extend(fields);
    if in_header {
        let pair = STANDARD.encode(format!("{}:{}", encode(id), encode(secret)));
        headers.push(("authorization".into(), format!("Basic {pair}")));
    } else {
        all.extend([("client_id", id), ("client_secret", secret)]);
    }
    let pairs: Vec<String> = all.into_iter().map(|(name, value)| format!("{name}={}", encode(value))).collect();
    (headers, pairs.join("&"))
}

/// Encodes a form value.
fn encode(value: &str) -> String {
    percent_encoded(value).replace("%20", "+")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_values_are_percent_encoded() {
        let (_, body) = token_request(("=a:b", "s"), &[("a", "x y&z=1"), ("b", "é/+")], true);
        assert_eq!(body, "grant_type=client_credentials&a=x+y%26z%3D1&b=%C3%A9%2F%2B");
        let (headers, body) = token_request(("=a:b", "s"), &[], false);
        assert_eq!(
            (headers.len(), body.as_str()),
            (2, "grant_type=client_credentials&client_id=%3Da%3Ab&client_secret=s")
        );
    }

    #[test]
    fn sends_client_credentials_in_authorization_header() {
        let (headers, _) = token_request(("=a:b", "s"), &[], true);
        let value = format!("Basic {}", STANDARD.encode("%3Da%3Ab:s"));
        assert_eq!(headers[2], ("authorization".to_owned(), value));
    }
}
