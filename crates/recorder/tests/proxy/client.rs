//! Sessions and their clients.

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

use agentci_recorder::{
    MatchRules, OnMiss, RecorderSession, Recording, ReplayPace, Roots, SessionMode, SessionOptions, Warning,
};
use agentci_trace::Redactor;

use crate::upstream::Upstream;

pub(crate) fn options(mode: SessionMode) -> SessionOptions {
    SessionOptions {
        mode,
        bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
        advertise: None,
        roots: Roots { cwd: PathBuf::from("/work"), home: None, tmp: None },
        pass: Vec::new(),
        only: Vec::new(),
        allow: Vec::new(),
        environment: Vec::new(),
        folder: None,
        tap: None,
        secrets: Redactor::default(),
        upstream_roots: None,
        observer: None,
    }
}

pub(crate) async fn record(upstream: &Upstream) -> RecorderSession {
    RecorderSession::start(SessionOptions { upstream_roots: upstream.roots.clone(), ..options(SessionMode::Record) })
        .await
        .unwrap()
}

pub(crate) fn replaying(recording: Recording, pace: ReplayPace) -> SessionMode {
    SessionMode::Replay { recording, rules: MatchRules::default(), on_miss: OnMiss::Fail, pace }
}

/// A client that uses the session as proxy and trusts it.
pub(crate) fn client(session: &RecorderSession) -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    let proxy = reqwest::Proxy::all(format!("http://{}", session.address())).unwrap();
    let root = reqwest::Certificate::from_pem(session.ca_pem().as_bytes()).unwrap();
    reqwest::Client::builder().proxy(proxy).tls_certs_only([root]).build().unwrap()
}

/// The messages of warnings.
pub(crate) fn words(warnings: &[Warning]) -> Vec<String> {
    warnings.iter().map(ToString::to_string).collect()
}
