//! Tests the client with small servers: shell scripts over stdio, and a scripted listener over HTTP.

mod auth;
mod http;
mod limits;
mod listener;
mod stdio;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::Value;

use super::{ConnectOptions, Direction, FrameWatch};

/// A timeout that is never reached.
const LIMIT: Duration = Duration::from_secs(30);

/// The messages that a client sent and received.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<Kept>>>);

type Kept = (Direction, Vec<u8>);

impl Log {
    fn options(&self) -> ConnectOptions {
        let log = Arc::clone(&self.0);
        let watch = FrameWatch::new(move |frame| log.lock().unwrap().push((frame.direction, frame.bytes.to_vec())));
        ConnectOptions { watch, ..ConnectOptions::default() }
    }

    fn sent(&self) -> Vec<Value> {
        let log = self.0.lock().unwrap();
        let sent = log.iter().filter(|(direction, _)| *direction == Direction::Sent);
        sent.map(|(_, bytes)| serde_json::from_slice(bytes).unwrap()).collect()
    }

    fn received(&self) -> Vec<String> {
        let log = self.0.lock().unwrap();
        let received = log.iter().filter(|(direction, _)| *direction == Direction::Received);
        received.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned()).collect()
    }

    fn methods(&self) -> Vec<String> {
        self.sent().iter().filter_map(|message| Some(message["method"].as_str()?.to_owned())).collect()
    }
}
