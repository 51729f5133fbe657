//! Suites that once got a wrong verdict, and correct counterparts: `fixtures/verdicts/README.md` describes the layout.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::filter::filter;
use crate::surroundings::on_a_desk;

const ACCEPT: &str = "AGENTCI_ACCEPT=1 cargo test --locked -p agentci --test cli gallery";
/// Longer than any suite of the gallery needs on a slow machine.
const LIMIT: Duration = Duration::from_secs(90);

pub(crate) fn gallery() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/verdicts")
}

/// The folders below a folder, sorted by name.
pub(crate) fn folders(folder: &Path) -> BTreeSet<PathBuf> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}

fn name(path: &Path) -> &str {
    path.file_name().unwrap().to_str().unwrap()
}

#[test]
fn every_verdict_matches_the_gallery() {
    let accept = std::env::var_os("AGENTCI_ACCEPT").is_some();
    let before = std::env::var_os("AGENTCI_BEFORE").map(PathBuf::from);
    let mut problems = Vec::new();
    for entry in folders(&gallery()) {
        for suite in folders(&entry) {
            let shown = format!("{}/{}", name(&entry), name(&suite));
            if let Some(before) = &before {
                if name(&suite).starts_with("wrong") {
                    fs::write(suite.with_extension("before"), judged(before, &suite)).unwrap();
                }
                continue;
            }
            let now = judged(Path::new(env!("CARGO_BIN_EXE_agentci")), &suite);
            let expected = suite.with_extension("after");
            if accept {
                fs::write(&expected, &now).unwrap();
            }
            let known = fs::read_to_string(&expected).unwrap_or_default();
            if known != now {
                problems.push(format!("{shown}: expected\n{known}\nbut found\n{now}"));
            }
        }
    }
    assert!(
        problems.is_empty(),
        "{}\nread what was found; if it is right, accept it with `{ACCEPT}`",
        problems.join("\n")
    );
}

#[test]
fn every_entry_has_a_defect_and_a_passing_control() {
    for entry in folders(&gallery()) {
        let (mut wrong, mut honest) = (0, 0);
        for suite in folders(&entry) {
            let after = fs::read_to_string(suite.with_extension("after")).unwrap_or_default();
            if name(&suite).starts_with("wrong") {
                wrong += 1;
                let before = fs::read_to_string(suite.with_extension("before")).unwrap_or_default();
                assert!(!before.is_empty(), "{} has no `.before`", suite.display());
                assert_ne!(before, after, "{} was never judged differently", suite.display());
            } else {
                assert!(name(&suite).starts_with("control"), "{} is neither `wrong` nor `control`", suite.display());
                honest += usize::from(after.starts_with("exit 0\n"));
            }
        }
        assert!(wrong > 0, "{} shows no defect", entry.display());
        assert!(honest > 0, "{} has no control that passes", entry.display());
    }
}

/// Runs a suite of the gallery in its own folder; returns exit code, standard output and standard error.
fn judged(binary: &Path, suite: &Path) -> String {
    judged_in(tempfile::tempdir().unwrap().path(), binary, suite)
}

