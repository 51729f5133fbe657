//! Requests that no fixture matches.

use serde_json::{Value, json};

use crate::served::{Opening, ask, fixture, for_any, get, open, post, routes, serve, start, tool};

#[tokio::test]
async fn miss_reports_closest_fixture_and_first_difference() {
    let fixtures = [
        fixture(json!({"ids": [1], "region": "UK"}), json!(1)),
        fixture(json!({"ids": [999_999], "region": "US"}), json!(2)),
    ];
    let (server, session) = serve([tool("paySlips", fixtures)]).await;
    let answer = post(&server, "/paySlips", &json!({"ids": [999_998], "region": "US"})).await;
    assert_eq!((answer.status, answer.header("content-type")), (500, Some("application/json")));
    let body = answer.json();
    assert_eq!(body["error"], "no fixture of `paySlips` matches this request");
    assert_eq!(body["tool"], "paySlips");
    assert_eq!(
        body["closest"],
        json!({"fixture": "fixture 2 on line 7", "request": {"ids": [999_999], "region": "US"}})
    );
    assert_eq!(body["difference"], json!({"at": "/ids/0", "expected": 999_999, "got": 999_998}));
    let [miss] = session.misses().try_into().unwrap();
    assert_eq!(miss.message, "no fixture of `paySlips` matches this request");
    assert_eq!(miss.notes[0], r#"requested: POST paySlips {"ids":[999998],"region":"US"}"#);
    assert_eq!(
        miss.notes[1],
        "first difference from the closest fixture: at /ids/0 it has 999999, the agent sent 999998"
    );
    assert!(miss.notes[2].starts_with(r#"closest: fixture 2 on line 7 {"ids":[999999],"region":"US"} (likeness 0."#));
    assert_eq!(json!(miss.notes), body["notes"]);
}

#[tokio::test]
async fn differences_use_fixture_types() {
    let (server, _session) = serve([tool("find", [fixture(json!({"id": 17, "on": true}), json!(1))])]).await;
    let body = get(&server, "/find?id=17&on=yes").await.json();
    assert_eq!(body["difference"], json!({"at": "/on", "expected": true, "got": "yes"}));
    let body = get(&server, "/find?id=17&on=true&more=1").await.json();
    assert_eq!(body["difference"], json!({"at": "/more", "expected": null, "got": "1"}));
    let body = ask(&server, "POST", "/find", "{\"id\": 17,").await.json();
    assert_eq!(body["difference"]["at"], "");
    assert_eq!(body["difference"]["got"], "{\"id\": 17,");
}

#[tokio::test]
async fn unknown_tool_lists_known_tools() {
    let (server, session) = serve([tool("paySlips", [for_any(json!(1))]), tool("other", [])]).await;
    let body = post(&server, "/payslip", &json!({})).await.json();
    assert_eq!(body["error"], "unknown tool `payslip`");
    assert_eq!(body["known"], json!(["other", "paySlips"]));
    assert_eq!(body["did_you_mean"], "paySlips");
    assert_eq!(session.misses()[0].notes[1], "known: `other`, `paySlips`");
    assert_eq!(post(&server, "/other", &json!({})).await.json()["notes"][1], "it has no fixtures");
    assert_eq!(post(&server, "/", &json!({})).await.json()["error"], "unknown tool ``");
}

#[tokio::test]
async fn misses_can_be_listed_and_reset() {
    let server = start().await;
    let of = |answer: Value| routes([tool("t", [fixture(json!({"n": 1}), answer), for_any(json!("second"))])]);
    let root = open(&server, of(json!(1)), Opening::default()).unwrap();
    let below = open(&server, of(json!(2)), Opening { scope: Some("case a"), ..Opening::default() }).unwrap();
    get(&server, "/u").await;
    get(&server, "/case%20a/v").await;
    for path in ["/__agentci/misses", "/__misses", "/__misses/"] {
        let told = get(&server, path).await.json();
        let tools: Vec<&Value> = told["misses"].as_array().unwrap().iter().map(|miss| &miss["tool"]).collect();
        assert_eq!(tools, ["u", "v"], "{path}");
        assert_eq!(told["misses"][1]["case"], "case a");
    }
    let told = get(&server, "/case%20a/__agentci/misses").await.json();
    assert_eq!(told["misses"].as_array().unwrap().len(), 1);
    assert_eq!(ask(&server, "DELETE", "/__misses", "").await.status, 405);
    assert_eq!(ask(&server, "POST", "/case%20a/__agentci/reset", "").await.status, 200);
    assert_eq!((root.misses().len(), below.misses().len()), (1, 0));
    assert_eq!(ask(&server, "POST", "/__agentci/reset", "").await.status, 200);
    assert_eq!(get(&server, "/__misses").await.json(), json!({"misses": []}));
}

#[tokio::test]
async fn request_without_running_case_gets_503() {
    let server = start().await;
    let answer = post(&server, "/paySlips", &json!({})).await;
    assert_eq!(answer.status, 503);
    assert_eq!(answer.json()["error"], "no case is running, so this server has no tools");
    assert_eq!(get(&server, "/__misses").await.json(), json!({"misses": []}));
}
