//! Checks that call functions of a Python file.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use crate::processes::{is_gone, told};
use crate::ran::Ran;
use crate::suite::Suite;

const FUNCTIONS: &str = r#"import math, os, subprocess, sys, threading, time
from words import MOOD

def polite(output):
    return "please" in output

def greets(output, input, value):
    seen = "|".join([output, input["prompt"], value, MOOD])
    print("saw", seen)
    return {"pass": seen == "hello there|hi|hello there|good", "message": seen}

def short(output): return {"pass": len(output) < 3, "reason": "too long"}
async def later(output): return output == "hello there"
async def never(output): return False

def loops(output):
    print("looping")
    inner()

def inner():
    while True: pass

def allocates(output): return bool(bytearray(3 << 30))
def throws(output): raise ValueError("not " + output)
def exits(output): sys.exit(3)
def dies(output):
    print("last words")
    sys.stdout.flush()
    os._exit(7)
def yes(output): return "yes"
def nothing(output): output == "hello there"
def nan(output): return math.nan
def a_set(output): return {1}
def generates(output): yield True
def huge(output): return {"pass": True, "message": "x" * 70000}
def reads(output): return bool(input("?"))
def recurses(output): return recurses(output)
def nests(output):
    found = []
    for _ in range(500): found = [found]
    return found
def forks(output):
    if os.fork() == 0: return True
    os.wait()
    return False
def closes(output):
    os.closerange(3, 100)
    return True
def too_few(output, input, value, more): return True
def threads(output):
    threading.Thread(target=time.sleep, args=(100,)).start()
    return True
def prints(output):
    os.write(1, b"{\"returned\":true}\n")
    subprocess.run(["echo", "from a child"])
    print("to errors", file=sys.stderr)
    print("x" * 1000000)
    return False
def leaves(output):
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    with open("child.pid", "w") as file: file.write(str(child.pid))
    return True
"#;

const MOCK: &str = "target: { mock: { model_name: m, responses: [{ content: hello there, model: m, tokens_used: 2, latency_ms: 1 }] } }";

/// A suite whose agent answers `hello there` to `hi`; each case has one check.
fn suite(cases: &[(&str, &str)]) -> Suite {
    let mut yaml = format!("suite: suite\n{MOCK}\ncases:\n");
    for (id, check) in cases {
        write!(yaml, "  - id: {id}\n    input: {{ prompt: hi }}\n    checks:\n      - {check}\n").unwrap();
    }
    let suite = Suite::empty().file("suite/agentci.yaml", yaml);
    suite.file("suite/checks/talk.py", FUNCTIONS).file("suite/checks/words.py", "MOOD = 'good'\n")
}

fn call(function: &str) -> String {
    format!("script: {{ file: checks/talk.py, function: {function} }}")
}

/// Calls functions of a file one after another. Returns the statuses in order.
fn call_in_order(source: &str, functions: &[&str]) -> (Ran, String) {
    let check = |function: &&str| format!("script: {{ file: checks/own.py, function: {function} }}");
    let checks: Vec<(String, String)> =
        functions.iter().enumerate().map(|(number, function)| (format!("c{number}"), check(function))).collect();
    let cases: Vec<(&str, &str)> = checks.iter().map(|(id, check)| (id.as_str(), check.as_str())).collect();
    let ran = suite(&cases).file("suite/checks/own.py", source).run(&["--parallel", "1"]);
    let statuses: Vec<String> =
        checks.iter().map(|(id, _)| ran.case(id)["status"].as_str().unwrap().to_owned()).collect();
    (ran, statuses.join(" "))
}

const GOOD: (&str, &str) = ("good", "script: { file: checks/talk.py, function: greets, value: hello there }");

