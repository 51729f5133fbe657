//! A future that is seldom ready, beside one that often is.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;
use tokio::task::coop::{Unconstrained, unconstrained};

/// Asks a future only when it said that it has something to say. In a `select` every branch is asked whenever any of them
/// wakes up; a timer or a signal beside a stream of thousands of events would be asked as often as the stream.
pub struct Seldom<F> {
    /// Asked whatever the branches before it have used up: one that always has work would leave a timer nothing to go off with.
    future: Pin<Box<Unconstrained<F>>>,
    bell: Arc<Bell>,
    /// What rings the bell.
    waker: Waker,
}

#[derive(Default)]
struct Bell {
    rung: AtomicBool,
    task: AtomicWaker,
}

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.rung.store(true, Ordering::Release);
        self.task.wake();
    }
}

impl<F: Future> Seldom<F> {
    /// Wraps a future.
    pub fn new(future: F) -> Self {
        let bell = Arc::new(Bell { rung: AtomicBool::new(true), task: AtomicWaker::new() });
        Self { future: Box::pin(unconstrained(future)), waker: Waker::from(Arc::clone(&bell)), bell }
    }
}

impl<F: Future> Future for Seldom<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        // First the waker, then the look: a bell that rings between the two is not missed.
        self.bell.task.register(context.waker());
        if !self.bell.rung.swap(false, Ordering::AcqRel) {
            return Poll::Pending;
        }
        let this = &mut *self;
        this.future.as_mut().poll(&mut Context::from_waker(&this.waker))
    }
}

impl<F> std::fmt::Debug for Seldom<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seldom").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::future::poll_fn;
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn a_future_is_asked_only_when_it_rang() {
        let asked = Cell::new(0);
        let (sender, receiver) = tokio::sync::oneshot::channel::<u32>();
        let mut receiver = Box::pin(receiver);
        let seldom = Seldom::new(poll_fn(|context| {
            asked.set(asked.get() + 1);
            receiver.as_mut().poll(context)
        }));
        let busy = async {
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            sender.send(7).unwrap();
            std::future::pending::<()>().await;
        };
        let got = tokio::select! {
            biased;
            got = seldom => got.unwrap(),
            () = busy => 0,
        };
        assert_eq!((got, asked.get()), (7, 2));
    }

    #[tokio::test]
    async fn a_timer_goes_off() {
        Seldom::new(tokio::time::sleep(Duration::from_millis(1))).await;
    }

    #[tokio::test]
    async fn a_timer_goes_off_beside_endless_work() {
        let endless = async {
            // An end all the same, much later than the timer's.
            for _ in 0..50_000_000 {
                tokio::task::consume_budget().await;
            }
        };
        tokio::select! {
            biased;
            () = endless => panic!("the timer never went off"),
            () = Seldom::new(tokio::time::sleep(Duration::from_millis(1))) => {}
        }
    }
}
