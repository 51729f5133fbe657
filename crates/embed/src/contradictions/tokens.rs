//! Cuts a clause into tokens: words in lower case, with contractions expanded and phrases replaced.

use std::sync::LazyLock;

use super::tables::rows;

const PHRASES: &str = include_str!("data/phrases.tsv");
const REFUSALS: &str = include_str!("data/refusals.tsv");
/// Contractions without an apostrophe.
const BARE: [(&str, &str); 7] = [
    ("dont", "do"),
    ("cant", "can"),
    ("wont", "will"),
    ("isnt", "is"),
    ("doesnt", "does"),
    ("didnt", "did"),
    ("cannot", "can"),
];
/// Words after which `'s` is a form of `be`.
const WITH_BE: [&str; 11] = ["it", "that", "what", "he", "she", "there", "here", "who", "where", "this", "everything"];

/// A word of a clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'a> {
    /// In lower case, after replacements.
    pub(super) word: String,
    /// As the text has it.
    pub(super) text: &'a str,
    /// Where it ends in the text; several tokens may have one place.
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) possessive: bool,
}

/// The tokens of a piece of a text, before phrases are replaced.
pub(super) fn tokens(text: &str, from: usize, to: usize) -> Vec<Token<'_>> {
    let piece = &text[from..to];
    let mut found = Vec::new();
    let mut rest = piece;
    while let Some(start) = rest.find(char::is_alphanumeric) {
        let word = &rest[start..];
        let length = length(word);
        let at = from + piece.len() - word.len();
        push_word(&mut found, text, at, at + length);
        rest = &word[length..];
    }
    found
}

/// The bytes of the word at the beginning of a text; separators inside it belong to it.
fn length(text: &str) -> usize {
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    let mut before = ' ';
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map_or(' ', |(_, next)| *next);
        let inside = match c {
            '\'' | '’' | '-' | '‑' => next.is_alphanumeric(),
            '.' | ',' | ':' => before.is_ascii_digit() && next.is_ascii_digit(),
            _ => c.is_alphanumeric(),
        };
        if !inside {
            break;
        }
        end = at + c.len_utf8();
        before = c;
    }
    end
}

fn push_word<'a>(tokens: &mut Vec<Token<'a>>, source: &'a str, start: usize, end: usize) {
    let lower = source[start..end].to_lowercase().replace('’', "'").replace('‑', "-");
    if lower.contains('-') && !lower.starts_with(|c: char| c.is_ascii_digit()) {
        if let Some(base) = lower.strip_prefix("non-") {
            // Certainly a prefix, whatever the word.
            return push(tokens, format!("non-{}", base.replace('-', "")), source, start, end, false);
        }
        if lower == "no-one" {
            return push(tokens, "nobody".into(), source, start, end, false);
        }
        let joined = lower.replace('-', "_");
        if !super::tables::meaning(&super::tables::lemma(&joined).0).axes.is_empty() {
            return push(tokens, joined, source, start, end, false);
        }
        let mut at = start;
        for part in source[start..end].split(['-', '‑']) {
            push_plain(tokens, source, at, at + part.len());
            at += part.len();
            at += source[at..end].chars().next().map_or(0, char::len_utf8);
        }
        return;
    }
    push_plain(tokens, source, start, end);
}