/// The same in the folder `suite` below `root`.
pub(crate) fn judged_in(root: &Path, binary: &Path, suite: &Path) -> String {
    let folder = root.join("suite");
    copy(suite, &folder);
    let script = folder.join("command");
    let mut command = if script.is_file() {
        let mut command = Command::new("sh");
        command.args(["-u", "command"]);
        command
    } else {
        let mut command = Command::new(binary);
        command.args(["run", "."]);
        command
    };
    let path = std::env::join_paths(
        std::iter::once(binary.parent().unwrap().to_path_buf())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    )
    .unwrap();
    command.current_dir(&folder).stdin(Stdio::null()).env("TERM", "dumb").env("PATH", path).env("RUST_BACKTRACE", "0");
    on_a_desk(&mut command);
    let mut server = String::from("no server");
    let answers = folder.join("answers.http");
    if answers.is_file() {
        server = serve(&fs::read(answers).unwrap());
        command.env("SERVER", &server);
    }
    let (stdout, stderr) = (root.join("stdout"), root.join("stderr"));
    command.stdout(fs::File::create(&stdout).unwrap()).stderr(fs::File::create(&stderr).unwrap());
    let mut child = command.spawn().unwrap();
    let started = Instant::now();
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if started.elapsed() > LIMIT => {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!("{} took longer than {LIMIT:?}", suite.display());
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let read = |path| String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
    let text = format!("exit {}\n{}{}", status.code().unwrap_or(-1), read(&stdout), read(&stderr));
    filter(&text.replace(&server, "[server]"), &folder)
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Raw responses by path, in order.
type Answers = BTreeMap<String, Vec<Vec<u8>>>;

/// Serves the sections of an `answers.http` until the test process ends; returns the address.
pub(crate) fn serve(text: &[u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let answers = Arc::new(Mutex::new(sections(text, &address)));
    std::thread::spawn(move || {
        for stream in listener.incoming().filter_map(Result::ok) {
            let answers = Arc::clone(&answers);
            std::thread::spawn(move || answer(stream, &answers));
        }
    });
    address
}

/// Parses an `answers.http`. Line ends in the head of a response become CRLF, as HTTP requires.
fn sections(text: &[u8], address: &str) -> Answers {
    let mut answers = Answers::new();
    let mut current: Option<(String, Vec<u8>)> = None;
    let mut keep = |section: Option<(String, Vec<u8>)>| {
        if let Some((path, raw)) = section {
            let end = raw.windows(2).position(|pair| pair == b"\n\n").unwrap_or(raw.len());
            let head = String::from_utf8_lossy(&raw[..end]).replace('\n', "\r\n");
            let body = raw.get(end + 2..).unwrap_or_default();
            // The line end before the next section is not part of the body.
            let body = body.strip_suffix(b"\n").unwrap_or(body);
            answers.entry(path).or_default().push([head.as_bytes(), b"\r\n\r\n", body].concat());
        }
    };
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        if let Some(path) = line.strip_prefix(b"=== ") {
            keep(current.replace((String::from_utf8_lossy(path).trim().to_owned(), Vec::new())));
        } else if let Some((_, raw)) = &mut current {
            match std::str::from_utf8(line) {
                Ok(line) => raw.extend(line.replace("$SERVER", address).bytes()),
                Err(_) => raw.extend(line),
            }
        }
    }
    keep(current);
    answers
}

fn answer(mut stream: TcpStream, answers: &Mutex<Answers>) -> Option<()> {
    let (head, body) = request(&mut stream)?;
    let path = head.split(' ').nth(1)?.to_owned();
    let raw = {
        let mut answers = answers.lock().unwrap();
        let key = if answers.contains_key(&path) { path } else { "*".to_owned() };
        let left = answers.get_mut(&key)?;
        if left.len() > 1 { left.remove(0) } else { left[0].clone() }
    };
    stream.write_all(&named(raw, &body)).ok()
}

/// Inserts the ids of the request into the response, as an AG-UI server does.
fn named(raw: Vec<u8>, body: &[u8]) -> Vec<u8> {
    let Ok(request) = serde_json::from_slice::<serde_json::Value>(body) else { return raw };
    let Ok(mut text) = String::from_utf8(raw.clone()) else { return raw };
    for (key, placeholder) in [("threadId", "$THREAD"), ("runId", "$RUN")] {
        text = text.replace(placeholder, request[key].as_str().unwrap_or_default());
    }
    text.into_bytes()
}

/// Reads a whole request: its head and its body.
fn request(stream: &mut TcpStream) -> Option<(String, Vec<u8>)> {
    stream.set_read_timeout(Some(Duration::from_secs(10))).ok()?;
    let (mut seen, mut part) = (Vec::new(), [0; 4096]);
    loop {
        if let Some(end) = seen.windows(4).position(|four| four == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&seen[..end]).into_owned();
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            if seen.len() >= end + 4 + length.unwrap_or_default() {
                return Some((head, seen.split_off(end + 4)));
            }
        }
        match stream.read(&mut part).ok()? {
            0 => return None,
            count => seen.extend(&part[..count]),
        }
    }
}
