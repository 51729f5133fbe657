//! Renderings that begin with a letter: `Mon Nov 16 2026`, `November 16, 2026`, `Monday`, `Mon Nov 16 18:41:17 UTC
//! 2026`.

use super::calendar::{DAY_MS, NameSpelling, day_of, month_named, weekday_named};
use super::now::PartialMoment;
use super::numbers::clock_time;
use super::rendering::{Rendering, RenderingScan};

pub(super) fn renderings(bytes: &[u8]) -> Vec<Rendering> {
    let mut scan = RenderingScan::new(bytes);
    let word = scan.word();
    if let Some((weekday, spelling)) = weekday_named(word) {
        return after_weekday(weekday, spelling, scan);
    }
    let Some((month, spelling)) = month_named(word) else { return Vec::new() };
    let mut found = Vec::from_iter(month_and_year(month, spelling, scan));
    found.extend(after_month(month, spelling, scan));
    found
}

fn after_month(month: i64, spelling: NameSpelling, scan: RenderingScan<'_>) -> impl Iterator<Item = Rendering> {
    let readers = [month_first, without_year, with_time];
    readers.into_iter().filter_map(move |read| read(month, spelling, scan))
}

fn after_weekday(weekday: i64, spelling: NameSpelling, scan: RenderingScan<'_>) -> Vec<Rendering> {
    let mut rest = scan;
    let comma = rest.take(b',').unwrap_or(0);
    let mut found = Vec::new();
    if rest.take(b' ').is_some() {
        found.extend(day_first(rest));
        let mut named = rest;
        if let Some((month, of_month)) = month_named(named.word()) {
            found.extend(after_month(month, of_month, named));
        }
    }
    // Distinguishes a comma after the weekday from one after the day.
    for date in &mut found {
        date.style.parts.1 ^= comma << 1;
    }
    found.push(Rendering::new(("weekday", 0, 0), PartialMoment::Weekday(weekday), scan));
    for rendering in &mut found {
        rendering.style.weekday = Some(spelling);
    }
    found
}

/// `November 2026`.
fn month_and_year(month: i64, spelling: NameSpelling, mut scan: RenderingScan<'_>) -> Option<Rendering> {
    scan.take(b' ')?;
    let year = scan.number(4, 4)?;
    Some(Rendering::new(("month year", 0, 0), PartialMoment::Month(year, month), scan).named(spelling))
}

/// `November 16, 2026`, `Nov 16 2026`, `November 16th, 2026`.
fn month_first(month: i64, spelling: NameSpelling, mut scan: RenderingScan<'_>) -> Option<Rendering> {
    scan.take(b' ')?;
    // `ctime` pads with a space.
    scan.take(b' ');
    let day = scan.number(1, 2)?;
    let ordinal = matches!(scan.word(), "st" | "nd" | "rd" | "th");
    let comma = scan.take(b',').unwrap_or(0);
    scan.take(b' ')?;
    let year = scan.number(4, 4)?;
    let said = PartialMoment::Day(day_of(year, month, day)?);
    Some(Rendering::new(("month day year", comma, u8::from(ordinal)), said, scan).named(spelling))
}

/// `November 16`, `Nov 16th`; not if a year or a time follows, which would belong to it.
fn without_year(month: i64, spelling: NameSpelling, mut scan: RenderingScan<'_>) -> Option<Rendering> {
    scan.take(b' ')?;
    let day = scan.number(1, 2)?;
    let mut ordinal = scan;
    let is_ordinal = matches!(ordinal.word(), "st" | "nd" | "rd" | "th");
    let end = if is_ordinal { ordinal } else { scan };
    let mut after = end;
    after.take(b',');
    after.take(b' ');
    if after.peek().is_some_and(|byte| byte.is_ascii_digit()) {
        return None;
    }
    Some(Rendering::new(("month day", 0, u8::from(is_ordinal)), PartialMoment::Date(month, day), end).named(spelling))
}

/// `Nov 16 18:41:17 2026`, optionally with the name of a zone before the year.
fn with_time(month: i64, spelling: NameSpelling, mut scan: RenderingScan<'_>) -> Option<Rendering> {
    scan.take(b' ')?;
    scan.take(b' ');
    let day = scan.number(1, 2)?;
    scan.take(b' ')?;
    let clock = clock_time(&mut scan)?;
    scan.take(b' ')?;
    let zone = !scan.word().is_empty();
    if zone {
        scan.take(b' ')?;
    }
    let year = scan.number(4, 4)?;
    let said = PartialMoment::Local(day_of(year, month, day)? * DAY_MS + clock.ms);
    let style = ("month day time year", u8::from(clock.seconds) << 2, u8::from(zone));
    Some(Rendering::new(style, said, scan).named(spelling))
}

/// `16 Nov 2026` after a weekday.
fn day_first(mut scan: RenderingScan<'_>) -> Option<Rendering> {
    let day = scan.number(1, 2)?;
    let separator = scan.take_any(b" -")?;
    let (month, spelling) = month_named(scan.word())?;
    scan.take(separator)?;
    let year = scan.number(4, 4)?;
    let said = PartialMoment::Day(day_of(year, month, day)?);
    Some(Rendering::new(("weekday day month year", separator, 0), said, scan).named(spelling))
}
