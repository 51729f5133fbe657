//! Generates targets other than plain HTTP.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{
    A2aCard, A2aKeys, A2aTarget, AguiTarget, AguiWire, ApiKeyPlace, Assistant, Auth, ChatApi, ChatPrompt, ChatTarget,
    ClientTool, CommandPart, Connector, Data, EnvironmentFile, KeyHeader, McpTarget, McpTransport, MockResponse,
    MockScript, MockTarget, OutputRule, ProcessTarget, ScriptFile, Speech, Strictness, Target, Text,
};
use agentci_source::Spanned;
use proptest::prelude::*;
use proptest::{collection, option, sample};
use serde_json::{Map, Value};

use crate::routed;
use crate::values::{argument, name, object, span, text};
use crate::worlds::script;

pub(crate) fn named_texts() -> impl Strategy<Value = Vec<(String, Text)>> {
    collection::btree_map("[A-Z_]{1,6}", text(), 0..3)
        .prop_map(|map| map.into_iter().map(|(name, text)| (name, Text::parse(&text))).collect())
}

pub(crate) fn target() -> impl Strategy<Value = Target> {
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

pub(crate) fn millis() -> impl Strategy<Value = Duration> {
    (1_u64..1_000_000).prop_map(Duration::from_millis)
}

pub(crate) fn address() -> impl Strategy<Value = Spanned<Text>> {
    let written = sample::select(vec!["http://127.0.0.1:8000/agent", "https://${ENV.HOST}/x", "${URL}"]);
    written.prop_map(|written| Spanned::new(Text::parse(written), span()))
}

pub(crate) fn template() -> impl Strategy<Value = Text> {
    text().prop_map(|text| Text::parse(&text))
}

/// Picks a rule, so that both are tested.
pub(crate) fn any_output(timeout: Duration) -> OutputRule {
    if timeout.as_millis().is_multiple_of(2) { OutputRule::Optional } else { OutputRule::Required }
}

pub(crate) fn agui() -> impl Strategy<Value = Target> {
    let tool = (name(), text(), object()).prop_map(|(name, description, parameters)| ClientTool {
        name: Spanned::new(name, span()),
        description,
        parameters,
    });
    let data = || option::of(object().prop_map(|value| Data::parse(&value)));
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
                output: any_output(timeout),
                span,
            }))
        },
    )
}

pub(crate) fn a2a() -> impl Strategy<Value = Target> {
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
    let hosts = collection::vec("[a-z]{1,8}\\.test(:[1-9][0-9]{1,3})?", 0..3);
    (card, options, hosts, named_texts(), millis()).prop_map(
        |(card, (context, blocking, accepted_output_modes, auth), hosts, headers, timeout)| {
            let span = span();
            // The list only applies to a card that is fetched.
            let hosts = if matches!(card, A2aCard::At(_)) { hosts } else { Vec::new() };
            Target::A2a(Box::new(A2aTarget {
                card,
                context,
                blocking,
                accepted_output_modes,
                auth,
                hosts,
                headers,
                timeout,
                output: any_output(timeout),
                keys: A2aKeys { card_url: "card_url", accepted_output_modes: "accepted_output_modes" },
                span,
            }))
        },
    )
}

pub(crate) fn mcp() -> impl Strategy<Value = Target> {
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

pub(crate) fn mock() -> impl Strategy<Value = Target> {
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

pub(crate) fn map() -> impl Strategy<Value = Map<String, Value>> {
    object().prop_map(|object| if let Value::Object(map) = object { map } else { Map::new() })
}

pub(crate) fn connector() -> impl Strategy<Value = Connector> {
    let header = option::of(sample::select(KeyHeader::NAMES.map(|(_, header)| header).to_vec()));
    let api = prop_oneof![
        Just((ChatApi::OpenAi, None)),
        Just((ChatApi::Anthropic, None)),
        Just((ChatApi::Scripted(script()), Some(PathBuf::from("s/model.yaml"))))
    ];
    (name(), api, address(), template(), option::of(template()), header, map()).prop_map(
        |(id, (api, script), url, model, key, key_header, settings)| {
            let url = if script.is_some() { Spanned::new(Text::Literal(String::new()), span()) } else { url };
            Connector { id, api, url, model, key, key_header, settings, script }
        },
    )
}

pub(crate) fn chat() -> impl Strategy<Value = Target> {
    let prompt =
        || {
            (name(), option::of(text()), template(), any::<bool>())
                .prop_map(|(role, name, content, shared)| ChatPrompt { role, name, content, shared })
        };
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
                connector: Arc::new(connector),
                prompts,
                options,
                environment: beside.0.then(|| Arc::new(environment)),
                context: chat_context(
                    [("user", Some(user)), ("team", Some(team)), ("locale", Some(locale)), ("chat", chat)],
                    metadata,
                ),
                assistant: Assistant { about, presets, script: beside.1.then(|| Arc::new(script)) },
                timeout,
                output: any_output(timeout),
                span: span(),
            }))
        },
    )
}

fn chat_context(texts: [(&str, Option<String>); 4], metadata: Map<String, Value>) -> Map<String, Value> {
    let mut context = agentci_formats::default_chat_context();
    context.extend(texts.into_iter().filter_map(|(key, text)| Some((key.to_owned(), text?.into()))));
    context.extend((!metadata.is_empty()).then(|| ("metadata".to_owned(), metadata.into())));
    context
}

pub(crate) fn process() -> impl Strategy<Value = Target> {
    let given = (collection::vec(argument(), 0..3), named_texts(), any::<bool>(), any::<bool>());
    given.prop_map(|(arguments, environment, folder, text)| {
        let parts = std::iter::once("program".to_owned()).chain(arguments);
        Target::Process(ProcessTarget {
            command: parts.map(|part| CommandPart { text: Text::parse(&part), file: None }).collect(),
            folder: folder.then(|| PathBuf::from("work")),
            environment,
            speaks: if text { Speech::Text } else { Speech::Protocol },
            output: if text && folder { OutputRule::Optional } else { OutputRule::Required },
            span: span(),
        })
    })
}
