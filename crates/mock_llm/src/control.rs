//! What a test asks of the server itself: the journal, and to begin anew. Both are for whoever started the server, not for pages
//! in a browser or other users of the machine.

use std::net::IpAddr;

use hyper::header::HOST;
use hyper::http::request::Parts;
use hyper::{HeaderMap, Response, StatusCode};
use serde_json::{Value, json};

use super::{delivery::json_response, provider::Provider, routes::Route, rule_engine::RuleEngine};
use agentci_wire::serve::ServedBody;

/// Who may ask.
#[derive(Debug)]
pub(super) struct Control {
    /// The address that the server is bound to.
    pub(super) bind: IpAddr,
    /// What a request has to bring, unless it brings the key that the script demands.
    pub(super) token: Option<String>,
}

impl Control {
    /// The answer, if this is a question of that kind.
    pub(super) fn answer(&self, route: &Route, mind: &RuleEngine, head: &Parts) -> Option<Response<ServedBody>> {
        let resets = *route == Route::Reset;
        if !resets && *route != Route::Journal {
            return None;
        }
        if let Err((status, message)) = self.admit(mind, &head.headers) {
            let mut response = json_response(json!({ "error": { "message": message } }).to_string().into_bytes());
            *response.status_mut() = status;
            return Some(response);
        }
        let value: Value = if resets {
            mind.reset();
            json!({ "reset": true })
        } else {
            mind.state().journal.value()
        };
        Some(json_response(format!("{value}\n").into_bytes()))
    }

    fn admit(&self, mind: &RuleEngine, headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        if !self.is_own_name(host) {
            // A page whose name was made to resolve to this machine sends its own name.
            let message = "the journal and its reset are only answered at the address of the server: use `127.0.0.1`, \
                           `localhost` or the address that it is bound to";
            return Err((StatusCode::FORBIDDEN, message));
        }
        let wanted = [self.token.as_deref(), mind.script.api_key.as_deref()];
        match Provider::key(headers) {
            Some(key) if wanted.contains(&Some(key)) => Ok(()),
            _ => {
                let message = "the journal and its reset need the `control_token` that `agentci serve llm` prints, or the \
                               `api_key` of the script: send `authorization: Bearer TOKEN`";
                Err((StatusCode::UNAUTHORIZED, message))
            }
        }
    }

    /// Whether a `Host` is this machine, or the address that the server is bound to. A server that is bound to all addresses does
    /// not know which of them is meant: any address will do there, but no name.
    fn is_own_name(&self, host: &str) -> bool {
        let without_port = host.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        let name = without_port.map_or(host, |(name, _)| name);
        let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        name.eq_ignore_ascii_case("localhost")
            || address.is_ok_and(|address| address.is_loopback() || address == self.bind || self.bind.is_unspecified())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_names_are_taken() {
        let own = |bind: &str, host: &str| Control { bind: bind.parse().unwrap(), token: None }.is_own_name(host);
        for host in ["127.0.0.1", "127.0.0.1:8080", "localhost:1", "LocalHost", "[::1]:80", "[::1]", "10.0.0.7:80"] {
            assert!(own("10.0.0.7", host), "{host}");
        }
        for host in ["", "evil.test", "evil.test:80", "localhost.evil.test", "10.0.0.8", "127.0.0.1.evil.test:80"] {
            assert!(!own("10.0.0.7", host), "{host}");
        }
        assert!(own("0.0.0.0", "10.0.0.8:80") && !own("0.0.0.0", "evil.test"));
    }
}
