//! Suites with a matrix, loaded.

use agentci_plan::{Case, CommandPart, Suite, Target};
use agentci_source::MemoryFiles;

use crate::{Loaded, load, print_native};

fn loaded(text: &str) -> Loaded {
    let files = MemoryFiles::default().with("s/agentci.yaml", text).with("s/p/a.md", "").with("s/p/b.md", "");
    load(&files, &["s".into()])
}

/// The suite, which loads without any problem.
fn suite(text: &str) -> Suite {
    let mut loaded = loaded(text);
    assert_eq!(messages(&loaded), Vec::<String>::new());
    loaded.plan.suites.remove(0)
}

/// `line: message` for each problem.
fn messages(loaded: &Loaded) -> Vec<String> {
    loaded.diagnostics.iter().map(|problem| format!("{}: {}", problem.span.line, problem.message)).collect()
}

fn ids(suite: &Suite) -> Vec<&str> {
    suite.cases.iter().map(|case| case.id.as_str()).collect()
}

fn command(case: &Case) -> String {
    let Target::Process(process) = &*case.target else { panic!("not a process") };
    let parts = process.command.iter().map(|CommandPart { text, .. }| text.written());
    parts.collect::<Vec<_>>().join(" ")
}

/// A suite with this matrix in one line, a target that uses the axes `m` and `p`, and these lines of cases.
fn with(matrix: &str, cases: &str) -> String {
    format!(
        "suite: s\nmatrix: {matrix}\ntarget: {{ process: {{ command: [a, \"m=${{matrix.m}}\", \"p=${{matrix.p}}\"] }} }}\ncases:\n{cases}"
    )
}

#[test]
fn each_case_runs_with_every_combination() {
    let cases =
        "- { id: one, tags: t, input: { q: \"${matrix.m}!\", n: \"${matrix.n}\" } }\n- { id: two, input: {} }\n";
    let suite = loaded(&with("{ m: [x, y], p: [p/a.md, p/b.md], n: [0.5] }", cases)).plan.suites.remove(0);
    let expected = ["m=x,p=a,n=0.5", "m=x,p=b,n=0.5", "m=y,p=a,n=0.5", "m=y,p=b,n=0.5"];
    let expected: Vec<String> =
        ["one", "two"].iter().flat_map(|id| expected.iter().map(move |axes| format!("{id}[{axes}]"))).collect();
    assert_eq!(ids(&suite), expected);
    let commands: Vec<String> = suite.cases[..4].iter().map(|case| command(case)).collect();
    assert_eq!(commands, ["a m=x p=p/a.md", "a m=x p=p/b.md", "a m=y p=p/a.md", "a m=y p=p/b.md"]);
    let input = |case: &Case| format!("{:?}", case.turns[0].said);
    assert!(input(&suite.cases[2]).contains("y!"), "{}", input(&suite.cases[2]));
    assert!(input(&suite.cases[2]).contains("Number(0.5)"), "{}", input(&suite.cases[2]));
    let one = suite.cases[1].combination.as_ref().unwrap();
    assert_eq!(one.of.as_str(), "one");
    let axes: Vec<_> = one.axes.iter().map(|(axis, value)| format!("{axis}:{value}")).collect();
    assert_eq!(axes, ["m:x", "p:p/b.md", "n:0.5"]);
    assert_eq!(&*suite.cases[1].tags, ["m=x", "p=p/b.md", "n=0.5", "t"]);
    // The shared settings of a combination are shared by its cases.
    assert!(std::sync::Arc::ptr_eq(&suite.cases[0].target, &suite.cases[4].target));
    assert!(!std::sync::Arc::ptr_eq(&suite.cases[0].target, &suite.cases[1].target));
}

#[test]
fn misspelled_axis_never_runs_the_same_thing_twice() {
    let text = with("{ m: [x, y], mm: [1, 2] }", "- { id: one, input: {} }\n");
    assert_eq!(messages(&loaded(&text)), ["3: unknown axis `p`"]);
    let unused =
        with("{ m: [x, y], p: [1, 2], q: [1, 2] }", "- { id: one, description: \"${matrix.q}\", input: {} }\n");
    assert_eq!(messages(&loaded(&unused)), ["2: the axis `q` is never used"]);
    let partly = with(
        "{ m: [x, y], p: [1, 2], q: [1, 2] }",
        "- { id: one, input: { q: \"${matrix.q}\" } }\n- { id: two, input: {} }\n- { id: three, input: {} }\n",
    );
    assert_eq!(messages(&loaded(&partly)), ["2: the axis `q` is not used by `two`, `three`"]);
    let none =
        "suite: s\ntarget: { process: { command: [a] } }\ncases:\n- { id: one, input: { q: \"${matrix.q}\" } }\n";
    assert_eq!(messages(&loaded(none)), ["4: `${matrix.q}` has no value: there is no `matrix`"]);
    let literal = none.replace("${", "$${");
    assert_eq!(messages(&loaded(&literal)), Vec::<String>::new());
}

