//! Decides whether a token is random or a name, by which letters follow each other, and how often capitals, lower-case
//! letters and digits alternate.

/// The evidence that a token is random.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ChanceEvidence {
    /// It reads like a name.
    Name,
    /// It may be either. Next to a token that is certainly random, it counts as random.
    Unclear,
    Random,
}

/// The score from which a token is random, and below which it is a name. Names of twenty letters score -80 and less,
/// random tokens 50 and more; one random token in 1,000 scores below the upper bound, one in a million below the lower.
const RANDOM: i32 = 15;
const NAME: i32 = -40;

/// Classifies a token.
pub(super) fn evidence(token: &[u8]) -> ChanceEvidence {
    match randomness(token) {
        RANDOM.. => ChanceEvidence::Random,
        NAME..RANDOM => ChanceEvidence::Unclear,
        _ => ChanceEvidence::Name,
    }
}

/// The score of a token: the higher, the more random.
pub(in super::super) fn randomness(token: &[u8]) -> i32 {
    token.windows(2).map(|pair| weight(pair[0], pair[1])).sum()
}

/// The score of two adjacent characters: twice the binary logarithm of how much more often they are adjacent in random
/// letters and digits than in names.
fn weight(one: u8, other: u8) -> i32 {
    let level = |weights: [i32; 4]| weights[usize::from(rarity(one, other))];
    match (one.is_ascii_digit(), other.is_ascii_digit()) {
        // Years and counters occur in names too.
        (true, true) => 0,
        (true, false) if other.is_ascii_alphabetic() => 8,
        (false, true) if one.is_ascii_alphabetic() => 8,
        _ if !one.is_ascii_alphabetic() || !other.is_ascii_alphabetic() => 0,
        _ => match (one.is_ascii_uppercase(), other.is_ascii_uppercase()) {
            (false, true) => 5,
            (true, false) => level([-1, 3, 8, 8]),
            (true, true) => level([-5, -2, 1, 6]),
            (false, false) => level([-8, -5, -1, 7]),
        },
    }
}

/// How rarely these letters follow each other in names, from 0 to 3.
fn rarity(one: u8, other: u8) -> u8 {
    let index = |letter: u8| usize::from(letter.to_ascii_lowercase() - b'a');
    RARITIES[index(one)][index(other)] - b'0'
}

/// A row for each letter, with a column for each letter that may follow. Counted in the identifiers of about 6,000
/// source files and documents.
#[rustfmt::skip]
const RARITIES: [&[u8; 26]; 26] = [
    b"31003203132000303000122213",
    b"13231333123133133222133323",
    b"03220230130123023120133323",
    b"02310223033223133112133323",
    b"02001113232000211000211013",
    b"13321133033133033122133323",
    b"23330322133221233112233333",
    b"03330333133323133222233323",
    b"11001103232000013100313231",
    b"33332333333333233323333333",
    b"23330333233332333323333333",
    b"02310233032033023311123313",
    b"02330333133223103323133333",
    b"03000103132221023300123323",
    b"21002223231000103011011233",
    b"03220332133033013021133323",
    b"33333333333333333333133333",
    b"03110213032211023000123313",
    b"13130221032222113200032312",
    b"03120230033223023001132303",
    b"21221223133010213000333333",
    b"03330333133333233333333333",
    b"13331332133332233223333333",
    b"23232333233333313331333333",
    b"33232333333222213322333333",
    b"33331333233333233333333333",
];