#[test]
fn python_function_receives_output_input_and_value() {
    let ran = suite(&[GOOD, ("later", &call("later"))]).run(&["-v"]);
    ran.all_passed();
    let check = ran.events().into_iter().find(|event| event["type"] == "check").unwrap();
    let seen = "hello there|hi|hello there|good";
    let evidence = json!({ "returned": {"pass": true, "message": seen}, "printed": format!("saw {seen}\n") });
    assert_eq!(check["evidence"], evidence, "{check}");
    ran.says(&[&format!("good: check `script` printed: saw {seen}")]);
}

#[test]
fn python_function_returning_false_fails_its_case() {
    let (no, negated) = (call("polite"), format!("not: {{ {} }}", call("short")));
    let ran = suite(&[GOOD, ("wrong", &no), ("negated", &negated)]).run(&[]);
    ran.only_wrong("wrong", "fail", "check");
    ran.says(&[
        "`script` failed: `polite` rejected the output",
        "--> suite/agentci.yaml:11:51",
        "^^^^^^ rejected the output",
    ]);
    let ran = suite(&[GOOD, ("wrong", &call("short"))]).run(&[]);
    ran.says(&["`short` rejected the output: too long"]);
}

#[test]
fn broken_python_function_fails_only_its_own_check() {
    let broken = [
        ("allocates", "error in `allocates`: it exceeded the memory limit of 2048 MB (suite/checks/talk.py:23)"),
        ("throws", "error in `throws`: ValueError: not hello there (suite/checks/talk.py:24)"),
        ("exits", "error in `exits`: it called `sys.exit(3)` (suite/checks/talk.py:25)"),
        ("dies", "error in `dies`: it ended the Python process with exit code 7"),
        ("yes", "`yes` returned \"yes\", which is of type `string`"),
        ("nothing", "`nothing` returned null, which is of type `null`"),
        ("nan", "error in `nan`: it returned nan, which cannot be represented as JSON"),
        ("a_set", "it returned a value of type `set`, which cannot be represented as JSON"),
        ("generates", "it returned a value of type `generator`, which cannot be represented as JSON"),
        ("huge", "error in `huge`: it returned more than 64 KB"),
        ("reads", "error in `reads`: EOFError"),
        ("recurses", "error in `recurses`: RecursionError"),
        ("nests", "it returned a value that cannot be read: recursion limit exceeded"),
        ("closes", "error in `closes`: it ended the Python process with exit code 1"),
        ("too_few", "error in `too_few`: TypeError: too_few() missing 1 required positional argument: 'more'"),
        ("never", "`never` rejected the output"),
        ("forks", "`forks` rejected the output"),
    ];
    let mut cases = vec![GOOD];
    let checks: Vec<String> = broken.iter().map(|(function, _)| call(function)).collect();
    cases.extend(broken.iter().zip(&checks).map(|((function, _), check)| (*function, check.as_str())));
    cases.push(("later", "script: { file: checks/talk.py, function: later }"));
    let ran = suite(&cases).run(&[]);
    for (id, said) in broken {
        let case = ran.case(id);
        assert_eq!(case["status"], "fail", "{case}");
        assert!(case["failure_reason"].as_str().unwrap().contains(said), "{id}: {}", case["failure_reason"]);
    }
    assert!(["good", "later"].iter().all(|id| ran.case(id)["status"] == "pass"), "{ran:?}");
    // A traceback without frames of agentci, and what was printed before the end.
    ran.says(&["= ValueError: not hello there", "=   File \"suite/checks/talk.py\", line 24, in throws"]);
    ran.says(&["it printed: last words"]);
    // What is no verdict fails under `not` as well.
    let negated: Vec<String> = checks[..14].iter().map(|check| format!("not: {{ {check} }}")).collect();
    let cases: Vec<(&str, &str)> =
        broken.iter().zip(&negated).map(|((function, _), check)| (*function, check.as_str())).collect();
    let ran = suite(&cases).run(&[]);
    let passed: Vec<String> =
        ran.verdicts().into_iter().filter(|(_, status, _)| status == "pass").map(|case| case.0).collect();
    assert_eq!(passed, [""; 0], "{ran:?}");
}

