//! The steps of an attempt; the first and the last are kept.

use std::collections::VecDeque;

use serde::Serialize;

use super::step::PageStep;

/// The maximum number of steps of an attempt that are kept.
const STEPS: usize = 400;

/// Steps in order, with a gap if there were too many.
#[derive(Debug, Default, Serialize)]
pub(super) struct PageSteps {
    first: Vec<PageStep>,
    /// The number of steps missing between the first and the last.
    left_out: usize,
    last: VecDeque<PageStep>,
    #[serde(skip)]
    first_bytes: usize,
    #[serde(skip)]
    last_bytes: usize,
}

impl PageSteps {
    /// Adds a step, and drops steps from the middle if all of them would exceed `limit` bytes.
    pub(super) fn add(&mut self, step: PageStep, limit: usize) {
        let half = limit / 2;
        let is_late = !self.last.is_empty();
        let before = if is_late { self.last.back_mut() } else { self.first.last_mut() };
        if let Some(before) = before {
            let bytes = before.size();
            if before.join(&step) {
                let grown = before.size() - bytes;
                *if is_late { &mut self.last_bytes } else { &mut self.first_bytes } += grown;
                return self.fit(half);
            }
        }
        let bytes = step.size();
        if self.last.is_empty() && self.first.len() < STEPS / 2 && self.first_bytes + bytes <= half {
            self.first_bytes += bytes;
            self.first.push(step);
            return;
        }
        self.last_bytes += bytes;
        self.last.push_back(step);
        self.fit(half);
    }

    /// Truncates each step, and keeps fewer of them.
    pub(super) fn shorten(&mut self, each: usize, limit: usize) {
        let Self { first, left_out, last, .. } = std::mem::take(self);
        let (mut room, mut kept) = (limit / 2, Vec::new());
        let mut first = first.into_iter().peekable();
        while let Some(mut step) = first.next_if(|step| step.size().min(each) <= room) {
            step.shorten(each);
            room = room.saturating_sub(step.size());
            kept.push(step);
        }
        let mut end: VecDeque<PageStep> = VecDeque::new();
        let mut missing = left_out;
        room = limit / 2;
        let mut rest: Vec<PageStep> = first.chain(last).collect();
        while let Some(mut step) = rest.pop() {
            step.shorten(each);
            if step.size() > room {
                missing += rest.len() + 1;
                break;
            }
            room -= step.size();
            end.push_front(step);
        }
        kept.shrink_to_fit();
        *self = Self { first: kept, left_out: missing, last: end, ..Self::default() };
    }

    /// The number of missing steps.
    #[cfg(test)]
    pub(super) fn left_out(&self) -> usize {
        self.left_out
    }

    fn fit(&mut self, half: usize) {
        while self.last.len() > STEPS / 2 || (self.last_bytes > half && self.last.len() > 1) {
            self.last_bytes -= self.last.pop_front().expect("there is a step").size();
            self.left_out += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use agentci_verdict::{Body, LogLine, RunEvent, TextSaid};

    use super::*;

    fn step(body: Body) -> PageStep {
        let event = RunEvent { suite: "s".into(), case_id: None, attempt: None, timestamp: 9, body };
        PageStep::of(&event, 2).unwrap()
    }

    fn log(message: &str) -> PageStep {
        step(Body::Log(LogLine { level: "info".into(), message: message.into(), data: None }))
    }

    fn said(text: &str) -> PageStep {
        step(Body::Text(TextSaid { turn: 1, text: text.into() }))
    }

    fn json(steps: &PageSteps) -> String {
        serde_json::to_string(steps).unwrap()
    }

    #[test]
    fn keeps_first_and_last_steps() {
        let mut steps = PageSteps::default();
        (0..1000).for_each(|number| steps.add(log(&format!("<{number}>")), 1 << 20));
        let text = json(&steps);
        assert!(text.contains("<0>") && text.contains("<199>") && text.contains("<800>") && text.contains("<999>"));
        assert!(!text.contains("<200>") && !text.contains("<799>") && text.contains("\"left_out\":600"), "{text}");
        steps.shorten(100, 2000);
        assert!(json(&steps).len() < 3000, "{}", json(&steps).len());
        assert!(json(&steps).contains("<0>") && json(&steps).contains("<999>"));
        assert!(steps.left_out() > 900);
    }

    #[test]
    fn long_steps_reduce_the_number_of_kept_steps() {
        let mut steps = PageSteps::default();
        (0..50).for_each(|_| steps.add(log(&"x".repeat(10_000)), 100_000));
        assert!(json(&steps).len() <= 110_000, "{}", json(&steps).len());
        assert_eq!(steps.left_out(), 50 - 4 - 4);
    }

    #[test]
    fn merges_text_chunks_into_one_step() {
        let mut steps = PageSteps::default();
        for piece in ["We", "ll", " done"] {
            steps.add(said(piece), 1000);
        }
        assert_eq!(
            json(&steps),
            r#"{"first":[{"kind":"text","at":7,"turn":1,"text":"Well done"}],"left_out":0,"last":[]}"#
        );
        (0..100).for_each(|_| steps.add(said(&"x".repeat(1000)), 1000));
        assert!(json(&steps).len() < 17_000 && json(&steps).contains("\"cut\":true"));
    }
}
