//! The only analysis of text into words: for the index, for queries and for highlighting.

use std::collections::HashSet;
use std::ops::Range;

use tantivy::tokenizer::{
    PreTokenizedStream, PreTokenizedString, Stemmer, Token, TokenFilter, TokenStream, Tokenizer,
};
use unicode_normalization::char::is_combining_mark;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// One word of a text, as the text list stores it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Compatibility-composed (NFKC), lower case, English Snowball stem; at most 256 bytes, never empty.
    pub term: String,
    /// Byte range of the word in the text, on character boundaries.
    pub bytes: Range<usize>,
}

/// Words that say little about a question; they weigh [`STOP_WORD_WEIGHT`] in a query.
///
/// Lower case, before stemming, in ascending order.
#[rustfmt::skip]
pub const STOP_WORDS: [&str; 120] = [
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been", "being",
    "between", "both", "but", "by", "can", "could", "d", "did", "didn", "do", "does", "doesn", "don", "during", "each",
    "few", "for", "from", "get", "got", "had", "has", "have", "he", "her", "him", "his", "how", "i", "if", "in",
    "into", "is", "isn", "it", "its", "just", "ll", "m", "may", "me", "might", "more", "most", "must", "my", "no",
    "not", "of", "off", "on", "only", "or", "other", "our", "out", "over", "re", "s", "same", "shall", "she",
    "should", "so", "some", "such", "t", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "this", "those", "to", "too", "under", "until", "up", "us", "ve", "very", "was", "wasn", "we", "were", "weren",
    "what", "when", "where", "which", "while", "who", "whom", "why", "will", "with", "won", "would", "you", "your",
];

/// The weight of a stop word in a query; any other word weighs 1.
pub const STOP_WORD_WEIGHT: f32 = 0.25;

/// Returns whether `word` is one of [`STOP_WORDS`], in any case.
pub fn is_stop_word(word: &str) -> bool {
    STOP_WORDS
        .binary_search(&word.to_lowercase().as_str())
        .is_ok()
}

/// Returns the words of `text` in reading order.
///
/// A word is a run of letters and digits of any script. Combining marks belong to the run; everything else splits it,
/// including `_`, apostrophes and hyphens. Invisible joiners (soft hyphen, zero-width joiners, variation selectors)
/// neither split a run nor appear in the term.
///
/// Scripts that are written without spaces give one word for every two neighbouring characters, so that any part of a
/// run can be found: Han, Hiragana, Katakana, Bopomofo, Thai, Lao, Khmer and Burmese. So does Hangul, because Korean
/// attaches particles to its nouns. A lone character of these scripts is a word by itself; within a run the list finds
/// it by a separate term.
///
/// A word that decomposes into several (such as the one-character honorific U+FDFA) gives each with the byte range of
/// the whole.
pub fn words(text: &str) -> Vec<Word> {
    stemmed(text, Unstemmed { initials: None })
}

/// Returns the words of `text` without stemming.
pub(crate) fn unstemmed(text: &str) -> Vec<Word> {
    let mut splitting = Unstemmed { initials: None };
    let mut stream = splitting.token_stream(text);
    let mut words = Vec::new();
    while stream.advance() {
        let token = stream.token_mut();
        words.push(Word {
            term: std::mem::take(&mut token.text),
            bytes: token.offset_from..token.offset_to,
        });
    }
    words
}

/// Returns each single character of the scripts for which [`words`] gives pairs, in reading order. For example, 茶 is a
/// word in 乌龙茶 that no pair finds.
pub(crate) fn letters(text: &str) -> Vec<Word> {
    if text.is_ascii() {
        return Vec::new();
    }
    let folding = Unstemmed { initials: None };
    let mut letters = Vec::new();
    for run in runs(text) {
        if text[run.clone()].is_ascii() {
            continue;
        }
        for unit in units(text, run) {
            folding.push_terms(text, unit, &mut letters);
        }
    }
    letters
        .into_iter()
        .map(|token| Word {
            term: token.text,
            bytes: token.offset_from..token.offset_to,
        })
        .collect()
}

/// Returns whether a term is one character of those scripts, as returned by [`letters`].
pub(crate) fn is_letter(term: &str) -> bool {
    let mut chars = term.chars();
    chars.next().is_some_and(is_unspaced)
        && chars.all(|c| is_combining_mark(c) || is_invisible(c) || extends_unit(c))
}

