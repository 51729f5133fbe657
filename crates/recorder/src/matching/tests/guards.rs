//! What must miss, and what must not.

use super::*;

fn tools(description: &str) -> RecordedRequest {
    let parameters =
        json!({ "type": "object", "properties": { "amount": { "type": "number", "description": description } } });
    chat(
        json!({ "messages": [], "tools": [{ "type": "function", "function": { "name": "refund", "parameters": parameters } }] }),
    )
}

#[test]
fn values_outside_holes_must_be_equal() {
    for (recorded, sent, at) in [
        (prompt("refund it"), prompt("return it"), "/messages/0/content"),
        (prompt("pay 20"), prompt("pay 21"), "/messages/0/content"),
        (prompt("due 2026-12-24"), prompt("due 2026-12-25"), "/messages/0/content"),
        (tools("in euros"), tools("in cents"), "/tools/0/function/parameters/properties/amount/description"),
        (get("/x?day=5&q=1"), get("/x?day=6&q=1"), "query `day`"),
        (get("/x?a=1&a=2"), get("/x?a=2&a=1"), "query `a`"),
        (get("/x?a=1"), get("/x?a=1&b=2"), "query `b`"),
        (chat(json!({ "n": 20 })), chat(json!({ "n": 21 })), "/n"),
        (chat(json!({ "n": 9_007_199_254_740_993_u64 })), chat(json!({ "n": 9_007_199_254_740_992_u64 })), "/n"),
        (chat(json!({ "n": 1 })), chat(json!({ "n": "1" })), "/n"),
        (chat(json!({ "l": [1, 2] })), chat(json!({ "l": [2, 1] })), "/l/0"),
        (chat(json!({ "l": [1] })), chat(json!({ "l": [1, 2] })), "/l/1"),
        (chat(json!({ "s": "{\"a\":[1]}" })), chat(json!({ "s": "{\"a\":[2]}" })), "/s/a/0"),
        (chat(json!({ "s": { "a": 1 } })), chat(json!({ "s": "{\"a\":1}" })), "/s"),
        (prompt("see /tmp/a"), prompt("see /tmpfoo/a"), "/messages/0/content"),
    ] {
        assert_eq!(missed_at(after(recorded, &sent, here(NOW + DAY))), at);
    }
}

