//! What is printed in the native dialect is read back as the same plan, whatever the texts and numbers in it.

mod routed;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agentci_formats::{load, print_native, yaml};
use agentci_plan::{
    A2aCard, A2aTarget, Action, AguiTarget, AguiWire, ApiKeyPlace, Auth, Case, Cassette, ChatApi, ChatContext,
    ChatTarget, Check, ClientTool, CommandPart, CommandTool, Connector, Content, Data, Dialect, EnvironmentFile, Fault,
    FaultKind, FaultTime, Gates, Hook, HttpTool, KeyHeader, Limit, Limits, LiveTool, LiveTools, McpTarget, McpTool,
    McpTransport, MemoryFiles, Message, MockResponse, MockScript, MockTarget, Mode, ModelScript, ModelWorld, Node,
    Normalization, ProcessTarget, Prompt, Recording, Redaction, Said, Scalar, ScriptFile, ScriptedAnswer, ScriptedTool,
    Skip, Sources, Span, Spanned, StopRule, Strictness, Suite, Target, Text, TextReplacement, ToolSource, Turn, World,
    join,
};
use proptest::prelude::*;
use proptest::{collection, option, sample};
use serde_json::{Map, Number, Value, json};

fn span() -> Span {
    Span::whole(Sources::default().add(Path::new("x"), ""))
}

/// Texts that a reader of YAML or of templates could stumble over.
fn text() -> impl Strategy<Value = String> {
    let odd = sample::select(vec![
        "",
        "~",
        "null",
        "yes",
        "NO",
        "1e3",
        "010",
        "1:30",
        "0x1F",
        ".inf",
        "2024-01-31",
        "- a",
        "? a",
        "a: b",
        "a #b",
        "#a",
        "'a'",
        "\"a\"",
        "[a]",
        "{a}",
        "<<",
        "&a",
        "*a",
        "!a",
        "@a",
        "`a",
        "%a",
        "|",
        ">",
        "${A}",
        "$${A}",
        "$$${A",
        "${A:-b}",
        "a ${ENV.B} c",
        "$",
        "a\nb",
        "\n",
        " a ",
        "\ta",
        "\r\n",
        "\\",
        "\u{0}",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{ffff}",
        "é",
        "日本",
        "🦀",
        "---",
        "...",
        "none",
        "true",
        "5m",
    ]);
    prop_oneof![odd.prop_map(str::to_owned), any::<String>(), "[a-z][a-z ./:${}A-Z-]{0,12}"]
}

/// An argument of a command that names nothing of the suite, as `a/..` would.
fn argument() -> impl Strategy<Value = String> {
    let there = |word: &str| ["", "s", "s/agentci.yaml"].map(Path::new).contains(&&*join(Path::new("s"), word));
    text().prop_filter("names something of the suite", move |word| !there(word))
}

fn name() -> impl Strategy<Value = String> {
    text().prop_map(|text| if text.trim().is_empty() { "name".to_owned() } else { text })
}

fn number() -> impl Strategy<Value = Value> {
    "-?(0|[1-9][0-9]{0,40})(\\.[0-9]{1,30})?(e[+-]?[0-9]{1,4})?"
        .prop_map(|digits| digits.parse::<Number>().map_or(Value::Null, Value::Number))
}

fn value() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![Just(Value::Null), any::<bool>().prop_map(Value::Bool), number(), text().prop_map(Value::String)];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            collection::vec((text(), inner), 0..5).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    collection::vec((text(), value()), 0..5).prop_map(|pairs| Value::Object(pairs.into_iter().collect()))
}

fn check() -> impl Strategy<Value = Check> {
    let kind = name().prop_filter("keys of their own", |kind| kind != "not" && kind != "message");
    (kind, value(), any::<bool>(), option::of(text())).prop_map(|(kind, arguments, negate, message)| {
        let templated = matches!(Data::parse(arguments.clone()), Data::Template(_));
        let arguments = Node::from_value(&arguments, span());
        Check { negate, message, templated, ..Check::new(kind, span(), arguments) }
    })
}

