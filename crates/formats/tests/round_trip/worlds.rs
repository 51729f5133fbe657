//! Generates worlds.

use std::sync::Arc;
use std::time::Duration;

use agentci_formats::load_mcp_script;
use agentci_plan::{
    Cassette, CommandPart, CommandTool, Data, Fault, FaultKind, FaultTime, HttpTool, LiveTool, LiveTools, Matching,
    McpSource, McpTool, McpTransport, McpWorld, ModelScript, ModelWorld, Normalization, RecordingSetting, ScriptSource,
    ScriptedAnswer, ScriptedTool, Text, TextReplacement, ToolSource, UnansweredRoute, World,
};
use agentci_source::{MemoryFiles, Sources, Spanned};
use proptest::prelude::*;
use proptest::{collection, option, sample};
use serde_json::Value;

use crate::routed;
use crate::targets::named_texts;
use crate::values::{argument, name, span, text, value};

pub(crate) fn scripted() -> impl Strategy<Value = Vec<ScriptedTool>> {
    let reply = value().prop_map(|value| ScriptedAnswer { ok: true, data: Data::parse(&value) });
    let error = text().prop_map(|text| ScriptedAnswer { ok: false, data: Data::parse(&Value::String(text)) });
    collection::btree_map(name(), collection::vec(prop_oneof![reply, error], 1..3), 0..3).prop_map(|tools| {
        tools.into_iter().map(|(name, answers)| ScriptedTool { name: Spanned::new(name, span()), answers }).collect()
    })
}

/// The model script in the files of the test.
pub(crate) fn script() -> Arc<ModelScript> {
    Arc::new(ModelScript { default: vec!["hi".into()], ..ModelScript::default() })
}

fn model() -> impl Strategy<Value = ModelWorld> {
    let miss = option::of(sample::select(vec![UnansweredRoute::Fail, UnansweredRoute::Warn]));
    (miss, option::of(any::<bool>())).prop_map(|(miss, strict)| {
        let model = ModelWorld::new(ScriptSource::File("s/model.yaml".into()), span());
        ModelWorld { script: script(), miss, strict, ..model }
    })
}

/// The MCP server script in the files of the test.
pub(crate) const SERVER: &str = "tools: { find: { answers: { reply: hi } } }\n";

fn servers() -> impl Strategy<Value = Vec<McpWorld>> {
    let files = MemoryFiles::default().with("s/orders.mcp.yaml", SERVER);
    let script = load_mcp_script(&files, &mut Sources::default(), "s/orders.mcp.yaml".as_ref()).map(Arc::new);
    let script = McpSource::Script { path: "s/orders.mcp.yaml".into(), script: script.unwrap_or_default() };
    let recording = option::of(name()).prop_map(|server| McpSource::Recording {
        path: "s/stock.jsonl".into(),
        server: server.map(|server| Spanned::new(server, span())),
    });
    let source = prop_oneof![Just(script), recording];
    let names = sample::select(vec!["orders", "stock-2", "1"]);
    collection::btree_map(names, source, 0..3).prop_map(|servers| {
        let server = |(name, source): (&str, McpSource)| McpWorld {
            name: Spanned::new(name.to_owned(), span()),
            source,
            span: span(),
        };
        servers.into_iter().map(server).collect()
    })
}

fn matching() -> impl Strategy<Value = Matching> {
    let ignored = |pointer: &str| Spanned::new(pointer.to_owned(), span());
    let ignore = sample::subsequence(vec!["/metadata/user_id", "/tools/*/id", "/a b"], 0..=3);
    (any::<bool>(), ignore, any::<bool>()).prop_map(move |(said, ignore, system)| {
        if !said {
            return Matching::default();
        }
        Matching { ignore: ignore.into_iter().map(ignored).collect(), system, span: Some(span()) }
    })
}

pub(crate) fn world() -> impl Strategy<Value = World> {
    let path = sample::select(vec!["s/tapes/a b.jsonl", "tape", "../up/ü.jsonl", "/abs/${X}"]);
    let allowed = option::of(collection::vec(text(), 0..3));
    let model = option::of(model());
    let faults = collection::vec(fault(), 0..3);
    let cassette = path.prop_map(|path| ToolSource::Cassette(Cassette { path: path.into(), span: span() }));
    let tools = prop_oneof![Just(ToolSource::None), cassette, routed::routes().prop_map(ToolSource::Routes)];
    let recorded = (any::<bool>(), any::<bool>(), any::<bool>(), matching());
    (model, tools, allowed, live(), normalization(), faults, (scripted(), servers(), recorded)).prop_map(
        |(
            model,
            tools,
            allowed,
            live,
            normalization,
            faults,
            (scripted, servers, (recorded, model_alone, optional, matching)),
        )| World {
            // Only an existing model can be optional.
            model_optional: optional && (model.is_some() || model_alone || recorded),
            recorded_model: (model_alone && model.is_none())
                .then(|| RecordingSetting { path: "s/model.jsonl".into(), span: span() }),
            matching: Arc::new(matching),
            mcp: servers.into(),
            model,
            tools,
            allowed: allowed.map(|names| names.into_iter().map(|name| Spanned::new(name, span())).collect()),
            live: Arc::new(live),
            normalization: Arc::new(normalization),
            faults: faults.into(),
            scripted: scripted.into(),
            refusals: if recorded { [Spanned::new("^no: ".to_owned(), span())].into() } else { [].into() },
            recording: recorded.then(|| RecordingSetting { path: "s/talk/a.jsonl".into(), span: span() }),
        },
    )
}

pub(crate) fn live() -> impl Strategy<Value = LiveTools> {
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

pub(crate) fn normalization() -> impl Strategy<Value = Normalization> {
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

pub(crate) fn fault() -> impl Strategy<Value = Fault> {
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
    (option::of(name()), any::<bool>(), when, kind).prop_map(|(tool, model, when, kind)| Fault {
        model: model && tool.is_none(),
        tool: tool.map(|tool| Spanned::new(tool, span())),
        when,
        kind,
        span: span(),
    })
}
