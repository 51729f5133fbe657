//! Renderings that begin with a digit: `2026-11-16T18:41:17Z`, `16.11.2026`, `16 November 2026`, `16/Nov/2026:18:41:17
//! +0000`, `18:41`, `1794800263`, `20261116184117`, `2026-320`, and a year alone, as in `in 2026`.

use super::calendar::{DAY_MS, day_of, month_named};
use super::now::PartialMoment;
use super::rendering::{Rendering, RenderingScan};

pub(super) fn renderings(bytes: &[u8]) -> Vec<Rendering> {
    let scan = RenderingScan::new(bytes);
    let separated = [
        iso(scan),
        iso_date(scan),
        // `16.11.2026`, `16/11/2026`, `16-11-2026`, `16.11.26`.
        three(scan, "day month year", |day, month, year| day_of(year, month, day)),
        // `11/16/2026`, `11/16/26`.
        three(scan, "month day year", |month, day, year| day_of(year, month, day)),
        named_month(scan),
        access_log(scan),
        time(scan),
        epoch(scan),
    ];
    // `20261116`, optionally with `T184117Z`; `261116`, optionally with `-184117`; and others.
    let joined = [with_time(scan, 8, "compact"), with_time(scan, 6, "compact short"), joined(scan), ordinal(scan)];
    separated.into_iter().chain(joined).flatten().collect()
}

/// `2026-11-16T18:41`, optionally with seconds, a fraction, and a zone.
fn iso(mut scan: RenderingScan<'_>) -> Option<Rendering> {
    let (day, separator) = year_first(&mut scan)?;
    let between = scan.take_any(b"T _-")?;
    let clock = clock_time(&mut scan).or_else(|| dashed_time(&mut scan))?;
    let ms = day * DAY_MS + clock.ms;
    let ahead = zone(&mut scan);
    let zone_form = ahead.map_or(b' ', |(_, form)| form);
    let parts = match (clock.joint, clock.seconds) {
        (Some(b':'), true) => "iso seconds",
        (Some(b':'), false) => "iso minutes",
        (Some(_), _) => "iso dashed",
        (None, _) => "iso joined",
    };
    let said = ahead.map_or(PartialMoment::Local(ms), |(ahead, _)| PartialMoment::Instant(ms - ahead));
    Some(Rendering::new((parts, separator ^ between, zone_form), said, scan))
}

fn iso_date(mut scan: RenderingScan<'_>) -> Option<Rendering> {
    let (day, separator) = year_first(&mut scan)?;
    Some(Rendering::new(("year month day", separator, 0), PartialMoment::Day(day), scan))
}

fn year_first(scan: &mut RenderingScan<'_>) -> Option<(i64, u8)> {
    let year = scan.number(4, 4)?;
    let separator = scan.take_any(b"-/.")?;
    let month = scan.number(1, 2)?;
    scan.take(separator)?;
    let day = scan.number(1, 2)?;
    Some((day_of(year, month, day)?, separator))
}

/// Three numbers, the last of which is the year.
fn three(
    mut scan: RenderingScan<'_>,
    parts: &'static str,
    day: impl Fn(i64, i64, i64) -> Option<i64>,
) -> Option<Rendering> {
    let first = scan.number(1, 2)?;
    let separator = scan.take_any(b"./-")?;
    let second = scan.number(1, 2)?;
    scan.take(separator)?;
    let before = scan.at;
    let year = scan.number(2, 4)?;
    let year = match scan.at - before {
        2 => 2000 + year,
        4 => year,
        _ => return None,
    };
    let short = u8::from(scan.at - before == 2);
    Some(Rendering::new((parts, separator, short), PartialMoment::Day(day(first, second, year)?), scan))
}

/// `16 November 2026`, `16-Nov-2026`.
fn named_month(mut scan: RenderingScan<'_>) -> Option<Rendering> {
    let day = scan.number(1, 2)?;
    let separator = scan.take_any(b" -")?;
    let (month, spelling) = month_named(scan.word())?;
    let comma = scan.take(b',').unwrap_or(0);
    scan.take(separator)?;
    let year = scan.number(4, 4)?;
    let said = PartialMoment::Day(day_of(year, month, day)?);
    Some(Rendering::new(("day name year", separator, comma), said, scan).named(spelling))
}

