//! TypeScript files: what is blanked out, what is rewritten and what is rejected.

#![expect(clippy::unwrap_used, reason = "what does not hold here is a failed test")]

use std::time::Duration;

use agentci_plan::ScriptFile;
use agentci_script::{CallLimits, ScriptError, ScriptProgram};
use serde_json::{Value, json};

fn read(source: &str) -> Result<ScriptProgram, ScriptError> {
    ScriptProgram::read(&ScriptFile { path: "check.ts".into(), source: source.into() })
}

fn call(source: &str) -> Value {
    let limits = CallLimits { time: Duration::from_mins(2), ..CallLimits::default() };
    let program = read(source).unwrap_or_else(|error| panic!("{source}\n{error:?}"));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(program.call("f", &[], &limits)).unwrap_or_else(|error| panic!("{source}\n{error:?}"))
}

/// The results match the TypeScript compiler and Node.js; `interop/typescript.test.mjs` verifies that.
#[test]
fn transpiled_files_match_typescript_results() {
    for name in ["types", "classes", "enums"] {
        let file = |extension| {
            let path = format!("{}/../../fixtures/typescript/{name}.{extension}", env!("CARGO_MANIFEST_DIR"));
            std::fs::read_to_string(path).unwrap()
        };
        let expected: Value = serde_json::from_str(&file("json")).unwrap();
        // Compared as text, since the order of fields matters as well.
        assert_eq!(call(&file("ts")).to_string(), expected.to_string(), "{name}");
    }
}

/// A removed type may have kept two lines apart, or one together.
#[test]
fn stripping_types_preserves_statement_boundaries() {
    for source in [
        "function f() { const a = 1 as number\n[2].length; return a }",
        "function f() { const a = 1 as number /* a comment */ // and one more\n(2); return a }",
        "function f() { let a: number\n[a] = [1]; return a }",
        "const g = 1\ninterface A {}\n(2);\nfunction f() { return g }",
        "const g = 1\nimport type { A } from 'a'\n(2);\nfunction f() { return g }",
        "const g = 1\nexport type { A }\n[2].length;\nfunction f() { return g }",
        "class A { get: number\n one() { return 1 } } function f() { return new A().one() }",
        "class A { a = 1\n readonly ['b'] = 2 } function f() { return new A().a }",
        "class A { a = 1\n private *g() {} } function f() { return new A().a }",
        "class A { a = 1\n declare b: number\n ['c'] = 1 } function f() { return new A().a }",
        "const g = async <\n T,\n>(a: T) => a;\nasync function f() { return await g(1) }",
        "const g = (a: number)\n: \n number => a;\nfunction f() { return g(1) }",
        "const g = (a: number,)\n: Promise<\n number\n> => a;\nfunction f() { return g(1) }",
        "function f() { return <\n any\n>1 }",
        "function f() { return <\nT,\n>(a: T) => a }\nconst g = f; f = () => g()(1);",
        "class A { constructor(public a: number) { 'use strict' } } function f() { return new A(1).a }",
        "function f() { const g = (a?) => a; return g(1) }",
        "function f() { const { a: b, c }: { a: number, c?: string } = { a: 1 }; return b }",
        "export default abstract class A { static a = 1 }\nfunction f() { return A.a }",
        "export default function f(a?: number): number\nexport default function f() { return 1 }",
        "export = { f: (): number => 1 }",
        "import { agent } from './a'\nfunction f(): agent { return [1].map((agent) => agent)[0] }",
        "type g = 1; const g = () => 1; export { g as f }",
        "import type { A } from './a'; export { A as B }; function f() { return 1 }",
        "declare class A {} export { A as B }; function f() { return 1 }",
        "enum name { A = 1 } enum value { A = 1 } function f() { return name.A * value.A }",
        "function f() { return 1 } // the end",
        "const æ = '😀' as string; function f() { return æ.length - 1 as number }",
        "function f(): number {\r\n  return 1 as number\r\n}\r\n",
        "\u{feff}function f(): number { return 1 }",
        "/* module.exports */ function f() { return 1 }",
    ] {
        assert_eq!(call(source), json!(1), "{source}");
    }
}

#[test]
fn rejects_unsupported_typescript_syntax() {
    for (source, place, part) in [
        ("let a;\n  namespace A { export const a = 1 }", (2, 3), "namespaces are not supported"),
        ("export namespace A.B { let a = 1 }", (1, 8), "namespaces are not supported"),
        ("class A {\n  @sealed a = 1 }", (2, 3), "decorators are not supported"),
        ("@sealed class A {}", (1, 1), "decorators are not supported"),
        ("class A { b(@c d: string) {} }", (1, 13), "decorators are not supported"),
        ("import { a } from './a';\nfunction f() { return a }", (1, 1), "no access to files"),
        ("import fs = require('fs');\nfs.x", (1, 1), "no access to files"),
        ("import a from './a';\nexport { a }", (1, 1), "no access to files"),
        ("import {} from './a'", (1, 1), "no access to files"),
        ("enum A { B = 'b', C }", (1, 19), "`C` needs a value"),
        ("class A extends B {\n  constructor(public c: number) { if (c) super() }\n}", (2, 3), "needs `super(..)`"),
    ] {
        let Err(ScriptError::Syntax { line, column, message }) = read(source) else { panic!("{source}") };
        assert!(message.contains(part), "{source}: {message}");
        assert_eq!((line, column), place, "{source}");
    }
}

#[test]
fn exceptions_have_original_typescript_location() {
    let place = |source: &str| {
        let program = read(source).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        match runtime.block_on(program.call("f", &[], &CallLimits::default())) {
            Err(ScriptError::Thrown { place, .. }) => place,
            other => panic!("{source}: {other:?}"),
        }
    };
    let thrown =
        "interface A {\n  a: string\n}\nexport function f(a: A, b?: Map<string, A>): never { throw new Error('x') }";
    assert_eq!(place(thrown), Some((4, 64)));
    let after_an_enum = "enum E { A, B = 2, C }; export function f(): void { (null as any).x }";
    assert_eq!(place(after_an_enum), Some((1, 53)));
    let in_a_constructor = "class A { constructor(public a: any) { this.b.c } }\nfunction f() { new A(1) }";
    assert_eq!(place(in_a_constructor), Some((1, 40)));
    let in_an_enum = "enum E {\n  A,\n  B = (null as any).x,\n}\nfunction f() {}";
    assert_eq!(place(in_an_enum).map(|(line, _)| line), Some(3));
}