fn limits() -> impl Strategy<Value = Limits> {
    let whole = || option::of(prop_oneof![-5_i32..5, any::<i32>()].prop_map(|most| limit(f64::from(most))));
    let any_number = option::of((-1e6_f64..1e6).prop_map(limit));
    let wall = option::of(prop_oneof![any::<i32>().prop_map(f64::from), -1e6_f64..1e6].prop_map(limit));
    (wall, whole(), whole(), whole(), any_number).prop_map(
        |(wall_ms, tool_calls, tool_errors, tokens_out, cost_usd)| Limits {
            wall_ms,
            tool_calls,
            tool_errors,
            tokens_out,
            cost_usd,
        },
    )
}

fn limit(most: f64) -> Limit {
    Limit { most, span: span() }
}

fn said() -> impl Strategy<Value = Said> {
    let message = (name(), text()).prop_map(|(role, content)| Message::new(role, Text::parse(&content)));
    let action = (name(), value()).prop_map(|(kind, arguments)| Action {
        kind: Spanned::new(format!("{kind}:x"), span()),
        arguments: Node::from_value(&arguments, span()),
    });
    prop_oneof![
        object().prop_map(|value| Said::Input(Data::Literal(value))),
        object().prop_map(|value| Said::Input(Data::parse(value))),
        collection::vec(message, 1..3).prop_map(Said::Messages),
        action.prop_map(Said::Action),
    ]
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let turn = (said(), collection::vec(check(), 0..3), limits()).prop_map(|(said, checks, limits)| Turn {
        said,
        checks: checks.into_iter().map(Arc::new).collect(),
        limits,
        span: span(),
    });
    let task = object().prop_map(|value| {
        let said = Said::Input(Data::Literal(value));
        vec![Turn { said, checks: Arc::from([]), limits: Limits::default(), span: span() }]
    });
    prop_oneof![task, collection::vec(turn, 1..3)]
}

fn named_texts() -> impl Strategy<Value = Vec<(String, Text)>> {
    collection::btree_map("[A-Z_]{1,6}", text(), 0..3)
        .prop_map(|map| map.into_iter().map(|(name, text)| (name, Text::parse(&text))).collect())
}

fn target() -> impl Strategy<Value = Target> {
    prop_oneof![
        process().boxed(),
        mock().boxed(),
        agui().boxed(),
        a2a().boxed(),
        mcp().boxed(),
        routed::http().boxed(),
        chat().boxed()
    ]
}

fn millis() -> impl Strategy<Value = Duration> {
    (1_u64..1_000_000).prop_map(Duration::from_millis)
}

fn address() -> impl Strategy<Value = Spanned<Text>> {
    let written = sample::select(vec!["http://127.0.0.1:8000/agent", "https://${ENV.HOST}/x", "${URL}"]);
    written.prop_map(|written| Spanned::new(Text::parse(written), span()))
}

fn template() -> impl Strategy<Value = Text> {
    text().prop_map(|text| Text::parse(&text))
}

fn agui() -> impl Strategy<Value = Target> {
    let tool = (name(), text(), object()).prop_map(|(name, description, parameters)| ClientTool {
        name: Spanned::new(name, span()),
        description,
        parameters,
    });
    let data = || option::of(object().prop_map(Data::parse));
    let wire = sample::select(AguiWire::NAMES.map(|(_, wire)| wire).to_vec());
    let protocol = sample::select(Strictness::NAMES.map(|(_, protocol)| protocol).to_vec());
    let names = (option::of(template()), option::of(template()), named_texts());
    (address(), names, millis(), (data(), data()), collection::vec(tool, 0..2), (wire, protocol)).prop_map(
        |(endpoint, (agent, thread, headers), timeout, (forwarded_props, state), tools, (wire, protocol))| {
            let span = span();
            Target::Agui(Box::new(AguiTarget {
                endpoint,
                agent,
                thread,
                headers,
                timeout,
                forwarded_props,
                state,
                tools,
                wire,
                protocol,
                span,
            }))
        },
    )
}

