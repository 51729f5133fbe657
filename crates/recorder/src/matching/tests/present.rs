//! Well-behaved agents that state the current time.

use super::*;

/// The day before Berlin sets its clocks back.
const BEFORE_DST: u64 = 1_792_800_000_000; // 2026-10-24T00:00:00Z

fn clock(recorded: &str, then: (u64, i32), sent: &str, now: (u64, i32)) -> Answered {
    let mut recording = recording(vec![prompt(recorded)]);
    (recording.header.now_ms, recording.header.offset_s) = then;
    let here = Circumstances { offset_s: now.1, ..here(now.0) };
    matcher(recording, here).answer(&prompt(sent))
}

#[test]
fn current_date_may_differ() {
    // Monday 2026-11-16, Tuesday 2026-11-17, Saturday 2027-05-01.
    let may = 1_809_196_877_250;
    for (recorded, tomorrow, later) in [
        ("2026-11-16", "2026-11-17", "2027-05-01"),
        ("Mon Nov 16 2026", "Tue Nov 17 2026", "Sat May 1 2027"),
        ("November 16, 2026", "November 17, 2026", "May 1, 2027"),
        ("Monday, November 16, 2026", "Tuesday, November 17, 2026", "Saturday, May 1, 2027"),
        ("16.11.2026", "17.11.2026", "1.5.2027"),
        ("11/16/2026", "11/17/2026", "5/1/2027"),
        ("16 November 2026", "17 November 2026", "1 May 2027"),
        ("Monday", "Tuesday", "Saturday"),
        ("2026/11/16", "2026/11/17", "2027/05/01"),
        ("20261116", "20261117", "20270501"),
        ("Mon, 16 Nov 2026 18:41:17 GMT", "Tue, 17 Nov 2026 18:41:17 GMT", "Sat, 01 May 2027 18:41:17 GMT"),
        ("2026-11-16T18:41:17.250Z", "2026-11-17T18:41:19Z", "2027-05-01T18:41:17.1Z"),
        ("2026-11-16 18:41", "2026-11-17 18:42", "2027-05-01 18:41"),
        ("Mon Nov 16 18:41:17 UTC 2026", "Tue Nov 17 18:41:17 UTC 2026", "Sat May  1 18:41:17 UTC 2027"),
        ("November 16", "November 17", "May 1"),
        ("Nov 16th", "Nov 17th", "May 1st"),
        ("Monday, November 16", "Tuesday, November 17", "Saturday, May 1"),
        ("report_20261116184117.pdf", "report_20261117184119.pdf", "report_20270501184117.pdf"),
        ("202611161841", "202611171841", "202705011842"),
        ("backup-2026-11-16_18-41-17", "backup-2026-11-17_18-41-20", "backup-2027-05-01_18-41-17"),
        ("261116", "261117", "270501"),
        ("2026-320", "2026-321", "2027-121"),
        ("2026320", "2026321", "2027121"),
        ("16/Nov/2026:18:41:17 +0000", "17/Nov/2026:18:41:18 +0000", "01/May/2027:18:41:17 +0000"),
        ("11/16/26", "11/17/26", "05/01/27"),
        ("16.11.26", "17.11.26", "01.05.27"),
        ("1794854477", "1794940877", "1809196877"),
        ("1794854477250", "1794940877250", "1809196877250"),
        ("1794854477.25", "1794940877.251", "1809196877.0"),
    ] {
        for (sent, now) in [(tomorrow, NOW + DAY), (later, may)] {
            let of = |date: &str| format!("You are a clerk.\nToday is {date}. Be kind.");
            let found = holes(clock(&of(recorded), (NOW, 0), &of(sent), (now, 0)));
            assert!(found.clock >= 1 && found.ids == 0, "{recorded} {sent}");
            // The same words on a day on which they are wrong.
            missed(clock(&of(recorded), (NOW, 0), &of(sent), (now + 3 * DAY + 5 * HOUR, 0)));
            missed(clock(&of(recorded), (NOW - 3 * DAY - 5 * HOUR, 0), &of(sent), (now, 0)));
        }
    }
}