/// Returns where [`words`] finds one of `terms` in `text`, in reading order. Lone characters are found anywhere. Takes
/// a third of the time of [`words`].
pub fn places(text: &str, terms: &HashSet<&str>) -> Vec<Range<usize>> {
    let mut places = places_of_words(text, terms);
    if terms.iter().any(|term| is_letter(term)) {
        let letters = letters(text).into_iter();
        let asked = letters.filter(|letter| terms.contains(letter.term.as_str()));
        places.extend(asked.map(|letter| letter.bytes));
        places.sort_by_key(|place| (place.start, place.end));
        places.dedup();
    }
    places
}

fn places_of_words(text: &str, terms: &HashSet<&str>) -> Vec<Range<usize>> {
    // Stemming takes most of the time, and only changes the end of a word.
    let initials = terms.iter().filter_map(|term| term.chars().next());
    let initials = Some(initials.collect());
    stemmed(text, Unstemmed { initials })
        .into_iter()
        .filter(|word| terms.contains(word.term.as_str()))
        .map(|word| word.bytes)
        .collect()
}

fn stemmed(text: &str, unstemmed: Unstemmed) -> Vec<Word> {
    let mut stems = Stemmer::default().transform(unstemmed);
    let mut stream = stems.token_stream(text);
    let mut words = Vec::new();
    while stream.advance() {
        let token = stream.token_mut();
        words.push(Word {
            term: std::mem::take(&mut token.text),
            bytes: token.offset_from..token.offset_to,
        });
    }
    words
}

/// The maximum length of a term in bytes; longer ones are cut, in the index and in queries alike. No language has such
/// words, but base64 text does, and it would fill the term dictionary.
const TERM_BYTES_MAX: usize = 256;

/// The lower case of İ in Unicode.
const DOTTED_I: &str = "i\u{307}";

/// Splits a text into words as described at [`words`], without the stemming, which tantivy's filter adds.
#[derive(Clone)]
struct Unstemmed {
    /// Returns only words that begin with one of these; `None` returns all.
    initials: Option<Vec<char>>,
}

impl Tokenizer for Unstemmed {
    type TokenStream<'a> = PreTokenizedStream;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> PreTokenizedStream {
        let mut tokens = Vec::new();
        for run in runs(text) {
            // Usually one word without further processing.
            if text[run.clone()].is_ascii() {
                let term = text[run.clone()].to_ascii_lowercase();
                self.push_term(term, run, &mut tokens);
                continue;
            }
            for piece in pieces(text, run) {
                self.push_terms(text, piece, &mut tokens);
            }
        }
        PreTokenizedStream::from(PreTokenizedString {
            text: String::new(),
            tokens,
        })
    }
}

impl Unstemmed {
    /// Appends the terms of `piece` of `text`, usually one.
    fn push_terms(&self, text: &str, piece: Range<usize>, tokens: &mut Vec<Token>) {
        let composed: String = text[piece.clone()]
            .chars()
            .filter(|&c| !is_invisible(c))
            .nfkc()
            .collect();
        // Normalisation can add blanks and signs, as for U+FDFA or vulgar fractions.
        let mut folded = composed.to_lowercase();
        // The Turkish capital İ becomes an i with a separate dot, which nobody types.
        if folded.contains(DOTTED_I) {
            folded = folded.replace(DOTTED_I, "i");
        }
        // Some letters, such as J\u{30c}, have a single code point only in lower case.
        if is_nfkc_quick(folded.chars()) != IsNormalized::Yes {
            folded = folded.nfkc().collect();
        }
        for term in folded.split(|c: char| !c.is_alphanumeric() && !is_combining_mark(c)) {
            // As in the text itself, a mark without a letter before it belongs to a sign.
            let term = term.trim_start_matches(is_combining_mark);
            self.push_term(term.to_owned(), piece.clone(), tokens);
        }
    }

    /// Appends one term, truncated to the maximum length; does nothing if it is empty.
    fn push_term(&self, mut term: String, piece: Range<usize>, tokens: &mut Vec<Token>) {
        let is_asked = |initial| match &self.initials {
            Some(initials) => initials.contains(&initial),
            None => true,
        };
        if term.chars().next().is_some_and(is_asked) {
            term.truncate(term.floor_char_boundary(TERM_BYTES_MAX));
            tokens.push(Token {
                offset_from: piece.start,
                offset_to: piece.end,
                position: tokens.len(),
                text: term,
                position_length: 1,
            });
        }
    }
}

