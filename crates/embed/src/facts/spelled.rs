//! Reads numbers in English words.

use super::fold::is_any;
use super::number::ONE;

/// The small cardinal and ordinal numbers.
const SMALL: [(&str, &str); 20] = [
    ("zero", "zeroth"),
    ("one", "first"),
    ("two", "second"),
    ("three", "third"),
    ("four", "fourth"),
    ("five", "fifth"),
    ("six", "sixth"),
    ("seven", "seventh"),
    ("eight", "eighth"),
    ("nine", "ninth"),
    ("ten", "tenth"),
    ("eleven", "eleventh"),
    ("twelve", "twelfth"),
    ("thirteen", "thirteenth"),
    ("fourteen", "fourteenth"),
    ("fifteen", "fifteenth"),
    ("sixteen", "sixteenth"),
    ("seventeen", "seventeenth"),
    ("eighteen", "eighteenth"),
    ("nineteen", "nineteenth"),
];
const TENS: [&str; 8] = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"];
const TEN_PLACES: [&str; 8] =
    ["twentieth", "thirtieth", "fortieth", "fiftieth", "sixtieth", "seventieth", "eightieth", "ninetieth"];

/// A number in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spelled {
    /// In billionths.
    pub(super) value: i128,
    /// The number of words it took.
    pub(super) words: usize,
    /// Whether it is certainly a number; `one` and `second` may mean other things.
    pub(super) sure: bool,
}

/// The effect of a word on the number so far.
enum NumberStep {
    Add(i128),
    /// The last word of a number, such as `fifth`.
    Place(i128),
    Times(i128),
}

/// The factor that a word multiplies by.
pub(super) fn multiplier(word: &str) -> Option<i128> {
    const WORDS: [(&[&str], i128); 6] = [
        (&["hundred"], 100),
        (&["thousand", "k"], 1_000),
        (&["lakh"], 100_000),
        (&["million", "mn", "mio"], 1_000_000),
        (&["crore"], 10_000_000),
        (&["billion", "bn"], 1_000_000_000),
    ];
    WORDS.iter().find(|(words, _)| is_any(word, words)).map(|(_, value)| *value)
}

/// The fraction in `and a half`, which takes three words.
pub(super) fn and_fraction<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<i128> {
    if !is_any(words.next()?, &["and"]) || !is_any(words.next()?, &["a", "one"]) {
        return None;
    }
    let fraction = words.next()?;
    let value = if is_any(fraction, &["half"]) { ONE / 2 } else { ONE / 4 };
    is_any(fraction, &["half", "quarter"]).then_some(value)
}

/// Reads the number at the beginning of words.
pub(super) fn read<'a>(words: impl Iterator<Item = &'a str> + Clone) -> Option<Spelled> {
    let mut total = 0;
    let mut current: Option<i128> = None;
    let mut taken = 0;
    let mut rest = words.clone();
    let mut ended = false;
    while !ended {
        let mut ahead = rest.clone();
        let Some(word) = ahead.next() else { break };
        let (word, skipped) = match current {
            // "two hundred and five", but not "two and three".
            Some(so_far) if is_any(word, &["and"]) && (so_far % 100 == 0) && (so_far > 0 || total > 0) => {
                (ahead.next().unwrap_or_default(), 1)
            }
            _ => (word, 0),
        };
        let Some(sum) = hyphenated(word, current, &mut total, &mut ended) else { break };
        current = Some(sum);
        taken += 1 + skipped;
        rest = ahead;
    }
    let value = (total + current?).checked_mul(ONE)?;
    if let Some(fraction) = and_fraction(rest) {
        return Some(Spelled { value: value + fraction, words: taken + 3, sure: true });
    }
    let alone = words.into_iter().next().filter(|_| taken == 1).unwrap_or_default();
    let sure = !is_any(alone, &["zero", "one", "first", "second"]);
    Some(Spelled { value, words: taken, sure })
}

/// Adds all parts of a word such as `thirty-seven` to the number, or none.
fn hyphenated(word: &str, current: Option<i128>, total: &mut i128, ended: &mut bool) -> Option<i128> {
    let (mut sum, mut thousands, mut last) = (current, *total, false);
    for part in word.split('-') {
        if last {
            return None;
        }
        let so_far = sum.unwrap_or(0);
        sum = Some(match step(part)? {
            NumberStep::Add(value) if fits(sum, value) => so_far + value,
            NumberStep::Place(value) if fits(sum, value) => {
                last = true;
                so_far + value
            }
            NumberStep::Times(factor) if factor <= 100 => so_far.max(1).checked_mul(factor)?,
            NumberStep::Times(factor) if sum.is_none_or(|sum| sum > 0) => {
                thousands = so_far.max(1).checked_mul(factor)?.checked_add(thousands)?;
                0
            }
            NumberStep::Add(_) | NumberStep::Place(_) | NumberStep::Times(_) => return None,
        });
    }
    *total = thousands;
    *ended = last;
    sum
}

/// Whether a small number can follow the number so far: `twenty five` and `hundred five`, but not `five five`.
fn fits(current: Option<i128>, value: i128) -> bool {
    match current {
        None => true,
        Some(current) => value > 0 && (current % 100 == 0 || (current % 100 >= 20 && current % 10 == 0 && value < 10)),
    }
}

fn step(word: &str) -> Option<NumberStep> {
    fn at<'l>(word: &str, mut list: impl Iterator<Item = &'l str>) -> Option<i128> {
        list.position(|entry| word.eq_ignore_ascii_case(entry)).and_then(|index| i128::try_from(index).ok())
    }
    let tens = |index: i128| (index + 2) * 10;
    if is_any(word, &["dozen"]) {
        return Some(NumberStep::Times(12));
    }
    let small = SMALL.into_iter();
    let add = at(word, small.clone().map(|(number, _)| number)).or_else(|| at(word, TENS.into_iter()).map(tens));
    let place = || at(word, small.map(|(_, place)| place)).or_else(|| at(word, TEN_PLACES.into_iter()).map(tens));
    let times = || multiplier(word).filter(|_| word.len() > 2).map(NumberStep::Times);
    add.map(NumberStep::Add).or_else(|| place().map(NumberStep::Place)).or_else(times)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Option<(f64, usize, bool)> {
        let spelled = read(text.split(' '))?;
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let value = spelled.value as f64 / 1e9;
        Some((value, spelled.words, spelled.sure))
    }

    #[test]
    fn parses_number_words() {
        for (text, value, words) in [
            ("twelve days", 12.0, 1),
            ("Thirty-seven and a half hours", 37.5, 4),
            ("two hundred and five", 205.0, 4),
            ("one thousand two hundred", 1_200.0, 4),
            ("twelve hundred euros", 1_200.0, 2),
            ("three million five hundred thousand and one", 3_500_001.0, 7),
            ("twenty-first of", 21.0, 1),
            ("twenty third", 23.0, 2),
            ("dozen eggs", 12.0, 1),
            ("two dozen", 24.0, 2),
            ("five six", 5.0, 1),
            ("two and three", 2.0, 1),
            ("five and a bit", 5.0, 1),
            ("five and", 5.0, 1),
        ] {
            assert_eq!(parse(text), Some((value, words, true)), "{text}");
        }
    }

    #[test]
    fn small_number_words_are_ambiguous() {
        assert_eq!(parse("one of them"), Some((1.0, 1, false)));
        assert_eq!(parse("second thoughts"), Some((2.0, 1, false)));
    }

    #[test]
    fn rejects_words_that_are_not_numbers() {
        for text in ["often", "and five", "tens", "hundreds of", "", "k", "five-star", "-"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