fn a2a() -> impl Strategy<Value = Target> {
    let card = prop_oneof![
        address().prop_map(A2aCard::At),
        object().prop_map(A2aCard::Inline),
        address().prop_map(A2aCard::Endpoint)
    ];
    let place = sample::select(ApiKeyPlace::NAMES.map(|(_, place)| place).to_vec());
    let auth = prop_oneof![
        template().prop_map(Auth::Bearer),
        (name(), place, template()).prop_map(|(name, place, value)| Auth::ApiKey { name, place, value }),
        (template(), template(), template(), collection::vec(text(), 0..3)).prop_map(
            |(token_url, client_id, client_secret, scopes)| Auth::OAuth2 {
                token_url,
                client_id,
                client_secret,
                scopes
            }
        ),
        any::<bool>().prop_map(|own| Auth::Mtls {
            certificate: "s/cert.pem".into(),
            key: "s/key.pem".into(),
            authority: own.then(|| "ca.pem".into()),
        }),
    ];
    let modes = collection::vec(text(), 0..3);
    let options = (option::of(template()), option::of(any::<bool>()), modes, option::of(auth));
    (card, options, named_texts(), millis()).prop_map(
        |(card, (context, blocking, accepted_output_modes, auth), headers, timeout)| {
            let span = span();
            Target::A2a(Box::new(A2aTarget {
                card,
                context,
                blocking,
                accepted_output_modes,
                auth,
                headers,
                timeout,
                span,
            }))
        },
    )
}

fn mcp() -> impl Strategy<Value = Target> {
    let stdio = (argument(), named_texts()).prop_map(|(argument, environment)| McpTransport::Stdio {
        command: ["program", &argument].map(|part| CommandPart { text: Text::parse(part), file: None }).into(),
        environment,
    });
    let token = template().prop_map(Auth::Bearer);
    let stdio = stdio.prop_map(|transport| (transport, None));
    let http = (address(), option::of(token)).prop_map(|(address, auth)| (McpTransport::Http(address), auth));
    (prop_oneof![stdio, http], named_texts(), millis()).prop_map(|((transport, auth), headers, timeout)| {
        Target::Mcp(Box::new(McpTarget { transport, auth, headers, timeout, span: span() }))
    })
}

fn scripted() -> impl Strategy<Value = Vec<ScriptedTool>> {
    let reply = value().prop_map(|value| ScriptedAnswer { ok: true, data: Data::parse(value) });
    let error = text().prop_map(|text| ScriptedAnswer { ok: false, data: Data::parse(Value::String(text)) });
    collection::btree_map(name(), collection::vec(prop_oneof![reply, error], 1..3), 0..3).prop_map(|tools| {
        tools.into_iter().map(|(name, answers)| ScriptedTool { name: Spanned::new(name, span()), answers }).collect()
    })
}

fn mock() -> impl Strategy<Value = Target> {
    let response = (text(), text(), 0_u64..1 << 60, 0.0_f64..1e9, text()).prop_map(
        |(content, model, tokens_used, latency_ms, finish_reason)| MockResponse {
            content,
            model,
            tokens_used,
            latency_ms,
            finish_reason,
        },
    );
    let script = (name(), collection::vec(response, 0..3), 0.0_f64..1e6, 0.0..=1.0_f64).prop_map(
        |(model_name, responses, default_latency_ms, failure_rate)| MockScript {
            model_name,
            responses,
            default_latency_ms,
            failure_rate,
        },
    );
    (script, 0_u32..5)
        .prop_map(|(script, position)| Target::Mock(MockTarget { script: Arc::new(script), position, span: span() }))
}

fn map() -> impl Strategy<Value = Map<String, Value>> {
    object().prop_map(|object| if let Value::Object(map) = object { map } else { Map::new() })
}

fn connector() -> impl Strategy<Value = Connector> {
    let header = option::of(sample::select(KeyHeader::NAMES.map(|(_, header)| header).to_vec()));
    let api = prop_oneof![
        Just((ChatApi::OpenAi, None)),
        Just((ChatApi::Anthropic, None)),
        Just((ChatApi::Scripted(model().script), Some(PathBuf::from("s/model.yaml"))))
    ];
    (name(), api, address(), template(), option::of(template()), header, map()).prop_map(
        |(id, (api, script), url, model, key, key_header, settings)| {
            let url = if script.is_some() { Spanned::new(Text::Literal(String::new()), span()) } else { url };
            Connector { id, api, url, model, key, key_header, settings, script }
        },
    )
}

