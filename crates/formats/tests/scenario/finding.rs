//! Which files are scenarios, and which agent they belong to.

use agentci_formats::LoadOptions;
use agentci_source::MemoryFiles;

use crate::project::{load, load_chosen, messages, project, scenario, suites};

const NATIVE: &str = "suite: native\ntarget: { process: { command: [a] } }\ncases: [{ id: x, input: {} }]\n";

fn two_agents() -> MemoryFiles {
    MemoryFiles::default()
        .with("p/agentci.yaml", "embedder: builtin\n")
        .with("p/tests/us/b.yaml", scenario("b", ""))
        .with("p/tests/us/deep/a.yml", scenario("a", ""))
        .with("p/tests/us/__files/fixture.yaml", scenario("never", ""))
        .with("p/tests/us/deep/__files/fixture.yaml", "a: [\n")
        .with("p/tests/uk/c.yaml", scenario("c", ""))
        .with("p/tests/conftest.yaml", "k: 1\n")
}

fn choose_agent(slug: &str) -> impl FnOnce(&mut LoadOptions) {
    let slug = slug.to_owned();
    move |options| options.agent = Some(slug)
}

#[test]
fn each_agent_is_one_suite_for_any_path() {
    let files = two_agents();
    for path in ["p", "p/tests"] {
        let loaded = load(&files, &[path]);
        assert_eq!(suites(&loaded), ["uk in p/tests/uk: c", "us in p/tests/us: b a"], "{path}");
        assert_eq!(messages(&loaded), ["1 YAML file belongs to no suite: `p/tests/conftest.yaml`"]);
        assert_eq!(loaded.plan.suites[0].embedder.as_ref().unwrap().value, "builtin");
    }
    for (paths, found) in [
        (&["p/tests/us"][..], "us in p/tests/us: b a"),
        (&["p/tests/us/deep"], "us in p/tests/us: a"),
        (&["p/tests/us/deep/a.yml", "p/tests/us/b.yaml", "./p/tests/us/b.yaml"], "us in p/tests/us: b a"),
    ] {
        let loaded = load(&files, paths);
        assert_eq!((suites(&loaded), messages(&loaded)), (vec![found.to_owned()], vec![]), "{paths:?}");
    }
}

#[test]
fn detects_scenarios_by_content_outside_a_tests_folder() {
    let files = MemoryFiles::default()
        .with("evals/us/a.yaml", scenario("a", ""))
        .with("evals/us/deep/b.yaml", scenario("b", ""))
        .with("evals/us/deep/broken.yaml", "user_input: [\n")
        .with("evals/uk/c.yaml", scenario("c", ""))
        .with("evals/other.yaml", "services: {}\n");
    let loaded = load(&files, &["evals"]);
    assert_eq!(suites(&loaded), ["uk in evals/uk: c", "us in evals/us: a b broken"]);
    assert_eq!(messages(&loaded), ["`[` is never closed", "1 YAML file belongs to no suite: `evals/other.yaml`"]);
}

#[test]
fn scenarios_coexist_with_other_formats() {
    let conversation = "version: '1.0'\nname: talk\nturns: [{ user: hi }]\n";
    let config = "version: '1.0'\ntarget: { type: agui, endpoint: 'http://127.0.0.1:1/', agentId: a }\n";
    let files = two_agents()
        .with("p/native/agentci.yaml", NATIVE)
        .with("p/tests/talk.test.yaml", conversation)
        .with("p/ananke.config.yaml", config)
        .with("p/elsewhere/stray.yaml", scenario("stray", ""));
    let loaded = load(&files, &["p"]);
    assert_eq!(
        suites(&loaded),
        ["native in p/native: x", "p in p: talk", "uk in p/tests/uk: c", "us in p/tests/us: b a"]
    );
    assert_eq!(
        messages(&loaded),
        ["2 YAML files belong to no suite: `p/elsewhere/stray.yaml`, `p/tests/conftest.yaml`"]
    );
}

