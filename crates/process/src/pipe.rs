//! Writing to the input of a child.

use std::io;

use rustix::io::Errno;
use tokio::io::AsyncWriteExt as _;
use tokio::process::ChildStdin;

/// Writes what the pipe takes. It is tried at once, since a pipe that was just made takes whatever is short, and the runtime
/// would first have the system say so.
pub async fn write_some(input: &mut ChildStdin, bytes: &[u8]) -> io::Result<usize> {
    let count = match rustix::io::write(&*input, bytes) {
        Err(Errno::AGAIN | Errno::INTR) => input.write(bytes).await?,
        tried => tried?,
    };
    if count == 0 { Err(io::ErrorKind::WriteZero.into()) } else { Ok(count) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::AsyncReadExt as _;

    use crate::{Command, Grace, Process};

    use super::*;

    const AT_ONCE: Grace = Grace { before_asking: Duration::ZERO, before_killing: Duration::from_millis(50) };

    #[tokio::test]
    async fn what_does_not_fit_is_written_when_there_is_room() {
        let cat = Command { program: "cat".into(), ..Command::default() };
        let (process, mut pipes) = Process::spawn(&cat).unwrap();
        let sent: Vec<u8> = (0..4_000_000_u32).flat_map(u32::to_le_bytes).collect();
        let writing = async {
            let mut done = 0;
            while done < sent.len() {
                done += write_some(&mut pipes.input, &sent[done..]).await.unwrap();
            }
            drop(pipes.input);
        };
        let mut came = Vec::new();
        let ((), read) = tokio::join!(writing, pipes.output.read_to_end(&mut came));
        read.unwrap();
        assert!(came == sent);
        process.end(AT_ONCE).await;
    }

    #[tokio::test]
    async fn a_child_that_left_reads_no_more() {
        let (mut process, mut pipes) =
            Process::spawn(&Command { program: "true".into(), ..Command::default() }).unwrap();
        process.exited().await.unwrap();
        assert_eq!(write_some(&mut pipes.input, b"a").await.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
        process.end(AT_ONCE).await;
    }
}