/// Returns the byte ranges of the runs of letters and digits.
fn runs(text: &str) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut open: Option<Range<usize>> = None;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        match &mut open {
            // A mark without a letter before it belongs to a sign.
            None if c.is_alphanumeric() && !is_combining_mark(c) => open = Some(at..end),
            None => {}
            Some(run) if c.is_alphanumeric() || is_combining_mark(c) => run.end = end,
            // An invisible joiner keeps the run open, and becomes part of it if a letter follows.
            Some(_) if is_invisible(c) => {}
            Some(_) => runs.extend(open.take()),
        }
    }
    runs.extend(open);
    runs
}

/// Splits one run into words: stretches of scripts with spaces, and pairs of characters of the others.
fn pieces(text: &str, run: Range<usize>) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    // Characters of the open unspaced stretch, each with its marks.
    let mut units: Vec<Range<usize>> = Vec::new();
    let mut spaced: Option<Range<usize>> = None;
    for (at, c) in text[run.clone()].char_indices() {
        let at = run.start + at;
        let end = at + c.len_utf8();
        if is_unspaced(c) {
            pieces.extend(spaced.take());
            match units.last_mut() {
                Some(unit) if extends_unit(c) => unit.end = end,
                Some(_) | None => units.push(at..end),
            }
        } else if let Some(unit) = units.last_mut()
            && (is_combining_mark(c) || is_invisible(c))
        {
            unit.end = end;
        } else {
            close_units(&mut units, &mut pieces);
            spaced.get_or_insert(at..end).end = end;
        }
    }
    close_units(&mut units, &mut pieces);
    pieces.extend(spaced);
    pieces
}

/// Returns the single characters of unspaced scripts in a run, each with its marks.
fn units(text: &str, run: Range<usize>) -> Vec<Range<usize>> {
    let mut units: Vec<Range<usize>> = Vec::new();
    for (at, c) in text[run.clone()].char_indices() {
        let at = run.start + at;
        let end = at + c.len_utf8();
        // Only a mark directly after the character completes it, not one after another script.
        let last = units.last_mut().filter(|unit| unit.end == at);
        let completes = is_combining_mark(c) || is_invisible(c) || extends_unit(c);
        match last {
            Some(unit) if completes => unit.end = end,
            Some(_) | None if is_unspaced(c) => units.push(at..end),
            Some(_) | None => {}
        }
    }
    units
}

/// Turns the open unspaced stretch into its pairs, or into its only character.
fn close_units(units: &mut Vec<Range<usize>>, pieces: &mut Vec<Range<usize>>) {
    if let [lone] = units.as_slice() {
        pieces.push(lone.clone());
    }
    pieces.extend(units.windows(2).map(|pair| pair[0].start..pair[1].end));
    units.clear();
}

/// Returns whether `c` only affects how its neighbours are drawn or joined.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{200c}' | '\u{200d}' | '\u{2060}' | '\u{feff}'
        // Variation selectors, and marks that enclose a sign, as on keycaps.
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' | '\u{20d0}'..='\u{20ff}')
}

/// Returns whether `c` belongs to a script whose text is indexed by pairs of characters.
fn is_unspaced(c: char) -> bool {
    let of_script = matches!(c,
        // Iteration marks, ideographic zero and Suzhou numerals.
        '\u{3005}'..='\u{3007}' | '\u{3021}'..='\u{3029}' | '\u{3031}'..='\u{3035}' | '\u{3038}'..='\u{303c}'
        // Hiragana, Katakana, Bopomofo and their supplements.
        | '\u{3041}'..='\u{312f}' | '\u{31a0}'..='\u{31bf}' | '\u{31f0}'..='\u{31ff}' | '\u{1aff0}'..='\u{1b16f}'
        // Han.
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}'
        // Hangul: letters and syllables.
        | '\u{1100}'..='\u{11ff}' | '\u{3131}'..='\u{318f}' | '\u{a960}'..='\u{a97f}' | '\u{ac00}'..='\u{d7ff}'
        // Half-width Katakana and Hangul.
        | '\u{ff66}'..='\u{ffdc}'
        // Thai, Lao, Burmese, Khmer.
        | '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{a9e0}'..='\u{a9ff}' | '\u{aa60}'..='\u{aa7f}'
        | '\u{1780}'..='\u{17ff}');
    // Numbers in a circle or above a line, which are read as Han.
    let of_numerals = matches!(c, '\u{3192}'..='\u{3195}' | '\u{3280}'..='\u{3289}');
    // Digits of these scripts stay whole numbers; marks belong to the character before them.
    of_numerals || of_script && c.is_alphabetic() && !is_combining_mark(c)
}

