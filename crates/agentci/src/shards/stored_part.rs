//! Reads the journal of one shard from its run folder.

use std::path::{Path, PathBuf};

use agentci_ledger::play;
use agentci_verdict::{Body, GateReport, RunEnd, RunStart, ShardOf};

use super::MergeError;
use super::auto::MOST_PARTS;

/// The journal of one shard.
#[derive(Debug)]
pub(super) struct ShardJournal {
    pub(super) path: PathBuf,
    pub(super) start: RunStart,
    pub(super) shard: ShardOf,
    pub(super) end: RunEnd,
    pub(super) ended_at: u64,
    pub(super) gates: Option<Box<GateReport>>,
    pub(super) cases: Vec<String>,
}

/// Reads a journal; returns its suite, and the shard.
pub(super) fn read(path: &Path) -> Result<(String, ShardJournal), MergeError> {
    let (mut started, mut ended, mut gates, mut cases) = (None, None, None, Vec::new());
    let playback = play(path, |event| match event.body {
        Body::RunStart(start) => started = Some((event.suite.to_string(), start)),
        Body::CaseEnd(end) if event.attempt == Some(1) || end.runs <= 1 => {
            cases.extend(event.case_id.as_deref().map(str::to_owned));
        }
        Body::Gates(report) => gates = Some(report),
        Body::RunEnd(end) => ended = Some((end, event.timestamp)),
        _ => {}
    })?;
    let path = path.to_path_buf();
    if let Some(damage) = playback.damaged.first() {
        return Err(MergeError::Damaged { path, line: damage.line });
    }
    let (Some((suite, start)), Some((end, ended_at)), false) = (started, ended, playback.torn) else {
        return Err(MergeError::Unfinished(path));
    };
    if !end.is_whole() {
        return Err(MergeError::Unfinished(path));
    }
    let Some(shard) = start.shard.clone() else { return Err(MergeError::Whole(path)) };
    if !(1..=MOST_PARTS).contains(&shard.count) {
        return Err(MergeError::TooMany { path, count: shard.count });
    }
    Ok((suite, ShardJournal { path, start: *start, shard, end, ended_at, gates, cases }))
}

/// Why two journals are not shards of the same run.
pub(super) fn difference(one: &ShardJournal, other: &ShardJournal) -> Option<String> {
    let (a, b) = (&one.start, &other.start);
    let differs = |what: &str, a: &str, b: &str| (a != b).then(|| format!("their {what} differs: `{a}` and `{b}`"));
    let known = |sha: &Option<String>| sha.clone().unwrap_or_default();
    let commits = a.git_sha.is_some() && b.git_sha.is_some();
    differs("number of shards", &one.shard.count.to_string(), &other.shard.count.to_string())
        .or_else(|| (one.shard.digest != other.shard.digest).then(|| "different cases were selected".into()))
        .or_else(|| {
            let (a, b) = (&one.shard.suite_digest, &other.shard.suite_digest);
            (a != b && !a.is_empty() && !b.is_empty()).then(|| "the suite changed between them".into())
        })
        .or_else(|| differs("mode", &a.mode, &b.mode))
        .or_else(|| differs("format", &a.dialect, &b.dialect))
        .or_else(|| differs("commit", &known(&a.git_sha), &known(&b.git_sha)).filter(|_| commits))
}
