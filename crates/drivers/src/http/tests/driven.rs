//! Whole turns with a small server: live, recorded and replayed.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agentci_plan::{Data, HttpTarget, OutputRule, Text, TextEvents};
use agentci_source::{Sources, Span, Spanned};
use agentci_trace::{Event, EventKind, Observer, Redactor, ToolCall, Trace};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};

use crate::http::HttpDriver;
use crate::mock::MockDraws;
use crate::{DriveError, DriverContext, Input, ToolBases, TraceSink};
use agentci_exchange::Clock;
use agentci_exchange::{AgentLine, ExchangePlayer, ExchangeRecorder};

const SSE: &str = "content-type: text/event-stream; charset=utf-8\r\nconnection: close\r\n";
const PLAIN: &str = "content-type: text/plain\r\nconnection: close\r\n";

/// What the server does with each request.
enum Then {
    /// Answers with a head and a body, and closes.
    Answer(&'static str, &'static str),
    /// Sends comments forever.
    KeepAlive,
    /// Calls a tool, which is observed, in the middle of its answer.
    CallTool,
    /// Closes the connection in the middle of its answer.
    BreakOff,
}

/// The requests that the server received.
type Asked = tokio::sync::mpsc::UnboundedReceiver<(String, Value)>;

/// Signals that text was received.
type Heard = Arc<Notify>;

async fn serve(answers: Vec<Then>, wire: UnboundedSender<EventKind>, told: Heard) -> (String, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/ask", listener.local_addr().unwrap());
    let (sender, asked) = unbounded_channel();
    tokio::spawn(async move {
        for then in answers {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut request = Vec::new();
            let (head, body) = loop {
                assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0);
                let text = String::from_utf8(request.clone()).unwrap();
                if let Some((head, body)) = text.split_once("\r\n\r\n")
                    && let Ok(body) = serde_json::from_str(body)
                {
                    break (head.to_lowercase(), body);
                }
            };
            sender.send((head, body)).unwrap();
            let mut say = async |text: String| stream.write_all(text.as_bytes()).await.is_ok();
            match then {
                Then::Answer(head, body) => {
                    let status = if head.starts_with(char::is_numeric) { "" } else { "200 OK\r\n" };
                    say(format!("HTTP/1.1 {status}{head}\r\n{body}")).await;
                }
                Then::KeepAlive => {
                    say(format!("HTTP/1.1 200 OK\r\n{SSE}\r\n")).await;
                    while say(": still there\n\n".into()).await {
                        tokio::task::yield_now().await;
                    }
                }
                Then::CallTool => {
                    say(format!("HTTP/1.1 200 OK\r\n{SSE}\r\ndata: before\n\n")).await;
                    told.notified().await;
                    let call = ToolCall {
                        call_id: "1".into(),
                        name: "pay".into(),
                        args: json!({"id": 7}).into(),
                        observer: Observer::Stub,
                        begun: None,
                    };
                    wire.send(EventKind::ToolCall(call)).unwrap();
                    say("data: after\n\n".into()).await;
                }
                Then::BreakOff => {
                    say("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf".into()).await;
                }
            }
        }
    });
    (url, asked)
}

fn span() -> Span {
    Span::whole(Sources::default().add(Path::new("s"), ""))
}

fn target(url: &str) -> HttpTarget {
    HttpTarget {
        url: Spanned::new(Text::parse(url), span()),
        headers: Vec::new(),
        body: None,
        answer: None,
        events: TextEvents::Usual,
        protocol: HttpTarget::PROTOCOL,
        timeout: Duration::from_secs(30),
        server: None,
        output: OutputRule::Required,
        span: span(),
    }
}

fn task() -> Input {
    Input::Task(json!({"user_input": "why?", "variables": {"id": 7}}).into())
}

