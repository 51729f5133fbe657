//! Measures the cost of a session: CPU and time to start, to record an exchange, and to replay one. Run with `cargo run
//! --release --example cost`.

#![expect(clippy::unwrap_used, clippy::print_stdout, reason = "an example")]

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use agentci_recorder::{
    MatchRules, OnMiss, RecorderSession, Recording, ReplayPace, Roots, SessionMode, SessionOptions,
};
use agentci_trace::Redactor;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

const TIMES: usize = 1_000;

fn options(mode: SessionMode) -> SessionOptions {
    SessionOptions {
        mode,
        bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
        advertise: None,
        roots: Roots { cwd: "/work".into(), home: None, tmp: None },
        pass: Vec::new(),
        only: Vec::new(),
        allow: Vec::new(),
        environment: std::env::vars().collect(),
        folder: None,
        tap: None,
        secrets: Redactor::default(),
        upstream_roots: None,
        observer: None,
    }
}

/// The CPU time of this process.
fn cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap();
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let of = |text: &str| text.split(' ').next().and_then(|it| it.parse().ok()).unwrap_or(0);
    let all: u64 =
        tasks.map(|task| of(&std::fs::read_to_string(task.path().join("schedstat")).unwrap_or_default())).sum();
    Duration::from_nanos(all.max(of(&text)))
}

/// A request of about 5 KB that is different each time.
fn request(url: &str, number: usize) -> String {
    let text = "You are a clerk of a shop; be kind, and look things up before you answer. ".repeat(60);
    let messages =
        json!([{ "role": "system", "content": text }, { "role": "user", "content": format!("question {number}") }]);
    let body = json!({ "model": "gpt-4o", "messages": messages }).to_string();
    let key = "authorization: Bearer sk-live-0123456789abcdef";
    format!(
        "POST {url}/v1/chat/completions HTTP/1.1\r\nhost: x\r\n{key}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

async fn receive(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Option<()> {
    loop {
        if let Some(at) = buffer.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&buffer[..at]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
            let end = at + 4 + length.unwrap_or(0);
            if buffer.len() >= end {
                buffer.drain(..end);
                return Some(());
            }
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
}

async fn server() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let body =
        json!({ "choices": [{ "message": { "role": "assistant", "content": "yes ".repeat(200) } }] }).to_string();
    let answer =
        format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.set_nodelay(true).unwrap();
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut buffer = Vec::new();
                while receive(&mut stream, &mut buffer).await.is_some() {
                    stream.write_all(answer.as_bytes()).await.unwrap();
                }
            });
        }
    });
    url
}

/// Sends all requests, and prints the cost of each.
async fn send(what: &str, to: std::net::SocketAddr, url: &str) {
    let mut stream = TcpStream::connect(to).await.unwrap();
    stream.set_nodelay(true).unwrap();
    let requests: Vec<String> = (0..TIMES).map(|number| request(url, number)).collect();
    let (began, before, mut buffer) = (Instant::now(), cpu(), Vec::new());
    let mut times = Vec::new();
    for request in &requests {
        let sent = Instant::now();
        stream.write_all(request.as_bytes()).await.unwrap();
        receive(&mut stream, &mut buffer).await.unwrap();
        times.push(sent.elapsed());
    }
    times.sort_unstable();
    let each = |time: Duration| time / u32::try_from(TIMES).unwrap();
    println!(
        "{what}: median {:?}, CPU {:?} each, {:?} each",
        times[TIMES / 2],
        each(cpu().saturating_sub(before)),
        each(began.elapsed())
    );
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let url = server().await;
    let mut starts = Vec::new();
    for _ in 0..20 {
        let began = Instant::now();
        drop(RecorderSession::start(options(SessionMode::Record)).await.unwrap());
        starts.push(began.elapsed());
    }
    starts.sort_unstable();
    println!("start: median {:?}, first of all {:?}", starts[10], starts[19]);
    send("direct", url.trim_start_matches("http://").parse().unwrap(), "").await;
    let session = RecorderSession::start(options(SessionMode::Record)).await.unwrap();
    send("record", session.address(), &url).await;
    let finished = session.finish().await;
    let (began, before) = (Instant::now(), cpu());
    let text = finished.recording.write(&finished.secrets).unwrap().text;
    println!("write {} bytes: {:?}, CPU {:?}", text.len(), began.elapsed(), cpu().saturating_sub(before));
    let began = Instant::now();
    let recording = Recording::parse(&text).unwrap();
    println!("parse: {:?}", began.elapsed());
    let (rules, on_miss) = (MatchRules::default(), OnMiss::Fail);
    let mode = SessionMode::Replay { recording, rules, on_miss, pace: ReplayPace::Fast };
    let session = RecorderSession::start(options(mode)).await.unwrap();
    send("replay", session.address(), &url).await;
    let finished = session.finish().await;
    println!("{:?}", finished.tally);
}
