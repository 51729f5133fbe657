//! All processes that an agent starts end with its case.

use crate::processes::{TELL, is_gone, told};
use crate::suite::Suite;

/// An agent that starts a process which writes its id to `child.pid`; the agent finishes once that file exists.
fn leaves_behind(start: &str) -> Suite {
    let script = format!("{TELL}{start}\nwhile [ ! -e child.pid ]; do sleep 0.05; done\nfinish '{{\"ok\":true}}'");
    Suite::new().case("parent", "", &script)
}

#[test]
fn background_child_ends_with_the_agent() {
    let suite = leaves_behind("sleep 600 &\ntell child.pid $!");
    let ran = suite.run(&[]);
    ran.all_passed();
    ran.ended_soon_after(1);
    assert!(is_gone(told(&suite.path("child.pid"))));
}

#[test]
fn signal_ignoring_child_ends_with_the_agent() {
    let suite = leaves_behind("sh -c 'trap \"\" TERM HUP INT; echo $$ > child.pid; while :; do sleep 1; done' &");
    let ran = suite.run(&[]);
    ran.all_passed();
    assert!(is_gone(told(&suite.path("child.pid"))));
}

#[cfg(target_os = "linux")]
#[test]
fn child_in_separate_session_ends_with_the_agent() {
    let suite = leaves_behind("setsid sleep 600 &\ntell child.pid $!");
    suite.run(&[]).all_passed();
    assert!(is_gone(told(&suite.path("child.pid"))));
}

#[cfg(target_os = "linux")]
#[test]
fn orphaned_daemon_ends_with_the_agent() {
    let suite = leaves_behind("(setsid sh -c 'echo $$ > child.pid; exec sleep 600' > /dev/null 2>&1 &)");
    suite.run(&[]).all_passed();
    assert!(is_gone(told(&suite.path("child.pid"))));
}

#[cfg(target_os = "linux")]
#[test]
fn daemon_with_cleared_environment_ends_with_the_run() {
    let suite = leaves_behind("(setsid env -i /bin/sh -c 'echo $$ > child.pid; exec sleep 600' > /dev/null 2>&1 &)");
    suite.run(&[]).all_passed();
    assert!(is_gone(told(&suite.path("child.pid"))));
}

#[cfg(target_os = "linux")]
#[test]
fn daemon_of_timed_out_agent_is_killed() {
    let script = format!("{TELL}(setsid sh -c 'echo $$ > child.pid; exec sleep 600' > /dev/null 2>&1 &)\nsleep 600");
    let suite = Suite::new().case("hangs", "budgets: { max_wall_ms: 2000 }", &script);
    suite.run(&[]).only_wrong("hangs", "fail", "limit");
    assert!(is_gone(told(&suite.path("child.pid"))));
}

#[cfg(target_os = "linux")]
#[test]
fn daemon_ends_with_its_case_during_parallel_run() {
    // The second case runs in parallel and sees the daemon of the first case end.
    let first = "(setsid sh -c 'echo $$ > child.pid; exec sleep 600' > /dev/null 2>&1 &)\n\
        while [ ! -e child.pid ]; do sleep 0.05; done\nfinish '{\"ok\":true}'";
    let second = "while [ ! -e child.pid ]; do sleep 0.05; done\nread -r pid < child.pid\n\
        while kill -0 $pid 2> /dev/null; do sleep 0.05; done\nfinish '{\"gone\":true}'";
    let suite = Suite::new().case("first", "", first).case("second", "", second);
    suite.run(&["--parallel", "3", "--timeout", "20s"]).all_passed();
}
