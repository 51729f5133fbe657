//! Tests of the whole matcher.

mod edges;
mod equal;
mod guards;
mod mutations;
mod order;
mod present;
mod size;
mod told;

use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};

use super::{Answered, Circumstances, Holes, MatchRules, Matcher, Miss};
use crate::{
    AnswerFrame, EndKind, Exchange, ExchangeEnd, Header, ProviderApi, RecordedBody, RecordedRequest, RecordedResponse,
    Recording, Roots,
};

/// 2026-11-16T18:41:17.250Z, a Monday.
const NOW: u64 = 1_794_854_477_250;
const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;
const A: &str = "0193b2a4-7c11-7d3e-9c55-0242ac12000a";
const B: &str = "5b1f3f5e-0d0c-4a55-8a35-6a3d6f0f1b0b";
const C: &str = "c0ffee00-1111-4222-8333-444455556666";
const D: &str = "d1d2d3d4-aaaa-4bbb-8ccc-ddddeeeeffff";

fn chat(body: Value) -> RecordedRequest {
    RecordedRequest {
        method: "POST".into(),
        origin: "https://api.openai.com".into(),
        path: "/v1/chat/completions".into(),
        speaks: Some(ProviderApi::OpenAiChat),
        body: RecordedBody::Json(body),
        ..RecordedRequest::default()
    }
}

fn prompt(text: &str) -> RecordedRequest {
    chat(json!({ "model": "m", "messages": [{ "role": "user", "content": text }] }))
}

fn get(path: &str) -> RecordedRequest {
    let origin = "http://localhost:8080".into();
    RecordedRequest { method: "GET".into(), origin, path: path.into(), ..RecordedRequest::default() }
}

fn exchange(id: u64, request: RecordedRequest, answer: &str) -> Exchange {
    let at_us = request.at_us + 1000;
    let frames = vec![AnswerFrame { at_us, bytes: Bytes::from(answer.to_owned()) }];
    let response = Some(RecordedResponse { at_us, status: 200, frames, ..RecordedResponse::default() });
    let end = ExchangeEnd { at_us, how: EndKind::Closed };
    Exchange { id, request, response, end, chatter: false, after: None }
}

fn roots(cwd: &str, home: &str, tmp: &str) -> Roots {
    Roots { cwd: cwd.into(), home: Some(home.into()), tmp: Some(tmp.into()) }
}

fn recording(requests: Vec<RecordedRequest>) -> Recording {
    let header = Header { now_ms: NOW, roots: roots("/home/me/shop", "/home/me", "/tmp"), ..Header::default() };
    let exchanges = (1..).zip(requests).map(|(id, request)| exchange(id, request, "{}")).collect();
    Recording { header, exchanges, ..Recording::default() }
}

fn here(now_ms: u64) -> Circumstances {
    Circumstances { now_ms, roots: roots("/home/me/shop", "/home/me", "/tmp"), ..Circumstances::default() }
}

fn elsewhere(now_ms: u64) -> Circumstances {
    Circumstances {
        now_ms,
        roots: roots("/builds/7/my_shop.x", "/root", "/var/folders/zz"),
        ..Circumstances::default()
    }
}

fn matcher(recording: Recording, here: Circumstances) -> Matcher {
    Matcher::new(Arc::new(recording), here, MatchRules::default())
}

/// Records one request and sends another.
fn after(recorded: RecordedRequest, sent: &RecordedRequest, here: Circumstances) -> Answered {
    matcher(recording(vec![recorded]), here).answer(sent)
}

fn holes(answered: Answered) -> Holes {
    match answered {
        Answered::Recorded { holes, .. } => holes,
        other => panic!("{other:?}"),
    }
}

fn id(answered: &Answered) -> u64 {
    match answered {
        Answered::Recorded { id, .. } => *id,
        other => panic!("{other:?}"),
    }
}

fn missed(answered: Answered) -> Miss {
    match answered {
        Answered::Miss(miss) => *miss,
        other => panic!("{other:?}"),
    }
}

fn missed_at(answered: Answered) -> String {
    missed(answered).nearest.expect("a candidate").at
}
