//! Rounds numbers for readers, but never to a number that would be wrong: 99.96 % passed is not "100 %", and a growth of
//! 0.4 % is not "0 %".

/// `87.5 %`: a fraction, rounded to tenths of a percent. Only a fraction of 0 is `0 %`, and only one of 1 is `100 %`: others
/// close to these get more decimals.
pub(crate) fn percent(fraction: f64) -> String {
    let text = rounded(fraction * 100.0, 1, &[0.0, 100.0]);
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// `0.80`: a rate from 0 to 1. Only a rate of 1 is `1.00`, and only a rate of 0 is `0.00`.
pub(crate) fn rate(rate: f64) -> String {
    rounded(rate, 2, &[0.0, 1.0])
}

/// A number with this many decimals, or more if it would otherwise not be on its own side of these limits.
pub(crate) fn rounded(number: f64, decimals: usize, limits: &[f64]) -> String {
    // Without the sign of a zero.
    let number = number + 0.0;
    let mut texts = (decimals..=9).map(|decimals| format!("{number:.decimals$}"));
    let tells = |text: &String| {
        let shown = text.parse::<f64>().expect("a formatted number can be parsed");
        let is_right =
            |limit: &f64| number.partial_cmp(limit) == shown.partial_cmp(limit) || (number - limit).abs() < 1e-9;
        limits.iter().all(is_right)
    };
    texts.find(tells).unwrap_or_else(|| number.to_string())
}

/// `+0.20`: a difference with its sign.
pub(crate) fn signed(text: &str) -> String {
    if text.starts_with('-') { text.to_owned() } else { format!("+{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_rounded_but_not_to_nothing_or_all() {
        let said = [0.0, 0.29, 2.0 / 3.0, 0.875, 0.996, 1.0].map(percent);
        assert_eq!(said, ["0 %", "29 %", "66.7 %", "87.5 %", "99.6 %", "100 %"]);
        let close = [0.004, 0.0004, 0.000_04, 0.9996, 0.999_96, 1999.0 / 2000.0].map(percent);
        assert_eq!(close, ["0.4 %", "0.04 %", "0.004 %", "99.96 %", "99.996 %", "99.95 %"]);
        // More than everything, less than nothing, and what is neither.
        let other = [1.0004, 2.5, -0.0, -0.000_4, f64::NAN].map(percent);
        assert_eq!(other, ["100.04 %", "250 %", "0 %", "-0.04 %", "NaN %"]);
    }

    #[test]
    fn numbers_stay_on_their_side_of_a_limit() {
        assert_eq!([0.8, 0.996, 0.004, 1.0].map(rate), ["0.80", "0.996", "0.004", "1.00"]);
        assert_eq!(rounded(0.8999, 2, &[0.9]), "0.8999");
        assert_eq!(rounded(10.2, 0, &[10.0]), "10.2");
        assert_eq!(rounded(1e-12, 0, &[0.0]), "0", "a rounding error of the computation");
        assert_eq!([signed("0.00"), signed("-3")], ["+0.00", "-3"]);
    }
}
