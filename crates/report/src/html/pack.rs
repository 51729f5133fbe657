//! Data for the page's script: JSON, compressed, as text that means nothing to a browser until the script unpacks it.
//!
//! ```html
//! <script type=application/octet-stream id=table>eJyrVkrOTy1WsoqOja0FAB...</script>
//! ```

use std::fmt::Write as _;

use agentci_trace::write_json;
use agentci_verdict::{Row, Status};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::baseline::Departures;
use super::detail::Detail;
use super::gathered::Gathered;
use super::rows::table;
use crate::run::Run;

/// How hard to compress: a run with ten thousand cases is not to wait for its page, and more saves little.
const LEVEL: u8 = 1;
/// How much goes into a block before it is compressed: several cases together take less room, and a case that is looked at
/// needs all of its block unpacked.
const BLOCK: usize = 64 * 1024;

/// The data of the page, with details for as many cases as fit into `room` bytes: first those that did not pass.
pub(super) fn data(run: &Run, gathered: &Gathered, room: usize) -> String {
    let departures = Departures::of(run.gates.as_deref());
    let blocks = Blocks::of(run, gathered, &departures, room);
    let block_of = |index: usize| blocks.of_case.get(&index).copied().unwrap_or(-1);
    let mut html = String::new();
    element("table", &packed(&table(run, gathered, &departures, &block_of)), &mut html);
    html.push_str(&blocks.html);
    html
}

/// Blocks of details.
#[derive(Default)]
struct Blocks {
    html: String,
    count: i64,
    open: Vec<u8>,
    of_case: std::collections::BTreeMap<usize, i64>,
}

impl Blocks {
    fn of(run: &Run, gathered: &Gathered, departures: &Departures<'_>, room: usize) -> Self {
        let mut blocks = Self::default();
        let right = |row: &&Row| matches!(row.status(), Status::Pass | Status::Skipped);
        let rows = run.rows.iter().filter(|row| !right(row)).chain(run.rows.iter().filter(right));
        for row in rows {
            let index = row.decisive().index;
            let (attempts, departure) = (gathered.attempts(index), departures.get(&row.id));
            let plain = right(&row) && attempts.is_none() && departure.is_none() && row.decisive().runs < 2;
            if plain && row.status() != Status::Skipped {
                continue;
            }
            blocks.add(index, &Detail::of(row, departure), attempts);
            if blocks.open.len() >= BLOCK && !blocks.close(room) {
                return blocks;
            }
        }
        blocks.close(room);
        blocks
    }

    /// Adds a case to the block that is open.
    fn add(&mut self, index: usize, detail: &Detail<'_>, attempts: Option<&str>) {
        let before = self.open.len();
        self.open.push(if before == 0 { b'[' } else { b',' });
        if write_json(detail, &mut self.open).is_err() {
            return self.open.truncate(before);
        }
        // The attempts are JSON already, so they are put in before the closing brace.
        if let Some(attempts) = attempts {
            self.open.pop();
            self.open.extend_from_slice(b",\"attempts\":");
            self.open.extend_from_slice(attempts.as_bytes());
            self.open.push(b'}');
        }
        self.of_case.insert(index, self.count);
    }

    /// Compresses the block that is open, or drops it if there is no room; says whether there was.
    fn close(&mut self, room: usize) -> bool {
        if self.open.is_empty() {
            return true;
        }
        self.open.push(b']');
        let packed = packed(&self.open);
        self.open.clear();
        if self.html.len() + packed.len() > room {
            let count = self.count;
            self.of_case.retain(|_, block| *block != count);
            return false;
        }
        element(&format!("block-{}", self.count), &packed, &mut self.html);
        self.count += 1;
        true
    }
}

fn element(id: &str, packed: &str, into: &mut String) {
    let _ = writeln!(into, "<script type=application/octet-stream id={id}>{packed}</script>");
}

fn packed(json: &[u8]) -> String {
    STANDARD.encode(miniz_oxide::deflate::compress_to_vec_zlib(json, LEVEL))
}