fn chat() -> impl Strategy<Value = Target> {
    let prompt =
        || (name(), option::of(text()), text()).prop_map(|(role, name, content)| Prompt { role, name, content });
    let prompts = move || collection::vec(prompt(), 0..3).prop_map(Arc::from);
    let presets = collection::btree_map(name(), prompts(), 0..2).prop_map(|presets| presets.into_iter().collect());
    let about = collection::btree_map(name(), text(), 0..2).prop_map(|about| about.into_iter().collect());
    let context = (text(), text(), option::of(text()), text(), map());
    let beside = (any::<bool>(), any::<bool>());
    (name(), about, connector(), (prompts(), presets, map()), context, beside, millis()).prop_map(
        |(
            agent,
            about,
            connector,
            (prompts, presets, options),
            (user, team, chat, locale, metadata),
            beside,
            timeout,
        )| {
            let environment = EnvironmentFile { path: "s/.env".into(), values: vec![("A".into(), "b".into())] };
            let script = ScriptFile { path: "index.ts".into(), source: "function Next() {}".into() };
            Target::Chat(Box::new(ChatTarget {
                agent,
                about,
                connector: Arc::new(connector),
                prompts,
                options,
                presets,
                environment: beside.0.then(|| Arc::new(environment)),
                script: beside.1.then(|| Arc::new(script)),
                context: ChatContext { user, team, chat, locale, metadata, ..ChatContext::default() },
                timeout,
                span: span(),
            }))
        },
    )
}

fn process() -> impl Strategy<Value = Target> {
    (collection::vec(argument(), 0..3), named_texts(), any::<bool>()).prop_map(|(arguments, environment, folder)| {
        let parts = std::iter::once("program".to_owned()).chain(arguments);
        Target::Process(ProcessTarget {
            command: parts.map(|part| CommandPart { text: Text::parse(&part), file: None }).collect(),
            folder: folder.then(|| PathBuf::from("work")),
            environment,
            span: span(),
        })
    })
}

/// The script that stands in the files of the test.
fn model() -> ModelWorld {
    let script = ModelScript { default: vec!["hi".into()], ..ModelScript::default() };
    ModelWorld { path: "s/model.yaml".into(), span: span(), script: Arc::new(script) }
}

fn world() -> impl Strategy<Value = World> {
    let path = sample::select(vec!["s/tapes/a b.jsonl", "tape", "../up/ü.jsonl", "/abs/${X}"]);
    let allowed = option::of(collection::vec(text(), 0..3));
    let model = any::<bool>().prop_map(|there| there.then(model));
    let faults = collection::vec(fault(), 0..3);
    let cassette = path.prop_map(|path| ToolSource::Cassette(Cassette { path: path.into(), span: span() }));
    let tools = prop_oneof![Just(ToolSource::None), cassette, routed::routes().prop_map(ToolSource::Routes)];
    (model, tools, allowed, live(), normalization(), faults, (scripted(), any::<bool>())).prop_map(
        |(model, tools, allowed, live, normalization, faults, (scripted, recorded))| World {
            model,
            tools,
            allowed: allowed.map(|names| names.into_iter().map(|name| Spanned::new(name, span())).collect()),
            live: Arc::new(live),
            normalization: Arc::new(normalization),
            faults: faults.into(),
            scripted: scripted.into(),
            recording: recorded.then(|| Recording { path: "s/talk/a.jsonl".into(), span: span() }),
        },
    )
}

