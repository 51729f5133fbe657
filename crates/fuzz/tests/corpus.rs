//! Replays the stored fuzzing corpus in every test run, on any compiler, unchanged and slightly corrupted.
#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use std::path::{Path, PathBuf};

use agentci_fuzz::{FuzzTarget, TARGETS};

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus")
}

/// The stored inputs of a target, with their names.
fn kept(target: &FuzzTarget) -> Vec<(String, Vec<u8>)> {
    let folder = corpus().join(target.name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths.iter().map(|path| (path.display().to_string(), std::fs::read(path).unwrap())).collect()
}

fn check(target: &FuzzTarget, bytes: &[u8], what: &str) {
    let done = std::panic::catch_unwind(|| (target.check)(bytes));
    assert!(done.is_ok(), "{} broke on {what}: {:?}", target.name, String::from_utf8_lossy(bytes));
}

#[test]
fn corpus_inputs_are_accepted_or_rejected() {
    for target in TARGETS {
        for (name, bytes) in kept(target) {
            check(target, &bytes, &name);
        }
    }
}

/// `AGENTCI_SPOILT` sets how often each input is corrupted. Default: 8.
#[test]
fn corrupted_corpus_inputs_are_accepted_or_rejected() {
    let times: u64 = std::env::var("AGENTCI_SPOILT").map_or(8, |times| times.parse().unwrap());
    for target in TARGETS {
        for (name, bytes) in kept(target) {
            for seed in 0..times {
                check(target, &spoilt(&bytes, seed), &format!("{name}, spoilt with {seed}"));
            }
        }
    }
}

/// The same bytes with a few of them changed, removed, duplicated or inserted.
fn spoilt(bytes: &[u8], seed: u64) -> Vec<u8> {
    const WORDS: [&[u8]; 12] =
        [b"{", b"\"", b"[", b": ", b"\n", b"\0", b"\xff", b"- ", b"null", b"1e999", b"\xe2\x80\xa8", b"${"];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ bytes.len() as u64;
    let mut draw = |below: usize| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        usize::try_from((mixed ^ (mixed >> 29)) % below.max(1) as u64).unwrap()
    };
    let mut spoilt = bytes.to_vec();
    for _ in 0..=draw(4) {
        let (start, length) = (draw(spoilt.len()), draw(24) + 1);
        let end = (start + length).min(spoilt.len());
        match draw(5) {
            0 if start < end => spoilt[start] ^= 1 << draw(8),
            1 => drop(spoilt.drain(start..end)),
            2 => {
                let again = spoilt[start..end].to_vec();
                let at = draw(spoilt.len());
                spoilt.splice(at..at, again);
            }
            3 => spoilt.truncate(end),
            _ => drop(spoilt.splice(start..start, WORDS[draw(WORDS.len())].iter().copied())),
        }
    }
    spoilt
}

#[test]
fn every_corpus_folder_has_a_fuzz_target() {
    for entry in std::fs::read_dir(corpus()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(agentci_fuzz::target(&name).is_some(), "{name}");
    }
}
