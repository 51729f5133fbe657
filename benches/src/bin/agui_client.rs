//! The least that a client of such a server can do: it sends the requests, so many at once, and reads the answers to their end.
//! Arguments: address, how many conversations, how many turns each has, how many at once.

use std::error::Error;

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, conversations, turns, at_once] = arguments.as_slice() else { return Err("four arguments".into()) };
    let (conversations, turns): (usize, usize) = (conversations.parse()?, turns.parse()?);
    let at_once: usize = at_once.parse()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let requests = conversations * turns;
        let workers = (0..at_once).map(|worker| {
            let share = requests / at_once + usize::from(worker < requests % at_once);
            read(address, share)
        });
        for done in futures_util::future::join_all(workers).await {
            done?;
        }
        Ok(())
    })
}

async fn read(address: &str, requests: usize) -> Result<(), Box<dyn Error>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let connection = tokio::spawn(connection);
    let body = r#"{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"hello"}]}"#;
    for _ in 0..requests {
        let request = Request::post("/").header("host", address).header("accept", "text/event-stream");
        let request = request.header("content-type", "application/json");
        sender.ready().await?;
        let mut answer = sender.send_request(request.body(Full::new(Bytes::from_static(body.as_bytes())))?).await?;
        while let Some(frame) = answer.frame().await {
            frame?;
        }
    }
    drop(sender);
    connection.await??;
    Ok(())
}