#[test]
fn agent_option_loads_only_that_agent() {
    let files = MemoryFiles::default()
        .with("agentci.yaml", NATIVE)
        .with("tests/us/a.yaml", scenario("a", ""))
        .with("tests/us/notes.yaml", "k: 1\n")
        .with("tests/us/typo.yaml", "test_nam: x\n")
        .with("tests/uk/c.yaml", "test_name: [\n");
    let loaded = load_chosen(&files, &[], choose_agent("us"));
    assert_eq!(suites(&loaded), ["us in tests/us: a typo"]);
    assert_eq!(
        messages(&loaded),
        [
            "unknown key `test_nam` in the scenario",
            "the scenario needs `user_input`",
            "the scenario needs `expected_answer`",
            "1 YAML file belongs to no suite: `tests/us/notes.yaml`",
        ]
    );
    let elsewhere = load_chosen(&two_agents(), &[], |options| {
        options.agent = Some("uk".into());
        options.scenario.tests = Some("p/tests".into());
    });
    assert_eq!((suites(&elsewhere), messages(&elsewhere)), (vec!["uk in p/tests/uk: c".to_owned()], vec![]));
}

#[test]
fn agent_option_combines_with_paths() {
    let loaded = load_chosen(&two_agents(), &["p"], choose_agent("uk"));
    assert_eq!(suites(&loaded), ["uk in p/tests/uk: c"]);
    let loaded = load_chosen(&two_agents(), &["p"], choose_agent("ukk"));
    assert_eq!(suites(&loaded), Vec::<String>::new());
    let problem = loaded.diagnostics.iter().find(|problem| problem.message.contains("ukk")).unwrap();
    assert_eq!(problem.message, "no scenarios found for agent `ukk`");
    assert_eq!(problem.help.as_deref(), Some("did you mean `uk`?"));
}

#[test]
fn unknown_agent_is_reported_with_suggestions() {
    let files = MemoryFiles::default()
        .with("tests/us_payroll/a.yaml", scenario("a", ""))
        .with("tests/uk_payroll/a.yaml", scenario("a", ""));
    for (slug, message, help) in [
        ("us_payrol", "unknown agent `us_payrol` in `tests`", "did you mean `us_payroll`?"),
        ("finance", "unknown agent `finance` in `tests`", "the agents are `uk_payroll`, `us_payroll`"),
        ("../x", "`../x` is not a valid agent name", "use the name of a folder in the folder of the tests"),
    ] {
        let loaded = load_chosen(&files, &[], choose_agent(slug));
        let [problem] = loaded.diagnostics.iter().collect::<Vec<_>>()[..] else { panic!("{:?}", loaded.diagnostics) };
        assert_eq!((problem.message.as_str(), problem.help.as_deref()), (message, Some(help)));
        assert!(loaded.plan.suites.is_empty());
    }
    let empty = files.with("tests/empty/__files/a.yaml", scenario("a", "")).with("tests/empty/readme.md", "");
    let loaded = load_chosen(&empty, &[], choose_agent("empty"));
    assert_eq!(messages(&loaded), ["no scenario found in `tests/empty`"]);
}

#[test]
fn reports_unparsable_scenario_given_by_path() {
    let loaded = load(&project("test_name: a\nuser_input: [\n"), &["tests/us/a.yaml"]);
    assert_eq!((suites(&loaded), messages(&loaded)), (vec!["us in tests/us: a".into()], vec!["`[` is never closed"]));
}

#[test]
fn upward_searches_have_a_depth_limit() {
    let deep = |levels: usize| vec!["a"; levels].join("/");
    let agent = |levels: usize| {
        let path = format!("tests/us/{}/a.yaml", deep(levels));
        suites(&load(&MemoryFiles::default().with(&path, scenario("a", "")), &[&path]))
    };
    assert_eq!(agent(63), ["us in tests/us: a"]);
    assert_ne!(agent(64), ["us in tests/us: a"]);
    let embedder = |levels: usize| {
        let path = format!("{}/tests/us/a.yaml", deep(levels));
        let files = MemoryFiles::default().with("agentci.yaml", "embedder: far\n").with(&path, scenario("a", ""));
        load(&files, &[&path]).plan.suites[0].embedder.is_some()
    };
    assert!(embedder(61));
    assert!(!embedder(62));
}
