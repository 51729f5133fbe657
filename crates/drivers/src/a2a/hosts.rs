//! Which hosts may be shown the target's credentials.
//!
//! An agent card is fetched before anybody knows who wrote it, and it says where requests go. Credentials only go to the host
//! that the card came from, at any port, and to hosts that the suite lists. Names and addresses of this machine are one host, but
//! only for a card that came from this machine.

use agentci_plan::Text;
use agentci_trace::Redactor;
use agentci_wire::http::host_and_port;

use crate::{DriveError, DriveResult};

/// The hosts that may be shown credentials.
#[derive(Debug)]
pub(super) struct TrustedHosts {
    /// Those that the suite lists, `NAME` or `NAME:PORT`.
    pub(super) listed: Vec<String>,
    /// Whether there is anything to keep from others: `auth`, or a header that says who asks.
    pub(super) guarded: bool,
}

impl TrustedHosts {
    /// Whether requests with credentials may go where a card says, which was fetched at an address.
    pub(super) fn allow(&self, fetched_at: &str, named: &str) -> DriveResult {
        if !self.guarded {
            return Ok(());
        }
        let Some((host, port)) = host_and_port(named) else {
            return Err(DriveError::Protocol {
                message: format!("the agent card names `{}`, which is not an address", named.escape_debug()),
                help: "correct the address in the card".into(),
            });
        };
        let own = host_and_port(fetched_at).is_some_and(|(own, _)| same(&own, &host));
        if own || self.listed.iter().any(|listed| is_listed(listed, &host, port)) {
            return Ok(());
        }
        Err(DriveError::Refused {
            message: format!(
                "the agent card names another host, `{host}`, which would get the credentials of the target"
            ),
            help: format!(
                "if the agent really is there, list the host in the target: `hosts: [\"{host}\"]`; if it is not, correct the \
                 address in the card"
            ),
        })
    }
}

/// Whether a header says who asks.
pub(super) fn tells_who_asks((name, value): &(String, Text)) -> bool {
    matches!(value, Text::Template(_)) || name.eq_ignore_ascii_case("cookie") || Redactor::default().is_secret_key(name)
}

fn same(one: &str, other: &str) -> bool {
    one == other || (is_this_machine(one) && is_this_machine(other))
}

/// Whether a host is this machine whoever resolves it. Many agents name `0.0.0.0`, the address that they are bound to.
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
    fn the_host_of_the_card_is_allowed_at_any_port() {
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
    fn any_other_host_is_refused_unless_it_is_listed() {
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
    fn without_credentials_any_host_will_do() {
        let hosts = TrustedHosts { listed: Vec::new(), guarded: false };
        assert!(hosts.allow("https://agent.test/card", "https://evil.test/").is_ok());
    }
}
