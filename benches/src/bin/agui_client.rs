//! The minimum that an HTTP client must do with such a server: sends the requests, several at once, and reads the
//! answers to their end. Arguments: address, number of conversations, turns of each, and concurrency.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, conversations, turns, at_once] = arguments.as_slice() else { return Err("four arguments".into()) };
    let requests = conversations.parse::<usize>()? * turns.parse::<usize>()?;
    let at_once: usize = at_once.parse()?;
    let _ = rustls::crypto::ring::default_provider().install_default();
    // No certificates: only plain HTTP is used.
    let client = reqwest::Client::builder().tls_certs_only([]).build()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let workers = (0..at_once).map(|worker| {
            let share = requests / at_once + usize::from(worker < requests % at_once);
            read(&client, address, share)
        });
        for done in futures_util::future::join_all(workers).await {
            done?;
        }
        Ok(())
    })
}

async fn read(client: &reqwest::Client, address: &str, requests: usize) -> Result<(), Box<dyn Error>> {
    let body = r#"{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"hello"}]}"#;
    for _ in 0..requests {
        let request = client.post(format!("http://{address}/")).header("accept", "text/event-stream");
        let mut answer = request.header("content-type", "application/json").body(body).send().await?;
        while answer.chunk().await?.is_some() {}
    }
    Ok(())
}
