//! The ids of answers, calls and requests.

const ZEROS: &str = "000000000000000000000000";

/// An id: a prefix, and a number with leading zeros, at least `digits` characters long.
///
/// Every answer has several. A format string such as `{:024}` writes the zeros one at a time, which took 6 % of the
/// instructions of a request.
pub(super) fn numbered(prefix: &str, number: u64, digits: usize) -> String {
    let number = number.to_string();
    let missing = digits.saturating_sub(number.len()).min(ZEROS.len());
    [prefix, &ZEROS[..missing], &number].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_has_leading_zeros() {
        for (number, digits) in [(0, 24), (7, 20), (u64::MAX, 24), (u64::MAX, 8)] {
            assert_eq!(numbered("req_", number, digits), format!("req_{number:0digits$}"));
        }
    }
}