fn live() -> impl Strategy<Value = LiveTools> {
    let command = (argument(), named_texts(), any::<bool>()).prop_map(|(argument, environment, long_lived)| {
        let parts = ["program".to_owned(), argument];
        LiveTool::Command(CommandTool {
            command: parts.map(|part| CommandPart { text: Text::parse(&part), file: None }).into(),
            environment,
            long_lived,
            timeout: Duration::from_secs(30),
            span: span(),
        })
    });
    let http = (named_texts(), 1_u64..100_000).prop_map(|(headers, millis)| {
        let timeout = Duration::from_millis(millis);
        LiveTool::Http(HttpTool { url: Text::parse("https://x.test/${A}"), headers, timeout, span: span() })
    });
    let mcp = (argument(), named_texts(), option::of(name()), any::<bool>());
    let mcp = mcp.prop_map(|(argument, named, tool, stdio)| {
        let parts = ["program".to_owned(), argument].map(|part| CommandPart { text: Text::parse(&part), file: None });
        let url = Spanned::new(Text::parse("https://x.test/${A}"), span());
        let (transport, headers) = if stdio {
            (McpTransport::Stdio { command: parts.into(), environment: named }, Vec::new())
        } else {
            (McpTransport::Http(url), named)
        };
        LiveTool::Mcp(McpTool { transport, headers, tool, timeout: Duration::from_secs(30), span: span() })
    });
    let tools = collection::btree_map(name(), prop_oneof![command, http, mcp], 0..3);
    (tools, option::of(name())).prop_map(|(tools, module)| LiveTools {
        tools: tools.into_iter().map(|(name, tool)| (Spanned::new(name, span()), tool)).collect(),
        module: module.map(|module| Spanned::new(module, span())),
        folder: "s".into(),
    })
}

fn normalization() -> impl Strategy<Value = Normalization> {
    let texts = || collection::vec(text(), 0..2);
    let replaced = collection::btree_map(name(), text().prop_map(Value::String), 0..2);
    (texts(), texts(), replaced, texts()).prop_map(|(strip_keys, strip_paths, replaced, replacements)| Normalization {
        strip_keys,
        strip_paths,
        replace_paths: replaced.into_iter().collect(),
        replace_text: replacements
            .into_iter()
            .map(|replacement| TextReplacement { pattern: r"(?i)\d+ a".into(), replacement })
            .collect(),
    })
}

fn fault() -> impl Strategy<Value = Fault> {
    let when = prop_oneof![
        Just(FaultTime::Always),
        (1_u32..9).prop_map(FaultTime::Call),
        (0.0..=1.0).prop_map(FaultTime::Rate)
    ];
    let kind = prop_oneof![
        text().prop_map(FaultKind::Error),
        (0_u64..9999).prop_map(|millis| FaultKind::Delay(Duration::from_millis(millis))),
        sample::select(vec![FaultKind::Malformed, FaultKind::Truncated, FaultKind::Hang]),
    ];
    (option::of(name()), when, kind).prop_map(|(tool, when, kind)| Fault {
        tool: tool.map(|tool| Spanned::new(tool, span())),
        when,
        kind,
        span: span(),
    })
}

fn hook() -> impl Strategy<Value = Hook> {
    (argument(), named_texts(), 1_u64..100_000, any::<bool>()).prop_map(|(argument, environment, millis, folder)| {
        Hook {
            command: [Text::Literal("seed".into()), Text::parse(&argument)]
                .map(|text| CommandPart { text, file: None })
                .into(),
            folder: folder.then(|| "s/hooks".into()),
            environment,
            timeout: Duration::from_millis(millis),
            span: span(),
        }
    })
}

fn case() -> impl Strategy<Value = Case> {
    let about = (name(), option::of(text()), collection::vec(text(), 0..3), option::of(option::of(text())));
    let around = (target(), world(), named_texts(), collection::vec(hook(), 0..2));
    let asked = (turns(), collection::vec(check(), 0..4), limits());
    let stop = sample::select(vec![StopRule::FirstFailedTurn, StopRule::Never, StopRule::FirstFailure]);
    let timeout = option::of((0_u64..10_000_000).prop_map(Duration::from_millis));
    (about, around, asked, (timeout, 1_u32..9, stop)).prop_map(
        |((id, description, tags, skip), (target, world, variables, hooks), (turns, checks, limits), last)| Case {
            id,
            span: span(),
            description,
            tags,
            skip: skip.map(|reason| Skip { reason }),
            target: Arc::new(target),
            world: Arc::new(world),
            variables: variables.into(),
            hooks: hooks.into(),
            turns,
            checks: checks.into_iter().map(Arc::new).collect(),
            limits,
            timeout: last.0,
            runs: last.1,
            stop: last.2,
            asked: Some(Arc::new(json!(["x", null]))),
            expected: last.0.map(|_| Arc::new(json!({ "a": "${b}" }))),
            metadata: None,
            broken: None,
        },
    )
}

