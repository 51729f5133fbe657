//! Reads numbers in digits, in the notations of different countries.

/// A number in billionths. An ambiguous text has two readings: `1.200` is 1.2 in some countries and 1200 in others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Number {
    pub(super) value: i128,
    pub(super) other: Option<i128>,
    /// Whether its decimal separator is a comma.
    pub(super) comma: bool,
}

/// The number 1 in billionths.
pub(super) const ONE: i128 = 1_000_000_000;
/// The most digits of a number; a longer one is an id.
const MOST_DIGITS: usize = 18;
/// The most groups of digits of a number.
const MOST_GROUPS: usize = 8;

impl Number {
    pub(super) fn new(value: i128) -> Self {
        Self { value, other: None, comma: false }
    }

    pub(super) fn is_same(self, number: Self) -> bool {
        let readings = |number: Self| [Some(number.value), number.other].into_iter().flatten();
        readings(self).any(|reading| readings(number).any(|other| reading == other))
    }

    /// Whether two numbers that can be read the same may also be meant differently: if one uses a decimal comma,
    /// `1.500` most likely is 1500.
    pub(super) fn is_unclear(self, number: Self) -> bool {
        let unclear = |one: Self, other: Self| one.other.is_some() && other.comma && one.value == other.value;
        unclear(self, number) || unclear(number, self)
    }

    /// The number if it is a small integer, such as a day or a year.
    pub(super) fn whole(self) -> Option<u32> {
        if self.value % ONE == 0 { u32::try_from(self.value / ONE).ok() } else { None }
    }

    pub(super) fn times(self, factor: i128) -> Option<Self> {
        let other = self.other.and_then(|other| other.checked_mul(factor));
        Some(Self { value: self.value.checked_mul(factor)?, other, ..self })
    }
}

/// The value of a digit of any script.
pub(super) fn digit(c: char) -> Option<u32> {
    /// The zeros of scripts with consecutive digits.
    const ZEROS: [char; 16] = [
        '\u{660}', '\u{6f0}', '\u{7c0}', '\u{966}', '\u{9e6}', '\u{a66}', '\u{ae6}', '\u{b66}', '\u{be6}', '\u{c66}',
        '\u{ce6}', '\u{d66}', '\u{e50}', '\u{ed0}', '\u{1040}', '\u{ff10}',
    ];
    if c.is_ascii() {
        return c.to_digit(10);
    }
    ZEROS.iter().find_map(|&zero| u32::from(c).checked_sub(zero.into()).filter(|value| *value < 10))
}

/// Whether a space between two digits may belong to a number.
pub(super) fn is_group_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{202f}' | '\u{2009}')
}

/// Digits between separators.
#[derive(Clone, Copy)]
struct Group {
    value: i128,
    length: usize,
}

/// Reads the number at the beginning of a text; also returns the rest.
pub(super) fn read(text: &str) -> Option<(Number, &str)> {
    let (mut groups, mut separators) = (Vec::new(), Vec::new());
    let mut rest = text;
    while groups.len() < MOST_GROUPS {
        let end = rest.find(|c| digit(c).is_none()).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        let length = digits.chars().count();
        if length == 0 || length > MOST_DIGITS {
            return None;
        }
        let value = digits.chars().filter_map(digit).fold(0, |value, digit| value * 10 + i128::from(digit));
        groups.push(Group { value, length });
        let mut next = after.chars();
        let separator = next.next().filter(|&c| is_separator(c));
        let Some(separator) = separator.filter(|_| next.clone().next().is_some_and(|c| digit(c).is_some())) else {
            return Some(with_fraction(interpret(&groups, &separators)?, after));
        };
        separators.push(separator);
        rest = next.as_str();
    }
    None
}

fn is_separator(c: char) -> bool {
    matches!(c, ',' | '.' | '\'' | '’' | '٬' | '٫') || is_group_space(c)
}

