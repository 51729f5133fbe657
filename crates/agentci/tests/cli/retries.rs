//! `--retries`: retries an agent that is busy or unreachable, but not one that gives a wrong answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::http_server::{Answer, listen};
use crate::ran::Ran;
use crate::suite::Suite;

fn suite(url: &str) -> Suite {
    let text = format!(
        "suite: s\ntarget: {{ http: {{ url: \"{url}\" }} }}\ncases:\n  \
         - id: only\n    input: {{ q: 1 }}\n    checks: [{{ contains: hello }}]\n"
    );
    Suite::empty().file("suite/agentci.yaml", text)
}

/// Runs against a server that answers with these statuses in turn and then repeats the last one; also returns the
/// number of requests.
fn run(statuses: &'static [u16], said: &'static str, flags: &[&str]) -> (Ran, usize) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let url = listen(move |_| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        let status = statuses[number.min(statuses.len() - 1)];
        Some(Answer(status, "content-type: application/json\r\n", format!("{{\"message\":\"{said}\"}}")))
    });
    let ran = suite(&url).run(flags);
    (ran, asked.load(Ordering::SeqCst))
}

#[test]
fn busy_agent_is_retried_and_retries_are_reported() {
    let (ran, asked) = run(&[429, 429, 200], "hello", &["--retries", "2"]);
    ran.all_passed();
    assert_eq!(asked, 3, "{ran:?}");
    ran.says(&["passed after 2 retries; the first try: the agent answered with status 429"]);
    assert_eq!(ran.summary()["cases"].as_array().unwrap().len(), 1);
    let logs: Vec<_> = ran.events().into_iter().filter(|event| event["type"] == "log").collect();
    assert_eq!(logs.len(), 2, "{logs:?}");
}

#[test]
fn does_not_retry_by_default() {
    let (ran, asked) = run(&[429, 200], "hello", &[]);
    assert_eq!((ran.code, asked), (Some(1), 1), "{ran:?}");
    ran.says(&["status 429", "`--retries`"]);
}

#[test]
fn failures_of_the_agent_are_not_retried() {
    let (ran, asked) = run(&[200], "goodbye", &["--retries", "3"]);
    assert_eq!((ran.code, asked), (Some(1), 1), "{ran:?}");
    let (ran, asked) = run(&[500], "broken", &["--retries", "3"]);
    assert_eq!((ran.code, asked), (Some(1), 1), "{ran:?}");
}

#[test]
fn unreachable_agent_fails_after_the_last_retry() {
    // The port was just free, so nothing listens there.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let ran = suite(&format!("http://{free}")).run(&["--retries", "1"]);
    assert_eq!(ran.case("only")["cause"], "unreachable", "{ran:?}");
    ran.says(&["did not pass after 1 retry"]);
}

#[test]
fn each_run_is_retried_separately() {
    let (ran, asked) = run(&[200, 429, 200], "hello", &["--retries", "1", "--runs", "2"]);
    ran.all_passed();
    assert_eq!(asked, 3, "{ran:?}");
}
