//! Numbers that are omitted from a line if they are zero.

pub(super) fn is_zero<N: Default + PartialEq>(number: &N) -> bool {
    *number == N::default()
}

/// A time in microseconds; falls back to the milliseconds.
pub(super) fn micros(millis: u64, exact: u64) -> u64 {
    if exact > 0 { exact } else { millis.saturating_mul(1000) }
}