fn gates() -> impl Strategy<Value = Gates> {
    // A percentage below one is warned about.
    let percent = || option::of(prop_oneof![-500_i32..=0, 1..100_000]);
    let truth = || option::of(any::<bool>());
    let rate = option::of((0_u32..=1000).prop_map(|rate| f64::from(rate) / 1000.0));
    (any::<bool>(), rate, percent(), percent(), truth(), truth()).prop_map(
        |(baseline, rate, mean, p95, no_new_failures, no_missing_cases)| {
            let spanned = |percent: i32| Spanned::new(format!("{percent}e-2").parse().unwrap_or(f64::NAN), span());
            let written = [
                ("baseline", baseline.then(|| json!("old/b.json"))),
                (
                    "min_pass_rate",
                    rate.map(|rate| rate.to_string().parse::<Number>().map_or(Value::Null, Value::Number)),
                ),
                ("max_avg_wall_ms_delta_pct", mean.map(Value::from)),
                ("max_p95_wall_ms_delta_pct", p95.map(Value::from)),
                ("no_new_failures", no_new_failures.map(Value::from)),
                ("no_missing_cases", no_missing_cases.map(Value::from)),
            ];
            let pairs: Vec<_> =
                written.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect();
            Gates {
                baseline: baseline.then(|| Spanned::new("s/old/b.json".into(), span())),
                min_pass_rate: rate.map(|rate| Spanned::new(rate, span())),
                max_avg_wall_ms_delta_pct: mean.map(spanned),
                max_p95_wall_ms_delta_pct: p95.map(spanned),
                no_new_failures: no_new_failures.map(|truth| Spanned::new(truth, span())),
                no_missing_cases: no_missing_cases.map(|truth| Spanned::new(truth, span())),
                written: if pairs.is_empty() { Value::Null } else { Value::Object(pairs.into_iter().collect()) },
            }
        },
    )
}

fn suite() -> impl Strategy<Value = Suite> {
    let mode = sample::select(vec![Mode::Replay, Mode::Record, Mode::Live]);
    (
        name(),
        mode,
        any::<bool>(),
        (gates(), option::of(name()), option::of(chat().boxed())),
        collection::vec(case().boxed(), 1..4),
    )
        .prop_map(|(name, mode, output, (gates, embedder, agent), mut cases)| {
            for (index, case) in cases.iter_mut().enumerate() {
                case.id = format!("{}{index}", case.id);
            }
            Suite {
                agents: agent.into_iter().map(|agent| ("judge".to_owned(), Arc::new(agent))).collect(),
                embedder: embedder.map(|embedder| Spanned::new(embedder, span())),
                name,
                dialect: Dialect::Native,
                path: "s/agentci.yaml".into(),
                folder: "s".into(),
                span: span(),
                mode,
                output_dir: output.then(|| "s/out".into()),
                gates,
                redact: Redaction { keys: vec!["${x}".into()], patterns: vec![r"a\d".into()] },
                cases,
            }
        })
}

/// A suite in full, places left out, so that two can be compared.
fn without_places(suite: &Suite) -> String {
    let full = format!("{suite:#?}");
    let mut kept = String::with_capacity(full.len());
    let mut rest = full.as_str();
    while let Some((before, after)) = rest.split_once("Span {\n") {
        kept.push_str(before);
        rest = after.split_once('}').map_or("", |(_, rest)| rest);
    }
    kept + rest
}

