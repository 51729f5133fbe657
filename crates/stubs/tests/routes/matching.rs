//! Which fixture matches which request.

use agentci_plan::Fixture;
use serde_json::json;

use crate::raw::{request, send_to};
use crate::served::{ask, fixture, for_any, get, post, serve, tool};

#[tokio::test]
async fn matches_fixtures_by_tool_and_request() {
    let slips = [
        fixture(json!({"payDetailsIds": [999_999], "region": "US"}), json!("this month")),
        fixture(json!({"payDetailsIds": [999_998], "region": "US"}), json!("last month")),
    ];
    let summary = [fixture(json!({"payDetailsIds": [999_999], "region": "US"}), json!("summary"))];
    let (server, session) = serve([tool("paySlips", slips), tool("paySlipsSummary", summary)]).await;
    let now = json!({"region": "US", "payDetailsIds": [999_999]});
    let before = json!({"region": "US", "payDetailsIds": [999_998.0]});
    for (path, body, answer) in [
        ("/paySlips", &now, "this month"),
        ("/paySlips", &before, "last month"),
        ("/paySlipsSummary", &now, "summary"),
        ("/paySlips/", &now, "this month"),
        ("/pay%53lips", &before, "last month"),
    ] {
        let got = post(&server, path, body).await;
        assert_eq!((got.status, got.json()), (200, json!(answer)), "{path}");
    }
    assert_eq!(session.misses(), []);
    for path in ["/payslips", "/paySlips//", "/paySlips/x", "/x/paySlips"] {
        assert_eq!(post(&server, path, &now).await.status, 500, "{path}");
    }
    assert_eq!(session.misses().len(), 4);
}

#[tokio::test]
async fn repeated_requests_get_responses_in_order_then_repeat_last() {
    let fixtures = [
        fixture(json!({"id": 1}), json!("queued")),
        fixture(json!({"id": 2}), json!("other")),
        fixture(json!({"id": 1.0}), json!("done")),
        for_any(json!("any 1")),
        for_any(json!("any 2")),
    ];
    let (server, _session) = serve([tool("poll", fixtures)]).await;
    let mut seen = Vec::new();
    for id in [1, 2, 1, 7, 1, 8, 2, 9] {
        seen.push(post(&server, "/poll", &json!({ "id": id })).await.json());
    }
    assert_eq!(seen, ["queued", "other", "done", "any 1", "done", "any 2", "other", "any 2"]);
}

#[tokio::test]
async fn request_without_body_is_matched_by_query() {
    let fixtures = [
        fixture(json!({"id": 17, "full": true, "tags": ["a", "b"]}), json!("typed")),
        fixture(json!({}), json!("nothing")),
    ];
    let (server, _session) = serve([tool("find", fixtures)]).await;
    assert_eq!(get(&server, "/find?tags=a&id=17&tags=b&full=true").await.json(), "typed");
    assert_eq!(get(&server, "/find/?id=17.0&full=True&tags[]=a&tags[]=b").await.json(), "typed");
    assert_eq!(get(&server, "/find").await.json(), "nothing");
    assert_eq!(ask(&server, "POST", "/find?id=17&full=true&tags=a&tags=b", "").await.json(), "typed");
    assert_eq!(get(&server, "/find?id=17&full=true&tags=b&tags=a").await.status, 500);
    let form = "content-type: application/x-www-form-urlencoded\r\n";
    let sent = request("POST", "/find", form, b"id=17&full=true&tags=a&tags=b");
    assert_eq!(send_to(server.address(), &sent).await.json(), "typed");
}

#[tokio::test]
async fn fixture_method_must_match() {
    let with = |method: &str, answer: &str| Fixture { method: Some(method.into()), ..for_any(json!(answer)) };
    let (server, session) = serve([tool("item", [with("get", "shown"), with("PUT", "put")])]).await;
    assert_eq!(get(&server, "/item?x=1").await.json(), "shown");
    assert_eq!(ask(&server, "PUT", "/item", "{}").await.json(), "put");
    let head = ask(&server, "HEAD", "/item", "").await;
    assert_eq!((head.status, head.body.as_str(), head.header("content-length")), (200, "", Some("7")));
    assert_eq!(ask(&server, "DELETE", "/item", "").await.status, 500);
    assert_eq!(session.misses()[0].notes[1], "the closest fixture is for GET, but the request is DELETE");
}

#[tokio::test]
async fn redacted_fixture_matches_request_with_secrets() {
    let fixtures = [fixture(json!({"user": "a", "token": "[REDACTED]"}), json!("in"))];
    let (server, _session) = serve([tool("login", fixtures)]).await;
    assert_eq!(post(&server, "/login", &json!({"token": "abcdef", "user": "a"})).await.json(), "in");
    assert_eq!(get(&server, "/login?user=a&token=123").await.json(), "in");
    assert_eq!(post(&server, "/login", &json!({"token": "abcdef", "user": "b"})).await.status, 500);
}

#[tokio::test]
async fn tool_names_may_contain_any_characters() {
    let (server, _session) = serve([tool("v1/pay slips", [for_any(json!(1))]), tool("é", [for_any(json!(2))])]).await;
    assert_eq!(get(&server, "/v1/pay%20slips").await.json(), 1);
    assert_eq!(get(&server, "/v1%2Fpay%20slips/").await.json(), 1);
    assert_eq!(get(&server, "/%C3%A9").await.json(), 2);
}
