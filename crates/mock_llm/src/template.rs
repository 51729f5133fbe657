//! Answers that were given before, ready but for the few numbers that differ from time to time.
//!
//! A script has few answers and many requests. An answer that is asked for again is kept as the bytes it was sent as, with
//! holes where its number, its time and the tokens of its request stand; from then on it is copied, and not written as JSON.

use std::sync::{Mutex, PoisonError};

use aho_corasick::{AhoCorasick, MatchKind};

use super::answer::{Answer, ID_DIGITS, Place, numbered};
use super::delivery::render;
use super::events::Framing;
use super::routes::{Api, Route};

/// The most bytes that are kept; beyond that everything is forgotten and begun anew.
const KEPT: usize = 16 << 20;
/// The most answers that are looked after, kept or not.
const MOST: usize = 20_000;
/// In how many shapes the answers of a rule are kept.
const SHAPES: usize = 16;

/// Numbers that stand for those that differ. An answer in which they stand for something else does not come out as it should
/// when it is tried, and is not kept.
const NUMBER: u64 = 9_182_736_455_463_728_190;
const CREATED: u64 = 7_418_529_630_741_852_963;
const INPUT: u32 = 3_918_273_645;

/// What makes one answer of a rule different from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    reply: usize,
    api: Api,
    framing: Framing,
    stream: bool,
    choices: u32,
    include_usage: bool,
}

/// What is known of an answer.
#[derive(Debug)]
enum Kept {
    /// It was asked for once.
    Seen,
    Ready(Template),
    /// It can not be kept.
    Never,
}

/// Answers by the rule that gives them.
#[derive(Debug, Default)]
pub(super) struct Templates(Mutex<Shelf>);

#[derive(Debug, Default)]
struct Shelf {
    /// Those of each rule, after those that are given when none fits; with the name of the model.
    rules: Vec<Vec<(Shape, String, Kept)>>,
    count: usize,
    bytes: usize,
}

impl Templates {
    /// An answer as it is sent when all of it comes at once.
    pub(super) fn bytes(&self, route: &Route, answer: &Answer, stream: bool) -> Vec<u8> {
        let Some(Place { rule, reply }) = answer.place else { return render(route, answer, stream) };
        let (choices, include_usage) = (answer.choices, answer.include_usage);
        let (api, framing) = (route.api(), route.framing());
        let shape = Shape { reply, api, framing, stream, choices, include_usage };
        let rule = rule.map_or(0, |rule| rule + 1);
        let mut kept_ones = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut answers = kept_ones.rules.get_mut(rule).into_iter().flatten();
        match answers.find(|(known, model, _)| *known == shape && *model == answer.model).map(|(_, _, kept)| kept) {
            Some(Kept::Ready(template)) => template.fill(answer),
            Some(Kept::Never) => render(route, answer, stream),
            Some(seen @ Kept::Seen) => {
                let bytes = render(route, answer, stream);
                match Template::new(route, answer, stream).filter(|template| template.fill(answer) == bytes) {
                    Some(template) => {
                        let length = template.bytes.len();
                        *seen = Kept::Ready(template);
                        kept_ones.bytes += length;
                        if kept_ones.bytes > KEPT {
                            *kept_ones = Shelf::default();
                        }
                    }
                    None => *seen = Kept::Never,
                }
                bytes
            }
            None => {
                kept_ones.see(rule, shape, &answer.model);
                render(route, answer, stream)
            }
        }
    }
}

impl Shelf {
    fn see(&mut self, rule: usize, shape: Shape, model: &str) {
        if self.bytes > KEPT || self.count == MOST {
            *self = Self::default();
        }
        if self.rules.len() <= rule {
            self.rules.resize_with(rule + 1, Vec::new);
        }
        let answers = &mut self.rules[rule];
        if answers.len() < SHAPES {
            answers.push((shape, model.to_owned(), Kept::Seen));
            self.bytes += model.len();
            self.count += 1;
        }
    }
}

/// An answer with holes.
#[derive(Debug)]
struct Template {
    bytes: Vec<u8>,
    /// Where they are, and which of the four numbers belongs there.
    holes: Vec<(usize, usize)>,
}

/// The numbers that differ: its own, when it was made, the tokens of the request, all tokens.
fn numbers(answer: &Answer) -> [String; 4] {
    let total = answer.total_tokens().to_string();
    [numbered("", answer.number, ID_DIGITS), answer.created.to_string(), answer.input_tokens.to_string(), total]
}