#[test]
fn target_of_a_case_may_not_use_the_axis_of_the_suite() {
    let cases = "- { id: one, input: {}, target: { process: { command: [b] } } }\n";
    assert_eq!(
        messages(&loaded(&with("{ m: [x, y], p: [1] }", cases))),
        ["2: the axis `m` is never used"],
        "the suite's target, which uses it, does not apply"
    );
}

#[test]
fn matrix_of_a_case_replaces_that_of_the_suite() {
    let cases = "- { id: one, matrix: { m: [z], p: [1] }, input: {} }\n- { id: two, input: {} }\n\
        - { id: three, matrix: {}, input: {}, target: { process: { command: [b] } } }\n";
    let suite = suite(&with("{ m: [x, y], p: [2] }", cases));
    assert_eq!(ids(&suite), ["one[m=z,p=1]", "two[m=x,p=2]", "two[m=y,p=2]", "three"]);
    let commands: Vec<String> = suite.cases.iter().map(|case| command(case)).collect();
    assert_eq!(commands, ["a m=z p=1", "a m=x p=2", "a m=y p=2", "b"]);
    let opted = with("{ m: [x, y], p: [1] }", "- { id: one, matrix: {}, input: {} }\n- { id: two, input: {} }\n");
    let found = loaded(&opted);
    let missing = "the matrix of the case has no axis";
    assert_eq!(
        messages(&found),
        [
            format!("5: {missing} `m`, which `target` of the suite uses"),
            format!("5: {missing} `p`, which `target` of the suite uses")
        ]
    );
    let broken: Vec<bool> = found.plan.suites[0].cases.iter().map(|case| case.broken.is_some()).collect();
    assert_eq!(broken, [true, false, false]);
}

#[test]
fn include_and_exclude_choose_combinations() {
    let chosen = |matrix: &str| {
        let loaded = loaded(&with(matrix, "- { id: c, input: {} }\n"));
        let problems = messages(&loaded);
        let ids = loaded.plan.suites.first().map(|suite| ids(suite).join(" ")).unwrap_or_default();
        if problems.is_empty() { ids } else { problems.join("; ") }
    };
    let axes = "m: [x, y], p: [1, 2]";
    assert_eq!(chosen(&format!("{{ {axes}, exclude: [{{ m: y, p: 2 }}] }}")), "c[m=x,p=1] c[m=x,p=2] c[m=y,p=1]");
    assert_eq!(
        chosen(&format!("{{ {axes}, exclude: [{{ m: y }}], include: [{{ p: 2, m: y }}, {{ m: z, p: 1 }}] }}")),
        "c[m=x,p=1] c[m=x,p=2] c[m=y,p=2] c[m=z,p=1]"
    );
    assert_eq!(chosen("{ include: [{ m: x, p: 1 }, { m: y, p: 2 }] }"), "c[m=x,p=1] c[m=y,p=2]");
    for (more, message) in [
        ("exclude: [{ m: y, p: 2 }, { m: y, p: 2 }]", "all combinations with these values are already excluded"),
        ("exclude: [{ m: z }]", "the axis `m` does not contain `z`"),
        ("exclude: [{ n: 1 }]", "unknown axis `n`"),
        ("exclude: [{}]", "a combination has no values"),
        ("exclude: [{ m: x }, { m: y }]", "every combination of the matrix is excluded"),
        ("include: [{ m: x, p: 1 }]", "the matrix already has this combination"),
        ("include: [{ m: z }]", "the combination lacks a value for the axis `p`"),
        (
            "include: [{ m: z, p: [1] }]",
            "a value of the axis `p` must be a string, a number or a boolean, found a list",
        ),
        ("include: [z]", "a combination in `include` must be a mapping, found the string `z`"),
    ] {
        assert_eq!(chosen(&format!("{{ {axes}, {more} }}")), format!("2: {message}"));
    }
}

