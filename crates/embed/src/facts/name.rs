//! Finds names: capitalised words that are not at the beginning of a sentence.

use super::fold::{folded, is_abbreviation, is_any, key, stem};
use super::pieces::{PieceItem, TextPiece};

/// Consecutive words that name one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProperName<'a> {
    words: Vec<u64>,
    /// Whether the first word may only be capitalised because it begins a sentence.
    doubtful: bool,
    /// The initials as one word: of all words, and of those that certainly belong to the name.
    initials: [u64; 2],
    /// The part that certainly belongs to the name, if it is a single abbreviation.
    abbreviation: Option<&'a str>,
}

/// The most words of a name, and the most letters of an abbreviation.
const LONGEST: usize = 8;

/// An index of the words of a text, to search for names.
#[derive(Debug, Default)]
pub(super) struct TextWords {
    /// The sorted keys of all words.
    keys: Vec<u64>,
    /// Their first letters, in the order of the text.
    initials: Vec<char>,
}

impl TextWords {
    pub(super) fn new(pieces: &[TextPiece<'_>]) -> Self {
        let mut keys: Vec<u64> = pieces.iter().map(|piece| key(&[stem(piece.text)])).collect();
        keys.sort_unstable();
        Self { keys, initials: pieces.iter().filter_map(|piece| folded(piece.text).next()).collect() }
    }

    fn has(&self, word: u64) -> bool {
        self.keys.binary_search(&word).is_ok()
    }

    /// Whether consecutive words begin with the letters of an abbreviation.
    fn spell_out(&self, abbreviation: &str) -> bool {
        let letters: Vec<char> = folded(abbreviation).take(LONGEST + 1).collect();
        (2..=LONGEST).contains(&letters.len()) && self.initials.windows(letters.len()).any(|window| window == letters)
    }
}

impl ProperName<'_> {
    /// Whether a text contains this name, or a part that could mean it.
    pub(super) fn is_stated_by<'b>(
        &self,
        words: &TextWords,
        mut names: impl Iterator<Item = &'b ProperName<'b>>,
    ) -> bool {
        self.core().iter().all(|word| words.has(*word))
            || (self.words.len() > 1 && self.initials.iter().any(|initials| words.has(*initials)))
            || self.abbreviation.is_some_and(|abbreviation| words.spell_out(abbreviation))
            || names.any(|name| is_part(name.core(), &self.words))
    }

    /// The words that certainly belong to the name.
    fn core(&self) -> &[u64] {
        &self.words[usize::from(self.doubtful)..]
    }
}

fn is_part(part: &[u64], whole: &[u64]) -> bool {
    !part.is_empty() && part.iter().all(|word| whole.contains(word))
}

/// Finds the names among the words that are not `used` by other facts, each with its first and last piece.
pub(super) fn find<'a>(text: &str, pieces: &[TextPiece<'a>], used: &[bool]) -> Vec<(usize, usize, ProperName<'a>)> {
    if !tells_names(pieces) {
        return Vec::new();
    }
    let mut names = Vec::new();
    let mut index = 0;
    while index < pieces.len() {
        let length = run(text, pieces, used, index);
        if let Some(words) = pieces.get(index..index + length).filter(|words| !words.is_empty())
            && let Some(name) = name(words)
        {
            names.push((index, index + length - 1, name));
        }
        index += length.max(1);
    }
    names
}

fn name<'a>(words: &[TextPiece<'a>]) -> Option<ProperName<'a>> {
    let first = words.first()?;
    let doubtful = first.begins && !has_inner_capital(stem(first.text));
    if doubtful && words.len() == 1 {
        return None;
    }
    let stems: Vec<&str> = words.iter().map(|word| stem(word.text)).collect();
    let core = stems.get(usize::from(doubtful)..)?;
    let initials = |words: &[&str]| {
        let letters: Vec<&str> = words.iter().filter_map(|word| word.get(..word.chars().next()?.len_utf8())).collect();
        key(&letters)
    };
    let abbreviation = match core {
        [only] if is_abbreviation(only) => Some(*only),
        _ => None,
    };
    Some(ProperName {
        words: stems.iter().map(|word| key(&[word])).collect(),
        doubtful,
        initials: [initials(&stems), initials(core)],
        abbreviation,
    })
}

/// The number of words from here on that form one name.
fn run(text: &str, pieces: &[TextPiece<'_>], used: &[bool], start: usize) -> usize {
    let mut length = 0;
    for index in start..pieces.len().min(start + LONGEST) {
        let Some(piece) = pieces.get(index) else { break };
        let previous = index.checked_sub(1).and_then(|index| pieces.get(index));
        let gap = previous.and_then(|previous| text.get(previous.end()..piece.start)).unwrap_or_default();
        let joined = gap.chars().all(char::is_whitespace) && !piece.begins;
        let beside_number = [previous, pieces.get(index + 1)].into_iter().flatten().any(|other| is_number(other.item));
        if used.get(index) == Some(&true) || !may_be_name(piece, beside_number) || (length > 0 && !joined) {
            break;
        }
        length += 1;
    }
    length
}

fn is_number(item: PieceItem) -> bool {
    matches!(item, PieceItem::Number(_) | PieceItem::Time(_))
}

fn may_be_name(piece: &TextPiece<'_>, beside_number: bool) -> bool {
    const OTHERS: [&str; 22] = [
        "i", "i'm", "i'll", "i've", "i'd", "ok", "id", "am", "pm", "a.m", "p.m", "mr", "mrs", "ms", "dr", "prof",
        "fyi", "asap", "nb", "ps", "yes", "no",
    ];
    let word = stem(piece.text);
    let unit = beside_number && is_abbreviation(word);
    let curly = piece.text.starts_with("I’");
    piece.item == PieceItem::Word
        && has_capital(word)
        && word.chars().filter(|c| c.is_alphabetic()).nth(1).is_some()
        && !(unit || curly || is_any(piece.text, &OTHERS))
}

fn has_capital(word: &str) -> bool {
    word.starts_with(char::is_uppercase) || (has_inner_capital(word) && word.chars().any(char::is_lowercase))
}

fn has_inner_capital(word: &str) -> bool {
    word.chars().skip(1).any(char::is_uppercase)
}

/// Whether capitals indicate names: not in a headline, not in a text in capitals, and not in German, where every noun
/// has one.
fn tells_names(pieces: &[TextPiece<'_>]) -> bool {
    const GERMAN: [&str; 16] = [
        "der", "das", "den", "dem", "und", "nicht", "wurde", "wird", "für", "mit", "eine", "sich", "auf", "von", "zum",
        "nach",
    ];
    let words = || pieces.iter().filter(|piece| piece.item == PieceItem::Word && piece.text.chars().nth(1).is_some());
    let inside = words().filter(|word| !word.begins).count();
    let capitals = words().filter(|word| !word.begins && word.text.starts_with(char::is_uppercase)).count();
    let small = words().any(|word| word.text.chars().any(char::is_lowercase));
    let german = words().filter(|word| is_any(word.text, &GERMAN)).take(2).count() == 2;
    small && !german && (inside < 8 || capitals * 2 <= inside)
}
