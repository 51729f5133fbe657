//! Generates agents behind plain HTTP and tools that they call over HTTP.

use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{
    CommandPart, Data, Fixture, FixtureAnswer, HttpServer, HttpTarget, RoutedTool, Routes, Strictness, Target, Text,
    TextEvents, ToolBase, UnansweredRoute,
};
use agentci_source::Spanned;
use proptest::prelude::*;
use proptest::{collection, option, sample};
use serde_json::Value;

use crate::targets::{address, any_output, millis, named_texts};
use crate::values::{argument, span, text, value};

/// The files with answers.
pub(crate) const ANSWERS: [&str; 3] = ["s/answers/a b.json", "up.json", "s/ü.json"];

pub(crate) fn http() -> impl Strategy<Value = Target> {
    let pointer = option::of("(/[a-z~01]{0,4}){0,3}".prop_map(|pointer| Spanned::new(pointer, span())));
    let data =
        option::of(value().prop_map(|value| Data::parse(&value))).prop_map(|body| body.filter(|body| !is_null(body)));
    let protocol = sample::select(Strictness::NAMES.map(|(_, protocol)| protocol).to_vec());
    (address(), named_texts(), data, pointer, events(), protocol, millis(), option::of(server())).prop_map(
        |(url, headers, body, answer, events, protocol, timeout, server)| {
            let (output, span) = (any_output(timeout), span());
            let target = HttpTarget { url, headers, body, answer, events, protocol, timeout, server, output, span };
            Target::Http(Box::new(target))
        },
    )
}

fn events() -> impl Strategy<Value = TextEvents> {
    prop_oneof![
        Just(TextEvents::Usual),
        Just(TextEvents::All),
        collection::vec("[a-z]{1,4}", 1..3).prop_map(TextEvents::Named),
    ]
}

fn is_null(body: &Data) -> bool {
    body.as_literal() == Some(&Value::Null)
}

fn server() -> impl Strategy<Value = HttpServer> {
    (argument(), any::<bool>(), named_texts(), option::of(address()), millis()).prop_map(
        |(argument, folder, environment, ready, patience)| HttpServer {
            command: ["program", &argument].map(|part| CommandPart { text: Text::parse(part), file: None }).into(),
            folder: folder.then(|| "s/work".into()),
            environment,
            ready,
            patience,
            shared: folder.then(span),
            span: span(),
        },
    )
}

pub(crate) fn routes() -> impl Strategy<Value = Arc<Routes>> {
    let live = option::of(address().prop_map(|address| address.value));
    let bases = collection::btree_map("[A-Z_][A-Z0-9_]{0,6}", live, 0..3).prop_map(|bases| {
        bases.into_iter().map(|(name, live)| ToolBase { name: Spanned::new(name, span()), live }).collect::<Vec<_>>()
    });
    let tools = collection::btree_map("[a-zA-Zé][a-zA-Z0-9_.é-]{0,6}", collection::vec(fixture(), 0..3), 0..3);
    let miss = sample::select(UnansweredRoute::NAMES.map(|(_, miss)| miss).to_vec());
    (bases, tools, miss, option::of(1_u16..)).prop_map(|(bases, tools, miss, port)| {
        let tools = tools.into_iter().map(|(id, fixtures)| RoutedTool { id: Spanned::new(id, span()), fixtures });
        Arc::new(Routes { bases: bases.into(), tools: tools.collect(), miss, port, record: None, span: span() })
    })
}

fn fixture() -> impl Strategy<Value = Fixture> {
    let file = sample::select(ANSWERS.to_vec());
    let answer = prop_oneof![
        file.prop_map(|file| FixtureAnswer::File(Spanned::new(file.into(), span()))),
        value().prop_map(FixtureAnswer::Inline),
    ];
    let request = option::of(value()).prop_map(|request| request.filter(|request| !request.is_null()));
    let headers = collection::btree_map("[a-zA-Z-]{1,6}", "[ -~é]{0,8}", 0..3);
    let method = option::of("[A-Z]{1,6}");
    let delay = (0_u64..600_000).prop_map(Duration::from_millis);
    (option::of(text()), method, request, answer, 200_u16..600, headers, delay).prop_map(
        |(name, method, request, answer, status, headers, delay)| Fixture {
            name,
            method,
            request,
            answer,
            status,
            headers: headers.into_iter().collect(),
            delay,
            span: span(),
        },
    )
}
