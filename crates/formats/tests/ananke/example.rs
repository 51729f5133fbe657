//! A complete, realistic project.

use std::path::Path;
use std::time::Duration;

use agentci_plan::{Data, Dialect, Mode, StopRule, Target, Text, TurnInput};
use agentci_source::MemoryFiles;
use serde_json::json;

use crate::project::{asked, load, messages};

const CONFIG: &str = r#"version: "1.0"

target:
  type: agui

  headers:
    Authorization: "Bearer ${ENV.SHOP_TOKEN}"
    X-Client: "tests/1"
  timeout_ms: 30000

  assert:
    timing:
      max_duration_ms: 60000
      max_idle_ms: 10000
    text:
      must_not_match: ["traceback", "panic"]

  endpoint: "https://shop.example.com/ag-ui"
  agentId: "shop"
  threadId: "${THREAD_ID}"
  forwardedProps:
    tenant: "acme"
  state:
    cart: "${CART:-empty}"
"#;

const TEST: &str = r#"version: "1.0"

name: paying with the saved card

hooks:
  - cmd: ["bash", "scripts/fill-cart.sh"]
    timeout_ms: 10000

turns:
  - user: "I would like to pay"
    assert:
      tools:
        require:
          - name: check_cart
          - name: list_shipping
            after: check_cart
      timing:
        max_duration_ms: 30000

  - user: "Take the cheapest shipping"
    assert:
      tools:
        require:
          - name: add_up
            result_not_match: "error|failed"

  - type: user
    user: "Yes, charge my card"
    assert:
      tools:
        require:
          - name: charge_card
            count: { exact: 1 }
        forbid_calls:
          - name: charge_card
            result_match: "declined|insufficient"
      timing:
        max_idle_ms: false

assert:
  tools:
    forbid:
      - cancel_order
  timing:
    max_duration_ms: 120000
    max_idle_ms: 60000
  text:
    must_not_match:
      - "error"
      - "failed"
"#;

fn files() -> MemoryFiles {
    MemoryFiles::default()
        .with("shop/ananke.config.yaml", CONFIG)
        .with("shop/tests/pay.test.yaml", TEST)
        .with("shop/scripts/fill-cart.sh", "")
}

#[test]
fn project_loads_as_one_suite() {
    let loaded = load(&files(), &["shop"]);
    assert_eq!(messages(&loaded), Vec::<&str>::new());
    let [suite] = loaded.plan.suites.as_slice() else { panic!("{:?}", loaded.plan.suites) };
    assert_eq!((suite.name.as_str(), suite.dialect, suite.mode), ("shop", Dialect::Ananke, Mode::Live));
    assert_eq!(
        (suite.path.as_path(), suite.folder.as_path()),
        (Path::new("shop/ananke.config.yaml"), Path::new("shop"))
    );
    let [case] = suite.cases.as_slice() else { panic!("{:?}", suite.cases) };
    let place = loaded.plan.sources.place(case.span);
    assert_eq!(
        (case.id.as_str(), &*place.path, place.line),
        ("paying with the saved card", "shop/tests/pay.test.yaml", 3)
    );
    assert_eq!((case.stop, case.runs, case.timeout), (StopRule::FirstFailedTurn, 1, None));
    assert_eq!(case.world.recording.as_ref().unwrap().path, Path::new("shop/recordings/tests/pay.test.jsonl"));
    let Target::Agui(target) = &*case.target else { panic!("{:?}", case.target) };
    assert_eq!(target.endpoint.value, Text::Literal("https://shop.example.com/ag-ui".into()));
    assert_eq!(target.thread.as_ref().unwrap().written(), "${THREAD_ID}");
    assert_eq!(target.timeout, Duration::from_secs(30));
    assert_eq!(target.headers[0].1.written(), "Bearer ${ENV.SHOP_TOKEN}");
    assert_eq!(target.forwarded_props, Some(Data::literal(&json!({ "tenant": "acme" }))));
    assert_eq!(target.state, Some(Data::parse(&json!({ "cart": "${CART:-empty}" }))));
    let [hook] = case.hooks.as_slice() else { panic!("{:?}", case.hooks) };
    assert_eq!((hook.timeout, hook.folder.as_deref()), (Duration::from_secs(10), Some(Path::new("shop"))));
    assert_eq!(hook.command[0].file, None);
    assert_eq!(hook.command[1].file.as_deref(), Some(Path::new("shop/scripts/fill-cart.sh")));
    let TurnInput::Messages(messages) = &case.turns[2].said else { panic!("{:?}", case.turns[2]) };
    assert_eq!(messages[0].content, Text::Literal("Yes, charge my card".into()));
}

#[test]
fn turns_inherit_limits_but_not_requirements() {
    let loaded = load(&files(), &["shop"]);
    let (turns, whole) = asked(&loaded.plan.suites[0].cases[0]);
    let forbidden = r#"tools.forbid: not tool_called "cancel_order""#;
    let idle = r#"timing.max_idle_ms: duration {"idle":"60000ms"}"#;
    let long = r#"timing.max_duration_ms: duration {"max":"120000ms"}"#;
    let texts =
        ["traceback", "panic", "error", "failed"].map(|text| format!("text.must_not_match: not matches \"{text}\""));
    let expected = |middle: &[&str]| {
        let middle = middle.iter().map(|line| (*line).to_owned());
        [forbidden.to_owned()].into_iter().chain(middle).chain(texts.clone()).collect::<Vec<_>>()
    };
    assert_eq!(
        turns,
        [
            expected(&[
                r#"tools.require: tool_called {"name":"check_cart"}"#,
                r#"tools.require: tool_called {"name":"list_shipping","after":"check_cart"}"#,
                r#"timing.max_duration_ms: duration {"max":"30000ms"}"#,
                idle,
            ]),
            expected(&[
                r#"tools.require: tool_called {"name":"add_up","result_not_match":"error|failed"}"#,
                long,
                idle,
            ]),
            expected(&[
                r#"tools.require: tool_called {"name":"charge_card","count":1}"#,
                r#"tools.forbid_calls: not tool_called {"name":"charge_card","result_match":"declined|insufficient"}"#,
                long,
            ]),
        ]
    );
    assert_eq!(whole, expected(&[long, idle]));
}

#[test]
fn every_check_points_at_its_source_line() {
    let loaded = load(&files(), &["shop"]);
    let case = &loaded.plan.suites[0].cases[0];
    let place = |check: &agentci_plan::Check| {
        let place = loaded.plan.sources.place(check.kind.span);
        let marked: String = place.text.chars().skip(place.column as usize - 1).take(place.width as usize).collect();
        format!("{}:{} {marked}", place.path.rsplit('/').next().unwrap(), place.line)
    };
    assert_eq!(
        case.checks.iter().map(|check| place(check)).collect::<Vec<_>>(),
        [
            "pay.test.yaml:43 cancel_order",
            "pay.test.yaml:45 120000",
            "pay.test.yaml:46 60000",
            "ananke.config.yaml:16 \"traceback\"",
            "ananke.config.yaml:16 \"panic\"",
            "pay.test.yaml:49 \"error\"",
            "pay.test.yaml:50 \"failed\"",
        ]
    );
    let charged = &case.turns[2].checks[1];
    assert_eq!(place(charged), "pay.test.yaml:32 charge_card");
    let count = charged.arguments.get("count").unwrap().span;
    assert_eq!((count.line, count.column), (33, 29));
}
