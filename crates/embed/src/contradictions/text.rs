//! A text as words with what matters for a contradiction: which carry meaning, which are negated, and what a negation is
//! about.

use std::ops::Range;

use super::cut::{Piece, clauses, sentences};
use super::negation;
use super::tables::{StemMeaning, is_in, lemma, meaning};
use super::tokens::{Token, replace_phrases, tokens};

/// The most words of a clause; what follows is read as another one.
const LONGEST_CLAUSE: usize = 100;
/// How many words are read for each that carries meaning, at most.
const WORDS_PER_CONTENT: usize = 4;

/// How many words may still be read.
#[derive(Debug)]
struct WordsLeft {
    content: usize,
    words: usize,
}

impl WordsLeft {
    fn nothing(&self) -> bool {
        self.content == 0 || self.words == 0
    }
}

/// A text that was read.
#[derive(Debug, Default)]
pub(super) struct AnalysedText<'a> {
    pub(super) words: Vec<ClauseWord<'a>>,
    pub(super) clauses: Vec<Clause>,
    /// The clauses of each sentence.
    pub(super) sentences: Vec<Range<usize>>,
}

/// A clause of a sentence.
#[derive(Debug, Clone)]
pub(super) struct Clause {
    pub(super) words: Range<usize>,
    /// Whether it states a condition, such as `if you cancel`.
    pub(super) conditional: bool,
}

/// What a modal verb says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Modal {
    Allow,
    Require,
}

/// A word and its role in the clause.
#[derive(Debug)]
pub(super) struct ClauseWord<'a> {
    pub(super) word: String,
    /// As the text has it.
    pub(super) text: &'a str,
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) stem: String,
    /// -1 if a negative prefix was removed.
    pub(super) sign: i8,
    pub(super) meaning: &'static StemMeaning,
    pub(super) content: bool,
    pub(super) possessive: bool,
    pub(super) modal: Option<Modal>,
    /// The position of the preposition that governs it.
    pub(super) preposition: Option<usize>,
    /// How many negations apply to it.
    pub(super) negations: u32,
    /// The word that a negation is about, with the position of the negation.
    pub(super) focus: Option<usize>,
    pub(super) negator: bool,
}

impl ClauseWord<'_> {
    pub(super) fn is(&self, word: &str) -> bool {
        self.word == word
    }

    pub(super) fn is_number(&self) -> bool {
        self.word.contains(|c: char| c.is_ascii_digit())
    }

    pub(super) fn is_any(&self, words: &[&str]) -> bool {
        words.contains(&self.word.as_str())
    }

    pub(super) fn is_in(&self, class: &str) -> bool {
        is_in(class, &self.word)
    }
}

impl<'a> AnalysedText<'a> {
    /// Reads a text, up to a number of words that carry meaning.
    pub(super) fn read(source: &'a str, most: usize) -> Self {
        let mut text = Self::default();
        let mut left = WordsLeft { content: most, words: most * WORDS_PER_CONTENT };
        for sentence in sentences(source) {
            text.sentence(source, sentence, &mut left);
            if left.nothing() {
                break;
            }
        }
        text
    }

    fn sentence(&mut self, source: &'a str, sentence: Piece, left: &mut WordsLeft) {
        let first = self.clauses.len();
        let begins = sentence.start + leading(sentence.of(source));
        for (index, clause) in clauses(source, sentence).into_iter().enumerate() {
            let mut tokens = tokens(source, clause.start, clause.end);
            if index == 0 {
                drop_opening(source, &mut tokens);
            }
            for tokens in tokens.chunks(LONGEST_CLAUSE) {
                if left.nothing() {
                    break;
                }
                let mut tokens = tokens.to_vec();
                replace_phrases(source, &mut tokens);
                if !tokens.is_empty() {
                    self.clause(&tokens, begins, left);
                }
            }
        }
        if self.clauses.len() > first {
            self.sentences.push(first..self.clauses.len());
        }
    }

