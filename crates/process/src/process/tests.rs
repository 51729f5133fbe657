use super::*;

const AT_ONCE: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(50) };

fn shell(script: &str) -> ProcessCommand {
    ProcessCommand { program: "sh".into(), arguments: vec!["-c".into(), script.into()], ..ProcessCommand::default() }
}

/// Whether a process is running, and not a zombie.
fn alive(pid: &str) -> bool {
    std::fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z')))
}

async fn first_line(pipes: &mut Pipes) -> String {
    let mut lines = crate::LineReader::new(&mut pipes.output, 1000);
    String::from_utf8(lines.next().await.unwrap().unwrap().to_vec()).unwrap()
}

#[tokio::test]
async fn grandchildren_end_with_the_child() {
    let (process, mut pipes) = Process::spawn(&shell("sleep 60 & echo $!; wait")).unwrap();
    let pid = first_line(&mut pipes).await;
    assert!(alive(&pid));
    process.end(AT_ONCE).await;
    assert!(!alive(&pid));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn daemon_in_separate_session_ends_with_the_child() {
    let script = "setsid sh -c 'sleep 60 & echo $!; wait' & wait";
    let (process, mut pipes) = Process::spawn(&shell(script)).unwrap();
    let pid = first_line(&mut pipes).await;
    assert!(alive(&pid));
    process.end(AT_ONCE).await;
    assert!(!alive(&pid));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn orphaned_daemon_ends_with_the_child() {
    let script = "(setsid sleep 60 >/dev/null & echo $!); cat >/dev/null";
    let (process, mut pipes) = Process::spawn(&shell(script)).unwrap();
    let pid = first_line(&mut pipes).await;
    assert!(alive(&pid));
    drop(pipes);
    let ending = process.end(Grace { before_asking: Duration::from_secs(5), before_killing: Duration::ZERO }).await;
    assert_eq!(ending.exit, Some(Exit::Code(0)));
    assert!(!alive(&pid));
}

#[tokio::test]
async fn does_not_end_descendants_of_other_children() {
    let script = "setsid sleep 60 >/dev/null & echo $!; cat >/dev/null";
    let (first, mut first_pipes) = Process::spawn(&shell(script)).unwrap();
    let (second, mut second_pipes) = Process::spawn(&shell(script)).unwrap();
    let (one, other) = (first_line(&mut first_pipes).await, first_line(&mut second_pipes).await);
    drop(first_pipes);
    first.end(AT_ONCE).await;
    assert!(!alive(&one));
    assert!(alive(&other));
    drop(second_pipes);
    second.end(AT_ONCE).await;
    assert!(!alive(&other));
}

#[tokio::test]
async fn concurrent_children_end_with_their_own_descendants() {
    let script = "sleep 60 & echo $!; wait";
    let (first, mut first_pipes) = Process::spawn_beside(shell(script)).await.unwrap();
    assert!(descendants::any());
    let (second, mut second_pipes) = Process::spawn_beside(shell(script)).await.unwrap();
    let (one, other) = (first_line(&mut first_pipes).await, first_line(&mut second_pipes).await);
    second.end(AT_ONCE).await;
    assert!(alive(&one) && !alive(&other));
    first.end(AT_ONCE).await;
    assert!(!alive(&one));
}

#[tokio::test]
async fn concurrent_spawn_reports_missing_program() {
    let (running, _pipes) = Process::spawn_beside(shell("sleep 60")).await.unwrap();
    let missing = ProcessCommand { program: "no-such-program-of-ours".into(), ..ProcessCommand::default() };
    let error = Process::spawn_beside(missing).await.unwrap_err();
    assert!(matches!(error, SpawnError::NotFound(ref program) if program == "no-such-program-of-ours"), "{error}");
    running.end(AT_ONCE).await;
}

#[tokio::test]
async fn large_stderr_output_does_not_block() {
    let (mut process, pipes) = Process::spawn(&shell("head -c 20000000 /dev/zero >&2; echo end >&2; exit 3")).unwrap();
    assert_eq!(process.exited().await.unwrap(), Exit::Code(3));
    drop(pipes);
    let ending = process.end(AT_ONCE).await;
    assert!(ending.stderr_tail.last().is_some_and(|line| line.ends_with("end") || line.ends_with("[cut]")));
}

#[tokio::test]
async fn keeps_server_output() {
    let (mut process, pipes) = Process::spawn(&shell("echo out; echo err >&2; read -r line; echo $line")).unwrap();
    process.keep_output(pipes.output);
    let mut input = pipes.input;
    tokio::io::AsyncWriteExt::write_all(&mut input, b"more\n").await.unwrap();
    process.exited().await.unwrap();
    let mut lines = process.end(AT_ONCE).await.stderr_tail;
    lines.sort();
    assert_eq!(lines, ["err", "more", "out"]);
}

/// A background process holds the pipes open.
#[tokio::test]
async fn does_not_wait_for_remaining_grandchildren() {
    let (mut process, pipes) = Process::spawn(&shell("sleep 60 & echo out; echo err >&2; exit 2")).unwrap();
    let (exit, printed) = process.printed(pipes.output, 100).await.unwrap();
    assert_eq!((exit, printed), (Exit::Code(2), b"out\n".to_vec()));
    assert_eq!(process.last_words().await, ["err"]);
    process.end(AT_ONCE).await;
}

#[tokio::test]
async fn child_ignoring_sigterm_is_killed() {
    let (process, mut pipes) = Process::spawn(&shell("trap '' TERM; echo ready; while :; do sleep 1; done")).unwrap();
    first_line(&mut pipes).await;
    assert_eq!(process.end(AT_ONCE).await.exit, Some(Exit::Signal(9)));
}

#[tokio::test]
async fn reports_why_program_does_not_start() {
    let missing = ProcessCommand { program: "no-such-program-here".into(), ..ProcessCommand::default() };
    assert!(matches!(Process::spawn(&missing), Err(SpawnError::NotFound(_))));
    let folder = ProcessCommand { folder: Some("no/such/folder".into()), ..shell("true") };
    assert!(matches!(Process::spawn(&folder), Err(SpawnError::NoFolder(_))));
    let script = ProcessCommand { program: "/etc/passwd".into(), ..ProcessCommand::default() };
    assert!(matches!(Process::spawn(&script), Err(SpawnError::NotExecutable(_))));
}
