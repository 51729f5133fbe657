//! An HTTP agent for the tests: this test binary, started with the variable `HTTP_AGENT`.
//!
//! The question selects what it does:
//!
//! - `hello` streams words
//! - `pay N` calls the tool `paySlips` at `PAY_BASE`, a variable of the question or of the environment
//! - `total A B` calls it twice, and then `paySlipsSummary`
//! - `slow` only keeps the connection open; `pay N, slow` does one after the other
//! - `fail` answers with status 500, `nothing` with an empty text
//! - `die` ends the agent
//! - `later` waits for the question `meanwhile` and then calls a tool; `meanwhile` waits until the call is done
//! - `owe N` answers at once, and pays when `meanwhile` arrives or when a process writes to the pipe
//!   `$HTTP_AGENT_POKE.in`; then the agent writes to `$HTTP_AGENT_POKE.out`

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::Mutex;
use std::sync::mpsc::{Sender, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Wakes the thread that waits to call a tool; the sent channel reports that the call is done.
static LATER: Mutex<Option<Sender<Sender<()>>>> = Mutex::new(None);

/// The command that runs this test binary as the agent.
pub(crate) fn command() -> String {
    let program = std::env::current_exe().unwrap();
    format!(
        "[{:?}, \"http_agent::serves_if_http_agent_variable_is_set\", --exact, --nocapture]",
        program.to_str().unwrap()
    )
}

#[test]
fn serves_if_http_agent_variable_is_set() {
    // In a normal test run there is nothing to do.
    let Ok(pid_file) = std::env::var("HTTP_AGENT") else { return };
    let port: u16 = std::env::var("PORT").unwrap().parse().unwrap();
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    // Several agents may start at once, so each writes its own temporary file.
    let draft = format!("{pid_file}.{}", std::process::id());
    std::fs::write(&draft, std::process::id().to_string()).unwrap();
    std::fs::rename(&draft, &pid_file).unwrap();
    if let Ok(poke) = std::env::var("HTTP_AGENT_POKE") {
        std::thread::spawn(move || {
            std::fs::read(format!("{poke}.in")).unwrap();
            wake();
            std::fs::write(format!("{poke}.out"), "{}").unwrap();
        });
    }
    for stream in listener.incoming() {
        std::thread::spawn(move || drop(answer(&mut stream.unwrap())));
    }
}

fn answer(stream: &mut TcpStream) -> std::io::Result<()> {
    let Some((_, task)) = read(stream) else { return Ok(()) };
    let question = task["user_input"].as_str().unwrap_or_default().to_owned();
    let (question, then) = question.split_once(", ").unwrap_or((&question, ""));
    let mut text = match question.split_once(' ') {
        Some(("pay", id)) => pay(&task, id),
        Some(("total", ids)) => total(&task, ids),
        Some(("owe", id)) => {
            owe(task.clone(), id.to_owned());
            "It will be paid".into()
        }
        _ => question.to_owned(),
    };
    for what in [question, then] {
        match what {
            "hello" => text = "Hello, world".into(),
            "fail" => return write!(stream, "HTTP/1.1 500 No\r\nconnection: close\r\n\r\n{{\"detail\":\"no model\"}}"),
            "nothing" => text.clear(),
            "later" => {
                let (waiting, wake) = channel();
                *LATER.lock().unwrap() = Some(waiting);
                let done = wake.recv().unwrap();
                pay(&task, "99");
                done.send(()).unwrap();
            }
            "meanwhile" => wake(),
            "die" => {
                std::io::stderr().write_all(b"out of ideas\n")?;
                leave();
            }
            _ => {}
        }
    }
    write!(stream, "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    if question == "slow" || then == "slow" {
        loop {
            write!(stream, ": still there\n\n")?;
            std::thread::sleep(Duration::from_millis(10));
        }
    }
    for word in text.split_inclusive(' ') {
        write!(stream, "data: {}\n\n", json!({ "token": word }))?;
    }
    write!(stream, "data: [DONE]\n\n")
}

/// Pays in a thread, once woken.
fn owe(task: Value, id: String) {
    let (waiting, woken) = channel();
    *LATER.lock().unwrap() = Some(waiting);
    std::thread::spawn(move || {
        let done: Sender<()> = woken.recv().unwrap();
        pay(&task, &id);
        done.send(()).unwrap();
    });
}

/// Wakes the waiting thread, and waits until its call is done.
fn wake() {
    if let Some(waiting) = LATER.lock().unwrap().take() {
        let (done, is_done) = channel();
        waiting.send(done).unwrap();
        is_done.recv().unwrap();
    }
}

#[expect(clippy::exit, reason = "an agent that dies")]
fn leave() -> ! {
    std::process::exit(3)
}

/// Asks for the net pay.
fn pay(task: &Value, id: &str) -> String {
    let slip = ask(task, "paySlips", &json!({ "id": id.parse::<u64>().unwrap() }));
    slip.map_or_else(|| "I do not know".into(), |slip| format!("Your net pay is {}", slip["net"]))
}

/// Gets two pay slips, and their total from a second tool.
fn total(task: &Value, ids: &str) -> String {
    let ids: Vec<u64> = ids.split(' ').map(|id| id.parse().unwrap()).collect();
    let slips = ids.iter().map(|id| ask(task, "paySlips", &json!({ "id": id })).unwrap()["net"].to_string());
    let slips = slips.collect::<Vec<_>>().join(" + ");
    format!("Paid {slips} = {}", ask(task, "paySlipsSummary", &json!({ "ids": ids })).unwrap()["total"])
}

/// Calls a tool; `None` unless its status is 200.
fn ask(task: &Value, tool: &str, body: &Value) -> Option<Value> {
    let told = task["variables"]["PAY_BASE"].as_str().map(str::to_owned);
    let base = told.or_else(|| std::env::var("PAY_BASE").ok()).unwrap();
    let (host, path) = base.strip_prefix("http://").unwrap().split_once('/').map_or_else(
        || (base.strip_prefix("http://").unwrap().to_owned(), String::new()),
        |(host, path)| (host.to_owned(), format!("/{path}")),
    );
    let body = body.to_string();
    let mut stream = TcpStream::connect(&host).unwrap();
    let head = format!("POST {path}/{tool} HTTP/1.1\r\nhost: {host}\r\nconnection: close");
    write!(stream, "{head}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}", body.len()).unwrap();
    read(&mut stream).filter(|(head, _)| head.contains(" 200 ")).map(|(_, answer)| answer)
}

/// Answers any request with this JSON.
pub(crate) fn answer_json(stream: &mut TcpStream, body: &str) {
    read(stream);
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close";
    let _ = write!(stream, "{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
}

/// The head and the JSON body of a message.
fn read(stream: &mut TcpStream) -> Option<(String, Value)> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, serde_json::from_slice(&body).ok()?))
}