#[test]
fn json_formatting_is_ignored() {
    for (recorded, sent) in [
        (r#"{"a":20,"b":[1e2]}"#, r#"{"b":[100],"a":20.0}"#),
        (r#"{"s":"{\"a\":1,\"b\":\"x\"}"}"#, r#"{"s":"{ \"b\": \"x\", \"a\": 1.0 }"}"#),
        (r#"{"s":"{\"a\":\"y\",\"b\":\"x\"}"}"#, r#"{"s":"{\"b\":\"x\",\"a\":\"y\"}"}"#),
    ] {
        let of = |json: &str| chat(serde_json::from_str(json).unwrap());
        assert_eq!(holes(after(of(recorded), &of(sent), here(NOW))), Holes::default());
    }
}

#[test]
fn equivalent_origins_and_paths_match() {
    let mut sent = prompt("x");
    sent.path = "/chat/completions".into();
    assert_eq!(holes(after(prompt("x"), &sent, here(NOW))), Holes::default());
    let other = RecordedRequest { origin: "http://127.0.0.1:8080".into(), ..get("/x") };
    assert_eq!(holes(after(get("/x"), &other, here(NOW))), Holes::default());
    let port = RecordedRequest { origin: "http://localhost:8081".into(), ..get("/x") };
    assert!(missed(after(get("/x"), &port, here(NOW))).nearest.is_none());
}

#[test]
fn ids_are_paired_one_to_one() {
    let of = |a: &str, b: &str, c: &str| chat(json!({ "a": a, "b": b, "c": format!("again {c} ok") }));
    assert_eq!(holes(after(of(A, B, A), &of(C, D, C), here(NOW))).ids, 3);
    // Swapped, one for two, two for one, one that stays at one place and changes at another.
    for sent in [of(B, A, B), of(C, C, C), of(C, D, D), of(A, D, C), of(C, B, A), of(B, C, B)] {
        missed(after(of(A, B, A), &sent, here(NOW)));
    }
}

#[test]
fn id_pairs_apply_to_the_whole_session() {
    let of = |text: &str, id: &str| chat(json!({ "text": text, "session": id }));
    let recorded = || recording(vec![of("one", A), of("two", A)]);
    let mut honest = matcher(recorded(), here(NOW));
    assert_eq!((id(&honest.answer(&of("one", C))), id(&honest.answer(&of("two", C)))), (1, 2));
    let mut other = matcher(recorded(), here(NOW));
    other.answer(&of("one", C));
    assert_eq!(missed_at(other.answer(&of("two", D))), "/session");
    let mut partly = matcher(recorded(), here(NOW));
    partly.answer(&of("one", A));
    assert_eq!(missed_at(partly.answer(&of("two", D))), "/session");
}

#[test]
fn ids_from_recorded_responses_must_match_exactly() {
    let result = |call: &str| chat(json!({ "messages": [{ "role": "tool", "tool_call_id": call, "content": "ok" }] }));
    let recorded = || {
        let mut second = exchange(2, result("call_abc123def456"), "{}");
        second.request.at_us = 5000;
        second.end.at_us = 6000;
        Recording {
            exchanges: vec![exchange(1, prompt("x"), r#"{"id":"call_abc123def456"}"#), second],
            ..recording(vec![])
        }
    };
    let mut replay = matcher(recorded(), here(NOW));
    replay.answer(&prompt("x"));
    assert_eq!(missed_at(replay.answer(&result("call_zzz999yyy888"))), "/messages/0/tool_call_id");
    assert_eq!(holes(replay.answer(&result("call_abc123def456"))), Holes::default());
}

#[test]
fn agent_ids_echoed_in_responses_may_still_differ() {
    let of = |text: &str, id: &str| chat(json!({ "text": text, "session": id }));
    let mut recorded = recording(vec![of("one", A), of("two", A), of("three", A)]);
    recorded.exchanges[0] = exchange(1, of("one", A), &format!("{{\"session\":\"{A}\"}}"));
    let mut replay = matcher(recorded, here(NOW));
    assert_eq!(holes(replay.answer(&of("one", C))).ids, 1);
    assert_eq!(holes(replay.answer(&of("two", C))).ids, 1);
    assert_eq!(holes(replay.answer(&of("three", A))).ids, 0, "it may also believe the answer");
}

#[test]
fn equal_request_pairs_ids_with_themselves() {
    let order = |text: &str, ids: &[&str]| prompt(&format!("{text} {}", ids.join(" and ")));
    let recorded = |answer: &str| {
        let mut recorded = recording(vec![order("look at", &[A, B]), order("refund", &[A]), order("close", &[B])]);
        recorded.exchanges[0] = exchange(1, order("look at", &[A, B]), answer);
        recorded
    };
    // Whether answers repeat the ids or not.
    for answer in ["{}", &format!("{{\"seen\": [\"{A}\", \"{B}\"]}}")] {
        let mut replay = matcher(recorded(answer), here(NOW));
        assert_eq!(holes(replay.answer(&order("look at", &[A, B]))), Holes::default());
        assert_eq!(missed_at(replay.answer(&order("refund", &[D]))), "/messages/0/content");
        missed(replay.answer(&order("close", &[A])));
        assert_eq!(holes(replay.answer(&order("close", &[B]))), Holes::default());
    }
}

#[test]
fn ids_given_to_the_agent_must_match_exactly() {
    let of = |id: &str| chat(json!({ "order": id }));
    let mut recorded = recording(vec![of(A)]);
    let given = |texts: &[&str]| MatchRules {
        given: texts.iter().map(|text| (*text).to_owned()).collect(),
        ..MatchRules::default()
    };
    let answer = |recording: &Recording, given: MatchRules, id: &str| {
        Matcher::new(Arc::new(recording.clone()), here(NOW), given).answer(&of(id))
    };
    assert_eq!(holes(answer(&recorded, given(&[]), C)).ids, 1);
    // The input of the case now contains another order.
    assert_eq!(missed_at(answer(&recorded, given(&[&format!("Refund {C}.")]), C)), "/order");
    assert_eq!(holes(answer(&recorded, given(&[&format!("Refund {A}.")]), A)), Holes::default());
    missed(answer(&recorded, given(&[&format!("Refund {A}.")]), C));
    recorded.header.command = vec!["agent.py".into(), format!("--order={A}")];
    missed(answer(&recorded, given(&[]), C));
    missed(answer(&recorded, given(&["agent.py", &format!("--order={C}")]), C));
    assert_eq!(holes(answer(&recorded, given(&[]), A)), Holes::default());
}

#[test]
fn differing_ids_are_counted_and_reported() {
    let of = |text: &str, one: &str, other: &str| chat(json!({ "text": format!("{text} {one}"), "l": [other, one] }));
    let mut replay = matcher(recording(vec![of("one", A, B), of("two", A, B)]), here(NOW));
    replay.answer(&of("one", C, B));
    replay.answer(&of("two", C, B));
    let tally = replay.tally();
    let told: Vec<String> = tally.examples.iter().map(ToString::to_string).collect();
    assert_eq!((tally.renamed, told), (1, vec!["0193b2a4..000a -> c0ffee00..6666 (call 1 /text)".to_owned()]));
    // All are counted, and a few are listed.
    let many = |first: u8| {
        let ids: Vec<String> = (0..20).map(|id| format!("{:08x}-1111-4222-8333-444455556666", first + id)).collect();
        chat(json!({ "ids": ids }))
    };
    let mut replay = matcher(recording(vec![many(1)]), here(NOW));
    replay.answer(&many(100));
    assert_eq!((replay.tally().renamed, replay.tally().examples.len()), (20, 5));
}

#[test]
fn folder_locations_may_differ() {
    for (recorded, sent) in [
        ("cwd: /home/me/shop", "cwd: /builds/7/my_shop.x"),
        ("read /home/me/shop/src/a.rs, then /home/me/.rc.", "read /builds/7/my_shop.x/src/a.rs, then /root/.rc."),
        ("~/.claude/projects/-home-me-shop/memory", "~/.claude/projects/-builds-7-my-shop-x/memory"),
        (
            "file:///home/me/shop/x and %2Fhome%2Fme%2Fshop",
            "file:///builds/7/my_shop.x/x and %2Fbuilds%2F7%2Fmy_shop.x",
        ),
        ("/tmp/data.csv", "/var/folders/zz/data.csv"),
        ("/tmp/data.csv and /tmp/x", "/tmp/data.csv and /var/folders/zz/x"),
    ] {
        assert!(holes(after(prompt(recorded), &prompt(sent), elsewhere(NOW))).roots > 0, "{recorded}");
    }
    for (recorded, sent) in [
        ("/home/me/shop2", "/builds/7/my_shop.x2"),
        ("/home/me/shop/a", "/builds/7/my_shop.x/b"),
        ("/home/me/shop/a", "/root/a"),
        ("/etc/passwd", "/root/passwd"),
        ("/home/mean", "/rootan"),
    ] {
        missed(after(prompt(recorded), &prompt(sent), elsewhere(NOW)));
    }
}

#[test]
fn distinguishes_folder_nested_in_recorded_one() {
    let within = Circumstances { roots: roots("/home/me/shop/shop", "/home/me", "/tmp"), ..here(NOW) };
    let answered = after(prompt("at /home/me/shop/shop/x"), &prompt("at /home/me/shop/shop/shop/x"), within);
    assert_eq!(holes(answered).roots, 1);
}

#[test]
fn object_keys_may_be_paths_and_ids() {
    let of = |path: &str, id: &str, size: u64| {
        let sizes = json!({ "total-2": 1, format!("{path}/b.rs"): size, id: 7, format!("{path}/a.rs"): 3 });
        chat(json!({ "sizes": sizes, "text": sizes.to_string() }))
    };
    let found = holes(after(of("/home/me/shop", A, 5), &of("/builds/7/my_shop.x", C, 5), elsewhere(NOW)));
    assert_eq!((found.roots, found.ids), (4, 2));
    let at = missed_at(after(of("/home/me/shop", A, 5), &of("/builds/7/my_shop.x", C, 6), elsewhere(NOW)));
    assert_eq!(at, "/sizes/~1home~1me~1shop~1b.rs");
    missed(after(of("/home/me/shop", A, 5), &of("/etc", A, 5), elsewhere(NOW)));
}

#[test]
fn redacted_secrets_match_any_value() {
    let recorded = prompt("the key is [REDACTED], use it on 2026-11-16");
    let sent = prompt("the key is abc123, use it on 2026-11-17");
    assert_eq!(holes(after(recorded.clone(), &sent, here(NOW + DAY))).clock, 1);
    missed(after(recorded, &prompt("the key is abc123, burn it on 2026-11-17"), here(NOW + DAY)));
    assert_eq!(holes(after(get("/x?key=[REDACTED]"), &get("/x?key=s3cret"), here(NOW))), Holes::default());
}

#[test]
fn configured_ignore_rules_are_applied_and_counted() {
    let of = |system: &str, seed: u64| {
        chat(
            json!({ "seed": seed, "messages": [{ "role": "system", "content": system }, { "role": "user", "content": "x" }] }),
        )
    };
    let answer = |rules: MatchRules, sent: &RecordedRequest| {
        Matcher::new(Arc::new(recording(vec![of("old", 1)])), here(NOW), rules).answer(sent)
    };
    let system = MatchRules { system: false, ..MatchRules::default() };
    assert_eq!(holes(answer(system.clone(), &of("new", 1))).ignored, 1);
    assert_eq!(missed_at(answer(system, &of("new", 2))), "/seed");
    let pointers = MatchRules { ignore: vec!["/messages/*/content".into(), "/seed".into()], ..MatchRules::default() };
    assert_eq!(holes(answer(pointers.clone(), &of("new", 2))).ignored, 2);
    let mut without = of("new", 2);
    let RecordedBody::Json(body) = &mut without.body else { unreachable!() };
    body.as_object_mut().unwrap().remove("seed");
    assert_eq!(holes(answer(pointers, &without)).ignored, 2);
}

#[test]
fn applies_learned_holes_and_compares_headers() {
    let of = |seed: u64, version: &str| RecordedRequest {
        headers: vec![("x-version".into(), version.into())],
        ..chat(json!({ "meta": format!("{{\"seed\":{seed}}}") }))
    };
    let mut recorded = recording(vec![of(1, "1")]);
    let learned =
        crate::LearnedHole { speaks: Some(ProviderApi::OpenAiChat), at: "/meta/seed".into(), from: "rehearsal".into() };
    recorded.holes.push(learned);
    let rules = MatchRules { headers: vec!["X-Version".into()], ..MatchRules::default() };
    let mut strict = Matcher::new(Arc::new(recorded.clone()), here(NOW), rules);
    assert_eq!(missed_at(strict.answer(&of(2, "2"))), "header `x-version`");
    assert_eq!(holes(matcher(recorded, here(NOW)).answer(&of(2, "2"))).learned, 1);
}

#[test]
fn compares_multipart_bodies_by_part() {
    let of = |file: &str, content: &[u8]| {
        let part = |name: &str, filename: Option<&str>, content: &[u8]| crate::FormPart {
            name: name.into(),
            filename: filename.map(str::to_owned),
            content: Bytes::copy_from_slice(content),
            ..crate::FormPart::default()
        };
        let parts = vec![part("purpose", None, b"assistants"), part("file", Some(file), content)];
        RecordedRequest { method: "POST".into(), body: RecordedBody::Parts(parts), ..get("/files") }
    };
    let name = |id: &str| format!("{id}.csv");
    assert_eq!(holes(after(of(&name(A), b"a,b"), &of(&name(C), b"a,b"), here(NOW))).ids, 1);
    assert_eq!(missed_at(after(of(&name(A), b"a,b"), &of(&name(A), b"a,c"), here(NOW))), "/1/content");
    assert_eq!(missed_at(after(of(&name(A), &[255, 1]), &of(&name(A), &[255, 2]), here(NOW))), "/1/content/sha256");
}

/// A conversation with Gemini whose second request has a call and its result, with these ids.
fn gemini(call: &str, result: &str, city: &str) -> RecordedRequest {
    let contents = json!([
        { "role": "user", "parts": [{ "text": "weather?" }] },
        { "role": "model", "parts": [{ "functionCall": { "id": call, "name": "weather", "args": { "city": city } } }] },
        { "role": "user", "parts": [{ "functionResponse": { "id": result, "name": "weather", "response": {} } }] },
    ]);
    RecordedRequest {
        path: "/v1beta/models/m:generateContent".into(),
        origin: "https://generativelanguage.googleapis.com".into(),
        speaks: Some(ProviderApi::Gemini),
        ..chat(json!({ "contents": contents }))
    }
}

#[test]
fn agent_generated_call_ids_may_have_any_format() {
    let recorded = gemini("QxFQeVbMYXdpkCgw", "QxFQeVbMYXdpkCgw", "Paris");
    let sent = gemini("b7KpQ2mZr9TtWx4c", "b7KpQ2mZr9TtWx4c", "Paris");
    assert_eq!(holes(after(recorded, &sent, here(NOW))), Holes { ids: 2, ..Holes::default() });
}

#[test]
fn result_id_must_match_its_call() {
    let recorded = || gemini("QxFQeVbMYXdpkCgw", "QxFQeVbMYXdpkCgw", "Paris");
    let result = "/contents/2/parts/0/functionResponse/id";
    for sent in [
        gemini("b7KpQ2mZr9TtWx4c", "QxFQeVbMYXdpkCgw", "Paris"),
        gemini("QxFQeVbMYXdpkCgw", "b7KpQ2mZr9TtWx4c", "Paris"),
        gemini("b7KpQ2mZr9TtWx4c", "b7KpQ2mZr9TtWx4d", "Paris"),
    ] {
        assert_eq!(missed_at(after(recorded(), &sent, here(NOW))), result);
    }
    let other_city = gemini("b7KpQ2mZr9TtWx4c", "b7KpQ2mZr9TtWx4c", "Rome");
    assert_eq!(missed_at(after(recorded(), &other_city, here(NOW))), "/contents/1/parts/0/functionCall/args/city");
}

#[test]
fn call_id_from_the_model_must_match_exactly() {
    let first = RecordedRequest { at_us: 1, ..prompt("weather?") };
    let second = RecordedRequest { at_us: 10_000, ..gemini("callOne", "callOne", "Paris") };
    let mut recording = recording(vec![first, second]);
    let said = exchange(1, recording.exchanges[0].request.clone(), r#"{"functionCall": {"id": "callOne"}}"#);
    recording.exchanges[0] = said;
    let of = |call| gemini(call, call, "Paris");
    let call = "/contents/1/parts/0/functionCall/id";
    assert_eq!(missed_at(matcher(recording.clone(), here(NOW)).answer(&of("callTwo"))), call);
    assert_eq!(id(&matcher(recording, here(NOW)).answer(&of("callOne"))), 2);
}
