//! A minimal AG-UI server: sends the same stream for every request, with one write per event. Prints its address; the
//! argument is the number of milliseconds before the last event.
#![expect(clippy::print_stdout, reason = "it says where it is")]

use std::fmt::Write as _;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// The number of words of the agent in a turn.
const WORDS: usize = 200;

fn main() -> std::io::Result<()> {
    let pause = std::env::args().nth(1).and_then(|pause| pause.parse().ok()).map(Duration::from_millis);
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    println!("{}", listener.local_addr()?);
    let events: Vec<String> = events().iter().map(|event| chunk(event)).collect();
    for stream in listener.incoming() {
        let (stream, events) = (stream?, events.clone());
        std::thread::spawn(move || serve(stream, &events, pause.unwrap_or_default()));
    }
    Ok(())
}

fn serve(mut stream: TcpStream, events: &[String], pause: Duration) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut requests = BufReader::new(stream.try_clone()?);
    let (mut line, mut body) = (String::new(), Vec::new());
    loop {
        let mut length = 0;
        loop {
            line.clear();
            if requests.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let header = line.trim_end().to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            if let Some(value) = header.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        body.resize(length, 0);
        requests.read_exact(&mut body)?;
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        stream.write_all(head.as_bytes())?;
        let (last, others) = events.split_last().map_or(("", &[][..]), |(last, others)| (last.as_str(), others));
        for event in others {
            stream.write_all(event.as_bytes())?;
        }
        std::thread::sleep(pause);
        stream.write_all(last.as_bytes())?;
        stream.write_all(b"0\r\n\r\n")?;
    }
}

fn events() -> Vec<String> {
    let mut events = vec![
        r#"{"type":"RUN_STARTED","threadId":"t","runId":"r"}"#.to_owned(),
        r#"{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"search_orders"}"#.to_owned(),
        r#"{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"order\":\"A-17\",\"limit\":20}"}"#.to_owned(),
        r#"{"type":"TOOL_CALL_END","toolCallId":"c1"}"#.to_owned(),
        r#"{"type":"TOOL_CALL_RESULT","messageId":"m0","toolCallId":"c1","content":"{\"total\":42}"}"#.to_owned(),
        r#"{"type":"TEXT_MESSAGE_START","messageId":"m1","role":"assistant"}"#.to_owned(),
    ];
    for word in 0..WORDS {
        let mut event = String::new();
        let _ = write!(event, r#"{{"type":"TEXT_MESSAGE_CONTENT","messageId":"m1","delta":"word {word} "}}"#);
        events.push(event);
    }
    events.push(r#"{"type":"TEXT_MESSAGE_END","messageId":"m1"}"#.to_owned());
    events.push(r#"{"type":"RUN_FINISHED","threadId":"t","runId":"r"}"#.to_owned());
    events
}

/// An event as a chunk of the body.
fn chunk(event: &str) -> String {
    let frame = format!("data: {event}\n\n");
    format!("{:x}\r\n{frame}\r\n", frame.len())
}