/// Takes turns until one fails.
async fn talk(
    target: &HttpTarget,
    tools: ToolBases,
    line: AgentLine,
    wire: Option<tokio::sync::mpsc::UnboundedReceiver<EventKind>>,
    inputs: &[Input],
    (clock, heard): (Clock, &Heard),
) -> (Vec<Event>, Result<(), DriveError>, Option<agentci_exchange::AgentRecording>) {
    let draws = MockDraws::new(7);
    let context = DriverContext {
        case_id: "c",
        lookup: &|name| (name == "TOKEN").then(|| "t0ken".to_owned()),
        folder: Path::new(""),
        environment: &[],
        enforced: &[],
        started: None,
        bases: &tools,
        attempt: 1,
        tools: false,
        agents: &[],
        resources: &crate::chat::NoResources,
        records: false,
        fetched: &agentci_wire::FetchedSecrets::default(),
        draws: &draws,
        request_timeout: None,
    };
    let mut driver = HttpDriver::open(target, &context, line).unwrap();
    if let Some(wire) = wire {
        driver.watch.seen = crate::observer::SeenEvents(Some(wire));
    }
    let mut sink = TraceSink::new(clock, |event| {
        if let EventKind::Text(_) = event.kind {
            heard.notify_one();
        }
        ControlFlow::Continue(())
    });
    let mut result = Ok(());
    for (turn, input) in (0..).zip(inputs) {
        sink.set_turn(turn);
        result = driver.turn(input, &mut sink).await;
        if result.is_err() {
            break;
        }
    }
    let recording = crate::driver::recording_of(&mut driver.line);
    (sink.into_trace().events().to_vec(), result, recording)
}

/// Runs live and replays the recording; both must give the same trace.
async fn ask(answers: Vec<Then>, inputs: &[Input]) -> (Trace, Result<(), String>, Asked) {
    let (sender, wire) = unbounded_channel();
    let heard = Heard::default();
    let (url, asked) = serve(answers, sender, Arc::clone(&heard)).await;
    let mut target = target(&url);
    target.timeout = Duration::from_millis(500);
    let clock = Clock::start();
    let line = AgentLine::Record(ExchangeRecorder::new());
    let (events, result, recording) =
        talk(&target, ToolBases::default(), line, Some(wire), inputs, (clock, &heard)).await;
    let stored = recording.unwrap().write(&Redactor::default());
    let player = ExchangePlayer::new(agentci_exchange::AgentRecording::parse(&stored).unwrap(), Redactor::default());
    let (replayed, again, _) =
        talk(&target, ToolBases::default(), AgentLine::Replay(player), None, inputs, (clock, &heard)).await;
    let words = |result: Result<(), DriveError>| result.map_err(|error| error.to_string());
    let (result, again) = (words(result), words(again));
    assert_eq!(result, again, "{stored}");
    assert_eq!(events, replayed, "{stored}");
    let mut trace = Trace::default();
    for event in events {
        trace.push(event);
    }
    (trace, result, asked)
}

#[tokio::test]
async fn posts_request_and_streams_the_response() {
    let answer =
        Then::Answer(SSE, "data: {\"token\":\"Be\"}\n\ndata: {\"token\":\"cause\"}\n\ndata: [DONE]\n\ndata: x\n\n");
    let (trace, result, mut asked) = ask(vec![answer], &[task()]).await;
    assert_eq!((result, trace.conversation().text().as_str()), (Ok(()), "Because"));
    assert_eq!(trace.final_output(), Some(&json!("Because")));
    let names: Vec<&str> = trace
        .events()
        .iter()
        .map(|event| match &event.kind {
            EventKind::TurnStart(_) => "start",
            EventKind::Text(_) => "text",
            EventKind::FinalOutput(_) => "final",
            EventKind::TurnEnd => "end",
            _ => "?",
        })
        .collect();
    assert_eq!(names, ["start", "text", "text", "final", "end"]);
    let (head, body) = asked.recv().await.unwrap();
    assert!(head.starts_with("post /ask http/1.1") && head.contains("content-type: application/json"), "{head}");
    assert_eq!(body, json!({"user_input": "why?", "variables": {"id": 7}}));
}

#[tokio::test]
async fn reads_json_lines_json_and_plain_text_responses() {
    for (head, body, expected) in [
        ("content-type: application/x-ndjson\r\nconnection: close\r\n", "{\"text\":\"a\"}\n{\"text\":\"b\"}", "ab"),
        ("content-type: application/json\r\nconnection: close\r\n", "{\"answer\":\"ab\"}", "ab"),
        (PLAIN, "ab", "ab"),
    ] {
        let (trace, result, _) = ask(vec![Then::Answer(head, body)], &[task()]).await;
        assert_eq!((result, trace.conversation().text().as_str()), (Ok(()), expected), "{head}");
    }
}

