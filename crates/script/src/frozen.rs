//! A world that is used again and again. Everything that every file finds in it is frozen, so that no call can leave anything
//! behind; what a file declares itself is declared anew for each call. To make such a world costs more than most calls do.
//!
//! A file that would notice that the world is frozen gets a world of its own instead: see [`is_plain`].

use rquickjs::{Context, Ctx, Error, Function, Persistent, Runtime};

use crate::code::Code;

/// How many files a world keeps compiled.
const FILES: usize = 64;

/// Freezes all that can be reached from the global object and from values that have no name there. What an error remembers of
/// its stack can be set through `Error`, and is kept where nothing can be frozen; so these two go away.
const FREEZE: &str = r"(() => {
    delete Error.prepareStackTrace;
    delete Error.stackTraceLimit;
    const seen = new Set();
    const freeze = (value) => {
        const kind = typeof value;
        if ((kind !== 'object' && kind !== 'function') || value === null || seen.has(value)) return;
        seen.add(value);
        for (const key of Reflect.ownKeys(value)) {
            const { value: inner, get, set } = Object.getOwnPropertyDescriptor(value, key);
            freeze(inner);
            freeze(get);
            freeze(set);
        }
        freeze(Object.getPrototypeOf(value));
        Object.freeze(value);
    };
    const iterators = [[].values(), new Map().keys(), new Set().keys(), ''[Symbol.iterator](), 'x'.matchAll(/x/g),
        [].values().map((x) => x), Iterator.from({ next() {} })];
    const functions = [function () {}, () => 1, function* () {}, async function () {}, async function* () {}, class {}];
    const others = [(function* () {})(), (async function* () {})(), (function () { return arguments })(),
        Object.getOwnPropertyDescriptor((function () { 'use strict'; return arguments })(), 'callee').get];
    for (const value of [globalThis, ...iterators, ...functions, ...others]) freeze(value);
})()";

/// A world that is used again and again.
pub(crate) struct Frozen {
    /// Files that were compiled in it; they go before the world does.
    factories: Vec<(usize, Persistent<Function<'static>>)>,
    pub(crate) context: Context,
}

impl Frozen {
    /// Makes one out of a world as every file finds it.
    pub(crate) fn new(runtime: &Runtime, surroundings: &str) -> Result<Self, Error> {
        let context = Context::full(runtime)?;
        context.with(|ctx| {
            ctx.eval::<(), _>(surroundings)?;
            ctx.eval::<(), _>(FREEZE)
        })?;
        Ok(Self { factories: Vec::new(), context })
    }

    /// The file as a function, if it is compiled.
    pub(crate) fn known(&self, code: &Code) -> Option<Persistent<Function<'static>>> {
        self.factories.iter().find(|(number, _)| *number == code.number).map(|(_, known)| known.clone())
    }

    /// Keeps a file that was compiled.
    pub(crate) fn keep<'js>(&mut self, ctx: &Ctx<'js>, code: &Code, factory: Function<'js>) {
        if self.factories.len() >= FILES {
            self.factories.remove(0);
        }
        self.factories.push((code.number, Persistent::save(ctx, factory)));
    }
}

/// Whether a file does nothing that a frozen world would refuse or that would tell that it is one. In case of doubt it does: then
/// it costs more, and nothing else.
pub(crate) fn is_plain(code: &str) -> bool {
    let words = || code.split(|letter: char| !(letter.is_alphanumeric() || "_$".contains(letter)));
    let has = |names: &[&str]| words().any(|word| names.contains(&word));
    // What is refused is thrown, and then another world is tried; unless the file itself catches it.
    !(has(&TELLING) || has(&CATCHING) && sets_by_odd_name(code))
}

/// Words without which no exception stays in a file.
const CATCHING: [&str; 5] = ["Promise", "async", "catch", "finally", "then"];

