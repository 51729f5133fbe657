//! Order, concurrency, limits and the tool host; the only maker of run events.
