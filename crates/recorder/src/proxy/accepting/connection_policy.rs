//! Decides how a connection is handled, by its target.

use std::collections::BTreeSet;

use crate::proxy::RequestTarget;

/// How a connection is handled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ConnectionRule {
    /// It is read: recorded, or answered from the recording.
    Read,
    /// It is passed through unread, as the user requested.
    Unread,
    /// It is to the agent's own server, or allowed: passed through without a report.
    Own,
    /// It is refused, with the reason.
    Refused(String),
}

/// The rules of one session.
#[derive(Debug, Default)]
pub(crate) struct ReachRules {
    /// Hosts that are passed through unread.
    pub(crate) pass: Vec<String>,
    /// The only hosts that are read, unless empty.
    pub(crate) only: Vec<String>,
    /// Addresses that may be reached in a replay.
    pub(crate) allow: Vec<String>,
    /// Ports of this machine with a listener before the session; `None` if unknown.
    pub(crate) before: Option<BTreeSet<u16>>,
    /// The origins in the replayed recording.
    pub(crate) recorded: Option<BTreeSet<String>>,
    /// The port of the proxy itself.
    pub(crate) own: u16,
}

impl ReachRules {
    pub(crate) fn way(&self, target: &RequestTarget) -> ConnectionRule {
        if target.is_loopback() && target.port == self.own {
            return ConnectionRule::Refused("this is the address of the recorder's own proxy".into());
        }
        let replaying = self.recorded.is_some();
        if replaying && target.is_among(&self.allow) {
            return ConnectionRule::Own;
        }
        let opened_later = self.before.as_ref().is_some_and(|before| !before.contains(&target.port));
        if target.is_loopback() && opened_later && !self.is_recorded(target) {
            return ConnectionRule::Own;
        }
        if target.is_among(&self.pass) || (!self.only.is_empty() && !target.is_among(&self.only)) {
            let reason = || format!("{} is passed through unread, so no recording has it", target.host);
            return if replaying { ConnectionRule::Refused(reason()) } else { ConnectionRule::Unread };
        }
        ConnectionRule::Read
    }

    /// Whether the recording contains this target, with either scheme: a tunnel does not specify it.
    pub(crate) fn is_recorded(&self, target: &RequestTarget) -> bool {
        let Some(recorded) = &self.recorded else { return false };
        [true, false].into_iter().any(|tls| recorded.contains(&RequestTarget { tls, ..target.clone() }.origin()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(uri: &str) -> RequestTarget {
        RequestTarget::of_uri(&uri.parse().unwrap()).unwrap()
    }

    fn recorded(origin: &str) -> BTreeSet<String> {
        [origin.to_owned()].into()
    }

    #[test]
    fn local_ports_open_before_the_session_are_external() {
        let reach = ReachRules { before: Some([8000].into()), ..ReachRules::default() };
        assert_eq!(reach.way(&target("http://localhost:8000")), ConnectionRule::Read);
        assert_eq!(reach.way(&target("http://localhost:9000")), ConnectionRule::Own);
        assert_eq!(reach.way(&target("http://example.com:9000")), ConnectionRule::Read);
        assert_eq!(ReachRules::default().way(&target("http://localhost:9000")), ConnectionRule::Read);
    }

    #[test]
    fn intercepts_recorded_port_without_a_listener() {
        let recorded = Some(recorded("https://localhost:9000"));
        let reach = ReachRules { before: Some(BTreeSet::new()), recorded, own: 7, ..ReachRules::default() };
        assert_eq!(reach.way(&target("http://localhost:9000")), ConnectionRule::Read);
        assert_eq!(reach.way(&target("http://localhost:9001")), ConnectionRule::Own);
        assert!(matches!(reach.way(&target("http://127.0.0.1:7")), ConnectionRule::Refused(_)));
    }

    #[test]
    fn replay_refuses_passed_hosts_and_permits_allowed_hosts() {
        let recording = ReachRules { pass: vec!["*.example.com".into()], ..ReachRules::default() };
        assert_eq!(recording.way(&target("https://a.example.com")), ConnectionRule::Unread);
        let only = ReachRules { only: vec!["a.example.com".into()], ..ReachRules::default() };
        assert_eq!(only.way(&target("https://a.example.com")), ConnectionRule::Read);
        assert_eq!(only.way(&target("https://b.example.com")), ConnectionRule::Unread);
        let replaying = ReachRules { recorded: Some(recorded("x")), allow: vec!["c.example.com".into()], ..recording };
        assert!(matches!(replaying.way(&target("https://a.example.com")), ConnectionRule::Refused(_)));
        assert_eq!(replaying.way(&target("https://c.example.com")), ConnectionRule::Own);
    }
}
