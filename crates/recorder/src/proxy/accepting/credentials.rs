//! Finds the credentials in a request, and the environment variables that they come from.

use base64::Engine as _;
use hyper::HeaderMap;

use crate::recording::is_credential;

/// Query parameters whose values are secrets.
const PARAMETERS: [&str; 7] = ["key", "api_key", "api-key", "apikey", "access_token", "token", "x-amz-signature"];
/// The shortest text that counts as a secret.
const SHORTEST: usize = 6;

/// The headers with credentials.
pub(crate) fn in_headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let headers = headers.iter().map(|(name, value)| (name.as_str(), String::from_utf8_lossy(value.as_bytes())));
    let credentials = headers.filter(|(name, value)| is_credential(name, value));
    credentials.map(|(name, value)| (name.to_owned(), value.into_owned())).collect()
}

/// The values of such headers, and of query parameters with credentials.
pub(crate) fn find(headers: &[(String, String)], query: Option<&str>) -> Vec<String> {
    let mut found: Vec<String> = headers.iter().map(|(_, value)| value.clone()).collect();
    for (name, value) in query.unwrap_or_default().split('&').filter_map(|pair| pair.split_once('=')) {
        if PARAMETERS.iter().any(|known| known.eq_ignore_ascii_case(name)) {
            found.push(value.to_owned());
        }
    }
    found.retain(|value| value.len() >= SHORTEST);
    found
}

/// The names of variables whose values are among these.
pub(crate) fn variables(found: &[String], environment: &[(String, String)]) -> Vec<String> {
    let keys: Vec<String> = found.iter().flat_map(|value| bare(value)).collect();
    let is_seen = |value: &str| value.len() >= SHORTEST && keys.iter().any(|key| key == value);
    let seen: Vec<&str> =
        environment.iter().filter(|(_, value)| is_seen(value)).map(|(name, _)| name.as_str()).collect();
    // Amazon's keys come in pairs, and the secret half is never sent.
    let amazon = seen.contains(&"AWS_ACCESS_KEY_ID");
    let unsent =
        environment.iter().map(|(name, _)| name.as_str()).filter(|name| amazon && *name == "AWS_SECRET_ACCESS_KEY");
    seen.iter().copied().chain(unsent).map(str::to_owned).collect()
}

/// The keys in the value of a header: all of it, the part after its scheme, and the parts of encoded values.
fn bare(value: &str) -> Vec<String> {
    let (scheme, rest) = value.split_once(' ').unwrap_or(("", value));
    let mut keys = vec![value.to_owned(), rest.trim().to_owned()];
    if scheme.eq_ignore_ascii_case("basic")
        && let Ok(pair) = base64::engine::general_purpose::STANDARD.decode(rest.trim())
        && let Ok(pair) = String::from_utf8(pair)
    {
        keys.extend(pair.split_once(':').into_iter().flat_map(|(name, word)| [name.to_owned(), word.to_owned()]));
    }
    if let Some((_, scope)) = rest.split_once("Credential=") {
        keys.extend(scope.split('/').next().map(str::to_owned));
    }
    keys.extend(value.split(';').filter_map(|pair| pair.split_once('=')).map(|(_, cookie)| cookie.trim().to_owned()));
    keys
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    #[test]
    fn finds_environment_variable_of_a_key() {
        let environment = ["OPENAI_API_KEY=sk-123456", "GEMINI=gm-123456", "OTHER=hello world", "PW=hunter22"];
        let environment: Vec<(String, String)> = environment
            .iter()
            .filter_map(|pair| pair.split_once('='))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let names = |pairs: &[(&'static str, &'static str)], query| {
            variables(&find(&in_headers(&headers(pairs)), query), &environment)
        };
        assert_eq!(names(&[("authorization", "Bearer sk-123456")], None), ["OPENAI_API_KEY"]);
        assert_eq!(names(&[("x-api-key", "sk-123456")], None), ["OPENAI_API_KEY"]);
        assert_eq!(names(&[("x-shop-token", "sk-123456")], None), ["OPENAI_API_KEY"]);
        assert_eq!(names(&[], Some("alt=sse&key=gm-123456")), ["GEMINI"]);
        assert_eq!(names(&[("authorization", "Basic bWU6aHVudGVyMjI=")], None), ["PW"]);
        assert!(names(&[("user-agent", "sk-123456")], Some("q=hello world")).is_empty());
    }

    #[test]
    fn also_finds_variable_of_unsent_secret_key() {
        let environment = [("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"), ("AWS_SECRET_ACCESS_KEY", "wJalr")];
        let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let signed = [("authorization", "AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20261116/us/x, SignedHeaders=host")];
        let names = variables(&find(&in_headers(&headers(&signed)), None), &environment);
        assert_eq!(names, ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]);
    }
}