fn interpret(groups: &[Group], separators: &[char]) -> Option<Number> {
    let (last, before) = groups.split_last()?;
    let Some((&mark, earlier)) = separators.split_last() else {
        // 007 is not a number.
        return (last.length == 1 || !starts_with_zero(*last)).then(|| Number::new(last.value * ONE));
    };
    if groups.iter().map(|group| group.length).sum::<usize>() > MOST_DIGITS {
        return None;
    }
    let grouped = is_grouped(groups);
    if earlier.iter().all(|&separator| separator == mark) {
        return match mark {
            '.' if before.len() == 1 => Some(Number {
                value: decimal(before, *last),
                other: (grouped && before.iter().any(|group| group.value > 0)).then(|| whole(groups)),
                comma: false,
            }),
            '٫' if before.len() == 1 => Some(Number::new(decimal(before, *last))),
            _ if grouped => Some(Number::new(whole(groups))),
            ',' if before.len() == 1 => Some(Number { comma: true, ..Number::new(decimal(before, *last)) }),
            _ => None,
        };
    }
    let same = earlier.windows(2).all(|pair| matches!(pair, [a, b] if a == b));
    let number = Number { comma: mark == ',', ..Number::new(decimal(before, *last)) };
    (same && is_grouped(before)).then_some(number)
}

/// Whether digits are grouped by thousands, or by lakhs and crores.
fn is_grouped(groups: &[Group]) -> bool {
    let [first, middle @ .., last] = groups else { return false };
    let threes = middle.iter().all(|group| group.length == 3) && first.length <= 3;
    let twos = middle.iter().all(|group| group.length == 2) && first.length <= 2;
    last.length == 3 && (threes || twos)
}

fn starts_with_zero(group: Group) -> bool {
    group.value < power_of_ten(group.length - 1)
}

fn whole(groups: &[Group]) -> i128 {
    groups.iter().fold(0, |value, group| value * power_of_ten(group.length) + group.value) * ONE
}

fn decimal(before: &[Group], fraction: Group) -> i128 {
    whole(before) + fraction.value * ONE / power_of_ten(fraction.length)
}

fn power_of_ten(digits: usize) -> i128 {
    10_i128.pow(u32::try_from(digits).expect("a number has at most 18 digits"))
}

fn with_fraction(number: Number, rest: &str) -> (Number, &str) {
    let fractions = [('½', ONE / 2), ('¼', ONE / 4), ('¾', ONE / 4 * 3)];
    let (value, rest) =
        fractions.iter().find_map(|(sign, value)| Some((*value, rest.strip_prefix(*sign)?))).unwrap_or((0, rest));
    (Number { value: number.value + value, ..number }, rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Option<(f64, Option<f64>, &str)> {
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let float = |value: i128| value as f64 / 1e9;
        read(text).map(|(number, rest)| (float(number.value), number.other.map(float), rest))
    }

    #[test]
    fn parses_numbers_of_many_locales() {
        for (text, value) in [
            ("42", 42.0),
            ("1,200", 1_200.0),
            ("1,234,567.5", 1_234_567.5),
            ("1.234.567,5", 1_234_567.5),
            ("1'234.50", 1_234.5),
            ("1\u{202f}234,50", 1_234.5),
            ("12,34,567", 1_234_567.0),
            ("0.75", 0.75),
            ("0,75", 0.75),
            ("37½", 37.5),
            ("١٬٢٣٤٫٥", 1_234.5),
            ("４２", 42.0),
            ("4۰", 40.0),
        ] {
            assert_eq!(values(text), Some((value, None, "")), "{text}");
        }
        assert_eq!(values("1.200"), Some((1.2, Some(1_200.0), "")));
        assert_eq!(values("1,200."), Some((1_200.0, None, ".")));
        assert_eq!(values("3k"), Some((3.0, None, "k")));
    }

    #[test]
    fn rejects_digits_that_are_not_numbers() {
        for text in ["007", "1.2.3", "10.0.0.1", "3,4,5", "1234567890123456789", "1,2,3,4,5,6,7,8,9,10", "", "x", "."] {
            assert_eq!(values(text), None, "{text}");
        }
    }
}
