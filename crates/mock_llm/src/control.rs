//! The control endpoints of the server: the journal and its reset. Only the process that started the server may use
//! them, not web pages or other users of the machine.

use std::net::IpAddr;

use hyper::header::HOST;
use hyper::http::request::Parts;
use hyper::{HeaderMap, Response, StatusCode};
use serde_json::{Value, json};

use super::{delivery::json_response, provider::Provider, routes::Route, rule_engine::RuleEngine};
use agentci_wire::serve::ServedBody;

/// Access to the control endpoints.
#[derive(Debug)]
pub(super) struct Control {
    /// The address that the server is bound to.
    pub(super) bind: IpAddr,
    /// The token that requests must have, unless they have the script's API key.
    pub(super) token: Option<String>,
}

impl Control {
    /// The answer, if `route` is a control endpoint.
    pub(super) fn answer(&self, route: &Route, engine: &RuleEngine, head: &Parts) -> Option<Response<ServedBody>> {
        let resets = *route == Route::Reset;
        if !resets && *route != Route::Journal {
            return None;
        }
        if let Err((status, message)) = self.admit(engine, &head.headers) {
            let mut response = json_response(json!({ "error": { "message": message } }).to_string().into_bytes());
            *response.status_mut() = status;
            return Some(response);
        }
        let value: Value = if resets {
            engine.reset();
            json!({ "reset": true })
        } else {
            engine.state().journal.value()
        };
        Some(json_response(format!("{value}\n").into_bytes()))
    }

    fn admit(&self, engine: &RuleEngine, headers: &HeaderMap) -> Result<(), (StatusCode, &'static str)> {
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        if !self.is_own_name(host) {
            // Against DNS rebinding: a page whose domain resolves to this machine sends that domain as `Host`.
            let message = "the journal and its reset are only available at the server's own address: use `127.0.0.1`, \
                           `localhost` or the address that it is bound to";
            return Err((StatusCode::FORBIDDEN, message));
        }
        let wanted = [self.token.as_deref(), engine.script.api_key.as_deref()];
        match Provider::key(headers) {
            Some(key) if wanted.contains(&Some(key)) => Ok(()),
            _ => {
                let message = "the journal and its reset need the `control_token` that `agentci serve llm` prints, or the \
                               `api_key` of the script: send `authorization: Bearer TOKEN`";
                Err((StatusCode::UNAUTHORIZED, message))
            }
        }
    }

    /// Whether `host` is this machine, or the address that the server is bound to. For a server that is bound to all
    /// addresses, any IP address is accepted, but no domain name.
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
    fn accepts_only_own_host_names() {
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
