//! Measures how long the search for contradictions takes for a pair of texts:
//! `cargo run --release --locked -p agentci-embed --example contradictions`.

#![expect(clippy::print_stdout, reason = "a program that only measures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use agentci_embed::contradictions::find;

const PAIRS: [&str; 2] = [
    include_str!("../../../fixtures/embeddings/contradictions/dev.tsv"),
    include_str!("../../../fixtures/embeddings/contradictions/dev4.tsv"),
];
const ROUNDS: u32 = 20;

fn main() {
    let lines = PAIRS.iter().flat_map(|file| file.lines()).filter(|line| !line.starts_with('#'));
    let pairs: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once('\t')).collect();
    let run = || {
        let start = Instant::now();
        for (expected, answer) in &pairs {
            black_box(find(black_box(expected), black_box(answer)));
        }
        start.elapsed()
    };
    let first = run();
    let fastest: Duration = (0..ROUNDS).map(|_| run()).min().unwrap_or(first);
    let count = u32::try_from(pairs.len()).unwrap_or(u32::MAX);
    println!("{count} pairs: {:?} a pair; the first time, with the tables, {first:?} in total", fastest / count);
    let long = "The parcel left the warehouse in the north, and nobody opened it before noon. ".repeat(800);
    let start = Instant::now();
    black_box(find("Your refund was approved.", &long));
    println!("an answer of {} words: {:?}", long.split_whitespace().count(), start.elapsed());
}