#[test]
fn current_year_may_differ() {
    let year = 366 * DAY;
    assert_eq!(holes(clock("It is 2026, be kind", (NOW, 0), "It is 2027, be kind", (NOW + year, 0))).clock, 1);
    missed(clock("It is 2026", (NOW, 0), "It is 2027", (NOW, 0)));
    missed(clock("It is 2025", (NOW, 0), "It is 2026", (NOW + year, 0)));
    for (recorded, sent) in [
        ("born on 3 March 2026", "born on 3 March 2027"),
        ("due April 15, 2026", "due April 15, 2027"),
        ("due April 15th 2026", "due April 15th 2027"),
        ("due 15/04/2026", "due 15/04/2027"),
        ("due 2026-04-15", "due 2027-04-15"),
        ("2026 April 15", "2027 April 15"),
        ("order 92026", "order 92027"),
    ] {
        missed(clock(recorded, (NOW, 0), sent, (NOW + year, 0)));
    }
    // A date of another year is not today, though its day and month are.
    missed(clock("since November 16, 2025", (NOW, 0), "since November 17, 2025", (NOW + DAY, 0)));
    missed(clock("since November 16 2025", (NOW, 0), "since November 17 2025", (NOW + DAY, 0)));
}

#[test]
fn different_date_format_does_not_match() {
    for (recorded, sent) in [
        ("2026-11-16", "17.11.2026"),
        ("Mon Nov 16 2026", "Tuesday Nov 17 2026"),
        ("November 16, 2026", "November 17 2026"),
        ("2026-11-16T18:41:17Z", "2026-11-17T18:41:17"),
        ("Monday", "tuesday"),
        ("1794854477", "1794940877250"),
        ("A 2026-11-16", "B 2026-11-17"),
    ] {
        missed(clock(recorded, (NOW, 0), sent, (NOW + DAY, 0)));
    }
}

#[test]
fn current_date_matches_in_local_time_or_utc() {
    let late = NOW + 5 * HOUR; // 23:41 UTC, 00:41 in Berlin
    assert_eq!(holes(clock("2026-11-17", (late, 3600), "2026-11-18", (late + DAY, 3600))).clock, 1);
    assert_eq!(holes(clock("2026-11-16", (late, 3600), "2026-11-17", (late + DAY, 3600))).clock, 1);
    // UTC in the recording, and local time now.
    missed(clock("2026-11-16", (late, 3600), "2026-11-18", (late + DAY, 3600)));
    assert_eq!(holes(clock("at 00:41", (late, 3600), "at 05:41", (late + 5 * HOUR, 3600))).clock, 1);
    assert_eq!(holes(clock("at 6:41 PM", (NOW, 0), "at 12:41 AM", (NOW + 6 * HOUR, 0))).clock, 1);
    missed(clock("at 6:41 PM", (NOW, 0), "at 12:41 PM", (NOW + 6 * HOUR, 0)));
}

#[test]
fn current_time_matches_across_dst_change() {
    let (summer, winter) = ((BEFORE_DST + 23 * HOUR, 7200), (BEFORE_DST + 2 * DAY + HOUR / 2, 3600));
    let text = "2026-10-25T01:00:00+02:00 (2026-10-25 01:00, Sunday)";
    let sent = "2026-10-26T01:30:00+01:00 (2026-10-26 01:30, Monday)";
    assert_eq!(holes(clock(text, summer, sent, winter)).clock, 3);
}

#[test]
fn current_date_matches_across_midnight() {
    let almost = 1_794_873_590_000; // 2026-11-16T23:59:50Z
    let request = |date: &str, seconds: u64| RecordedRequest { at_us: seconds * 1_000_000, ..prompt(date) };
    let mut recorded = recording(vec![request("2026-11-17", 15)]);
    recorded.header.now_ms = almost;
    let noon = almost + DAY + 12 * HOUR;
    assert_eq!(holes(matcher(recorded.clone(), here(noon)).answer(&request("2026-11-18", 1))).clock, 1);
}