/// `16/Nov/2026:18:41:17 +0000`, the format of server logs.
fn access_log(mut scan: RenderingScan<'_>) -> Option<Rendering> {
    let day = scan.number(1, 2)?;
    scan.take(b'/')?;
    let (month, spelling) = month_named(scan.word())?;
    scan.take(b'/')?;
    let day = day_of(scan.number(4, 4)?, month, day)?;
    let mut whole = scan;
    let clock = whole.take(b':').and_then(|_| clock_time(&mut whole));
    let ahead = clock.as_ref().and_then(|_| whole.take(b' ')).and_then(|_| zone(&mut whole));
    let rendering = match (clock, ahead) {
        (Some(clock), Some((ahead, form))) => {
            Rendering::new(("access log", form, 0), PartialMoment::Instant(day * DAY_MS + clock.ms - ahead), whole)
        }
        _ => Rendering::new(("day/name/year", 0, 0), PartialMoment::Day(day), scan),
    };
    Some(rendering.named(spelling))
}

/// `18:41`, `18:41:17.5`, `6:41 PM`.
fn time(mut scan: RenderingScan<'_>) -> Option<Rendering> {
    let clock = clock_time(&mut scan)?;
    let parts = if clock.seconds { "seconds" } else { "minutes" };
    let mut ahead = scan;
    let space = ahead.take(b' ').unwrap_or(0);
    let word = ahead.word();
    let half = [("AM", 0), ("PM", 12)].into_iter().find(|(name, _)| word.eq_ignore_ascii_case(name));
    let hour = clock.ms / 3_600_000;
    if let (Some((_, half)), 1..=12) = (half, hour) {
        let ms = clock.ms % 3_600_000 + (hour % 12 + half) * 3_600_000;
        let parts = if clock.seconds { "half seconds" } else { "half minutes" };
        let lower = u8::from(word.starts_with(['a', 'p']));
        return Some(Rendering::new((parts, space, lower), PartialMoment::Time(ms), ahead));
    }
    Some(Rendering::new((parts, 0, 0), PartialMoment::Time(clock.ms), scan))
}

/// Seconds, milliseconds, microseconds or nanoseconds since 1970; seconds and milliseconds optionally with a fraction.
fn epoch(mut scan: RenderingScan<'_>) -> Option<Rendering> {
    let number = scan.number(10, 19)?;
    let (unit, ms) = match scan.at {
        10 => (b's', number * 1000),
        13 => (b'm', number),
        16 => (b'u', number / 1000),
        19 => (b'n', number / 1_000_000),
        _ => return None,
    };
    let mut fraction = scan;
    let has_fraction = fraction.take(b'.').is_some() && fraction.number(1, 12).is_some();
    let scan = if has_fraction { fraction } else { scan };
    Some(Rendering::new(("epoch", unit, u8::from(has_fraction)), PartialMoment::Instant(ms), scan))
}

pub(super) struct ClockTime {
    pub(super) ms: i64,
    pub(super) seconds: bool,
    /// The separator of its parts.
    joint: Option<u8>,
}

/// `18:41`, optionally with seconds and a fraction.
pub(super) fn clock_time(scan: &mut RenderingScan<'_>) -> Option<ClockTime> {
    let mut ahead = *scan;
    let hours = ahead.number(1, 2).filter(|hours| *hours < 24)?;
    ahead.take(b':')?;
    let minutes = ahead.number(2, 2).filter(|minutes| *minutes < 60)?;
    *scan = ahead;
    let seconds = ahead.take(b':').and_then(|_| ahead.number(2, 2)).filter(|seconds| *seconds <= 60);
    if seconds.is_some() {
        *scan = ahead;
        if ahead.take_any(b".,").is_some() && ahead.number(1, 9).is_some() {
            *scan = ahead;
        }
    }
    let ms = ((hours * 60 + minutes) * 60 + seconds.unwrap_or(0)) * 1000;
    Some(ClockTime { ms, seconds: seconds.is_some(), joint: Some(b':') })
}

/// `18-41-17` or `184117`.
fn dashed_time(scan: &mut RenderingScan<'_>) -> Option<ClockTime> {
    let mut further = *scan;
    let (ms, joint) = match further.number(2, 6)? {
        hours if further.at - scan.at == 2 => {
            let minutes = further.take(b'-').and_then(|_| further.number(2, 2))?;
            let seconds = further.take(b'-').and_then(|_| further.number(2, 2))?;
            (of_day(hours, minutes, seconds)?, Some(b'-'))
        }
        all if further.at - scan.at == 6 => (of_day(all / 10_000, all / 100 % 100, all % 100)?, None),
        _ => return None,
    };
    *scan = further;
    Some(ClockTime { ms, seconds: true, joint })
}

