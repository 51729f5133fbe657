//! What is almost a hole, and what is one though it hardly looks so.

use super::*;

#[test]
fn another_model_is_another_model_however_its_name_ends() {
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
fn what_was_not_kept_is_never_taken_for_the_same() {
    let large = Request { body: Body::TooLarge { bytes: 40_000_000 }, ..chat(json!({})) };
    let miss = missed(after(large.clone(), &large, here(NOW)));
    assert_eq!(miss.reason, "its body is too large to be kept, and what is not kept cannot be compared");
    assert_eq!(missed(after(large, &chat(json!({})), here(NOW))).reason, miss.reason);
}

#[test]
fn a_folder_in_a_path_may_be_the_one_of_this_machine() {
    let of = |folder: &str| get(&format!("/files/{folder}%2Fnotes.txt?raw=1"));
    let found = after(of("%2Fhome%2Fme%2Fshop"), &of("%2Fbuilds%2F7%2Fmy_shop.x"), elsewhere(NOW));
    assert_eq!(holes(found).roots, 1);
    // A path that was written down stays what it is, on another machine as well.
    let fixed = of("%2Fhome%2Fme%2Fshop");
    assert_eq!(holes(after(fixed.clone(), &fixed, elsewhere(NOW))), Holes::default());
    missed(after(fixed.clone(), &of("%2Fhome%2Fme%2Fshop2"), elsewhere(NOW)));
    missed(after(fixed, &of("%2Fbuilds%2F7"), elsewhere(NOW)));
    let plain = get("/tmp/report");
    assert_eq!(holes(after(plain.clone(), &plain, elsewhere(NOW))), Holes::default());
}

#[test]
fn nanoids_are_ids() {
    let found = after(prompt("V1StGXR8_Z5jdHi6B-myT"), &prompt("3kTMd-aVb8_xQ2LpR0sWz"), here(NOW));
    assert_eq!(holes(found).ids, 1);
    missed(after(prompt("Claude-Sonnet-4-20250"), &prompt("Claude-Sonnet-4-20251"), here(NOW)));
}
