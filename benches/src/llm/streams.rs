//! The delay of tokens with a thousand concurrent readers.

use std::error::Error;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use super::client::percentile;
use super::server::Server;
use crate::Setting;
use crate::row::Row;

const STREAMS: u32 = 1_000;
const TOKENS: u32 = 40;
const BETWEEN: Duration = Duration::from_millis(50);
/// Readers arrive one after the other, as in practice; all have arrived long before the first is done.
const APART: Duration = Duration::from_millis(1);

/// The delay of tokens, measured from sending the request.
pub(super) fn measure(setting: &Setting) -> Result<Vec<Row>, Box<dyn Error>> {
    let reply = "word ".repeat(TOKENS as usize);
    let folder = tempfile::tempdir()?;
    let script = folder.path().join("model.yaml");
    std::fs::write(
        &script,
        format!("rules:\n- reply: {}\n  first_token: 50ms\n  tokens_per_second: 20\n", reply.trim()),
    )?;
    let server = Server::model(setting, &script)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let late = runtime.block_on(async {
        let start = tokio::time::Instant::now();
        let mut readers = tokio::task::JoinSet::new();
        for number in 0..STREAMS {
            let address = server.address;
            readers.spawn(async move {
                tokio::time::sleep_until(start + APART * number).await;
                read(address).await
            });
        }
        let mut late = Vec::new();
        while let Some(reader) = readers.join_next().await {
            late.extend(reader.map_err(std::io::Error::other)??);
        }
        Ok::<_, std::io::Error>(late)
    })?;
    let most = late.iter().copied().fold(0.0, f64::max);
    let row = |what: &str, value| Row::value(format!("llm, {STREAMS} streams: token late, {what}"), "ms", value, None);
    Ok(vec![row("p50", percentile(late.clone(), 50)), row("p99", percentile(late, 99)), row("most", most)])
}

/// Reads one stream; returns the delay of each token, in milliseconds.
async fn read(address: SocketAddr) -> std::io::Result<Vec<f64>> {
    let body = r#"{"model":"m","stream":true,"messages":[{"role":"user","content":"x"}]}"#;
    let mut stream = TcpStream::connect(address).await?;
    let head = "POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nconnection: close";
    let request = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let sent = Instant::now();
    stream.write_all(request.as_bytes()).await?;
    let (mut late, mut buffer, mut rest) = (Vec::new(), vec![0; 4096], Vec::new());
    loop {
        let count = stream.read(&mut buffer).await?;
        if count == 0 {
            return Ok(late);
        }
        rest.extend_from_slice(&buffer[..count]);
        let seen = rest.windows(6).filter(|six| *six == b" word\"" || *six == b"\"word\"").count();
        for _ in late.len()..seen {
            let due = BETWEEN * (u32::try_from(late.len()).unwrap_or(u32::MAX) + 1);
            late.push(sent.elapsed().saturating_sub(due).as_secs_f64() * 1000.0);
        }
    }
}
