//! What two lists have in common.

/// The positions of a longest common subsequence in two lists of these lengths; `same` compares an item of each. The
/// work and the memory are proportional to the product of the lengths.
pub fn common_subsequence(one: usize, other: usize, same: impl Fn(usize, usize) -> bool) -> Vec<(usize, usize)> {
    let width = other + 1;
    // The length of the longest common subsequence from here on.
    let mut lengths = vec![0_u32; (one + 1) * width];
    for a in (0..one).rev() {
        for b in (0..other).rev() {
            lengths[a * width + b] = if same(a, b) {
                lengths[(a + 1) * width + b + 1] + 1
            } else {
                lengths[(a + 1) * width + b].max(lengths[a * width + b + 1])
            };
        }
    }
    let (mut a, mut b, mut pairs) = (0, 0, Vec::new());
    while a < one && b < other {
        if same(a, b) {
            pairs.push((a, b));
            (a, b) = (a + 1, b + 1);
        } else if lengths[(a + 1) * width + b] >= lengths[a * width + b + 1] {
            a += 1;
        } else {
            b += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_in_common_keep_their_order() {
        for (one, other, pairs) in [
            ("abc", "abc", &[(0, 0), (1, 1), (2, 2)][..]),
            ("abcd", "xbd", &[(1, 1), (3, 2)]),
            ("xy", "yx", &[(1, 0)]),
            ("aaa", "aa", &[(0, 0), (1, 1)]),
            ("", "a", &[]),
        ] {
            let same = |a: usize, b: usize| one.as_bytes()[a] == other.as_bytes()[b];
            assert_eq!(common_subsequence(one.len(), other.len(), same), pairs, "{one} {other}");
        }
    }
}