proptest! {
    #[test]
    fn a_printed_suite_loads_as_the_same_suite(suite in suite()) {
        let text = print_native(&suite, None);
        let files = MemoryFiles::default().with("s/agentci.yaml", text.as_str()).with("s/model.yaml", "default: hi\n");
        let files = files.with("s/.env", "A=b\n").with("index.ts", "function Next() {}");
        let files = routed::ANSWERS.iter().fold(files, |files, answer| files.with(*answer, ""));
        let loaded = load(&files, &["s".into()]);
        prop_assert!(loaded.diagnostics.is_empty(), "{text}\n{:?}", loaded.diagnostics);
        prop_assert_eq!(without_places(&loaded.plan.suites[0]), without_places(&suite), "{}", text);
        prop_assert_eq!(print_native(&loaded.plan.suites[0], None), text);
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>()) {
        let file = Sources::default().add(Path::new("a"), text.as_str());
        let _ = yaml::parse(&text, file);
    }

    #[test]
    fn any_yaml_like_text_is_read_or_refused(text in "[-a:\\[\\]{},&*!|>'\"#%@`?~<\\\\ \\t\\r\\n0é\u{2028}]{0,60}") {
        let file = Sources::default().add(Path::new("a"), text.as_str());
        if let Err(problem) = yaml::parse(&text, file) {
            prop_assert!(problem.span.line >= 1 && problem.span.column >= 1 && problem.span.width >= 1);
        }
    }
}

#[test]
fn a_runledger_suite_prints_as_a_native_one() {
    let files = MemoryFiles::default()
        .with("s/agent.py", "")
        .with(
            "s/suite.yaml",
            "suite_name: refunds\nagent_command: [python3, agent.py]\nmode: replay\ncases_path: cases\n\
             tool_registry: [pay]\nassertions: [{ type: must_not_call, tools: [drop] }]\nbudgets: { max_wall_ms: -1 }\n",
        )
        .with("s/cases/a.yaml", "id: a\ninput: { ok: yes, price: '${X}' }\ncassette: tapes/a.jsonl\n");
    let loaded = load(&files, &["s".into()]);
    let text = print_native(&loaded.plan.suites[0], Some("../s"));
    assert_eq!(
        text,
        "suite: refunds\nfolder: ../s\ncases:\n  - id: a\n    target:\n      process:\n        command:\n          - python3\n          \
         - agent.py\n    world:\n      tools:\n        cassette: tapes/a.jsonl\n        allow:\n          - pay\n    input:\n      \
         ok: true\n      price: $${X}\n    checks:\n      - not:\n          tool_called:\n            any:\n              - drop\n    \
         limits:\n      wall: \"-1ms\"\n    timeout: none\n"
    );
    let again = load(&files.with("t/agentci.yaml", text), &["t".into()]);
    assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
    let (first, again) = (&loaded.plan.suites[0], &again.plan.suites[0]);
    assert_eq!((&again.folder, &again.name), (&first.folder, &first.name));
    assert_eq!(without_places(again).matches("s/agent.py").count(), 1);
    assert_eq!(again.cases[0].turns[0].said, first.cases[0].turns[0].said);
}

#[test]
fn thresholds_of_a_runledger_suite_become_percentages() {
    let files = MemoryFiles::default()
        .with(
            "s/suite.yaml",
            "suite_name: s\nagent_command: [a]\nmode: replay\ncases_path: cases\ntool_registry: []\n\
             baseline_path: ../baselines/s.json\n\
             regression: { min_success_rate: 0.9, max_avg_wall_ms_delta_pct: 0.07, no_new_failures: yes, mine: 1 }\n",
        )
        .with("s/cases/a.yaml", "id: a\ninput: {}\ncassette: a.jsonl\n");
    let loaded = load(&files, &["s".into()]);
    assert!(loaded.diagnostics.is_empty(), "{:?}", loaded.diagnostics);
    let text = print_native(&loaded.plan.suites[0], None);
    let gates = "gates:\n  baseline: ../baselines/s.json\n  min_pass_rate: 0.9\n  max_avg_wall_ms_delta_pct: 7\n  \
        no_new_failures: true\n";
    assert!(text.contains(gates), "{text}");
    let again = load(&MemoryFiles::default().with("s/agentci.yaml", text), &["s".into()]);
    assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
    let (old, new) = (&loaded.plan.suites[0].gates, &again.plan.suites[0].gates);
    let value = |time: &Option<Spanned<f64>>| time.as_ref().map(|time| time.value);
    assert_eq!(value(&old.max_avg_wall_ms_delta_pct), Some(0.07));
    assert_eq!(value(&new.max_avg_wall_ms_delta_pct), Some(0.07));
    assert_eq!(
        old.written,
        json!({"min_success_rate": 0.9, "max_avg_wall_ms_delta_pct": 0.07, "no_new_failures": true, "mine": 1})
    );
}

