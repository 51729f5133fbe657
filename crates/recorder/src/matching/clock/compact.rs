//! Renderings that are digits only, or almost: `20261116T184117Z`, `20261116184117`, `261116`, `2026-320`.

use super::calendar::{DAY_MS, day_of};
use super::now::Said;
use super::numbers::of_day;
use super::rendering::{Rendering, Scan};

pub(super) fn renderings(bytes: &[u8]) -> impl Iterator<Item = Rendering> {
    let readers = [long, short, joined, ordinal];
    readers.into_iter().filter_map(|read| read(Scan::new(bytes)))
}

/// `20261116`, then perhaps `T184117Z`.
fn long(scan: Scan<'_>) -> Option<Rendering> {
    with_time(scan, 8, "compact")
}

/// `261116`, then perhaps `-184117`.
fn short(scan: Scan<'_>) -> Option<Rendering> {
    with_time(scan, 6, "compact short")
}

fn with_time(mut scan: Scan<'_>, digits: usize, parts: &'static str) -> Option<Rendering> {
    let date = scan.number(digits, digits)?;
    let day = day_of_digits(date, digits)?;
    let date_only = Rendering::new((parts, 0, 0), Said::Day(day), scan);
    let Some(between) = [b'T', b'-', b'_'].into_iter().find_map(|byte| scan.take(byte)) else { return Some(date_only) };
    let time = scan.number(6, 6).and_then(|time| of_day(time / 10_000, time / 100 % 100, time % 100));
    let Some(time) = time else { return Some(date_only) };
    let zone = scan.take(b'Z');
    let ms = day * DAY_MS + time;
    let said = zone.map_or(Said::Local(ms), |_| Said::Instant(ms));
    Some(Rendering::new((parts, between, zone.unwrap_or(1)), said, scan))
}

/// `202611161841`, `20261116184117`, and that with milliseconds.
fn joined(mut scan: Scan<'_>) -> Option<Rendering> {
    let number = scan.number(12, 17)?;
    let (seconds, parts) = match scan.at {
        12 => (number * 100, "joined minutes"),
        14 => (number, "joined"),
        17 => (number / 1000, "joined milliseconds"),
        _ => return None,
    };
    let (date, time) = (seconds / 1_000_000, seconds % 1_000_000);
    let time = of_day(time / 10_000, time / 100 % 100, time % 100)?;
    let mut ahead = scan;
    let zone = ahead.take(b'Z');
    let ms = day_of_digits(date, 8)? * DAY_MS + time;
    let said = zone.map_or(Said::Local(ms), |_| Said::Instant(ms));
    Some(Rendering::new((parts, 0, zone.unwrap_or(0)), said, ahead))
}

/// The day of the year: `2026-320`, `2026320`.
fn ordinal(mut scan: Scan<'_>) -> Option<Rendering> {
    let number = scan.number(4, 7)?;
    let (year, day, dash) = match scan.at {
        4 => {
            scan.take(b'-')?;
            (number, scan.number(3, 3)?, b'-')
        }
        7 => (number / 1000, number % 1000, 0),
        _ => return None,
    };
    let first = day_of(year, 1, 1)?;
    let exists = day >= 1 && first + day - 1 <= day_of(year, 12, 31)?;
    exists.then(|| Rendering::new(("ordinal", dash, 0), Said::Day(first + day - 1), scan))
}

/// A date of eight digits, or of six without the century.
fn day_of_digits(date: i64, digits: usize) -> Option<i64> {
    let century = if digits == 6 { 2000 } else { 0 };
    day_of(century + date / 10_000, date / 100 % 100, date % 100)
}