/// Milliseconds since midnight; `None` if the time does not exist.
fn of_day(hours: i64, minutes: i64, seconds: i64) -> Option<i64> {
    let is_time = hours < 24 && minutes < 60 && seconds <= 60;
    is_time.then_some(((hours * 60 + minutes) * 60 + seconds) * 1000)
}

/// `Z`, `+02:00`, `+0200`: the offset from UTC in milliseconds, and the notation.
fn zone(scan: &mut RenderingScan<'_>) -> Option<(i64, u8)> {
    if scan.take(b'Z').is_some() {
        return Some((0, b'Z'));
    }
    let mut further = *scan;
    let sign = further.take(b'+').map(|_| 1).or_else(|| further.take(b'-').map(|_| -1))?;
    let (hours, minutes, form) = match further.number(2, 4)? {
        hours if further.at - scan.at == 3 => {
            let minutes = further.take(b':').and_then(|_| further.number(2, 2))?;
            (hours, minutes, b':')
        }
        both => (both / 100, both % 100, b'+'),
    };
    *scan = further;
    Some((sign * (hours * 60 + minutes) * 60_000, form))
}

fn with_time(mut scan: RenderingScan<'_>, digits: usize, parts: &'static str) -> Option<Rendering> {
    let date = scan.number(digits, digits)?;
    let day = day_of_digits(date, digits)?;
    let date_only = Rendering::new((parts, 0, 0), PartialMoment::Day(day), scan);
    let Some(between) = scan.take_any(b"T-_") else { return Some(date_only) };
    let time = scan.number(6, 6).and_then(|time| of_day(time / 10_000, time / 100 % 100, time % 100));
    let Some(time) = time else { return Some(date_only) };
    let zone = scan.take(b'Z');
    let ms = day * DAY_MS + time;
    let said = zone.map_or(PartialMoment::Local(ms), |_| PartialMoment::Instant(ms));
    Some(Rendering::new((parts, between, zone.unwrap_or(1)), said, scan))
}

/// `202611161841`, `20261116184117`, optionally with milliseconds.
fn joined(mut scan: RenderingScan<'_>) -> Option<Rendering> {
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
    let said = zone.map_or(PartialMoment::Local(ms), |_| PartialMoment::Instant(ms));
    Some(Rendering::new((parts, 0, zone.unwrap_or(0)), said, ahead))
}

/// The day of the year: `2026-320`, `2026320`.
fn ordinal(mut scan: RenderingScan<'_>) -> Option<Rendering> {
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
    exists.then(|| Rendering::new(("ordinal", dash, 0), PartialMoment::Day(first + day - 1), scan))
}

/// A date of eight digits, or of six without the century.
fn day_of_digits(date: i64, digits: usize) -> Option<i64> {
    let century = if digits == 6 { 2000 } else { 0 };
    day_of(century + date / 10_000, date / 100 % 100, date % 100)
}

/// Separators of the parts of a date.
const BETWEEN: &[u8] = b" ,-/.:";

/// The year at this position, unless it is part of a date.
pub(super) fn year_alone(bytes: &[u8], at: usize) -> Option<Rendering> {
    let mut scan = RenderingScan::new(bytes.get(at..)?);
    let year = scan.number(4, 4)?;
    let alone = !dated_before(&bytes[..at]) && !dated_after(scan);
    alone.then(|| Rendering::new(("year", 0, 0), PartialMoment::Year(year), scan))
}

/// Whether a text ends with a day or a month and a separator.
fn dated_before(bytes: &[u8]) -> bool {
    let joined = bytes.iter().rev().take(2).take_while(|byte| BETWEEN.contains(byte)).count();
    let before = &bytes[..bytes.len() - joined];
    let letters = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let (rest, word) = before.split_at(before.len() - letters);
    let word = std::str::from_utf8(word).expect("ASCII letters are UTF-8");
    let after_digit = rest.last().is_some_and(u8::is_ascii_digit);
    let ordinal = matches!(word, "" | "st" | "nd" | "rd" | "th" | "Z" | "AM" | "PM" | "am" | "pm");
    (after_digit && ordinal) || month_named(word).is_some()
}

/// Whether a month or a day follows a year.
fn dated_after(mut scan: RenderingScan<'_>) -> bool {
    let joined = BETWEEN.iter().any(|byte| scan.take(*byte).is_some());
    joined && (scan.peek().is_some_and(|byte| byte.is_ascii_digit()) || month_named(scan.word()).is_some())
}