impl Template {
    fn new(route: &Route, answer: &Answer, stream: bool) -> Option<Self> {
        let sample = Answer { number: NUMBER, created: CREATED, input_tokens: INPUT, ..answer.clone() };
        let rendered = render(route, &sample, stream);
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(numbers(&sample)).ok()?;
        let (mut bytes, mut holes, mut done) = (Vec::with_capacity(rendered.len()), Vec::new(), 0);
        for found in finder.find_iter(&rendered) {
            bytes.extend_from_slice(&rendered[done..found.start()]);
            holes.push((bytes.len(), found.pattern().as_usize()));
            done = found.end();
        }
        bytes.extend_from_slice(&rendered[done..]);
        Some(Self { bytes, holes })
    }

    fn fill(&self, answer: &Answer) -> Vec<u8> {
        let numbers = numbers(answer);
        let mut filled = Vec::with_capacity(self.bytes.len() + self.holes.len() * ID_DIGITS);
        let mut done = 0;
        for (at, number) in &self.holes {
            filled.extend_from_slice(&self.bytes[done..*at]);
            filled.extend_from_slice(numbers[*number].as_bytes());
            done = *at;
        }
        filled.extend_from_slice(&self.bytes[done..]);
        filled
    }
}

#[cfg(test)]
mod tests {
    use agentci_plan::{Finish, Pace};
    use proptest::prelude::*;

    use super::super::answer::CallForm;
    use super::*;

    fn answer(text: &str, model: &str) -> Answer {
        Answer {
            number: 1,
            created: 1_763_176_000,
            model: model.to_owned(),
            text: Some(text.to_owned()),
            calls: Vec::new(),
            form: CallForm::Tools,
            finish: Finish::Stop,
            input_tokens: 12,
            output_tokens: 3,
            choices: 1,
            include_usage: true,
            pace: Pace::default(),
            conversation: None,
            place: Some(Place { rule: Some(7), reply: 0 }),
        }
    }

    fn is_ready(templates: &Templates) -> bool {
        let shelf = templates.0.lock().unwrap();
        shelf.rules.iter().flatten().any(|(_, _, kept)| matches!(kept, Kept::Ready(_)))
    }

    #[test]
    fn an_answer_is_kept_when_it_is_asked_for_again() {
        let (templates, answer) = (Templates::default(), answer("It was refunded.", "m"));
        for stream in [false, true] {
            templates.bytes(&Route::Chat, &answer, stream);
        }
        assert!(!is_ready(&templates));
        templates.bytes(&Route::Chat, &answer, true);
        assert!(is_ready(&templates));
    }

    #[test]
    fn an_answer_that_looks_like_a_hole_is_not_kept() {
        let (templates, answer) = (Templates::default(), answer(&format!("call {INPUT} or {CREATED}"), "m"));
        for _ in 0..3 {
            assert_eq!(templates.bytes(&Route::Chat, &answer, false), render(&Route::Chat, &answer, false));
        }
        assert!(!is_ready(&templates));
    }

    #[test]
    fn what_is_kept_has_an_end() {
        let templates = Templates::default();
        for rule in 0..MOST + 10 {
            let place = Some(Place { rule: Some(rule), reply: 0 });
            templates.bytes(&Route::Chat, &Answer { place, ..answer("x", "m") }, false);
        }
        for model in 0..2 * SHAPES {
            templates.bytes(&Route::Chat, &answer("x", &model.to_string()), false);
        }
        let shelf = templates.0.lock().unwrap();
        assert!(shelf.count <= MOST && shelf.rules.iter().all(|answers| answers.len() <= SHAPES));
    }

    proptest! {
        #[test]
        fn a_kept_answer_is_what_it_would_have_been(
            text in "\\PC{0,40}", model in "[a-z0-9\"-]{1,12}", stream: bool, choices in 1_u32..4, include_usage: bool,
            numbers in proptest::collection::vec((1_u64.., any::<u64>(), any::<u32>()), 4),
            route in prop::sample::select(vec![Route::Chat, Route::Responses, Route::Messages]),
        ) {
            let templates = Templates::default();
            for (number, created, input_tokens) in numbers {
                let answer = Answer { number, created, input_tokens, choices, include_usage, ..answer(&text, &model) };
                prop_assert_eq!(templates.bytes(&route, &answer, stream), render(&route, &answer, stream));
            }
            prop_assert!(is_ready(&templates));
        }
    }
}
