//! The checks of an attempt.

use std::fmt::Write as _;

use agentci_verdict::{CheckEnd, CheckStatus};
use serde::Serialize;

use crate::{count_of, cut, html_text, one_line, score, similarity};

/// The maximum number of checks of an attempt that are kept.
const CHECKS: usize = 200;
/// The maximum length of a name.
const NAME_LIMIT: usize = 200;
/// The maximum length of a check's message; its finding has the full message.
const MESSAGE_LIMIT: usize = 500;
/// The maximum number of checks that are shown without JavaScript.
const SHOWN: usize = 10;

/// The checks, in the order they were evaluated.
#[derive(Debug, Default, Serialize)]
pub(super) struct Checks {
    list: Vec<ShownCheck>,
    left_out: usize,
}

#[derive(Debug, Serialize)]
struct ShownCheck {
    name: String,
    status: CheckStatus,
    #[serde(skip_serializing_if = "String::is_empty")]
    subject: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    message: String,
    /// The similarity of the answer to the expected one, or the score of the answer.
    #[serde(skip_serializing_if = "String::is_empty")]
    measured: String,
}

impl Checks {
    pub(super) fn add(&mut self, check: &CheckEnd) {
        if self.list.len() == CHECKS {
            self.left_out += 1;
            return;
        }
        let kept = |text: Option<&str>, limit| text.map(|text| cut::name(text, limit)).unwrap_or_default();
        self.list.push(ShownCheck {
            name: cut::name(&check.name, NAME_LIMIT),
            status: check.status,
            subject: kept(check.subject.as_deref(), NAME_LIMIT),
            message: kept(check.message.as_deref(), MESSAGE_LIMIT),
            measured: kept(similarity::of_check(check).or_else(|| score::of_check(check)).as_deref(), MESSAGE_LIMIT),
        });
    }

    /// Keeps as many checks as fit into `limit` bytes.
    pub(super) fn shorten(&mut self, limit: usize) {
        let mut bytes = 0;
        let fits = |check: &&ShownCheck| {
            bytes += check.name.len() + check.subject.len() + check.message.len() + check.measured.len() + 40;
            bytes <= limit
        };
        let kept = self.list.iter().take_while(fits).count();
        self.left_out += self.list.len() - kept;
        self.list.truncate(kept);
        self.list.shrink_to_fit();
    }

    /// The checks that did not pass: `<li class=failed><code>must_call</code> <span>it was not so</span>`
    pub(super) fn html(&self) -> String {
        let wrong = || self.list.iter().filter(|check| check.status != CheckStatus::Passed);
        let mut html = String::new();
        for check in wrong().take(SHOWN) {
            let class = match check.status {
                CheckStatus::Passed => "held",
                CheckStatus::Failed => "failed",
                CheckStatus::Error => "broken",
                CheckStatus::NotEvaluated => "unseen",
            };
            let _ = write!(html, "<li class={class}><code>{}</code>", html_text(&one_line(&check.name)));
            if !check.message.is_empty() {
                let _ = write!(html, " <span>{}</span>", html_text(&check.message));
            }
            if !check.measured.is_empty() {
                let _ = write!(html, " <span>{}</span>", html_text(&check.measured));
            }
            html.push('\n');
        }
        let more = wrong().count().saturating_sub(SHOWN);
        if more > 0 {
            let _ = writeln!(html, "<li class=cut>{} left out", count_of(more, "check"));
        }
        html
    }
}