#[test]
fn python_function_that_hangs_is_stopped_and_located() {
    let check = call("loops");
    let ran = suite(&[GOOD, ("wrong", &check), ("good2", GOOD.1)]).run(&["--parallel", "3"]);
    ran.only_wrong("wrong", "fail", "check");
    ran.says(&[
        "error in `loops`: it timed out after 5s (suite/checks/talk.py:21)",
        "=   File \"suite/checks/talk.py\", line 18, in loops",
        "=   File \"suite/checks/talk.py\", line 21, in inner",
        "= it printed: looping",
    ]);
}

#[test]
fn async_python_function_that_hangs_is_located_where_it_waits() {
    let source = "import asyncio\nasync def waits(output):\n    return await inner()\n\
                  async def inner():\n    await asyncio.sleep(60)\n\
                  async def loops(output):\n    while True: pass\n";
    let (ran, statuses) = call_in_order(source, &["waits", "loops"]);
    assert_eq!(statuses, "fail fail", "{ran:?}");
    ran.says(&[
        "error in `waits`: it timed out after 5s (suite/checks/own.py:5)",
        "=   File \"suite/checks/own.py\", line 3, in waits",
        "=   File \"suite/checks/own.py\", line 5, in inner",
        "error in `loops`: it timed out after 5s (suite/checks/own.py:7)",
    ]);
}

#[test]
fn output_of_python_code_is_no_answer() {
    let ran = suite(&[GOOD, ("wrong", &call("prints"))]).run(&[]);
    ran.only_wrong("wrong", "fail", "check");
    ran.says(&[
        "`prints` rejected the output",
        "= it printed: {\"returned\":true}",
        "= it printed: from a child",
        "= it printed: to errors",
        "xxx [cut]",
    ]);
    let check = ran.events().into_iter().find(|event| event["type"] == "check" && event["case_id"] == "wrong").unwrap();
    assert!(check["evidence"]["printed"].as_str().unwrap().len() < 10_000, "{check}");
}

#[test]
fn processes_that_a_python_function_terminates_do_not_shift_answers() {
    let source = "import multiprocessing, os\n\
                  def square(number): return number * number\n\
                  def pools(output):\n    with multiprocessing.get_context('fork').Pool(2) as pool:\n        \
                  return pool.map(square, [2, 3]) == [4, 9]\n\
                  def terminates(output):\n    import time\n    \
                  process = multiprocessing.get_context('fork').Process(target=time.sleep, args=(60,))\n    \
                  process.start()\n    time.sleep(0.1)\n    process.terminate()\n    process.join()\n    return True\n\
                  def scribbles(output):\n    for n in range(3, 12):\n        \
                  try: os.write(n, b'none\\n{\"returned\":true}\\n')\n        except OSError: pass\n    return True\n\
                  def no(output): return False\n";
    let functions = ["pools", "terminates", "no", "terminates", "scribbles", "no", "pools"];
    let (ran, statuses) = call_in_order(source, &functions);
    assert_eq!(statuses, "pass pass fail pass fail fail pass", "{ran:?}");
    ran.says(&["error in `scribbles`: it wrote to the file descriptors of agentci"]);
}

#[test]
fn decorated_python_function_receives_what_its_decorator_declares() {
    let source = r#"import functools
def passes_on(function):
    @functools.wraps(function)
    def wrapper(*arguments, **named): return function(*arguments, **named)
    return wrapper

def adds(function):
    @functools.wraps(function)
    def wrapper(output): return function(output, "added")
    return wrapper

@passes_on
def one(output): return True
@passes_on
def two(output, input): return input == {"prompt": "hi"}
@adds
def added(output, more): return more == "added"
@passes_on
@adds
def both(output, more): return more == "added"
@functools.lru_cache
def cached(output): return True
class Check:
    def __call__(self, output): return True
    def method(self, output, input): return True
instance = Check()
method = instance.method
"#;
    let functions = ["one", "two", "added", "both", "cached", "instance", "method"];
    let (ran, statuses) = call_in_order(source, &functions);
    assert_eq!(statuses, "pass pass pass pass pass pass pass", "{ran:?}");
}

