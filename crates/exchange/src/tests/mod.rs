mod compare;
mod live;
mod stored;

use std::time::Duration;

use serde_json::Value;

use super::{HttpMethod, Request};

const LONG: Duration = Duration::from_secs(30);

fn request(url: &str, identity: Value, timeout: Duration) -> Request {
    Request { url: url.into(), method: HttpMethod::Post, headers: Vec::new(), body: "{}".into(), identity, timeout }
}
