//! Differences that are almost holes, and holes that hardly look like one.

use super::*;

#[test]
fn model_names_must_match_exactly() {
    let of = |model: &str| chat(json!({ "model": model, "messages": [] }));
    for (recorded, sent) in [
        ("ft:gpt-4o:acme::9f86d081884c7d65", "ft:gpt-4o:acme::0a86d081884c7d61"),
        ("gpt-4o-2026-11-16", "gpt-4o-2026-11-17"),
        ("/home/me/shop/model.gguf", "/builds/7/my_shop.x/model.gguf"),
    ] {
        let miss = missed(after(of(recorded), &of(sent), elsewhere(NOW + DAY)));
        assert_eq!((miss.reason.as_str(), miss.nearest.unwrap().at.as_str()), ("the model changed", "/model"));
        assert_eq!(holes(after(of(recorded), &of(recorded), elsewhere(NOW + DAY))), Holes::default());
    }
}

#[test]
fn request_with_unrecorded_body_never_matches() {
    let large = RecordedRequest { body: RecordedBody::TooLarge { bytes: 40_000_000 }, ..chat(json!({})) };
    let miss = missed(after(large.clone(), &large, here(NOW)));
    assert_eq!(miss.reason, "its body is too large to be recorded, so it cannot be compared");
    assert_eq!(missed(after(large, &chat(json!({})), here(NOW))).reason, miss.reason);
}

#[test]
fn folder_in_path_may_differ_between_machines() {
    let of = |folder: &str| get(&format!("/files/{folder}%2Fnotes.txt?raw=1"));
    let found = after(of("%2Fhome%2Fme%2Fshop"), &of("%2Fbuilds%2F7%2Fmy_shop.x"), elsewhere(NOW));
    assert_eq!(holes(found).roots, 1);
    // A fixed path stays the same, also on another machine.
    let fixed = of("%2Fhome%2Fme%2Fshop");
    assert_eq!(holes(after(fixed.clone(), &fixed, elsewhere(NOW))), Holes::default());
    missed(after(fixed.clone(), &of("%2Fhome%2Fme%2Fshop2"), elsewhere(NOW)));
    missed(after(fixed, &of("%2Fbuilds%2F7"), elsewhere(NOW)));
    let plain = get("/tmp/report");
    assert_eq!(holes(after(plain.clone(), &plain, elsewhere(NOW))), Holes::default());
}

#[test]
fn random_temporary_file_names_match() {
    let found = |recorded: &str, sent: &str, here: Circumstances| after(prompt(recorded), &prompt(sent), here);
    for (recorded, sent) in [
        ("wrote /tmp/tmpp3jfiykz", "wrote /tmp/tmp_8ab2xqw"),
        ("see /tmp/agent-ue8o79rh/report.md.", "see /tmp/agent-x1kqz90b/report.md."),
        ("see /tmp/agent-Xa3bQ9/report.md", "see /tmp/agent-mW7pZk/report.md"),
        ("see '/tmp/tmp.Ab3dEf6hIj'", "see '/tmp/tmp.zQ81mLw0Xc'"),
        ("see /tmp/.tmpRk9xQz", "see /tmp/.tmpbW2mVd"),
        ("see /tmp/tmpp3jfiykz.csv, /tmp/tmpp3jfiykz.csv", "see /tmp/tmpx9q2mwfa.csv, /tmp/tmpx9q2mwfa.csv"),
    ] {
        assert!(holes(found(recorded, sent, here(NOW))).ids > 0, "{recorded}");
        let moved = sent.replace("/tmp/", "/var/folders/zz/");
        assert!(holes(found(recorded, &moved, elsewhere(NOW))).ids > 0, "{moved}");
        let other = (recorded.replace("/tmp/", "/data/"), sent.replace("/tmp/", "/data/"));
        missed(found(&other.0, &other.1, here(NOW)));
        let deeper = (recorded.replace("/tmp/", "/tmp/x/"), sent.replace("/tmp/", "/tmp/x/"));
        missed(found(&deeper.0, &deeper.1, here(NOW)));
    }
    for (recorded, sent) in [
        ("/tmp/report.csv", "/tmp/orders.csv"),
        ("/tmp/agent-report", "/tmp/agent-refund"),
        ("/tmp/agent-report01", "/tmp/agent-report02"),
        ("/tmp/agent-report01", "/tmp/agent-refund02"),
        ("/tmp/tmp_reports", "/tmp/tmp_refunds"),
        ("/tmp/tmpp3jfiykz/a.md", "/tmp/tmpx9q2mwfa/b.md"),
        ("/tmp/tmpp3jfiykz", "/tmp/outx9q2mwfa"),
        ("/tmp/tmpp3jfiykz /tmp/tmpaaq8x2lm", "/tmp/tmpx9q2mwfa /tmp/tmpx9q2mwfa"),
        ("/tmp/agent-ue8o79rh/x", "/tmp/agent-ue8o79rx/x"),
    ] {
        missed(found(recorded, sent, here(NOW)));
    }
}

#[test]
fn recent_snowflakes_are_ids() {
    let snowflake = |ms: u64, epoch: u64, low: u64| ((ms - epoch) << 22) | low;
    let (twitter, discord) = (1_288_834_974_657, 1_420_070_400_000);
    for epoch in [twitter, discord] {
        let (one, other) = (snowflake(NOW + 5, epoch, 77), snowflake(NOW + DAY + 9, epoch, 12));
        let text = |id: u64| prompt(&format!("message {id}."));
        let number = |id: u64| chat(json!({ "message": id }));
        for of in [&text as &dyn Fn(u64) -> RecordedRequest, &number] {
            assert_eq!(holes(after(of(one), &of(other), here(NOW + DAY))).ids, 1);
            missed(after(of(one), &of(other), here(NOW + 3 * DAY)));
            missed(after(of(snowflake(NOW - DAY, epoch, 77)), &of(other), here(NOW + DAY)));
            let twice = |one: u64, other: u64| chat(json!({ "l": [format!("{one}"), format!("{other}")] }));
            missed(after(twice(one, one + 1), &twice(other, other), here(NOW + DAY)));
        }
    }
    missed(after(prompt("order 123456789012345678"), &prompt("order 123456789012345679"), here(NOW)));
}

#[test]
fn nanoids_are_ids() {
    let found = after(prompt("V1StGXR8_Z5jdHi6B-myT"), &prompt("3kTMd-aVb8_xQ2LpR0sWz"), here(NOW));
    assert_eq!(holes(found).ids, 1);
    missed(after(prompt("Claude-Sonnet-4-20250"), &prompt("Claude-Sonnet-4-20251"), here(NOW)));
}
