//! Entry point for the fuzz targets; not part of the public API.

use super::frame::FrameWatch;
use super::router::{CallEvent, MessageOrigin, Router};
use agentci_protocols::mcp::{CallResult, PartsResult, ServerMessages};

/// Receives messages, one per line, while two calls are in progress, and reads the answers of both as every kind of
/// result.
pub fn arrive(bytes: &[u8]) {
    let router = Router::new(FrameWatch::default());
    let (first, mut arrivals) = router.open(1);
    let (_, mut others) = router.open(0);
    for (index, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        router.arrive(line, if index % 3 == 2 { MessageOrigin::Call(first) } else { MessageOrigin::Shared });
    }
    while let Ok(arrival) = arrivals.try_recv().or_else(|_| others.try_recv()) {
        if let CallEvent::Reply(Ok(result), _) = arrival {
            let _ =
                CallResult::read(result.clone(), ServerMessages::default()).map(|result| result.value().into_owned());
            let parts = |name, result| PartsResult::read("", name, result, ServerMessages::default());
            let _ = parts("contents", result.clone()).map(|result| result.text());
            let _ = parts("messages", result).map(|result| result.text());
        }
    }
    let _ = (router.defects(), router.take_stray());
}
