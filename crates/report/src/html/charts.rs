//! The small charts of the overview, which need no JavaScript.
//!
//! ```text
//! ███████████████████████░░░▒▒      the status of the cases
//! ▁▂▅█▇▃▂▁▁                         their durations
//! ```

use std::fmt::Write as _;

use agentci_verdict::Aggregates;

use crate::{ReportedRun, duration_of};

/// The number of bars of the duration chart.
const BARS: usize = 24;

/// A bar of all cases by status.
pub(super) fn outcomes(numbers: &Aggregates, into: &mut String) {
    let errors = if numbers.cases_error == 1 { "error" } else { "errors" };
    let parts = [
        ("pass", "passed", numbers.cases_pass),
        ("fail", "failed", numbers.cases_fail),
        ("error", errors, numbers.cases_error),
        ("skipped", "skipped", numbers.cases_skipped),
    ];
    let total: usize = parts.iter().map(|(_, _, count)| count).sum();
    if total == 0 {
        return;
    }
    let told: Vec<String> =
        (parts.iter().filter(|part| part.2 > 0)).map(|part| format!("{} {}", part.2, part.1)).collect();
    let _ = write!(
        into,
        "<figure><svg class=outcomes viewBox=\"0 0 1000 12\" preserveAspectRatio=none role=img aria-label=\"{}\">",
        told.join(", ")
    );
    let mut begin = 0;
    for (class, _, count) in parts.into_iter().filter(|part| part.2 > 0) {
        // A single failure among thousands stays visible.
        let width = (count * 1000 / total).max(6);
        let _ = write!(into, "<rect class={class} x={begin} width={width} height=12 />");
        begin += width;
    }
    let _ = writeln!(into, "</svg><figcaption>{}</figcaption></figure>", told.join(" · "));
}

/// A histogram of durations. The scale is logarithmic, since one slow case would put all others into one bar.
pub(super) fn durations(run: &ReportedRun, into: &mut String) {
    let tally = run.rows.tally();
    let times = || tally.times.iter().map(|(time, count)| (time.max(1.0), count));
    let (least, most) = times().fold((f64::MAX, 0_f64), |(least, most), (time, _)| (least.min(time), most.max(time)));
    if tally.times.count() < 3 || most <= least {
        return;
    }
    let mut counts = [0_u64; BARS];
    for (time, count) in times() {
        let share = (time / least).ln() / (most / least).ln();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            clippy::cast_precision_loss,
            reason = "a share of the few bars there are"
        )]
        let bar = (share * BARS as f64) as usize;
        counts[bar.min(BARS - 1)] += count;
    }
    let tallest = counts.iter().copied().fold(1, u64::max);
    let (least, most) = (duration_of(least), duration_of(most));
    let _ = write!(
        into,
        "<figure><svg class=durations viewBox=\"0 0 {} 40\" preserveAspectRatio=none role=img \
         aria-label=\"durations from {least} to {most}\">",
        BARS * 10
    );
    for (bar, count) in counts.into_iter().enumerate().filter(|(_, count)| *count > 0) {
        let height = (count * 38 / tallest).max(2);
        let _ = write!(into, "<rect x={} y={} width=8 height={height} />", bar * 10 + 1, 40 - height);
    }
    let _ = writeln!(
        into,
        "</svg><figcaption><span>{least}</span><span>durations</span><span>{most}</span></figcaption></figure>"
    );
}