    /// Adds a clause of the sentence that begins at this byte.
    fn clause(&mut self, tokens: &[Token<'a>], begins: usize, left: &mut WordsLeft) {
        let from = self.words.len();
        self.words.extend(tokens.iter().map(|token| word(token, token.start > begins)));
        let words = &mut self.words[from..];
        mark_content_after_be(words);
        negation::mark(words, from);
        govern(words, from);
        left.words = left.words.saturating_sub(words.len());
        left.content = left.content.saturating_sub(words.iter().filter(|word| word.content).count());
        let conditional = is_conditional(words);
        if conditional {
            for word in words.iter_mut() {
                word.focus = None;
            }
        }
        self.clauses.push(Clause { words: from..self.words.len(), conditional });
    }

    /// The words of consecutive clauses.
    pub(super) fn words_of(&self, clauses: &Range<usize>) -> Range<usize> {
        let first = self.clauses.get(clauses.start).map_or(0, |clause| clause.words.start);
        let last = clauses.end.checked_sub(1).and_then(|last| self.clauses.get(last));
        first..last.map_or(first, |clause| clause.words.end)
    }

    pub(super) fn slice(&self, words: &Range<usize>) -> &[ClauseWord<'a>] {
        self.words.get(words.clone()).unwrap_or_default()
    }

    /// The words that carry meaning, with their positions.
    pub(super) fn content(&self, words: &Range<usize>) -> impl Iterator<Item = (usize, &ClauseWord<'a>)> {
        let start = words.start;
        self.slice(words).iter().enumerate().map(move |(at, word)| (start + at, word)).filter(|(_, word)| word.content)
    }
}

/// Whether a clause states a condition, such as `as long as you pay`.
fn is_conditional(words: &[ClauseWord<'_>]) -> bool {
    let begins = |phrase: [&str; 2]| matches!(words, [one, other, ..] if one.is(phrase[0]) && other.is(phrase[1]));
    words.first().is_some_and(|word| word.is_in("conditional"))
        || [["as", "long"], ["in", "case"], ["even", "if"]].into_iter().any(begins)
}

fn leading(sentence: &str) -> usize {
    sentence.len() - sentence.trim_start_matches(|c: char| !c.is_alphanumeric()).len()
}

/// Drops `Yes,` or `Sorry,` at the beginning of a sentence.
fn drop_opening(source: &str, tokens: &mut Vec<Token<'_>>) {
    const OPENINGS: [&str; 9] = ["yes", "no", "sorry", "unfortunately", "sure", "hello", "hi", "well", "sadly"];
    while let Some(first) = tokens.first().filter(|first| OPENINGS.contains(&first.word.as_str())) {
        let rest = &source[first.end..];
        if !rest.is_empty() && !rest.starts_with([',', '.', '!', ';', ':', '—', '–']) {
            break;
        }
        tokens.remove(0);
    }
}

fn word<'a>(token: &Token<'a>, inside: bool) -> ClauseWord<'a> {
    let (stem, sign) = lemma(&token.word);
    let digit = token.word.contains(|c: char| c.is_ascii_digit());
    let capital = inside && token.text.starts_with(char::is_uppercase);
    let single = token.word.chars().count() == 1;
    let content = if single && !digit {
        capital && !token.word.starts_with('i')
    } else {
        digit || (!is_in("stop", &token.word) && !token.word.starts_with(char::is_uppercase))
    };
    ClauseWord {
        word: token.word.clone(),
        text: token.text,
        start: token.start,
        end: token.end,
        meaning: meaning(&stem),
        stem,
        sign,
        content,
        possessive: token.possessive,
        modal: None,
        preposition: None,
        negations: 0,
        focus: None,
        negator: false,
    }
}

/// `out` and the like carry meaning directly after a form of `be`.
fn mark_content_after_be(words: &mut [ClauseWord<'_>]) {
    for at in 1..words.len() {
        let after_be = words[at - 1].is_in("be");
        if after_be && words[at].is_any(&["out", "away", "over", "off", "on", "gone"]) {
            let last = words.get(at + 1).is_none_or(|next| !next.content);
            words[at].content = !words[at].is("on") || last;
        }
    }
}

/// Finds the preposition that governs each word: before it, over at most two words and a determiner.
fn govern(words: &mut [ClauseWord<'_>], from: usize) {
    for at in 0..words.len() {
        let mut before = at;
        let mut skipped = 0;
        while before > 0 && skipped < 2 && words[before - 1].content {
            before -= 1;
            skipped += 1;
        }
        if before > 0 && words[before - 1].is_in("determiner") {
            before -= 1;
        }
        let found = before.checked_sub(1).filter(|before| words[*before].is_in("preposition"));
        words[at].preposition = found.map(|found| from + found);
    }
}