#[test]
fn async_python_functions_share_an_event_loop() {
    let source = r#"import asyncio
CLIENT = {}
async def keeps(output):
    CLIENT.setdefault("loop", asyncio.get_running_loop())
    return CLIENT["loop"] is asyncio.get_running_loop()
async def exits(output): raise SystemExit
def waits(output):
    return asyncio.get_event_loop().run_until_complete(keeps(output))
def runs(output):
    asyncio.run(asyncio.sleep(0))
    return True
"#;
    let functions = ["keeps", "keeps", "exits", "waits", "runs", "keeps"];
    let (ran, statuses) = call_in_order(source, &functions);
    assert_eq!(statuses, "pass pass fail pass pass pass", "{ran:?}");
}

#[test]
fn exceptions_that_cannot_be_printed_are_reported_with_their_line() {
    let source = "import sys\n\x0c\nclass Silent(Exception):\n    def __str__(self): raise OSError\n    __repr__ = __str__\n\
                  def half(output): raise ValueError('no file \\udc80.txt')\n\
                  def silent(output): raise Silent()\ndef exits(output): sys.exit(Silent())\n";
    let (ran, statuses) = call_in_order(source, &["half", "silent", "exits"]);
    assert_eq!(statuses, "fail fail fail", "{ran:?}");
    ran.says(&[
        "error in `half`: ValueError: no file ?.txt (suite/checks/own.py:6)",
        "error in `silent`: Silent (suite/checks/own.py:7)",
        "=     def silent(output): raise Silent()",
        "error in `exits`: it called `sys.exit(a value of type `Silent`)` (suite/checks/own.py:8)",
    ]);
}

#[test]
fn python_function_finds_working_folder_and_streams_that_another_changed() {
    let source = r#"import os, subprocess, sys
os.chdir(os.path.dirname(os.path.dirname(__file__)))
def moves(output):
    os.chdir("/")
    return True
def closes(output):
    sys.stdin.close()
    sys.stdout.close()
    os.close(2)
    return True
def uses(output):
    print("printed")
    print("to errors", file=sys.stderr)
    subprocess.run(["echo", "from a child"], check=True)
    return sys.stdin.read() == "" and os.path.exists("agentci.yaml")
"#;
    let (ran, statuses) = call_in_order(source, &["moves", "uses", "closes", "uses"]);
    assert_eq!(statuses, "pass pass pass pass", "{ran:?}");
    let printed = |id: &str| {
        let mut events = ran.events().into_iter();
        let check = events.find(|event| event["type"] == "check" && event["case_id"] == id).unwrap();
        check["evidence"]["printed"].as_str().unwrap().to_owned()
    };
    assert_eq!(printed("c1"), "printed\nto errors\nfrom a child\n");
    assert_eq!(printed("c3"), printed("c1"));
}