/// Adds a word without hyphens.
fn push_plain<'a>(tokens: &mut Vec<Token<'a>>, source: &'a str, start: usize, end: usize) {
    let lower = source[start..end].to_lowercase().replace('’', "'");
    let add = |tokens: &mut Vec<Token<'a>>, word: &str, possessive| {
        push(tokens, word.to_owned(), source, start, end, possessive);
    };
    if lower.starts_with(|c: char| c.is_ascii_digit()) {
        return add(tokens, &number(&lower), false);
    }
    let bare = BARE.iter().find(|(bare, _)| *bare == lower).map(|(_, verb)| *verb);
    let contracted = lower.strip_suffix("n't").map(|verb| match verb {
        "ca" => "can",
        "wo" => "will",
        "sha" => "shall",
        verb => verb,
    });
    if let Some(verb) = bare.or(contracted) {
        add(tokens, verb, false);
        tokens.push(Token { word: "not".into(), text: "not", start, end, possessive: false });
        return;
    }
    if let Some(word) = lower.strip_suffix("'s") {
        add(tokens, word, !WITH_BE.contains(&word));
        if WITH_BE.contains(&word) {
            add(tokens, "is", false);
        }
        return;
    }
    let shortened = ["'ll", "'re", "'ve", "'d", "'m"].iter().find_map(|ending| lower.strip_suffix(ending));
    add(tokens, shortened.unwrap_or(&lower), false);
}

/// `1,200` is `1200`, and `9:00` is `9.00`.
fn number(word: &str) -> String {
    let thousands = word.split(',').skip(1).all(|group| group.len() >= 3);
    if thousands { word.replace(',', "").replace(':', ".") } else { word.replace(':', ".") }
}

fn push<'a>(tokens: &mut Vec<Token<'a>>, word: String, source: &'a str, start: usize, end: usize, possessive: bool) {
    if !word.is_empty() {
        tokens.push(Token { word, text: &source[start..end], start, end, possessive });
    }
}

/// A pattern of words, and what replaces them.
struct Phrase {
    items: Vec<Item>,
    by: Vec<&'static str>,
}

struct Item {
    /// No words stand for any word.
    words: Vec<&'static str>,
    optional: bool,
    ahead: bool,
}

static REPLACED: LazyLock<Vec<Phrase>> = LazyLock::new(|| phrases(PHRASES));
static REFUSED: LazyLock<Vec<Phrase>> = LazyLock::new(|| phrases(REFUSALS));

fn phrases(table: &'static str) -> Vec<Phrase> {
    let item = |written: &'static str| {
        let (written, ahead) = written.strip_prefix('=').map_or((written, false), |rest| (rest, true));
        let (written, optional) = written.strip_suffix('?').map_or((written, false), |rest| (rest, true));
        Item { words: if written == "*" { Vec::new() } else { written.split('|').collect() }, optional, ahead }
    };
    let words = |row: &Vec<&'static str>| row.get(1).map(|by| by.split_whitespace().collect()).unwrap_or_default();
    rows(table).map(|row| Phrase { by: words(&row), items: row[0].split(' ').map(item).collect() }).collect()
}

/// Whether the tokens contain one of the ways to refuse an answer.
pub(super) fn refuses(tokens: &[Token<'_>]) -> bool {
    (0..tokens.len()).any(|at| REFUSED.iter().any(|phrase| phrase.matched(&tokens[at..]).is_some()))
}

/// Replaces phrases, in the order of their table.
pub(super) fn replace_phrases<'a>(source: &'a str, tokens: &mut Vec<Token<'a>>) {
    replace(&REPLACED, source, tokens);
}

fn replace<'a>(phrases: &[Phrase], source: &'a str, tokens: &mut Vec<Token<'a>>) {
    for phrase in phrases {
        let mut at = 0;
        while at < tokens.len() {
            let Some(matched) = phrase.matched(&tokens[at..]) else {
                at += 1;
                continue;
            };
            let by = phrase.replacement(source, &tokens[at..], &matched);
            let taken = matched.iter().flatten().count().max(1);
            let put = by.len();
            tokens.splice(at..at + taken, by);
            at += put;
        }
    }
}

