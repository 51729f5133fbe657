//! `agentci replay --pace`: the timing of the pieces of a recorded answer.

use std::fs;

use serde_json::Value;

use crate::recorded_agent::{ran, shop};
use crate::suite::Suite;
use crate::upstream::Upstream;

/// Requests a stream, and prints how many microseconds after the request each piece arrived.
const AGENT: &str = r#"
import json, time, urllib.request
body = {"model": "gpt-4o", "stream": True, "pause_ms": 120, "messages": [{"role": "user", "content": "hello"}]}
request = urllib.request.Request(open("base").read() + "/v1/chat/completions", json.dumps(body).encode(), {"content-type": "application/json"})
began = time.monotonic()
with urllib.request.urlopen(request, timeout=60) as answer:
    for line in answer:
        if line.startswith(b"data:"):
            print(int((time.monotonic() - began) * 1e6))
"#;

/// How many microseconds after the request each piece arrived in the recording.
fn recorded(suite: &Suite) -> Vec<u64> {
    let text = fs::read_to_string(suite.path("recordings/agent.jsonl")).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let moments = |kind: &str| {
        let lines = lines.iter().filter(|line| line["type"] == kind);
        lines.map(|line| line["at_us"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let asked = moments("request")[0];
    moments("frame").into_iter().map(|at| at - asked).collect()
}

/// On a busy machine pieces may be late, but never early.
#[test]
fn chunks_are_not_replayed_earlier_than_recorded() {
    let mut upstream = Upstream::start();
    let suite = shop(&upstream).file("agent.py", AGENT);
    assert_eq!(ran(&suite, &mut suite.command(&["record", "--", "python3", "agent.py"])).code, Some(0));
    upstream.close();
    let pieces = recorded(&suite);
    assert!(pieces.len() == 3 && pieces[2] - pieces[0] > 200_000, "{pieces:?}");
    for (pace, times) in [("recorded", 1), ("2x", 2), ("fast", u64::MAX)] {
        let replayed = ran(&suite, &mut suite.command(&["replay", "recordings/agent.jsonl", "--pace", pace]));
        assert_eq!(replayed.code, Some(0), "{replayed:?}");
        let came: Vec<u64> = replayed.stdout.lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(came.len(), pieces.len(), "{replayed:?}");
        for (came, recorded) in came.iter().zip(&pieces) {
            assert!(came + 10_000 >= recorded / times, "{pace}: {came} {recorded}");
        }
    }
}