#[test]
fn python_errors_are_reported_before_the_run() {
    let broken = "import os\ndef f(output):\n  return (;\n";
    let wrong = [GOOD, ("wrong", "script: { file: checks/broken.py, function: f }")];
    let suite_with = suite(&wrong).file("suite/checks/broken.py", broken);
    let ran = suite_with.agentci(&["check", "suite"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.complains(&["this script cannot be parsed: invalid syntax", "--> suite/checks/broken.py:3:11", "return (;"]);
    suite_with.run(&[]).only_wrong("wrong", "error", "config");
    for check in [call("polit"), format!("not: {{ {} }}", call("polit"))] {
        let suite = suite(&[GOOD, ("wrong", &check)]);
        let ran = suite.agentci(&["check", "suite"]);
        assert_eq!(ran.code, Some(1), "{ran:?}");
        ran.complains(&["`suite/checks/talk.py` has no function `polit`", "did you mean `polite`?"]);
        suite.run(&[]).only_wrong("wrong", "error", "config");
    }
    let missing = suite(&[GOOD, ("wrong", "not: { script: { file: checks/none.py, function: f } }")]);
    missing.run(&[]).only_wrong("wrong", "error", "config");
    // Names that appear while the file runs are looked up then.
    let dynamic = "globals()['f'] = lambda output: True\nfrom words import *\n";
    let cases = [
        ("a", "script: { file: checks/dynamic.py, function: f }"),
        ("b", "script: { file: checks/dynamic.py, function: g }"),
    ];
    let ran = suite(&cases).file("suite/checks/dynamic.py", dynamic).run(&[]);
    ran.only_wrong("b", "error", "config");
    ran.says(&["`suite/checks/dynamic.py` has no function `g`"]);
}

#[test]
fn python_file_that_cannot_be_loaded_is_an_error_of_the_suite() {
    let source = "print('loading')\nimport no_such_package\ndef f(output): return True\n";
    let check = "not: { script: { file: checks/packages.py, function: f } }";
    let suite = suite(&[GOOD, ("wrong", check)]).file("suite/checks/packages.py", source);
    assert_eq!(suite.agentci(&["check", "suite"]).code, Some(0));
    let ran = suite.run(&[]);
    ran.only_wrong("wrong", "error", "config");
    ran.says(&[
        "`suite/checks/packages.py` cannot be loaded: ModuleNotFoundError: No module named 'no_such_package' (suite/checks/packages.py:2)",
        "= it printed: loading",
        "help: install the package in the virtual environment",
    ]);
}

#[test]
fn virtual_environment_of_the_project_is_used() {
    let source = "import os\ndef f(output): return os.environ.get('OF_VENV') == 'yes'\n";
    let suite = suite(&[("a", "script: { file: checks/venv.py, function: f }")])
        .file("suite/checks/venv.py", source)
        .file(".venv/pyvenv.cfg", "")
        .file(".venv/bin/python3", "#!/bin/sh\nOF_VENV=yes exec python3 \"$@\"\n");
    fs::set_permissions(suite.path(".venv/bin/python3"), fs::Permissions::from_mode(0o755)).unwrap();
    let run = |active: &str| {
        let mut command = suite.command(&["run", "suite"]);
        let output = command.env("VIRTUAL_ENV", active).output().unwrap();
        output.status.code()
    };
    assert_eq!(run(""), Some(0));
    // An active environment takes precedence.
    let other = suite.file("other/bin/python3", "#!/bin/sh\nexec python3 \"$@\"\n");
    fs::set_permissions(other.path("other/bin/python3"), fs::Permissions::from_mode(0o755)).unwrap();
    let active = other.path("other");
    let output = other.command(&["run", "suite"]).env("VIRTUAL_ENV", active).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}

#[test]
fn assertions_count_also_in_an_optimized_environment() {
    let source = "import words\ndef f(output):\n    assert 'please' in output\n    return True\n\
                  def g(output):\n    words.polite(output)\n    return True\n";
    let cases = ["f", "g"].map(|name| (name, format!("script: {{ file: asserts/own.py, function: {name} }}")));
    let suite = suite(&cases.each_ref().map(|(id, check)| (*id, check.as_str())))
        .file("suite/asserts/own.py", source)
        .file("suite/asserts/words.py", "def polite(output): assert 'please' in output\n");
    let output = suite.command(&["run", "suite"]).env("PYTHONOPTIMIZE", "2").output().unwrap();
    let ran = suite.ran(&output, std::time::Duration::ZERO);
    for name in ["f", "g"] {
        assert_eq!(ran.case(name)["status"], "fail", "{ran:?}");
    }
    ran.says(&["error in `f`: AssertionError (suite/asserts/own.py:3)"]);
}

#[test]
fn missing_python_is_reported_with_its_remedy() {
    let suite = suite(&[("a", &call("polite"))]);
    let without = |arguments: &[&str]| {
        let mut command = suite.command(arguments);
        command.env("PATH", suite.path("nothing")).env_remove("VIRTUAL_ENV").output().unwrap()
    };
    let checked = without(&["check", "suite"]);
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert_eq!(checked.status.code(), Some(0), "{said}");
    assert!(said.contains("`python3` was not found on this machine") && said.contains("agentci.yaml:7:25"), "{said}");
    let ran = without(&["run", "suite"]);
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert_eq!(ran.status.code(), Some(1), "{said}");
    assert!(said.contains("`suite/checks/talk.py` needs Python, but `python3` was not found"), "{said}");
    assert!(said.contains("help: install Python 3.8 or newer"), "{said}");
}

#[test]
fn processes_of_python_functions_end_with_the_run() {
    let suite = suite(&[("leaves", &call("leaves")), ("threads", &call("threads"))]);
    let ran = suite.run(&[]);
    ran.all_passed();
    ran.ended_soon_after(5);
    assert!(is_gone(told(&suite.path("child.pid"))));
}

#[test]
fn files_in_different_folders_import_their_own_modules() {
    let source = "from words import MOOD\ndef f(output, input, value): return MOOD == value\n";
    let cases = [
        ("a", "script: { file: a/check.py, function: f, value: one }"),
        ("b", "script: { file: b/check.py, function: f, value: two }"),
        // A file named like a module in use does not replace it.
        ("c", "script: { file: b/json.py, function: f, value: two }"),
    ];
    let suite = suite(&cases)
        .file("suite/a/check.py", source)
        .file("suite/a/words.py", "MOOD = 'one'\n")
        .file("suite/b/check.py", source)
        .file("suite/b/json.py", format!("{source}import json\nassert json.dumps(1) == '1'\n"))
        .file("suite/b/words.py", "MOOD = 'two'\n");
    suite.run(&[]).all_passed();
    assert!(!suite.path("suite/a/__pycache__").exists());
}

#[test]
fn python_functions_are_called_again_in_a_recheck() {
    let suite = suite(&[("a", &call("later"))]);
    let ran = suite.run(&[]);
    ran.all_passed();
    let folder = ran.run_folder();
    let changed = FUNCTIONS.replace("output == \"hello there\"", "output == \"bye\"");
    let suite = suite.file("suite/checks/talk.py", changed);
    let ran = suite.agentci(&["report", folder.to_str().unwrap(), "--recheck"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    ran.says(&["pass -> fail", "`later` rejected the output"]);
}

#[test]
fn secrets_in_output_and_tracebacks_are_redacted() {
    let source = "import os, sys\nKEY = os.environ['SHOP_API_KEY']\ndef f(output):\n    print('key', KEY)\n    raise ValueError(KEY)\n\
                  def g(output):\n    raise ValueError('x' * 1980 + KEY)\ndef h(output): sys.exit('x' * 1992 + KEY)\n";
    let cases = [
        ("a", "script: { file: checks/secret.py, function: f }"),
        ("b", "script: { file: checks/secret.py, function: g }"),
        ("c", "script: { file: checks/secret.py, function: h }"),
    ];
    let suite = suite(&cases).file("suite/checks/secret.py", source);
    let output = suite.command(&["run", "suite", "-v"]).env("SHOP_API_KEY", "shop-0123456789").output().unwrap();
    let ran = suite.ran(&output, std::time::Duration::ZERO);
    ran.says(&["ValueError: [REDACTED] (suite/checks/secret.py:5)", "= it printed: key [REDACTED]"]);
    let stored = fs::read_to_string(ran.run_folder().join("run.jsonl")).unwrap();
    assert!(!stored.contains("0123456789") && !ran.console().contains("0123456789"), "{stored}");
    // Text that was cut within the secret.
    assert!(!stored.contains("shop-0") && !ran.console().contains("shop-0"), "{stored}");
}
