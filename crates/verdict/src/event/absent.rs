//! Numbers that are left out of a line when they are zero.

#[expect(clippy::trivially_copy_pass_by_ref, reason = "this is how serde asks")]
pub(super) fn is_zero(count: &usize) -> bool {
    *count == 0
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "this is how serde asks")]
pub(super) fn is_no_time(microseconds: &u64) -> bool {
    *microseconds == 0
}

/// A time in microseconds, of which at least the milliseconds are known.
pub(super) fn micros(millis: u64, exact: u64) -> u64 {
    if exact > 0 { exact } else { millis.saturating_mul(1000) }
}
