//! The end of a session: what was recorded, what bypassed the recorder, and the warnings.

use std::collections::BTreeSet;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use agentci_text::shorten;
use agentci_trace::Redactor;

use super::RecorderSession;
use super::keys::wanted_keys;
use crate::leaks::{ConnectionWatch, UntappedServer, WatchReport};
use crate::proxy::{Forking, ProxyState, RecordingReplay, SeenSoFar, warnings};
use crate::recording::variables_shown;
use crate::tap::{line, unreached};
use crate::{Exchange, Forked, Header, Miss, Recording, Remedy, ReplayTally, Warning, WarningKind};

/// How long to wait for open exchanges after the agent has exited.
const QUIET_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum number of characters of a server's command in a warning.
const LONGEST_COMMAND: usize = 200;

/// A connection that bypassed the proxy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bypass {
    /// The name of the program.
    pub program: String,
    /// Its process ID.
    pub pid: u32,
    /// The address that it connected to, or the host for which it did not trust our certificate.
    pub to: String,
    /// What happened.
    pub reason: String,
}

/// The result of a session.
#[derive(Debug, Default)]
pub struct FinishedSession {
    /// The recording: the new one, or the replayed one with its additions. It still contains secrets; they are removed
    /// when it is written with `secrets`.
    pub recording: Recording,
    /// All secrets: the known ones, and those seen in requests.
    pub secrets: Redactor,
    /// The result of the replay.
    pub tally: ReplayTally,
    /// Requests that the recording had no answer to.
    pub misses: Vec<Arc<Miss>>,
    /// Connections that bypassed the proxy, each program and address once.
    pub bypassed: Vec<Bypass>,
    /// Warnings, such as answers that are errors.
    pub warnings: Vec<Warning>,
    /// The outcome of a fork.
    pub forked: Option<Forked>,
}

impl RecorderSession {
    /// Ends the session. Open exchanges are kept as far as they were received.
    pub async fn finish(self) -> FinishedSession {
        if let Some(taps) = self.taps {
            taps.stop().await;
        }
        self.shared.ledger.quiet(QUIET_TIMEOUT).await;
        let watches = std::mem::take(&mut *self.watches.lock().unwrap_or_else(PoisonError::into_inner));
        let reports =
            tokio::task::spawn_blocking(|| watches.into_iter().map(ConnectionWatch::finish).collect::<Vec<_>>());
        self.listener.stop().await;
        let named = note_watched(&self.shared, reports.await.unwrap_or_else(|_| vec![None]));
        self.shared.ledger.name_programs(&self.tapped).await;
        let mut seen = std::mem::take(&mut *self.shared.ledger.seen());
        let replay = self.shared.replay.as_ref();
        let mut recording = base(self.header, replay);
        note_absent(&mut seen, &mut recording.header, replay);
        let mut warnings = warnings::of(&seen);
        let recorded: Vec<Exchange> = seen.exchanges.into_iter().flatten().map(Arc::unwrap_or_clone).collect();
        let environment = &self.shared.ledger.environment;
        let mut keys: BTreeSet<String> = recording.header.keys.drain(..).chain(seen.keys).collect();
        keys.extend(variables_shown(&recorded, environment));
        keys.extend(wanted_keys(environment).map(|(name, _)| name));
        recording.header.keys = keys.into_iter().collect();
        recording.exchanges.extend(recorded);
        let unreached = unreached(&recording.exchanges).into_iter().filter(|server| !named.contains(server));
        warnings.extend(unreached.map(|server| Warning { kind: WarningKind::McpNotRecorded(server), times: 1 }));
        let tally = replay.map(RecordingReplay::tally).unwrap_or_default();
        let forked = replay.and_then(RecordingReplay::fork).map(Forking::outcome);
        let (secrets, misses, bypassed) = (seen.secrets, seen.misses, seen.bypassed);
        FinishedSession { recording, secrets, tally, misses, bypassed, warnings, forked }
    }
}

/// The recording to which the exchanges of this session are added: a new one, or the replayed one.
fn base(header: Header, replay: Option<&RecordingReplay>) -> Recording {
    match replay {
        Some(replay) if replay.fork().is_none() => Recording::clone(&replay.recording),
        _ => {
            let holes = replay.map(|replay| replay.recording.holes.clone()).unwrap_or_default();
            Recording { header, holes, ..Recording::default() }
        }
    }
}

/// Reports what the watches found. Returns the names of the MCP servers without a tap.
fn note_watched(shared: &ProxyState, reports: Vec<Option<WatchReport>>) -> BTreeSet<String> {
    let mut named = BTreeSet::new();
    for report in reports {
        let Some(WatchReport { bypasses, not_routed, untapped }) = report else {
            shared.ledger.note(WarningKind::NotWatched);
            continue;
        };
        for bypass in bypasses {
            shared.ledger.bypass(bypass);
        }
        for (program, why) in not_routed {
            shared.ledger.note(WarningKind::NotRouted { program, why: why.to_owned() });
        }
        for server in untapped {
            named.extend(server.name.clone());
            note_untapped(shared, server);
        }
    }
    named
}

/// Reports an MCP server without a tap, without the secrets in its command.
fn note_untapped(shared: &ProxyState, mut server: UntappedServer) {
    shared.ledger.learn_server(&server.environment, &mut server.command);
    let command = shorten(&shared.ledger.clean(&line(&server.command)), LONGEST_COMMAND).into_owned();
    let replayed = shared.replay.is_some();
    shared.ledger.note(WarningKind::McpUntapped { command, why: server.sign.to_string(), replayed });
}

/// Handles the addresses of this machine where nothing ever listened: a new recording keeps them, and a replay reports
/// those that were not absent when it was recorded.
fn note_absent(seen: &mut SeenSoFar, header: &mut Header, replay: Option<&RecordingReplay>) {
    let absent: Vec<String> = seen.own.iter().filter(|(_, there)| !**there).map(|(own, _)| own.clone()).collect();
    let Some(replay) = replay else {
        header.absent = absent;
        return;
    };
    let new = absent.iter().filter(|address| !header.absent.contains(address));
    seen.misses.extend(new.map(|address| Arc::new(nobody_there(replay.count(), address))));
}

/// A miss: the agent called an address of this machine that is not in the recording, and where it has no server of its
/// own.
fn nobody_there(number: usize, address: &str) -> Miss {
    let reason = "nothing was recorded for this address, and nothing listens there".to_owned();
    let remedy = Some(Remedy::Start(address.to_owned()));
    Miss { number, asked: address.to_owned(), reason, nearest: None, remedy }
}