#[test]
fn current_date_in_path_may_differ() {
    let found = |recorded: &str, sent: &str| after(get(recorded), &get(sent), here(NOW + DAY));
    for (recorded, sent) in [
        ("/report/2026-11-16", "/report/2026-11-17"),
        ("/report_20261116.pdf", "/report_20261117.pdf"),
        ("/2026/11/16/report?day=2026-11-16", "/2026/11/17/report?day=2026-11-17"),
        ("/report_20261116184117.pdf", "/report_20261117184117.pdf"),
    ] {
        assert!(holes(found(recorded, sent)).clock >= 1, "{recorded}");
        assert_eq!(holes(found(recorded, recorded)), Holes::default(), "a fixed date stays");
    }
    for (recorded, sent) in [
        ("/report/2026-11-10", "/report/2026-11-11"),
        ("/report/2026-11-16", "/report/2026-11-18"),
        ("/report/2026-11-16", "/reports/2026-11-17"),
        ("/report/2026-11-16/a", "/report/2026-11-17/b"),
        ("/orders/20261", "/orders/20262"),
        ("/v1/orders", "/v2/orders"),
    ] {
        missed(found(recorded, sent));
    }
}

/// A request with a time in it, this many seconds after the start of its session.
fn at(seconds: u64, body: Value) -> RecordedRequest {
    RecordedRequest { at_us: seconds * 1_000_000, ..chat(body) }
}

#[test]
fn expiry_time_does_not_match_past_time() {
    let start = NOW / 1000;
    let text = |seconds: u64| jiff::Timestamp::from_second(i64::try_from(seconds).unwrap()).unwrap().to_string();
    let both = |seconds: u64| json!({ "expires": seconds, "text": format!("until {}", text(seconds)) });
    let answer = |recorded: RecordedRequest, sent: RecordedRequest| {
        let mut matcher = matcher(recording(vec![recorded]), here(NOW + DAY));
        matcher.answer(&sent)
    };
    let tomorrow = start + DAY / 1000;
    assert_eq!(missed_at(answer(at(5, both(start + 300)), at(5, both(tomorrow - 300)))), "/expires");
    missed(answer(at(5, json!({ "t": text(start + 9) })), at(5, json!({ "t": text(tomorrow + 540) }))));
    missed(answer(at(5, json!({ "t": start })), at(5, json!({ "t": tomorrow - 200 }))));
    assert_eq!(holes(answer(at(5, both(start + 302)), at(1, both(tomorrow + 300)))).clock, 2);
    // The agent read the clock when it started, and sends that time late.
    for (recorded, sent) in [(400, 1), (1, 400), (400, 400)] {
        assert_eq!(holes(answer(at(recorded, both(start + 300)), at(sent, both(tomorrow + 300)))).clock, 2);
        assert_eq!(holes(answer(at(recorded, both(start)), at(sent, both(tomorrow + sent)))).clock, 2);
    }
    // Rounded down to five minutes: 77 and 299 seconds ago.
    let rounded = |seconds: u64| seconds / 300 * 300;
    let later = Circumstances { now_ms: NOW + DAY + 222_000, ..here(NOW) };
    let mut matcher = matcher(recording(vec![at(1, both(rounded(start)))]), later);
    assert_eq!(holes(matcher.answer(&at(1, both(rounded(tomorrow + 222))))).clock, 2);
}

#[test]
fn unchanged_date_is_equal() {
    assert_eq!(holes(clock("since 2026-11-16", (NOW, 0), "since 2026-11-16", (NOW + DAY, 0))), Holes::default());
}

#[test]
fn numeric_current_timestamps_may_differ() {
    let of = |number: Value| chat(json!({ "at": number }));
    for (recorded, sent) in [
        (json!(1_794_854_477), json!(1_794_940_877)),
        (json!(1_794_854_477.25), json!(1_794_940_878.5)),
        (json!(1_794_854_477_250_u64), json!(1_794_940_877_250_u64)),
        (json!(1_794_854_477_250_000_000_u64), json!(1_794_940_877_250_000_000_u64)),
    ] {
        assert_eq!(holes(after(of(recorded.clone()), &of(sent.clone()), here(NOW + DAY))).clock, 1);
        missed(after(of(recorded), &of(sent), here(NOW + 2 * DAY)));
    }
    missed(after(of(json!(1_794_854_477)), &of(json!(1_794_940_877_250_u64)), here(NOW + DAY)));
}