#[test]
fn a_number_with_a_sign_or_a_base_keeps_its_spelling_in_arguments() {
    let text = "suite: s\ncases:\n  - id: a\n    target: { process: { command: [a] } }\n    input: {}\n    \
        checks: [{ equals: [+7, 0x1F, .5, True, ] }]\n";
    let files = MemoryFiles::default().with("s/agentci.yaml", text);
    let printed = print_native(&load(&files, &["s".into()]).plan.suites[0], None);
    let again = load(&MemoryFiles::default().with("s/agentci.yaml", printed), &["s".into()]);
    let arguments = &again.plan.suites[0].cases[0].checks[0].arguments;
    let texts: Vec<_> = arguments.items().unwrap().iter().map(|item| item.content.clone()).collect();
    let plain = |text: &str| Content::Scalar(Scalar::plain(text));
    assert_eq!(texts, [plain("+7"), plain("0x1F"), plain(".5"), plain("True")]);
}

#[test]
fn a_yao_suite_prints_as_a_native_one_that_loads_the_same() {
    let files = MemoryFiles::default()
        .with("app/app.yao", "{}")
        .with("app/.env", "KEY=1\n")
        .with("app/agent/prompts.yml", "- { role: system, content: Global }\n")
        .with("app/connectors/gpt.conn.yao", r#"{"type": "openai", "options": {"model": "m", "key": "$ENV.KEY"}}"#)
        .with("app/assistants/a/package.yao", r#"{"name": "A", "connector": "gpt", "options": {"temperature": 0.5}}"#)
        .with("app/assistants/a/prompts.yml", "- { role: system, content: 'Hi ${x} $CTX.USER_ID' }\n")
        .with("app/assistants/a/src/index.ts", "function Next() {}")
        .with("app/assistants/judge/package.yao", r#"{"connector": "mock"}"#)
        .with("app/assistants/judge/tests/model.yaml", "default: hi\n")
        .with("app/scripts/t.ts", "function Check() { return true }")
        .with(
            "app/assistants/a/tests/in.jsonl",
            r#"{"id": "one", "input": "a ${x}", "expected": {"a": 1}, "metadata": {"k": "v"}, "user": "bob"}
{"id": "two", "input": [{"role": "user", "content": [{"type": "text", "text": "x"}], "name": "n"}], "timeout": "7s", "skip": true}
{"id": "three", "input": {"content": "x"}, "assert": [{"type": "regex", "value": "a${b}", "negate": true, "message": "no"},
  {"type": "script", "script": "scripts.t.Check"}, {"type": "agent", "use": "agents:judge", "value": "ok"}, {"type": "nope"},
  {"type": "tool_called", "value": "x"}, {"type": "equals", "value": null}]}"#,
        );
    let loaded = load(&files, &["app".into()]);
    assert!(!loaded.diagnostics.has_errors(), "{:?}", loaded.diagnostics);
    let first = &loaded.plan.suites[0];
    let text = print_native(first, Some("../app/assistants/a/tests"));
    let files = files.with("t/agentci.yaml", text.as_str());
    let again = load(&files, &["t".into()]);
    assert!(again.diagnostics.is_empty(), "{text}\n{:?}", again.diagnostics);
    let again = &again.plan.suites[0];
    // Its own names for checks are the dialect's alone.
    let plain = |suite: &Suite| {
        let mut suite = Suite { dialect: Dialect::Native, path: PathBuf::new(), ..suite.clone() };
        for case in &mut suite.cases {
            case.checks =
                case.checks.iter().map(|check| Arc::new(Check { label: None, ..Check::clone(check) })).collect();
        }
        without_places(&suite)
    };
    assert_eq!(plain(again), plain(first), "{text}");
}
