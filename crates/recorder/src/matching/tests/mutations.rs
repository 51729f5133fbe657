//! Any single change outside the holes misses, at its place; any change within the holes matches.

use proptest::prelude::*;

use super::*;

/// The holes of a well-behaved agent.
struct Varying<'v> {
    ids: [String; 2],
    cwd: &'v str,
    home: &'v str,
    tmp: &'v str,
    date: &'v str,
    seconds: u64,
}

fn requests(varying: &Varying<'_>) -> Vec<RecordedRequest> {
    let Varying { ids: [session, other], cwd, home, tmp, date, seconds } = varying;
    let system = format!(
        "You are a clerk.\nToday is {date}.\nWork in {cwd}, notes in {home}/.notes/{session}.\nNever pay 20 twice."
    );
    let arguments = json!({ "path": format!("{cwd}/a.txt"), "amount": 20, "list": [1, "two", null] }).to_string();
    let tool = json!({ "name": "refund", "strict": true, "parameters": { "type": "object", "required": ["amount"] } });
    let call = json!({ "id": "call_abc123def456", "function": { "name": "refund", "arguments": arguments } });
    let openai = json!({
        "model": "gpt-4o", "temperature": 0.5, "stream": true, "tools": [{ "type": "function", "function": tool }],
        "messages": [
            { "role": "system", "content": system }, { "role": "user", "content": "Refund order 1234, due 2031-01-02." },
            { "role": "assistant", "content": null, "tool_calls": [call] },
            { "role": "tool", "tool_call_id": "call_abc123def456", "content": format!("{tmp}/out.log of {other}") },
        ],
        "metadata": { "user_id": json!({ "session": session, "at": seconds, "n": 7 }).to_string() },
    });
    let responses = json!({
        "model": "o", "instructions": system, "prompt_cache_key": session, "max_output_tokens": 4096, "tools": [tool],
        "input": [{ "role": "user", "content": [{ "type": "input_text", "text": "Refund it on Sunday." }] }],
        "client_metadata": { "turn": other, "started": seconds },
    });
    let anthropic = json!({
        "model": "claude-sonnet-4-20250514", "max_tokens": 100, "system": [{ "type": "text", "text": system }],
        "tools": [{ "name": "refund", "input_schema": { "type": "object", "properties": { "amount": { "maximum": 50 } } } }],
        "messages": [{ "role": "user", "content": format!("see {cwd}/b and {session}") }],
    });
    let of = |path: &str, api, body| RecordedRequest { path: path.into(), speaks: Some(api), ..chat(body) };
    vec![
        chat(openai),
        of("/v1/responses", ProviderApi::OpenAiResponses, responses),
        of("/v1/messages", ProviderApi::AnthropicMessages, anthropic),
    ]
}

fn recorded() -> Vec<RecordedRequest> {
    let ids = [A.to_owned(), B.to_owned()];
    let (cwd, home) = ("/home/me/shop", "/home/me");
    requests(&Varying { ids, cwd, home, tmp: "/tmp", date: "2026-11-16", seconds: NOW / 1000 })
}

/// The pointers of all leaves.
fn leaves(value: &Value, at: &str, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                leaves(item, &format!("{at}/{index}"), out);
            }
        }
        Value::Object(map) => {
            for (name, item) in map {
                leaves(item, &format!("{at}/{name}"), out);
            }
        }
        _ => out.push(at.to_owned()),
    }
}

/// A change that no hole allows.
fn change(leaf: &mut Value, seed: usize) {
    match leaf {
        Value::Null => *leaf = json!(false),
        Value::Bool(truth) => *truth = !*truth,
        Value::Number(number) => *leaf = json!(number.as_f64().unwrap_or(0.0) + 86_400.0 * 400.0 + 1.0),
        Value::String(text) => {
            let places: Vec<usize> = (0..=text.len()).filter(|at| text.is_char_boundary(*at)).collect();
            text.insert_str(places[seed % places.len()], " or not ");
        }
        _ => unreachable!("a leaf"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn any_other_change_misses_at_its_location(which in 0..3_usize, leaf in any::<prop::sample::Index>(), seed in any::<usize>()) {
        let mut sent = recorded().swap_remove(which);
        let RecordedBody::Json(body) = &mut sent.body else { unreachable!() };
        let mut pointers = Vec::new();
        leaves(body, "", &mut pointers);
        let at = leaf.get(&pointers).clone();
        change(body.pointer_mut(&at).unwrap(), seed);
        let miss = missed(matcher(recording(recorded()), here(NOW)).answer(&sent));
        let told = miss.nearest.unwrap();
        prop_assert!(told.different > 0);
        prop_assert!(told.at == at || told.at.starts_with(&format!("{at} line")) || told.at.starts_with(&format!("{at}/")), "{} {}", told.at, at);
    }

    #[test]
    fn any_change_within_holes_matches(one in any::<u128>(), other in any::<u128>(), days in 0..3000_u64, minutes in 0..1440_u64) {
        prop_assume!(one != other);
        let uuid = |bits: u128| {
            let hex = format!("{bits:032x}");
            format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
        };
        let now = NOW + days * DAY + minutes * 60_000;
        let date = jiff::Timestamp::from_millisecond(i64::try_from(now).unwrap()).unwrap().strftime("%Y-%m-%d").to_string();
        let (cwd, home, tmp) = ("/builds/7/my_shop.x", "/root", "/var/folders/zz");
        let sent = requests(&Varying { ids: [uuid(one), uuid(other)], cwd, home, tmp, date: &date, seconds: now / 1000 });
        let mut matcher = matcher(recording(recorded()), elsewhere(now));
        for (expected, request) in (1..).zip(&sent) {
            prop_assert_eq!(id(&matcher.answer(request)), expected);
        }
        prop_assert_eq!((matcher.tally().with_holes, matcher.tally().misses), (3, 0));
        // The same requests with the two ids swapped in the last.
        let swapped = requests(&Varying { ids: [uuid(other), uuid(one)], cwd, home, tmp, date: &date, seconds: now / 1000 });
        let mut matcher = super::matcher(recording(recorded()), elsewhere(now));
        matcher.answer(&sent[0]);
        missed(matcher.answer(&swapped[1]));
        missed(matcher.answer(&swapped[2]));
    }
}