#[tokio::test]
async fn sends_the_whole_conversation_each_turn() {
    let says = |text: &str| Input::Messages(vec![json!({"role": "user", "content": text})]);
    let answers = vec![Then::Answer(PLAIN, "hello"), Then::Answer(PLAIN, "bye")];
    let (trace, result, mut asked) = ask(answers, &[says("hi"), says("ciao")]).await;
    assert_eq!((result, trace.conversation().text().as_str()), (Ok(()), "hello\nbye"));
    asked.recv().await.unwrap();
    let (_, second) = asked.recv().await.unwrap();
    let message = |role: &str, content: &str| json!({"role": role, "content": content});
    assert_eq!(
        second,
        json!({"messages": [message("user", "hi"), message("assistant", "hello"), message("user", "ciao")]})
    );
}

#[tokio::test]
async fn traces_tool_calls_live_and_in_replay() {
    let (trace, result, _) = ask(vec![Then::CallTool], &[task()]).await;
    assert_eq!((result, trace.conversation().text().as_str()), (Ok(()), "beforeafter"));
    let order: Vec<&str> = trace
        .events()
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Text(text) => Some(text.as_str()),
            EventKind::ToolCall(call) => Some(call.name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(order, ["before", "pay", "after"]);
}

#[tokio::test]
async fn replayed_failure_has_the_live_message() {
    let refusal = "503 Busy\r\ncontent-type: application/json\r\nconnection: close\r\n";
    for (then, expected) in [
        (Then::Answer(refusal, "{\"detail\":\"later\"}"), "the agent answered with status 503\nit says: later"),
        (Then::Answer(SSE, "data: a\n\nevent: error\ndata: no\n\n"), "the agent reported an error: no"),
        (Then::Answer(SSE, ": nothing\n\n"), "the agent's answer is empty"),
        (Then::Answer(PLAIN, ""), "the agent's answer is empty"),
        // Comments do not extend the timeout.
        (Then::KeepAlive, "the agent did not finish within 500ms"),
        (Then::BreakOff, "the connection to the agent broke: the answer is truncated"),
    ] {
        let (_, result, _) = ask(vec![then], &[task()]).await;
        let words = result.unwrap_err();
        assert!(words.starts_with(expected), "{words}");
    }
}

#[tokio::test]
async fn tool_urls_are_sent_in_the_body_but_not_recorded() {
    let (sender, _wire) = unbounded_channel();
    let (url, mut asked) =
        serve(vec![Then::Answer(PLAIN, "a"), Then::Answer(PLAIN, "b")], sender, Heard::default()).await;
    let mut target = target(&url);
    target.headers.push(("authorization".into(), Text::parse("Bearer ${TOKEN}")));
    let tools = |port: u16, tell| ToolBases { bases: vec![("BASE".into(), format!("http://127.0.0.1:{port}"))], tell };
    let clock = Clock::start();
    let template = json!({"ask": "${INPUT.user_input}", "with": "${INPUT.variables}", "token": "x ${TOKEN}"});
    target.body = Some(Data::parse(&template));
    let line = AgentLine::Record(ExchangeRecorder::new());
    let (_, result, recording) = talk(&target, tools(1, true), line, None, &[task()], (clock, &Heard::default())).await;
    assert!(result.is_ok(), "{result:?}");
    let (head, body) = asked.recv().await.unwrap();
    assert!(head.contains("authorization: bearer t0ken"), "{head}");
    let with = json!({"id": 7, "BASE": "http://127.0.0.1:1"});
    assert_eq!(body, json!({"ask": "why?", "with": with, "token": "x t0ken"}));
    // With another URL that is not sent, the request is the same.
    let player = ExchangePlayer::new(recording.unwrap(), Redactor::default());
    let (_, result, _) =
        talk(&target, tools(2, false), AgentLine::Replay(player), None, &[task()], (clock, &Heard::default())).await;
    assert!(result.is_ok(), "{result:?}");
    // Without tool URLs, the agent receives the task unchanged.
    target.body = None;
    let (_, result, _) =
        talk(&target, tools(1, false), AgentLine::Live, None, &[task()], (clock, &Heard::default())).await;
    assert!(result.is_ok(), "{result:?}");
    assert_eq!(Input::Task(asked.recv().await.unwrap().1.into()), task());
}

#[tokio::test]
async fn does_not_send_body_with_unset_variable() {
    let mut target = target("http://127.0.0.1:9/");
    target.body = Some(Data::parse(&json!({"q": "${INPUT.question}"})));
    let (_, result, _) =
        talk(&target, ToolBases::default(), AgentLine::Live, None, &[task()], (Clock::start(), &Heard::default()))
            .await;
    let Err(DriveError::Unsupported(words)) = result else { panic!("{result:?}") };
    assert!(words.contains("`INPUT.question`"), "{words}");
}
