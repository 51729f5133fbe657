//! Data for the page's script: compressed JSON, as text that a browser ignores until the script unpacks it.
//!
//! ```html
//! <script type=application/octet-stream id=table>eJyrVkrOTy1WsoqOja0FAB...</script>
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;

use agentci_verdict::{CaseRow, CaseStatus};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use miniz_oxide::deflate::compress_to_vec_zlib;

use super::baseline::{Departures, departures};
use super::case_details::PageCases;
use super::detail::CaseDetail;
use super::rows::table;
use super::shown_cases::shown;
use crate::ReportedRun;

/// The size of a block before compression: several cases together compress better, but viewing a case needs its whole
/// block unpacked.
const BLOCK: usize = 64 * 1024;

/// The compression level; 1 is the fastest.
const LEVEL: u8 = 1;

/// The data of the page, with details for as many cases as fit into `room` bytes, those that did not pass first.
pub(super) fn data(run: &ReportedRun, gathered: &PageCases, room: usize) -> String {
    let departures = departures(run.gates.as_deref());
    let Blocks { html, of_case, .. } = Blocks::of(run, gathered, &departures, room);
    let table = table(run, gathered, &departures, |index| of_case.get(&index).copied().unwrap_or(-1));
    element("table", &packed(&table)) + &html
}

/// Blocks of details.
#[derive(Default)]
struct Blocks {
    html: String,
    count: i64,
    /// The cases of the current block, as JSON.
    open: String,
    of_case: BTreeMap<usize, i64>,
}

impl Blocks {
    fn of(run: &ReportedRun, gathered: &PageCases, departures: &Departures<'_>, room: usize) -> Self {
        let mut blocks = Self::default();
        let right = |row: &&CaseRow| matches!(row.status(), CaseStatus::Pass | CaseStatus::Skipped);
        let rows = shown(&run.rows).filter(|row| !right(row)).chain(shown(&run.rows).filter(right));
        for row in rows {
            let index = row.decisive().index;
            let (attempts, departure) = (gathered.attempts(index), departures.get(row.id()));
            let plain = right(&row) && attempts.is_none() && departure.is_none() && !row.repeated();
            if plain && row.status() != CaseStatus::Skipped {
                continue;
            }
            blocks.add(index, &CaseDetail::of(row, departure), attempts);
            if blocks.open.len() >= BLOCK && !blocks.close(room) {
                return blocks;
            }
        }
        blocks.close(room);
        blocks
    }

    /// Adds a case to the current block.
    fn add(&mut self, index: usize, detail: &CaseDetail<'_>, attempts: Option<&str>) {
        self.open.push(if self.open.is_empty() { '[' } else { ',' });
        self.open += &serde_json::to_string(detail).expect("a case has a form in JSON");
        // The attempts are already JSON, so they are inserted before the closing brace.
        if let Some(attempts) = attempts {
            self.open.pop();
            let _ = write!(self.open, ",\"attempts\":{attempts}}}");
        }
        self.of_case.insert(index, self.count);
    }

    /// Compresses the current block, or drops it if it does not fit; returns whether it fit.
    fn close(&mut self, room: usize) -> bool {
        if self.open.is_empty() {
            return true;
        }
        self.open.push(']');
        let packed = packed(&self.open);
        self.open.clear();
        if self.html.len() + packed.len() > room {
            let count = self.count;
            self.of_case.retain(|_, block| *block != count);
            return false;
        }
        self.html.push_str(&element(&format!("block-{}", self.count), &packed));
        self.count += 1;
        true
    }
}

fn element(id: &str, packed: &str) -> String {
    format!("<script type=application/octet-stream id={id}>{packed}</script>\n")
}

fn packed(json: &str) -> String {
    STANDARD.encode(compress_to_vec_zlib(json.as_bytes(), LEVEL))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_data_round_trips() {
        for lines in [0_usize, 1, 20_000] {
            let whole: String = (0..lines).fold(String::new(), |whole, line| whole + &format!("[{line},\"a case\"],"));
            let bytes = STANDARD.decode(packed(&whole)).unwrap();
            assert_eq!(miniz_oxide::inflate::decompress_to_vec_zlib(&bytes).unwrap(), whole.as_bytes());
            assert!(lines < 2 || bytes.len() < whole.len() / 2);
        }
    }
}
