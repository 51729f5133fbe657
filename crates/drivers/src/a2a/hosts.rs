//! Decides which hosts may receive the target's credentials.
//!
//! A fetched agent card is not trusted, and it says where requests are sent. Credentials are only sent to the host that
//! the card came from, on any port, and to hosts that the suite lists. All names and addresses of this machine count as
//! one host, but only for a card that came from this machine.

use agentci_plan::Text;
use agentci_trace::Redactor;
use agentci_wire::http::host_and_port;

use crate::{DriveError, DriveResult};

/// The hosts that may receive credentials.
#[derive(Debug)]
pub(super) struct TrustedHosts {
    /// The hosts that the suite lists, as `NAME` or `NAME:PORT`.
    pub(super) listed: Vec<String>,
    /// Whether the target has credentials: `auth`, or a header that identifies the sender.
    pub(super) guarded: bool,
}

impl TrustedHosts {
    /// Checks that requests with credentials may be sent to `named`, the URL in a card that was fetched from
    /// `fetched_at`.
    pub(super) fn allow(&self, fetched_at: &str, named: &str) -> DriveResult {
        if !self.guarded {
            return Ok(());
        }
        let Some((host, port)) = host_and_port(named) else {
            return Err(DriveError::Protocol {
                message: format!("the agent card names `{}`, which is not a URL", named.escape_debug()),
                help: "correct the URL in the card".into(),
            });
        };
        let own = host_and_port(fetched_at).is_some_and(|(own, _)| same(&own, &host));
        if own || self.listed.iter().any(|listed| is_listed(listed, &host, port)) {
            return Ok(());
        }
        Err(DriveError::Refused {
            message: format!(
                "the agent card points at another host, `{host}`, which would receive the target's credentials"
            ),
            help: format!(
                "if the agent really runs there, add the host to the target: `hosts: [\"{host}\"]`; otherwise correct \
                 the URL in the card"
            ),
        })
    }
}

/// Whether a header may identify the sender.
pub(super) fn tells_who_asks((name, value): &(String, Text)) -> bool {
    matches!(value, Text::Template(_)) || name.eq_ignore_ascii_case("cookie") || Redactor::default().is_secret_key(name)
}

fn same(one: &str, other: &str) -> bool {
    one == other || (is_this_machine(one) && is_this_machine(other))
}

/// Whether a host is this machine, independent of DNS. Many agents name `0.0.0.0`, the address that they are bound to.
fn is_this_machine(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback() || address.is_unspecified())
}

fn is_listed(listed: &str, host: &str, port: u16) -> bool {
    let listed = listed.to_ascii_lowercase();
    listed == host || listed == format!("{host}:{port}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(listed: &[&str], fetched_at: &str, named: &str) -> bool {
        let listed = listed.iter().map(|host| (*host).to_owned()).collect();
        TrustedHosts { listed, guarded: true }.allow(fetched_at, named).is_ok()
    }

    #[test]
    fn card_host_is_allowed_on_any_port() {
        for (fetched_at, named) in [
            ("https://agent.test/card", "https://agent.test/rpc"),
            ("https://agent.test/card", "https://AGENT.test:8443/rpc"),
            ("http://127.0.0.1:9000/card", "http://localhost:9001/"),
            ("http://localhost:9000/card", "http://0.0.0.0:9000/"),
            ("http://[::1]:9000/card", "http://127.0.0.2:9000/"),
        ] {
            assert!(allows(&[], fetched_at, named), "{fetched_at} and {named}");
        }
    }

    #[test]
    fn other_hosts_are_refused_unless_listed() {
        for named in [
            "https://evil.test/rpc",
            "https://agent.test@evil.test/rpc",
            "https://agent.test.evil.test/rpc",
            "https://sub.agent.test/rpc",
            "http://localhost:9000/",
            "http://127.0.0.1/",
            "https:",
            "https://evil.test\\@agent.test/",
        ] {
            assert!(!allows(&[], "https://agent.test/card", named), "{named}");
        }
        assert!(!allows(&[], "http://localhost:9000/card", "http://agent.test/"));
        assert!(allows(&["Other.test"], "https://agent.test/card", "https://other.test:8443/rpc"));
        assert!(allows(&["other.test:443"], "https://agent.test/card", "https://other.test/rpc"));
        assert!(!allows(&["other.test:443"], "https://agent.test/card", "https://other.test:8443/rpc"));
        assert!(!allows(&["other.test"], "https://agent.test/card", "https://another.test/rpc"));
    }

    #[test]
    fn any_host_is_allowed_without_credentials() {
        let hosts = TrustedHosts { listed: Vec::new(), guarded: false };
        assert!(hosts.allow("https://agent.test/card", "https://evil.test/").is_ok());
    }
}