impl Phrase {
    /// The token that each item matches, from the first token on; `None` for an optional item without one. Items that
    /// only look ahead are left out.
    fn matched(&self, tokens: &[Token<'_>]) -> Option<Vec<Option<usize>>> {
        let mut found = Vec::new();
        fits(&self.items, tokens, 0, &mut found).then_some(found)
    }

    fn replacement<'a>(&self, source: &'a str, tokens: &[Token<'a>], matched: &[Option<usize>]) -> Vec<Token<'a>> {
        let ends = |at: &Option<usize>| at.and_then(|at| tokens.get(at));
        let (first, last) = (matched.iter().find_map(ends), matched.iter().rev().find_map(ends));
        let (Some(first), Some(last)) = (first, last) else { return Vec::new() };
        let put = |by: &&str| {
            if let Some(number) = by.strip_prefix('$') {
                let item = number.parse::<usize>().ok()?.checked_sub(1)?;
                return matched.get(item).and_then(ends).cloned();
            }
            let text = source.get(first.start..last.end).unwrap_or_default();
            Some(Token { word: (*by).to_owned(), text, start: first.start, end: last.end, possessive: false })
        };
        self.by.iter().filter_map(put).collect()
    }
}

/// Whether the tokens from a position on match the items. Tries optional items with a token first.
fn fits(items: &[Item], tokens: &[Token<'_>], at: usize, found: &mut Vec<Option<usize>>) -> bool {
    let Some((item, rest)) = items.split_first() else { return true };
    let known = found.len();
    let word = tokens.get(at).map(|token| token.word.as_str());
    if word.is_some_and(|word| item.words.is_empty() || item.words.contains(&word)) {
        if !item.ahead {
            found.push(Some(at));
        }
        if fits(rest, tokens, at + 1, found) {
            return true;
        }
        found.truncate(known);
    }
    if item.optional {
        found.push(None);
        if fits(rest, tokens, at, found) {
            return true;
        }
        found.truncate(known);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut tokens = tokens(text, 0, text.len());
        replace_phrases(text, &mut tokens);
        tokens.into_iter().map(|token| token.word).collect()
    }

    #[test]
    fn expands_contractions_and_replaces_phrases() {
        for (text, expected) in [
            ("It isn't, can't and won’t", "it is not can not and will not"),
            ("Tom's he's they'll", "tom he is they"),
            ("1,200.50 at 9:00 1,5", "1200.50 at 9.00 1,5"),
            ("no longer in stock", "not stock"),
            ("It is currently down", "it is unavailable"),
            ("turn the lamp off", "turn the lamp switchoff"),
            ("not three more than", "three atmost"),
            ("out of office", "not office"),
            ("a non-refundable full-time check-in", "a non-refundable full_time check in"),
            ("nobody but you", "only you"),
        ] {
            assert_eq!(words(text).join(" "), expected, "{text}");
        }
    }

    #[test]
    fn refusals_are_recognised() {
        for (text, expected) in [
            ("I cannot help with that", true),
            ("I'm unable to answer", true),
            ("we do not have any information", true),
            ("I don't really know", true),
            ("you cannot access it", false),
            ("I can help", false),
        ] {
            assert_eq!(refuses(&tokens(text, 0, text.len())), expected, "{text}");
        }
    }

    /// Every text that a pattern may match, with the first words of its items.
    fn examples(phrase: &Phrase) -> Vec<Vec<&'static str>> {
        let mut all: Vec<Vec<&'static str>> = vec![Vec::new()];
        for item in &phrase.items {
            let words = if item.words.is_empty() { vec!["thing"] } else { item.words.clone() };
            let with = all.iter().flat_map(|start| words.iter().map(|word| [&start[..], &[*word]].concat()));
            let without = all.iter().filter(|_| item.optional).cloned();
            all = with.chain(without).collect();
        }
        all
    }

    #[test]
    fn no_phrase_swallows_a_later_one() {
        let phrases = phrases(PHRASES);
        for (index, phrase) in phrases.iter().enumerate() {
            for example in examples(phrase) {
                let text = example.join(" ");
                let words = |tokens: &[Token<'_>]| tokens.iter().map(|token| token.word.clone()).collect::<Vec<_>>();
                let mut tokens = tokens(&text, 0, text.len());
                let before = words(&tokens);
                replace(&phrases[..index], &text, &mut tokens);
                assert_eq!(words(&tokens), before);
            }
        }
    }
}
