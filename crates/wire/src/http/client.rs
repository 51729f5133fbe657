//! The shared clients, which keep connections open.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use reqwest::redirect::Policy;
use reqwest::{Client, Url};

use super::HttpError;
use super::error::server;

/// The maximum number of redirects.
pub(super) const REDIRECTS: usize = 5;
/// How long an idle connection is kept. Many servers close theirs after five seconds; closing earlier avoids requests
/// over a connection that is about to be closed.
pub(super) const KEPT: Duration = Duration::from_secs(4);

pub(super) const USER_AGENT: &str = concat!("agentci/", env!("CARGO_PKG_VERSION"));

pub(super) type SharedClients = OnceLock<Result<Client, String>>;

/// The client for a URL. Servers on this machine are never reached through a proxy. Without TLS, certificates are not
/// loaded: reading those of the system takes longer than many a request, and a small container has none.
pub(super) fn client(url: &Url) -> Result<&'static Client, HttpError> {
    static PLAIN: SharedClients = OnceLock::new();
    static DIRECT: SharedClients = OnceLock::new();
    static OUTSIDE: SharedClients = OnceLock::new();
    let client = if is_plain(url) {
        PLAIN.get_or_init(|| {
            build(Client::builder().no_proxy().tls_certs_only([]).referer(false).redirect(stay_there()))
        })
    } else if is_loopback(url) {
        DIRECT.get_or_init(|| build(Client::builder().no_proxy().redirect(Policy::limited(REDIRECTS))))
    } else {
        OUTSIDE.get_or_init(|| build(Client::builder().redirect(Policy::limited(REDIRECTS))))
    };
    client.as_ref().map_err(|reason| HttpError::Client(reason.clone()))
}

pub(super) fn build(builder: reqwest::ClientBuilder) -> Result<Client, String> {
    // Fails only if a provider is already installed, which is fine.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = builder.user_agent(USER_AGENT).pool_idle_timeout(KEPT);
    builder.build().map_err(|error| super::error::causes(&error).join(": "))
}

/// The servers on this machine with kept connections, which may be closed just when they are used again.
pub(super) fn kept_servers() -> MutexGuard<'static, BTreeSet<String>> {
    static SERVERS: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    SERVERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Follows redirects to the same server only; otherwise the redirect itself is the answer. A program that reuses the
/// port of another one on this machine must not receive its requests and keys.
fn stay_there() -> Policy {
    Policy::custom(|attempt| {
        let leaves = attempt.previous().first().is_none_or(|first| server(first) != server(attempt.url()));
        if leaves || !is_plain(attempt.url()) {
            attempt.stop()
        } else if attempt.previous().len() > REDIRECTS {
            attempt.error("too many redirects")
        } else {
            attempt.follow()
        }
    })
}

/// Whether a server is on this machine and does not use TLS.
pub(super) fn is_plain(url: &Url) -> bool {
    url.scheme() == "http" && is_loopback(url)
}

pub(super) fn is_loopback(url: &Url) -> bool {
    let Some(host) = url.host_str() else { return false };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    let named = host == "localhost" || host.ends_with(".localhost");
    named || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_loopback_addresses() {
        let here =
            ["http://127.0.0.1:1/x", "https://127.8.9.1", "http://[::1]:80", "http://LOCALHOST", "http://a.localhost/"];
        for address in here {
            assert!(is_loopback(&Url::parse(address).unwrap()), "{address}");
        }
        let elsewhere = [
            "http://10.0.0.1",
            "http://localhost.example.com",
            "http://[2001:db8::1]/",
            "http://127.0.0.1.example.com",
        ];
        for address in elsewhere {
            assert!(!is_loopback(&Url::parse(address).unwrap()), "{address}");
        }
    }
}