/// Names through which the world is changed, or looked at closely.
const TELLING: [&str; 27] = [
    "FinalizationRegistry",
    "Function",
    "Proxy",
    "Reflect",
    "WeakRef",
    "__defineGetter__",
    "__defineSetter__",
    "__proto__",
    "assign",
    "constructor",
    "defineProperties",
    "defineProperty",
    "delete",
    "eval",
    "extends",
    "freeze",
    "getOwnPropertyDescriptor",
    "getOwnPropertyDescriptors",
    "getPrototypeOf",
    "globalThis",
    "isExtensible",
    "isFrozen",
    "isSealed",
    "prepareStackTrace",
    "prototype",
    "setPrototypeOf",
    "stackTraceLimit",
];

/// Whether a property is set whose name is not known, or is one that a frozen prototype has: `a[b] = c`, `a.toString = c`. The
/// code was printed by the stripper, so that an assignment has just one form.
fn sets_by_odd_name(code: &str) -> bool {
    let assigned = code.match_indices("= ").map(|(at, _)| &code[..at]);
    let assigned =
        assigned.filter(|before| before.ends_with(' ') || OPERATORS.iter().any(|sign| before.ends_with(sign)));
    let changed = code.match_indices("++").chain(code.match_indices("--")).map(|(at, _)| &code[..at]);
    assigned.chain(changed).any(|before| {
        let target = before.trim_end_matches(|letter| "+-*/%&|^<>?".contains(letter)).trim_end();
        match target.strip_suffix(']') {
            Some(target) => is_member(target),
            None => ODD.iter().any(|odd| target.strip_suffix(odd).is_some_and(|before| before.ends_with('.'))),
        }
    })
}

/// Whether the bracket that was closed here belongs to the value before it; else it is a list.
fn is_member(before: &str) -> bool {
    let mut open = 1;
    let start = before.rfind(|letter| {
        open += match letter {
            ']' => 1,
            '[' => -1,
            _ => 0,
        };
        open == 0
    });
    start.is_none_or(|start| !before[..start].ends_with([' ', '(', ',', '\t', '\n']))
}

/// What may stand before `=` in an assignment.
const OPERATORS: [&str; 12] = ["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>", "??", "**"];

/// Names that objects and errors have by their prototype, and that a file might set.
const ODD: [&str; 8] = [
    "hasOwnProperty",
    "isPrototypeOf",
    "message",
    "name",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
];

/// Whether an exception may come from the world being frozen.
pub(crate) fn refused(message: &str) -> bool {
    let words = ["read-only", "not extensible", "no setter", "could not delete", "not configurable"];
    message.starts_with("TypeError") && words.iter().any(|word| message.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_would_notice_are_not_plain() {
        for code in [
            "Array.prototype.x = 1;",
            "class A extends Error {}",
            "globalThis.x = 1;",
            "Object.isFrozen(Math);",
            "Object.assign(Math, {});",
        ] {
            assert!(!is_plain(code), "{code}");
        }
        for code in
            ["a[b] = 1;", "a[b] += 1;", "a[b] ??= 1;", "a[b[c]] = 1;", "f()[b] = 1;", "a[b]++;", "e.name = \"x\";"]
        {
            assert!(is_plain(code), "{code}");
            assert!(!is_plain(&format!("try {{ {code} }} catch {{}}")), "{code}");
            assert!(!is_plain(&format!("const f = async () => {{ {code} }}")), "{code}");
        }
        for code in [
            "const [a, b] = c;",
            "const { a } = b;",
            "function f(a = [], { b } = {}) {\n\t[a, b] = [b, a];\n}",
            "a.b = 1;",
            "a.username = 1;",
            "count++;",
            "if (a[b] === 1 || a[b] == 2 || a[b] >= 3) throw new Error(\"x\");",
            "const f = (x) => x[0];",
            "this.total += 1;",
        ] {
            assert!(is_plain(code), "{code}");
            assert!(is_plain(&format!("try {{ {code} }} catch {{}}")), "{code}");
        }
    }
}