/// Returns whether the letter `c` completes the character before it: vowels and finals of decomposed Hangul, the
/// half-width voicing signs of Katakana.
fn extends_unit(c: char) -> bool {
    matches!(c, '\u{1160}'..='\u{11ff}' | '\u{d7b0}'..='\u{d7ff}' | '\u{ff9e}' | '\u{ff9f}')
}

/// Checks a table of scripts and signs; single characters; places of all or some words; that spelling in one or several code
/// points gives the same words; that a text's words are those of its parts.
#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn terms(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.term).collect()
    }

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(terms(text), expected, "{text}");
    }

    /// Checks the text at each word's place.
    fn check_places(text: &str, expected: &[&str]) {
        let typed: Vec<&str> = words(text)
            .into_iter()
            .map(|word| &text[word.bytes])
            .collect();
        assert_eq!(typed, expected);
    }

    #[test]
    fn latin() {
        check("Quiet hours, quietly.", &["quiet", "hour", "quiet"]);
        check(
            "don't I'll rock ’n’ roll",
            &["don", "t", "i", "ll", "rock", "n", "roll"],
        );
        check(
            "snake_case kebab-case v2.10",
            &["snake", "case", "kebab", "case", "v2", "10"],
        );
        check(
            "Café naïve ﬁle ＡＢＣ m²",
            &["café", "naïv", "file", "abc", "m2"],
        );
        check("ÅNGSTRÖM STRAẞE", &["ångström", "straße"]);
        check("İzmir I\u{307}zmir izmir", &["izmir"; 3]);
        check("J\u{30c} j\u{30c} \u{1f0}", &["\u{1f0}"; 3]);
        check("H\u{331}arf \u{1e96}arf", &["\u{1e96}arf"; 2]);
    }

    #[test]
    fn signs_are_no_words_and_no_operators() {
        check("", &[]);
        check("\" * - ( ) : ^ ~ … — !?", &[]);
        check(
            "NOT cats AND \"dogs\" OR mice* NEAR(a)",
            &["not", "cat", "and", "dog", "or", "mice", "near", "a"],
        );
        check("🎉 👩‍👩‍👧 ❤️ ©", &[]);
        check("👍done 1️⃣", &["done", "1"]);
        // A mark on a sign, although Unicode calls it alphabetic.
        check("῝\u{5b0} ~\u{5b0}", &[]);
        // Unicode letters that decompose into a blank and a mark.
        check("\u{37a} \u{fc5e} a\u{fc5e}b", &["a", "b"]);
    }

    #[test]
    fn scripts_with_spaces() {
        check("Напомни про заметки", &["напомни", "про", "заметки"]);
        check("مرحبا بالعالم ١٢٣", &["مرحبا", "بالعالم", "١٢٣"]);
        // Vowel signs and the sign that joins consonants belong to the word.
        check("नमस्ते दुनिया", &["नमस्ते", "दुनिया"]);
        check("ΟΔΟΣ οδός", &["οδος", "οδός"]);
        check("שָׁלוֹם", &["שָׁלוֹם"]);
        // An invisible joiner neither splits nor counts.
        check("می\u{200c}خواهم sy\u{ad}llable", &["میخواهم", "syllabl"]);
    }

    #[test]
    fn scripts_without_spaces() {
        check("水", &["水"]);
        check("水曜日", &["水曜", "曜日"]);
        check("我喜欢喝茶。茶", &["我喜", "喜欢", "欢喝", "喝茶", "茶"]);
        check("メモを見る", &["メモ", "モを", "を見", "見る"]);
        check("ｶﾞｽ ガス", &["ガス", "ガス"]);
        check("人々", &["人々"]);
        check("第㊉回 第十回", &["第十", "十回", "第十", "十回"]);
        check("न㊉म", &["न", "十", "म"]);
        check("학교에서", &["학교", "교에", "에서"]);
        check("ไม่มี", &["ไม่", "ม่มี"]);
        check("Tシャツ2024年", &["t", "シャ", "ャツ", "2024", "年"]);
    }

    #[test]
    fn characters_that_may_be_words() {
        let letters = |text: &str| {
            let letters = letters(text).into_iter();
            letters.map(|letter| letter.term).collect::<Vec<_>>()
        };
        assert_eq!(letters("quiet café"), [""; 0]);
        assert_eq!(letters("Tシャツ2024年"), ["シ", "ャ", "ツ", "年"]);
        assert_eq!(letters("ｶﾞｽ ไม่"), ["ガ", "ス", "ไ", "ม่"]);
        assert_eq!(letters("책은"), ["책", "은"]);
        // Spelt with several code points.
        assert_eq!(letters("\u{1106}\u{116e}\u{11af}"), ["물"]);
        for (term, expected) in [
            ("水", true),
            ("ม่", true),
            ("水曜", false),
            ("a", false),
            ("", false),
        ] {
            assert_eq!(is_letter(term), expected, "{term}");
        }
        let places = |text: &str, terms: &[&str]| {
            let places = places(text, &terms.iter().copied().collect()).into_iter();
            places
                .map(|place| text[place].to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(places("喝茶。茶", &["茶"]), ["茶", "茶"]);
        assert_eq!(places("乌龙茶", &["茶", "乌龙"]), ["乌龙", "茶"]);
    }

    #[test]
    fn words_stand_where_they_are_typed() {
        check_places("Café, naïve!", &["Café", "naïve"]);
        check_places("水曜日", &["水曜", "曜日"]);
        check_places("sy\u{ad}llable\u{ad} \u{200d}x", &["sy\u{ad}llable", "x"]);
        check_places("ガス", &["ガス"]);
        // One character that reads as four words.
        check_places("ﷺ", &["ﷺ"; 4]);
    }

    #[test]
    fn endless_words_are_cut() {
        let terms = terms(&format!("{} {}", "x".repeat(100_000), "é".repeat(1000)));
        assert_eq!(terms, ["x".repeat(256), "é".repeat(128)]);
    }

    #[test]
    fn stop_words_are_sorted_and_known_in_any_case() {
        assert!(STOP_WORDS.is_sorted_by(|a, b| a < b));
        assert!(is_stop_word("The") && is_stop_word("YOUR") && is_stop_word("a"));
        assert!(!is_stop_word("relay") && !is_stop_word(""));
        // Each is one word to the analysis, so that it can be recognised in a query.
        for word in STOP_WORDS {
            assert_eq!(words(word).len(), 1, "{word}");
        }
    }

    proptest! {
        #[test]
        fn places_lie_in_the_text_in_order(text in "\\PC{0,40}") {
            let mut last = 0..0;
            for word in words(&text) {
                prop_assert!(!text[word.bytes.clone()].is_empty() && !word.term.is_empty());
                prop_assert!((last.start, last.end) <= (word.bytes.start, word.bytes.end));
                last = word.bytes;
            }
        }

        #[test]
        fn places_of_some_words_are_those_of_all(
            text in "((\\PC{0,3}|[a-z]{1,4}(y|ies|ying|ed|ing|ly|ful|ational|ability)|skis|gently|only)[ ,]){0,12}",
            asked in any::<usize>(),
        ) {
            let all = words(&text);
            let terms: HashSet<&str> = all
                .iter()
                .skip(asked % 2)
                .step_by(asked % 3 + 1)
                .map(|word| word.term.as_str())
                .collect();
            let expected: Vec<Range<usize>> = all
                .iter()
                .filter(|word| terms.contains(word.term.as_str()))
                .map(|word| word.bytes.clone())
                .collect();
            // A lone character is found within words too.
            let found = places(&text, &terms);
            if terms.iter().any(|term| is_letter(term)) {
                prop_assert!(expected.iter().all(|place| found.contains(place)));
            } else {
                prop_assert_eq!(found, expected);
            }
        }

        #[test]
        fn spelling_in_several_code_points_changes_nothing(text in "\\PC{0,40}") {
            let (composed, spelt): (String, String) = (text.nfc().collect(), text.nfd().collect());
            prop_assert_eq!(terms(&composed), terms(&spelt));
        }

        #[test]
        fn a_text_has_the_words_of_its_parts(start in "\\PC{0,20}", end in "\\PC{0,20}") {
            let expected: Vec<String> = terms(&start).into_iter().chain(terms(&end)).collect();
            prop_assert_eq!(terms(&format!("{start} {end}")), expected);
        }

        #[test]
        fn case_does_not_count(text in "[a-zA-Z0-9 ,'_-]{0,40}") {
            prop_assert_eq!(terms(&text.to_uppercase()), terms(&text.to_lowercase()));
        }
    }
}
