//! Data for the page's script: JSON, compressed, as text that means nothing to a browser until the script unpacks it.
//!
//! ```html
//! <script type=application/octet-stream id=table>eJyrVkrOTy1WsoqOja0FAB...</script>
//! ```

use std::fmt::Write as _;
use std::io;

use agentci_verdict::{Row, Status};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::baseline::Departures;
use super::detail::Detail;
use super::gathered::Gathered;
use super::rows::table;
use crate::pieces::Pieces;
use crate::run::Run;

/// How hard to compress: a run with ten thousand cases is not to wait for its page, and more saves little.
const LEVEL: u8 = 1;
/// How much goes into a block before it is compressed: several cases together take less room, and a case that is looked at
/// needs all of its block unpacked.
const BLOCK: usize = 64 * 1024;

/// Writes the data of the page, with details for as many cases as fit into `room` bytes: first those that did not pass.
pub(super) fn data(run: &Run, gathered: &Gathered, room: usize, page: &mut Pieces<'_>) -> io::Result<()> {
    let departures = Departures::of(run.gates.as_deref());
    let blocks = Blocks::of(run, gathered, &departures, room);
    let block_of = |index: usize| blocks.of_case.get(&index).copied().unwrap_or(-1);
    element("table", &packed(&table(run, gathered, &departures, &block_of)), &mut page.text);
    page.hand_on()?;
    page.text.push_str(&blocks.html);
    page.hand_on()
}

/// Blocks of details.
#[derive(Default)]
struct Blocks {
    html: String,
    count: i64,
    open: String,
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
            let Ok(mut text) = serde_json::to_string(&Detail::of(row, departure)) else { continue };
            // The attempts are JSON already, so they are put in before the closing brace.
            if let Some(attempts) = attempts {
                text.pop();
                let _ = write!(text, ",\"attempts\":{attempts}}}");
            }
            if !blocks.add(index, &text, room) {
                return blocks;
            }
        }
        blocks.close(room);
        blocks
    }

    /// Adds a case; says whether there is room for more.
    fn add(&mut self, index: usize, text: &str, room: usize) -> bool {
        self.open.push(if self.open.is_empty() { '[' } else { ',' });
        self.open.push_str(text);
        self.of_case.insert(index, self.count);
        self.open.len() < BLOCK || self.close(room)
    }

    /// Compresses the block that is open, or drops it if there is no room.
    fn close(&mut self, room: usize) -> bool {
        if self.open.is_empty() {
            return true;
        }
        self.open.push(']');
        let packed = packed(std::mem::take(&mut self.open).as_bytes());
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
