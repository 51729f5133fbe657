//! Calls of functions: what they may do, and their limits.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use std::time::Duration;

use agentci_plan::ScriptFile;
use agentci_script::{CallLimits, ScriptError, ScriptProgram};
use serde_json::{Value, json};

fn read(path: &str, source: &str) -> Result<ScriptProgram, ScriptError> {
    ScriptProgram::read(&ScriptFile { path: path.into(), source: source.into() })
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn short() -> CallLimits {
    CallLimits { time: Duration::from_millis(300), ..CallLimits::default() }
}

/// Calls `f` of a TypeScript file.
fn call_with(source: &str, arguments: &[Value], limits: &CallLimits) -> Result<Value, ScriptError> {
    let program = read("scripts/check.ts", source)?;
    block_on(program.call("f", arguments, limits))
}

fn call(source: &str) -> Result<Value, ScriptError> {
    call_with(source, &[], &CallLimits { time: Duration::from_mins(2), ..CallLimits::default() })
}

fn thrown(source: &str) -> (String, Option<(u32, u32)>) {
    match call(source) {
        Err(ScriptError::Thrown { message, place }) => (message, place),
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_round_trip_as_json() {
    let echo = "function f(...given) { return given }";
    let given = [json!({"b": 1, "a": [null, true, 1.5, "é\u{2028}\u{0}"]}), json!("text"), json!(null)];
    assert_eq!(call_with(echo, &given, &CallLimits::default()), Ok(json!(given)));
    assert_eq!(call("function f() {}"), Ok(Value::Null));
    assert_eq!(call("function f() { return NaN }"), Ok(Value::Null));
    assert_eq!(call("function f() { return 'a'.length + 1 }"), Ok(json!(2)));
}

#[test]
fn accepts_any_function_syntax_without_export() {
    for source in [
        "function f() { return 1 }",
        "export function f() { return 1 }",
        "export default function f() { return 1 }",
        "const f = () => 1",
        "export const f = function () { return 1 }",
        "function g() { return 1 } export { g as f }",
        "let f; f = () => 1;",
        "async function f() { return 1 }",
        "const f = async () => await Promise.resolve().then(() => 1)",
        "module.exports = { f: () => 1 }",
        "exports.f = () => 1",
        "const module = 1; function f() { return module }",
        "const one = await Promise.resolve(1); function f() { return one }",
        "// the end is a comment\nfunction f() { return 1 } //",
    ] {
        assert_eq!(call(source), Ok(json!(1)), "{source}");
    }
}

#[test]
fn lists_functions_of_file() {
    let source =
        "function a() { function inner() {} } export const b = () => 1; const c = 3; class D {} export { a as e };";
    let program = read("x.js", source).unwrap();
    assert_eq!(program.functions(), ["a", "b", "e"]);
    assert!(program.may_have("c") && !program.may_have("inner") && !program.may_have("nothing"));
    assert!(read("x.js", "module.exports = {}").unwrap().may_have("nothing"));
    let known = program.functions().to_vec();
    for function in ["inner", "c", "toString", "constructor", "__proto__", "nothing", ""] {
        let none = ScriptError::NoFunction { function: function.into(), known: known.clone() };
        assert_eq!(block_on(program.call(function, &[], &CallLimits::default())), Err(none));
    }
}

#[test]
fn syntax_errors_have_location() {
    let wrong = |source: &str| match read("x.ts", source) {
        Err(ScriptError::Syntax { line, column, .. }) => (line, column),
        other => panic!("{source}: {other:?}"),
    };
    assert_eq!(wrong("\n\nfunction f( { return }\n"), (3, 22));
    assert_eq!(wrong("const a = 1;\nlet b = `\n"), (2, 9));
    assert_eq!(wrong("let x = 1;\nlet x = 2;").0, 2);
    assert_eq!(wrong("type A = string;\nfunction f() {\n  return /(/;\n}").0, 3);
    // Types are allowed only in TypeScript.
    assert!(matches!(read("x.js", "const a: number = 1"), Err(ScriptError::Syntax { line: 1, .. })));
}

#[test]
fn exceptions_carry_original_source_location() {
    let source = "interface Long {\n  a: string;\n  b: string;\n}\n\nenum E { A }\n\nfunction helper(x: number): never {\n    \
        throw new TypeError('no ' + x);\n}\n\nexport function f() {\n  helper(E.A);\n}\n";
    let (message, place) = thrown(source);
    assert_eq!((message.as_str(), place.unwrap().0), ("TypeError: no 0", 9));
    let (message, place) = thrown("type A = 1;\nfunction f() {\n\n  return missing;\n}");
    assert_eq!((message.as_str(), place.unwrap().0), ("ReferenceError: missing is not defined", 4));
    assert_eq!(thrown("function f() { throw 'a text' }"), ("a text".into(), None));
    assert_eq!(thrown("function f() { throw { code: 3 } }"), (r#"{"code":3}"#.into(), None));
    for thrower in ["'half \\ud83d'", "new Error('half \\ud83d')"] {
        let (message, _) = thrown(&format!("function f() {{ throw {thrower} }}"));
        assert!(message.ends_with("half \u{fffd}"), "{message}");
    }
    let (message, place) = thrown("async function f() {\n  await null;\n  throw new Error('late');\n}");
    assert_eq!((message.as_str(), place.unwrap().0), ("Error: late", 3));
    let (message, place) = thrown("const x: number = 1;\n\nnull.y;\nfunction f() {}");
    assert!(message.contains("TypeError"), "{message}");
    assert_eq!(place.unwrap().0, 3);
    let (message, _) = thrown("function f() { throw new Error('x'.repeat(1e6)) }");
    assert!(message.len() < 3_000);
}

#[test]
fn scripts_cannot_access_outside_world() {
    for (name, what) in [
        ("fetch('http://x')", "the network"),
        ("require('fs')", "other files"),
        ("process.exit(1)", "processes"),
        ("new FS('system')", "files"),
        ("Process('models.user.Find')", "processes"),
        ("http.Get('http://x')", "the network"),
        ("new Store('x')", "stores"),
        ("new Query()", "databases"),
        ("setTimeout(() => 1, 1)", "timers"),
    ] {
        let (message, place) = thrown(&format!("function f() {{\n  {name};\n}}"));
        assert!(message.contains("` is not available: ") && message.contains("have no access"), "{name}: {message}");
        assert!(message.contains(what), "{name}: {message}");
        assert_eq!(place.unwrap().0, 2, "{name}");
    }
    for source in ["import fs from 'fs';\nfs.x", "export { x } from './x'", "export * from './x'", "import './x'"] {
        let Err(ScriptError::Syntax { line: 1, message, .. }) = read("x.ts", source) else { panic!("{source}") };
        assert!(message.contains("no access to files"), "{message}");
    }
    let (message, _) = thrown("async function f() { return await import('fs') }");
    assert!(message.contains("no access to files"), "{message}");
    assert_eq!(
        call("function f() { return [typeof fetch, typeof process, typeof require].join() }"),
        Ok(json!("undefined,undefined,undefined"))
    );
    assert_eq!(call("function f() { console.log('x'); console.error(1, {}); return 1 }"), Ok(json!(1)));
}

#[test]
fn stops_function_that_never_ends() {
    // None of them allocates memory while it runs; otherwise the memory limit might stop it first.
    for source in [
        "function f() { while (true) {} }",
        "function f() { for (;;) try { for (;;); } catch {} finally { for (;;); } }",
        "while (true) {}\nfunction f() {}",
        "async function f() { for (;;) await null }",
        "function f() { const again = () => { Promise.resolve().then(again) }; again(); return new Promise(() => {}) }",
        "function f() { return { toJSON() { for (;;); } } }",
        "function f() { throw { get message() { for (;;); }, toJSON() { for (;;); } } }",
        "class Bad extends Error { get message() { for (;;); } } function f() { throw new Bad() }",
        "function f() { return /^(a+)+$/.test('a'.repeat(40) + 'b') }",
        "function f() { [1, 2].sort(() => { for (;;); }) }",
    ] {
        assert_eq!(call_with(source, &[], &short()), Err(ScriptError::TooLong(short().time)), "{source}");
    }
}

#[test]
fn abandons_function_the_engine_cannot_interrupt() {
    // The engine runs this one natively, without checking the clock.
    let source = "function f() { return Array.prototype.includes.call({ length: 2 ** 53 - 1 }, 1) }";
    assert_eq!(call_with(source, &[], &short()), Err(ScriptError::TooLong(short().time)));
    assert_eq!(call("function f() { return 1 }"), Ok(json!(1)));
}

#[test]
fn reports_promise_that_never_settles() {
    let (message, _) = thrown("function f() { return new Promise(() => {}) }");
    assert!(message.contains("never settles"), "{message}");
}

#[test]
fn enforces_memory_limit() {
    let limits = CallLimits { time: Duration::from_mins(2), memory: 8 * 1024 * 1024 };
    for source in [
        "function f() { const all = []; for (;;) all.push('x'.repeat(1000) + all.length) }",
        "function f() { const all = []; for (;;) all.push({}) }",
        "function f() { return new Uint8Array(1e9) }",
        "function f() { return new ArrayBuffer(1e9) }",
        "function f() { const m = new Map(); for (let i = 0; ; i++) m.set(i, m.size) }",
        "function f() { return JSON.parse('[' + '1,'.repeat(3e6) + '1]') }",
        "const all = []; for (;;) all.push([]);\nfunction f() {}",
        "function f() { const again = () => Promise.resolve().then(again); return again() }",
    ] {
        assert_eq!(call_with(source, &[], &limits), Err(ScriptError::TooMuchMemory(limits.memory)), "{source}");
    }
    // A caught exception is not reported.
    let caught = "function f() { try { const all = []; for (;;) all.push({}) } catch (e) { return 'caught' } }";
    assert_eq!(call_with(caught, &[], &limits), Ok(json!("caught")));
    assert_eq!(call("function f() { return 1 }"), Ok(json!(1)));
}

#[test]
fn deep_recursion_throws() {
    for source in [
        "function f() { return f() }",
        "function f() { const a = []; a[0] = a; return [a].flat(Infinity) }",
        "function f() { let x = []; for (let i = 0; i < 1e5; i++) x = [x]; return JSON.stringify(x) }",
        "function f() { return JSON.parse('['.repeat(1e5)) }",
        "function f() { return eval('('.repeat(1e5)) }",
    ] {
        let (message, _) = thrown(source);
        assert!(message.contains("stack"), "{source}: {message}");
    }
}

#[test]
fn refuses_values_json_cannot_represent() {
    for (source, kind) in [
        ("function f() { return f }", "a function"),
        ("function f() { return Symbol('x') }", "a symbol"),
        ("function f() { return 1n }", "a BigInt"),
        ("function f() { const a = {}; a.a = a; return a }", "an object"),
        ("function f() { let x = []; for (let i = 0; i < 500; i++) x = [x]; return x }", "cannot be read"),
        ("function f() { return 'x'.repeat(17 * 1024 * 1024) }", "more than 16 MB"),
    ] {
        match call(source) {
            Err(ScriptError::NotJson(what)) => assert!(what.contains(kind), "{source}: {what}"),
            other => panic!("{source}: {other:?}"),
        }
    }
}

#[test]
fn calls_do_not_share_state() {
    let source = r"
        let count = 0;
        const kept = [];
        class Counter { static count = 0 }
        function f() {
            const seen = [++count, kept.push(1), ++Counter.count, globalThis.left ?? 0, typeof [].left,
                Math.left ?? 0, Object.left ?? 0, typeof JSON.parse, (f as any).left ?? 0];
            try { globalThis.left = 1 } catch {}
            try { (Array.prototype as any).left = 1 } catch {}
            try { (Math as any).left = 1; (Object as any).left = 1 } catch {}
            try { (f as any).left = 1 } catch {}
            try { JSON.parse = undefined as any } catch {}
            return seen;
        }";
    let program = read("x.ts", source).unwrap();
    let other = read("y.ts", "function f() { return [globalThis.left ?? 0, typeof JSON.parse] }").unwrap();
    block_on(async {
        for _ in 0..20 {
            let seen = program.call("f", &[], &CallLimits::default()).await;
            assert_eq!(seen, Ok(json!([1, 1, 1, 0, "undefined", 0, 0, "function", 0])));
            assert_eq!(other.call("f", &[], &CallLimits::default()).await, Ok(json!([0, "function"])));
        }
    });
}

#[test]
fn reused_engine_is_isolated_from_earlier_calls() {
    // These files cannot be rejected before they run.
    let word = |word: &str| format!("({:?} + {:?})", &word[..3], &word[3..]);
    let (constructor, prototype, define) = (word("constructor"), word("prototype"), word("defineProperty"));
    let samples = "[[], {}, '', 1, true, 1n, Symbol.iterator, () => 1, function* () {}, async () => 1, async function* () {}, /x/, \
        new Date(), new Map(), new Set(), new WeakMap(), Promise.resolve(), new Uint8Array(1), new ArrayBuffer(1), JSON, Math, \
        console, [].values(), new Map().keys(), ''[Symbol.iterator](), (function* () {})(), new Error('x'), 'x'.matchAll(/x/g)]";
    let leaves = format!(
        "function leave(make, mark) {{ for (const value of make()) {{ for (const target of [value[{constructor}], \
        value[{constructor}]?.[{prototype}], value[{constructor}]?.[{prototype}]?.[{constructor}]]) {{ \
        try {{ ({{}})[{constructor}][{define}](target, mark, {{ value: 1, configurable: true }}) }} catch {{}} }} }} }}"
    );
    let sees =
        "const seen = () => samples().filter((value) => value.left !== undefined || value.left2 !== undefined).length;";
    let source = format!(
        "const samples = () => {samples};\n{leaves}\n{sees}\nfunction f() {{ const before = seen(); leave(samples, 'left'); \
        return [before, seen()] }}"
    );
    let program = read("x.js", &source).unwrap();
    block_on(async {
        for _ in 0..50 {
            let Ok(returned) = program.call("f", &[], &CallLimits::default()).await else { panic!("it was refused") };
            assert_eq!(returned[0], json!(0), "something was left behind");
        }
    });
}

#[test]
fn inherited_property_names_can_be_assigned() {
    // A name that is known only at run time, and one that every object inherits.
    let source =
        "function f(key) { const { ...own } = { [key]: 1 }; let o = {}; ({ [key]: o[key] } = own); return o[key] }";
    let program = read("x.js", source).unwrap();
    block_on(async {
        for key in ["plain", "toString", "constructor", "valueOf"] {
            assert_eq!(program.call("f", &[json!(key)], &CallLimits::default()).await, Ok(json!(1)), "{key}");
        }
    });
    let counts = "function f(text) { const n = {}; for (const w of text.split(' ')) n[w] = w.length; return n }";
    let program = read("x.js", counts).unwrap();
    let counted = json!({"a": 1, "toString": 8, "valueOf": 7});
    assert_eq!(block_on(program.call("f", &[json!("a toString valueOf")], &CallLimits::default())), Ok(counted));
    let caught = "function f(key) { const o = {}; try { o[key] = 1 } catch { return 'caught' } return o[key] }";
    let program = read("x.js", caught).unwrap();
    assert_eq!(block_on(program.call("f", &[json!("toString")], &CallLimits::default())), Ok(json!(1)));
    let later = "let left = 0; function f() { Promise.resolve().then(() => { for (;;); }); return ++left }";
    let program = read("x.js", later).unwrap();
    block_on(async {
        for _ in 0..5 {
            assert_eq!(program.call("f", &[], &CallLimits::default()).await, Ok(json!(1)));
        }
    });
}

#[test]
fn hanging_function_does_not_block_other_calls() {
    let hangs = read("x.ts", "function f() { for (;;); }").unwrap();
    let quick = read("y.ts", "function f(x: number) { return x + 1 }").unwrap();
    let limits = short();
    block_on(async {
        let mut ticks = 0;
        let waiting = hangs.call("f", &[], &limits);
        tokio::pin!(waiting);
        loop {
            tokio::select! {
                result = &mut waiting => { assert_eq!(result, Err(ScriptError::TooLong(limits.time))); break }
                () = tokio::task::yield_now() => ticks += 1,
            }
        }
        assert!(ticks > 1);
        for number in 0..50 {
            assert_eq!(quick.call("f", &[json!(number)], &limits).await, Ok(json!(number + 1)));
        }
    });
}

#[test]
fn refuses_hostile_files_without_crashing() {
    for source in [
        "(".repeat(50_000),
        "!".repeat(50_000),
        "a=>".repeat(20_000) + "1",
        "if(a)".repeat(10_000),
        "x".repeat(300_000),
        "\u{0}".into(),
    ] {
        let start: String = source.chars().take(10).collect();
        assert!(read("x.ts", &source).is_err(), "{start}");
    }
    let long = format!("const sum = 1{}", "+1".repeat(20_000));
    assert!(read("x.ts", &long).is_ok());
}

#[test]
fn replaces_unpaired_surrogate() {
    assert_eq!(call(r#"function f() { return ["😀".slice(0, 1), "😀"] }"#), Ok(json!(["\u{FFFD}", "😀"])));
}

#[test]
fn accepts_shebang_line() {
    assert_eq!(call("#!/usr/bin/env node\nfunction f() { return 1 }"), Ok(json!(1)));
    let (_, place) = thrown("#!/usr/bin/env node\nfunction f() {\n  throw new Error('x') }");
    assert_eq!(place.map(|(line, _)| line), Some(3));
}

#[test]
fn refuses_too_deeply_nested_source() {
    for (open, close) in [("(", ")"), ("[", "]"), ("{", "}")] {
        let source = format!("function f() {{\n  return {}1{} }}", open.repeat(100_000), close.repeat(100_000));
        let error = read("check.js", &source).unwrap_err();
        assert!(matches!(error, ScriptError::Syntax { line: 2, .. }), "{error:?}");
    }
    let regex = format!("function f() {{ return /{}{}/ }}", "(".repeat(100_000), ")".repeat(100_000));
    assert!(matches!(read("check.js", &regex), Err(ScriptError::Syntax { .. })));
}
