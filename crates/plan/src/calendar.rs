//! Converts days to calendar dates and back, and seconds to times of the day.

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

/// The days from 1970-01-01 to a Gregorian date, given as year, month and day.
pub fn days_of((year, month, day): (i64, i64, i64)) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// The hour, minute and second of Unix seconds, in UTC.
pub fn time_of_day(seconds: u64) -> (u64, u64, u64) {
    (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60)
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

    #[test]
    fn dates_and_days_are_the_same_both_ways() {
        assert_eq!(days_of((1969, 12, 31)), -1);
        for days in (0..100_000).step_by(7) {
            let (year, month, day) = civil_date(days);
            let date = [year, month, day].map(|number| i64::try_from(number).unwrap());
            assert_eq!(days_of(date.into()), i64::try_from(days).unwrap());
        }
    }
}