#[test]
fn unusable_axes_are_errors() {
    for (matrix, message) in [
        ("{ m: [x, x], p: [1] }", "the axis `m` has the value `x` twice"),
        ("{ m: [3, \"3\"], p: [1] }", "the axis `m` has the value `3` twice"),
        ("{ m: [], p: [1] }", "the axis `m` has no values"),
        ("{ m: x, p: [1] }", "the axis `m` must be a list, found the string `x`"),
        ("{ m: [null], p: [1] }", "a value of the axis `m` must be a string, a number or a boolean, found nothing"),
        ("{ \"m p\": [1] }", "`m p` cannot be the name of an axis"),
        ("{ m: [\"${ENV.X}\"], p: [1] }", "a value of the axis `m` cannot contain a variable"),
        ("[m]", "`matrix` must be a mapping, found a list"),
    ] {
        assert_eq!(
            messages(&loaded(&with(matrix, "- { id: c, input: {} }\n"))).first(),
            Some(&format!("2: {message}"))
        );
    }
    let many: Vec<String> = (0..40).map(|number| number.to_string()).collect();
    let (many, text) = (many.join(", "), "- { id: c, input: {} }\n");
    let found = loaded(&with(&format!("{{ m: [{many}], p: [{many}] }}"), text));
    assert_eq!(messages(&found)[0], "2: the matrix has 1600 combinations, the limit is 1000");
    let long = "x".repeat(1001);
    let found = loaded(&with(&format!("{{ m: [{long}], p: [1] }}"), text));
    assert_eq!(messages(&found)[0], "2: a value of the axis `m` has 1001 characters, the limit is 1000");
}

#[test]
fn uses_of_an_invalid_matrix_are_no_further_errors() {
    let uses = "input: { q: \"${matrix.m}\" }, checks: [{ contains: \"${matrix.p|escape}\" }]";
    for (matrix, message) in [
        ("{ m: [x, x], p: [1] }", "the axis `m` has the value `x` twice"),
        ("{ m: [], p: [1] }", "the axis `m` has no values"),
        ("{ m: [x], p: [1], exclude: [{ m: z }] }", "the axis `m` does not contain `z`"),
        ("{ m: [x], p: [1], include: [{ m: z }] }", "the combination lacks a value for the axis `p`"),
        ("[m]", "`matrix` must be a mapping, found a list"),
    ] {
        let of_suite = with(matrix, &format!("- {{ id: c, {uses} }}\n"));
        assert_eq!(messages(&loaded(&of_suite)), [format!("2: {message}")]);
        let of_case = with("{ m: [x], p: [1] }", &format!("- {{ id: c, matrix: {matrix}, {uses} }}\n"));
        assert_eq!(messages(&loaded(&of_case)), [format!("5: {message}")]);
        // The same if the shared keys of the suite use no axes. A use in place of a number is no wrong type either.
        let cases = format!("- {{ id: c, runs: \"${{matrix.p}}\", {uses} }}\n- {{ id: d, runs: two, input: {{}} }}\n");
        let plain = |matrix: &str| with(matrix, &cases).replace("\"m=${matrix.m}\", \"p=${matrix.p}\"", "b");
        let mut told = messages(&loaded(&plain(matrix)));
        told.sort();
        assert_eq!(told, [format!("2: {message}"), "6: `runs` must be an integer, found the string `two`".to_owned()]);
    }
    // A case that opted out of the matrix has no axes, whatever the matrix of the suite is.
    let opted = "suite: s\nmatrix: { m: [x, x] }\ntarget: { process: { command: [b] } }\ncases:\n\
        - { id: c, matrix: {}, input: { q: \"${matrix.m}\" } }\n";
    let without = "5: `${matrix.m}` has no value: there is no `matrix`";
    assert_eq!(messages(&loaded(opted)), ["2: the axis `m` has the value `x` twice", without]);
}

#[test]
fn references_outside_of_cases_are_errors() {
    for (line, message) in [
        ("gates: { baseline: \"${matrix.m}.json\" }", "`gates` cannot depend on an axis of the matrix"),
        ("variables: { \"${matrix.m}\": x }", "`${matrix.m}` cannot be part of a key"),
        ("variables: { A: \"${matrix.m\" }", "`${matrix.` has no `}`"),
        ("variables: { A: \"${matrix.m:-x}\" }", "unknown axis `m:-x`"),
    ] {
        let text = with("{ m: [x], p: [1] }", &format!("- {{ id: c, input: {{}} }}\n{line}\n"));
        assert_eq!(messages(&loaded(&text)), [format!("6: {message}")], "{text}");
    }
    let text = with("{ m: [x], p: [1] }", "- { id: \"${matrix.m}\", input: {} }\n");
    assert_eq!(messages(&loaded(&text)), ["5: `id` cannot contain an axis of the matrix"]);
}

#[test]
fn problem_of_every_combination_is_reported_once_with_its_place() {
    let text = with("{ m: [x, y], p: [1, two] }", "- id: c\n  input: {}\n  runs: \"${matrix.p}\"\n");
    assert_eq!(messages(&loaded(&text)), ["7: `runs` must be an integer, found the string `two`"]);
    let text = with("{ m: [x, y], p: [1, two] }", "- { id: c, input: {} }\nruns: \"${matrix.p}\"\n");
    assert_eq!(messages(&loaded(&text)), ["6: `runs` must be an integer, found the string `two`"]);
    let twice = with("{ m: [x, y], p: [1] }", "- { id: c, input: {} }\n- { id: c, input: {} }\n");
    assert_eq!(messages(&loaded(&twice)), ["6: the case id `c` is used twice"]);
}

