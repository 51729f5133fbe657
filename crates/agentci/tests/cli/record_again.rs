//! Existing recordings: updated, rehearsed, shown, compared and trimmed.

use std::fs;

use crate::recorded_agent::{PYTHON, ran, replayed_elsewhere, shop};
use crate::upstream::Upstream;

#[test]
fn update_adds_missing_calls_and_removes_unused_ones() {
    let mut upstream = Upstream::start();
    let suite = shop(&upstream);
    assert_eq!(ran(&suite, &mut suite.command(&["record", "--", "python3", "agent.py"])).code, Some(0));
    let again = ran(&suite, &mut suite.command(&["record", "--", "python3", "agent.py"]));
    assert_eq!((again.code, again.stdout.as_str()), (Some(1), ""), "{again:?}");
    again.complains(&["the recording `recordings/agent.jsonl` already exists", "`agentci record --update -- python3"]);
    fs::copy(suite.path("recordings/agent.jsonl"), suite.path("x.jsonl")).unwrap();
    let named = ran(&suite, &mut suite.command(&["record", "-o", "x.jsonl", "--", "python3", "agent.py"]));
    named.complains(&["`agentci record --update -o x.jsonl -- python3 agent.py`"]);
    let before = upstream.asked();
    let updated =
        ran(&suite, &mut suite.command(&["record", "--update", "--", "python3", "agent.py", "Where is A-18?"]));
    assert_eq!(updated.code, Some(0), "{updated:?}");
    // Both model calls changed, the tool call did not.
    assert_eq!(upstream.asked() - before, 2);
    updated.complains(&["2 calls, 0.", "1 kept, 2 recorded, $0.0"]);
    let (_, replayed) = replayed_elsewhere(&suite, &mut upstream, &["--strict"]);
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
}

#[test]
fn rehearsal_ignores_varying_fields_and_reports_future_misses() {
    let counting = |place: &str| {
        PYTHON
            .replace("{\"model\": \"gpt-4o\", \"messages\": messages}", place)
            .replace("KEY = ", "N = len(os.listdir('.'))\nopen('run%d' % N, 'w').close()\nKEY = ")
    };
    let upstream = Upstream::start();
    let attempt = counting("{\"model\": \"gpt-4o\", \"messages\": messages, \"seed\": N}");
    let suite = shop(&upstream).file("agent.py", attempt);
    let learned = ran(&suite, &mut suite.command(&["record", "--rehearse", "--", "python3", "agent.py"]));
    assert_eq!(learned.code, Some(0), "{learned:?}");
    learned.complains(&["1 place differs between runs and will be ignored: /seed"]);
    let replayed = ran(&suite, &mut suite.command(&["replay", "recordings/agent.jsonl"]));
    assert_eq!(replayed.code, Some(0), "{replayed:?}");
    let prompt = counting(
        "{\"model\": \"gpt-4o\", \"messages\": [{\"role\": \"system\", \"content\": \"run %d of the shop\" % N}] + messages}",
    );
    let suite = shop(&upstream).file("agent.py", prompt);
    let told = ran(&suite, &mut suite.command(&["record", "--rehearse", "--", "python3", "agent.py"]));
    assert_eq!(told.code, Some(1), "{told:?}");
    told.complains(&["(replay_miss)", "a replay of this recording will fail"]);
}

#[test]
fn recordings_can_be_shown_compared_and_trimmed() {
    let upstream = Upstream::start();
    let suite = shop(&upstream);
    for (name, question) in [("a", "one"), ("b", "two")] {
        let arguments = ["record", "--name", name, "--", "python3", "agent.py", question];
        assert_eq!(ran(&suite, &mut suite.command(&arguments)).code, Some(0));
    }
    let (a, b) = ("recordings/a.jsonl", "recordings/b.jsonl");
    let shown = ran(&suite, &mut suite.command(&["recording", "show", a]));
    assert!(shown.code == Some(0) && shown.stdout.contains("/v1/chat/completions"), "{shown:?}");
    assert_eq!(ran(&suite, &mut suite.command(&["recording", "diff", a, a])).code, Some(0));
    let different = ran(&suite, &mut suite.command(&["recording", "diff", a, b]));
    assert!(different.code == Some(1) && different.stdout.contains("two"), "{different:?}");
    let nothing = ran(&suite, &mut suite.command(&["recording", "clean", a]));
    assert_eq!(nothing.code, Some(1), "{nothing:?}");
    let trimmed = ran(&suite, &mut suite.command(&["recording", "clean", a, "--id", "2"]));
    assert_eq!(trimmed.code, Some(0), "{trimmed:?}");
    let missed = ran(&suite, &mut suite.command(&["replay", a]));
    assert_eq!(missed.code, Some(1), "{missed:?}");
}

#[test]
fn rehearsal_is_abandoned_after_the_maximum_attempts() {
    let upstream = Upstream::start();
    let fields = ", \"a\": N, \"b\": N, \"c\": N, \"d\": N, \"e\": N, \"f\": N";
    let agent = PYTHON
        .replace("\"messages\": messages}", &format!("\"messages\": messages{fields}}}"))
        .replace("KEY = ", "N = len(os.listdir('.'))\nopen('run%d' % N, 'w').close()\nKEY = ");
    let suite = shop(&upstream).file("agent.py", agent);
    let told = ran(&suite, &mut suite.command(&["record", "--rehearse", "--", "python3", "agent.py"]));
    assert_eq!(told.code, Some(1), "{told:?}");
    told.complains(&["the rehearsal was abandoned"]);
    // One run to record, and the maximum number of rehearsals.
    let runs = fs::read_dir(suite.root()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(runs.filter(|name| name.to_string_lossy().starts_with("run")).count(), 1 + 5);
}
