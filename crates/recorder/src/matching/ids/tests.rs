//! Ids of every kind, and texts that must never count as one.

use super::find::{ids_in, masked, pair_over};

const HEX: &[u8] = b"0123456789abcdef";
const BASE62: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const URL_SAFE: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const BASE36: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789";

/// Random numbers that are the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn of(&mut self, letters: &[u8], count: usize) -> String {
        let letter = |dice: &mut Self| char::from(letters[usize::try_from(dice.roll() >> 33).unwrap() % letters.len()]);
        (0..count).map(|_| letter(self)).collect()
    }
}

/// Whether two texts are equal except for one id that contains the first difference.
fn paired(recorded: &str, sent: &str) -> bool {
    let apart = recorded.bytes().zip(sent.bytes()).take_while(|(one, other)| one == other).count();
    let Some((start, one, other)) = pair_over((recorded, 0, apart), (sent, 0, apart)) else { return false };
    recorded[start + one..] == sent[start + other..]
}

#[test]
fn pairs_ids_of_the_same_kind() {
    type Make = fn(&mut Dice) -> String;
    let last = |dice: &mut Dice| dice.of(b"AQgw", 1);
    let kinds: [(&str, Make); 16] = [
        ("nanoid", |dice| dice.of(URL_SAFE, 21)),
        ("nanoid with a prefix", |dice| format!("sess_{}", dice.of(URL_SAFE, 21))),
        ("token_urlsafe(16)", |dice| dice.of(URL_SAFE, 22)),
        ("token_urlsafe(32)", |dice| dice.of(URL_SAFE, 43)),
        ("ksuid", |dice| dice.of(BASE62, 27)),
        ("openai", |dice| format!("call_{}", dice.of(BASE62, 24))),
        ("stripe", |dice| format!("pi_{}", dice.of(BASE62, 24))),
        ("anthropic", |dice| format!("toolu_01{}", dice.of(BASE62, 22))),
        ("chat completion", |dice| format!("chatcmpl-{}", dice.of(BASE62, 29))),
        ("16 after a prefix", |dice| format!("order_{}", dice.of(BASE62, 16))),
        ("cuid", |dice| format!("c{}", dice.of(BASE36, 24))),
        ("hex 32", |dice| dice.of(HEX, 32)),
        ("hex 16", |dice| dice.of(HEX, 16)),
        ("hex 12", |dice| format!("req_{}", dice.of(HEX, 12))),
        ("hex 8", |dice| format!("req-{}", dice.of(HEX, 8))),
        ("run", |dice| format!("run_20261116T194042_{}", dice.of(HEX, 8))),
    ];
    for (kind, make) in kinds {
        let mut dice = Dice(7);
        let failed = (0..10_000).filter(|_| !paired(&make(&mut dice), &make(&mut dice))).count();
        // Some short ones consist of digits on both sides, and may be numbers as well.
        let most = match kind {
            "hex 8" | "run" => 15,
            "hex 12" | "16 after a prefix" => 3,
            "cuid" => 8,
            _ => 0,
        };
        assert!(failed <= most, "{kind}: {failed}");
    }
    let mut dice = Dice(8);
    let base64 = |dice: &mut Dice| format!("id {}{}== ", dice.of(BASE64, 21), last(dice));
    let failed = (0..10_000).filter(|_| !paired(&base64(&mut dice), &base64(&mut dice))).count();
    assert_eq!(failed, 0, "base64");
}

#[test]
fn does_not_pair_ids_of_different_kinds() {
    for (recorded, sent) in [
        ("user_9f86d081884c7d65", "order_5e6f7a8b9c0d1e2f"),
        ("user_V1StGXR8Z5jdHi6B", "sess_3kTMdaVb8xQ2LpR0"),
        ("order-12345678", "order-12345679"),
        ("order-123456789012", "order-123456789013"),
        ("1234567890123456", "1234567890123457"),
        ("00340434161094042557", "00340434161094042564"),
        ("12345678901234567890123456789012", "12345678901234567890123456789013"),
        ("DE89370400440532013000", "DE75512108001245126199"),
        ("call_abc123def456", "call_weatherlookup"),
        ("user_9f86d081884c", "user_undefined"),
        ("get_WeatherForecastToday", "get_WeatherForecastLater"),
        ("req-1a2b3c4d", "req-1a2b3c4d5"),
        ("1a2b3c4d", "5e6f7a8b"),
        ("part-00000001", "part-00000002"),
        ("feed-face", "feed-cafe"),
    ] {
        assert!(!paired(recorded, sent), "{recorded} {sent}");
    }
}