#[test]
fn printed_suite_has_the_same_cases() {
    let cases = "- { id: one, tags: [t], input: { q: \"$${matrix.m} ${X}\" } }\n- { id: two, matrix: { m: [3], p: [true] }, input: {} }\n";
    let first = suite(&with("{ m: [x, y], p: [p/a.md] }", cases));
    let printed = print_native(&first, None);
    let again = suite(&printed);
    assert_eq!(print_native(&again, None), printed);
    assert_eq!(ids(&again), ids(&first));
    for (one, two) in first.cases.iter().zip(&again.cases) {
        assert_eq!(
            (&one.combination, &one.tags, &one.turns[0].said),
            (&two.combination, &two.tags, &two.turns[0].said)
        );
        assert_eq!(command(one), command(two));
    }
    let both = printed.replacen("    target:", "    matrix: { m: [1] }\n    target:", 1);
    assert_eq!(messages(&loaded(&both)).len(), 1);
}

#[test]
fn text_of_a_file_that_an_axis_names_is_inserted() {
    let suite = "suite: s\nmatrix: { p: [p/short.md, p/long.md] }\ntarget:\n  chat:\n    connector: mock\n    prompts: [\"${matrix.p|text} End.\"]\ncases:\n- { id: c, input: {}, variables: { LANG: en } }\n";
    let files = |long: &str| {
        let files = MemoryFiles::default().with("s/agentci.yaml", suite).with("s/p/short.md", "Be short.\r\n");
        if long.is_empty() { files } else { files.with("s/p/long.md", long) }
    };
    let found = load(&files("In ${LANG}:\n\nexplain.\n"), &["s".into()]);
    assert_eq!(messages(&found), Vec::<String>::new());
    let prompts = found.plan.suites[0].cases.iter().map(|case| {
        let Target::Chat(chat) = &*case.target else { panic!("not a chat") };
        chat.prompts[0].content.written()
    });
    assert_eq!(prompts.collect::<Vec<_>>(), ["Be short. End.", "In ${LANG}:\n\nexplain. End."]);
    let missing = load(&files(""), &["s".into()]);
    assert_eq!(messages(&missing), ["2: cannot read `s/p/long.md`: no such file"]);
}

#[test]
fn file_of_an_own_axis_is_read_only_if_it_is_inserted() {
    let cases = "- { id: one, matrix: { m: [p/none.md], p: [1] }, input: { a: \"${matrix.m}\" } }\n\
        - { id: two, matrix: { m: [p/none.md], p: [1] }, input: { a: \"${matrix.m|text}\" } }\n";
    let found = loaded(&with("{ m: [x], p: [2] }", cases));
    assert_eq!(messages(&found), ["6: cannot read `s/p/none.md`: no such file"]);
}

#[test]
fn numbers_of_an_axis_are_text_where_text_is_required() {
    let target = "suite: s\nmatrix: { m: [10, true], p: [1] }\ntarget: { process: { command: [a, \"${matrix.m}\", \"${matrix.p}\"] } }\ncases:\n";
    let suite = suite(&format!("{target}- {{ id: c, input: {{ n: \"${{matrix.m}}\" }} }}\n"));
    assert_eq!(suite.cases.iter().map(|case| command(case)).collect::<Vec<_>>(), ["a 10 1", "a true 1"]);
    let input = format!("{:?}", suite.cases[0].turns[0].said);
    assert!(input.contains("Number(10)"), "{input}");
}

#[test]
fn oversized_file_is_not_inserted() {
    let suite = "suite: s\nmatrix: { p: [big.md] }\ntarget: { chat: { connector: mock, prompts: [\"${matrix.p|text}\"] } }\ncases:\n- { id: c, input: {} }\n";
    let of = |bytes: usize| {
        let files = MemoryFiles::default().with("s/agentci.yaml", suite).with("s/big.md", "x".repeat(bytes));
        messages(&load(&files, &["s".into()]))
    };
    assert_eq!(of(1 << 20), Vec::<String>::new());
    assert_eq!(of((1 << 20) + 1), ["2: cannot read `s/big.md`: the file has 1048577 bytes, the limit is 1048576"]);
}

#[test]
fn variable_never_decides_whether_a_case_is_skipped() {
    let of = |reason: &str| {
        loaded(&with("{ m: [x], p: [1] }", &format!("- {{ id: c, input: {{}}, skip: \"{reason}\" }}\n")))
    };
    for reason in ["${row.skip}", "${ENV.SKIP:-no}"] {
        assert_eq!(messages(&of(reason)), ["5: `skip` cannot contain a variable"], "{reason}");
    }
    let skipped = of("uses $${HOME}").plan.suites.remove(0);
    assert_eq!(skipped.cases[0].skip.as_ref().unwrap().reason.as_deref(), Some("uses ${HOME}"));
}
