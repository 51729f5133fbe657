//! Converts days to calendar dates.

/// The Gregorian date, as year, month and day, of a day counted from 1970-01-01. Years are counted from March, which
/// puts the leap day last and makes the lengths of the months regular: 153 days for every five months.
pub fn civil_date(days: u64) -> (u64, u64, u64) {
    let since_year_zero = days + 719_468;
    let (era, day_of_era) = (since_year_zero / 146_097, since_year_zero % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_leap_years() {
        assert_eq!(civil_date(0), (1970, 1, 1));
        assert_eq!(civil_date(11_016), (2000, 2, 29));
        assert_eq!(civil_date(47_540), (2100, 2, 28));
        assert_eq!(civil_date(47_541), (2100, 3, 1));
    }
}