#[test]
fn recognises_ids_but_not_words_and_numbers() {
    for text in [
        "0193b2a4-7c11-7d3e-9c55-0242ac120002",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV",
        "9f86d081884c7d65",
        "call_abc123def456",
        "call_HjKqWzXvBnMpLrTgYdFs",
        "toolu_01A09q90qw90lq917835lq9",
        "chatcmpl-9f86d081884c7d659a2fx",
        "V1StGXR8_Z5jdHi6B-myT",
        "_1StGXR8-Z5jdHi6B_my-",
        "sess_V1StGXR8_Z5jdHi6B-myT",
        "ab_c1D2e3F4g5H6i7J8k9",
        "0ujsszwN8NRY24YaXiTIE2VWDTS",
        "mE0vq1Jc+t2X/5G7h8K9Lw==",
        "/+0vq1Jc+t2X/5G7h8K9Lw==",
        "clh3am1g30000udocl363eofy",
    ] {
        assert_eq!(ids_in(text).collect::<Vec<_>>(), [text]);
    }
    for text in [
        "get_weather",
        "get_weather_forecast2",
        "claude-sonnet-4-20250514",
        "claude-sonnet-4-5-20250929",
        "gpt-4o-mini-2024-07-18",
        "GPT-4o-Mini-2024-07-18",
        "gemini-2.5-flash-preview-05-20",
        "Llama-3.3-70B-Instruct-Turbo",
        "text-embedding-3-large",
        "mcp__github__create_pull_request",
        "1794800263838",
        "deadbeefdeadbeef",
        "step_12",
        "internationalisation",
        "Claude-Sonnet-4-20250",
        "ClaudeSonnet45Version",
        "get_Weather_for_Day_2",
        "getWeatherForecastForTomorrow",
        "NL80211_RATE_INFO_80P80_MHZ_WIDTH",
        "order-12345678",
        "INV-2026-000123",
        "a_b",
        "1234567890123456",
        "",
    ] {
        assert_eq!(ids_in(text).count(), 0, "{text}");
    }
}

#[test]
fn finds_ids_within_text() {
    let user = "user_9f86d081884c7d659f86d081884c7d65_account_0193b2a4-7c11-7d3e-9c55-0242ac120002_session_0193b2a4-7c11-7d3e-9c55-0242ac120003";
    assert_eq!(ids_in(user).count(), 3);
    assert_eq!(masked("/x/0193b2a4-7c11-7d3e-9c55-0242ac120002/y"), "/x/\u{0}/y");
    assert_eq!(
        ids_in("é call_abc123def456, run_1794854477_1a2b3c4d.").collect::<Vec<_>>(),
        ["call_abc123def456", "1a2b3c4d"]
    );
}

/// The content of all documents below a folder.
fn documents(folder: &std::path::Path, out: &mut String) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            documents(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            out.push_str(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn finds_no_ids_in_documentation() {
    let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut text = String::new();
    documents(&project.join("docs"), &mut text);
    let sources = ["crates/recorder/src/session/running.rs", "crates/recorder/src/providers/prices.rs"];
    for file in ["README.md", "CHANGELOG.md"].into_iter().chain(sources) {
        text.push_str(&std::fs::read_to_string(project.join(file)).unwrap());
    }
    assert!(text.split_whitespace().count() > 50_000);
    // An example of an id.
    assert_eq!(ids_in(&text).collect::<Vec<_>>(), ["1a2b3c4d"]);
}
