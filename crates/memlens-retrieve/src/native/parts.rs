//! The parts of a question that are searched separately.
//!
//! A prompt of many sentences is mostly about something else than its question, and its vector is that of none of them. If
//! less than a third of its sentences ask, only those are searched. A sentence asks if it ends with a question mark, or
//! without any mark, as search words are typed; a greeting, a closing or a signature asks nothing. Any other question is
//! searched as a whole, or by all of its sentences if the model does not read it to its end.
//!
//! UAX 29 is not used: it does not end a sentence before a small letter, with which many prompts continue.

use std::ops::Range;

use memlens_index::{is_stop_word, words};

/// The maximum number of parts. More are joined with their neighbours, so that no word is left out.
pub(super) const PARTS_MAX: usize = 32;

/// A question is searched by its asking sentences if they are less than one in this many.
const ASKING_SHARE: usize = 3;

/// What is searched of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    /// Ascending disjoint ranges of bytes, at least one and at most [`PARTS_MAX`].
    pub ranges: Vec<Range<usize>>,
    /// Whether the only range is the question as a whole.
    pub is_whole: bool,
    /// Number of sentences of the question that are left out because they ask nothing.
    pub n_left_out: usize,
}

/// A longer text is cut without counting its tokens, which takes as long as reading it.
const UNCOUNTED_BYTES: usize = 8192;

/// The maximum number of words of a name behind a greeting or a closing.
const SIGNATURE_WORDS_MAX: usize = 3;

/// Questions about what was said before, in lower case. They ask nothing of notes.
const TAGS: [&str; 16] = [
    "agreed",
    "any ideas",
    "any thoughts",
    "clear",
    "correct",
    "does that make sense",
    "is that ok",
    "makes sense",
    "ok",
    "okay",
    "please",
    "right",
    "sounds good",
    "thoughts",
    "understood",
    "yes",
];

/// How greetings and closings begin, in lower case.
const POLITE: [&[&str]; 33] = [
    &["best", "regards"],
    &["best", "wishes"],
    &["bonjour"],
    &["bye"],
    &["cheers"],
    &["ciao"],
    &["cordialement"],
    &["danke"],
    &["dear"],
    &["good", "afternoon"],
    &["good", "evening"],
    &["good", "morning"],
    &["good", "night"],
    &["gracias"],
    &["guten", "morgen"],
    &["guten", "tag"],
    &["hallo"],
    &["hello"],
    &["hey"],
    &["hi"],
    &["hola"],
    &["kind", "regards"],
    &["liebe", "grüße"],
    &["merci"],
    &["moin"],
    &["regards"],
    &["saludos"],
    &["salut"],
    &["sincerely"],
    &["thank", "you"],
    &["thanks"],
    &["thx"],
    &["viele", "grüße"],
];

/// Abbreviations that do not end a sentence, in lower case and without their last full stop.
const ABBREVIATIONS: [&str; 40] = [
    "approx", "bzw", "ca", "capt", "cf", "col", "d.h", "dept", "dr", "e.g", "ebd", "eq", "etc",
    "evtl", "fig", "gen", "ggf", "i.e", "inc", "incl", "inkl", "jr", "lt", "ltd", "mr", "mrs",
    "ms", "mt", "nr", "prof", "resp", "sec", "sr", "st", "u.a", "u.s", "usw", "vgl", "vs", "z.b",
];

/// The number of bytes in the longest abbreviation.
const ABBREVIATION_BYTES_MAX: usize = 6;

impl Parts {
    /// Returns the parts of a question. `fits` returns whether the model reads a text to its end.
    pub(super) fn of(text: &str, fits: impl Fn(&str) -> bool) -> Parts {
        let sentences = sentences(text);
        let asking = asking(text, &sentences);
        let cut_all = |sentences: &[Range<usize>]| {
            let mut parts = Vec::with_capacity(sentences.len());
            for sentence in sentences {
                cut(text, sentence.clone(), &fits, &mut parts);
            }
            parts
        };
        let is_asking = !asking.is_empty() && asking.len() * ASKING_SHARE < sentences.len();
        // Joined with their neighbours they would hold what they leave out.
        let asked = is_asking.then(|| cut_all(&asking));
        let asked = asked.filter(|parts| parts.len() <= PARTS_MAX);
        if asked.is_none() && (sentences.is_empty() || is_read(text, &fits)) {
            let whole = 0..text.len();
            return Parts {
                ranges: vec![whole],
                is_whole: true,
                n_left_out: 0,
            };
        }
        let n_left_out = match &asked {
            Some(_) => sentences.len() - asking.len(),
            None => 0,
        };
        let parts = asked.unwrap_or_else(|| cut_all(&sentences));
        let ranges = joined(&parts);
        Parts {
            is_whole: matches!(&ranges[..], [only] if *only == (0..text.len())),
            ranges,
            n_left_out,
        }
    }
}

/// Joins neighbours until there are at most [`PARTS_MAX`].
fn joined(parts: &[Range<usize>]) -> Vec<Range<usize>> {
    let n_joined = parts.len().div_ceil(PARTS_MAX).max(1);
    let joined = parts.chunks(n_joined);
    joined
        .map(|part| part[0].start..part[part.len() - 1].end)
        .collect()
}

/// Returns the sentences that ask.
fn asking(text: &str, sentences: &[Range<usize>]) -> Vec<Range<usize>> {
    let mut asking = Vec::new();
    let mut is_after_closing = false;
    for sentence in sentences {
        let said = &text[sentence.clone()];
        let is_question = is_question(said);
        let is_polite = is_polite(said);
        let is_signature = is_after_closing
            && !is_question
            && said.split_whitespace().count() <= SIGNATURE_WORDS_MAX;
        if !is_polite && !is_signature && asks(said) {
            asking.push(sentence.clone());
        }
        is_after_closing = is_polite;
    }
    asking
}

/// Returns whether a sentence asks for something that notes can tell.
fn asks(said: &str) -> bool {
    let bare = said.trim_end_matches(|char| is_closing(char) || char.is_whitespace());
    let is_typed = bare.ends_with(char::is_alphanumeric) && !is_name(bare);
    (is_question(said) || is_typed)
        && !TAGS.contains(&lower_words(said).join(" ").as_str())
        && is_telling(said)
}

/// Returns whether a sentence ends with a question mark, perhaps followed by other marks.
fn is_question(said: &str) -> bool {
    let is_after =
        |char| is_closing(char) || char.is_whitespace() || matches!(char, '!' | '！' | '.' | '…');
    said.trim_end_matches(is_after).ends_with(['?', '？', '؟'])
}

/// Returns whether a text has a word that is no stop word.
fn is_telling(said: &str) -> bool {
    words(said)
        .iter()
        .any(|word| !is_stop_word(&said[word.bytes.clone()]))
}

fn lower_words(said: &str) -> Vec<String> {
    let words = said
        .split(|char: char| !char.is_alphanumeric())
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Returns whether a sentence is a name alone: one or two capitalised words.
fn is_name(said: &str) -> bool {
    let mut words = said.split_whitespace();
    let is_capital = |word: &str| word.chars().next().is_some_and(char::is_uppercase);
    words.clone().count() <= 2 && words.all(is_capital)
}

/// Returns whether a sentence is a greeting or a closing: it begins with the words of one and continues with at most a name.
/// A question behind the greeting is none.
fn is_polite(said: &str) -> bool {
    let words = lower_words(said);
    let begins = |first: &&&[&str]| {
        words.len() >= first.len() && words.iter().zip(**first).all(|(word, first)| word == first)
    };
    POLITE.iter().find(begins).is_some_and(|first| {
        let rest = &words[first.len()..];
        rest.len() <= SIGNATURE_WORDS_MAX && !(is_question(said) && is_telling(&rest.join(" ")))
    })
}

/// Returns the sentences of a text, without the white space around them.
///
/// A sentence ends with a full stop, a question mark or the like before white space, with such a mark of Chinese or
/// Japanese anywhere, with a blank line, and with a line before a heading or before an item of a list. Another end of a line
/// may be that of a wrapped line.
fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut sentences = Vec::new();
    let mut start = None;
    // The end of the last character that is no white space.
    let mut end = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        if char == '\n' && start.is_some() && is_break(&text[at + 1..]) {
            sentences.extend(start.take().map(|start| start..end));
            continue;
        }
        if char.is_whitespace() {
            continue;
        }
        let first = *start.get_or_insert(at);
        end = at + char.len_utf8();
        if !is_end(char) {
            continue;
        }
        let mut last = char;
        let mut n_ends = 1;
        let mut is_quoted = false;
        while let Some((at, next)) = chars.next_if(|(_, next)| is_end(*next) || is_closing(*next)) {
            end = at + next.len_utf8();
            n_ends += usize::from(is_end(next));
            if is_end(next) {
                last = next;
            } else {
                is_quoted = true;
            }
        }
        let is_before_blank = chars.peek().is_none_or(|(_, next)| next.is_whitespace());
        let is_wide = matches!(last, '。' | '！' | '？' | '｡');
        let is_stop = last == '.' && n_ends == 1;
        // A quotation may be the middle of a sentence.
        let goes_on = is_quoted && text[end..].trim_start().starts_with(char::is_lowercase)
            || is_stop && is_abbreviated(&text[first..at]);
        if (is_wide || is_before_blank) && !goes_on {
            sentences.extend(start.take().map(|start| start..end));
        }
    }
    sentences.extend(start.map(|start| start..end));
    sentences
}

/// Returns whether a mark may end a sentence.
fn is_end(char: char) -> bool {
    matches!(
        char,
        '.' | '!' | '?' | '…' | '。' | '！' | '？' | '｡' | '؟' | '۔' | '।' | '॥' | '።' | '។'
    )
}

/// Returns whether a mark may follow the end of a sentence and belong to it.
fn is_closing(char: char) -> bool {
    matches!(
        char,
        '"' | '\'' | '”' | '’' | '“' | '»' | '«' | ')' | ']' | '*' | '_' | '`' | '」' | '』' | '）'
    )
}

/// Returns whether the text after the end of a line begins something new: a blank line, a heading, an item of a list, a
/// quotation or a block of code.
fn is_break(after: &str) -> bool {
    let line = after.trim_start_matches([' ', '\t', '\r']);
    if line.starts_with('\n') || line.starts_with(['#', '>', '|']) || line.starts_with("```") {
        return true;
    }
    let digits = line.trim_start_matches(|char: char| char.is_ascii_digit());
    let marker = if digits.len() < line.len() {
        digits.strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+', '•'])
    };
    marker.is_some_and(|rest| rest.starts_with([' ', '\t']))
}

/// Returns whether a full stop after this beginning of a sentence belongs to its last word: an abbreviation, a single
/// letter, or a number of one or two digits, which may be that of an item or of a day.
fn is_abbreviated(before: &str) -> bool {
    let mut chars = before.char_indices().rev();
    // A longer word is no abbreviation, whatever it is.
    let start = chars
        .by_ref()
        .take(ABBREVIATION_BYTES_MAX + 1)
        .find(|(_, char)| char.is_whitespace() || matches!(char, '(' | '[' | '"' | '“'))
        .map(|(at, char)| at + char.len_utf8());
    let word = match start {
        Some(start) => &before[start..],
        None if chars.next().is_none() => before,
        None => return false,
    };
    let mut letters = word.chars();
    let is_letter = letters.next().is_some_and(char::is_alphabetic) && letters.next().is_none();
    let is_number = (1..=2).contains(&word.len()) && word.bytes().all(|it| it.is_ascii_digit());
    is_letter || is_number || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

/// Returns whether the model reads a text to its end. A long one is not counted.
fn is_read(text: &str, fits: &impl Fn(&str) -> bool) -> bool {
    text.len() <= UNCOUNTED_BYTES && fits(text)
}

/// Adds a sentence to `parts`, in halves as long as the model does not read a half to its end.
fn cut(
    text: &str,
    sentence: Range<usize>,
    fits: &impl Fn(&str) -> bool,
    parts: &mut Vec<Range<usize>>,
) {
    let said = &text[sentence.clone()];
    if said.is_empty() {
        return;
    }
    if is_read(said, fits) {
        parts.push(sentence);
        return;
    }
    let middle = said.floor_char_boundary(said.len() / 2);
    let before = said[..middle].rfind(char::is_whitespace);
    let after = said[middle..]
        .find(char::is_whitespace)
        .map(|at| middle + at);
    let blank = [before, after]
        .into_iter()
        .flatten()
        .min_by_key(|at| at.abs_diff(middle));
    let at = blank.unwrap_or(middle);
    let (left, right) = (said[..at].trim_end(), said[at..].trim_start());
    if left.is_empty() || right.is_empty() {
        // One character, which no cut makes shorter.
        parts.push(sentence);
        return;
    }
    cut(
        text,
        sentence.start..sentence.start + left.len(),
        fits,
        parts,
    );
    cut(text, sentence.end - right.len()..sentence.end, fits, parts);
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use proptest::prelude::*;

    use super::*;

    fn found(text: &str, fits: impl Fn(&str) -> bool) -> Vec<&str> {
        let parts = Parts::of(text, fits);
        let is_whole = matches!(&parts.ranges[..], [only] if *only == (0..text.len()));
        assert_eq!(parts.is_whole, is_whole, "{text:?}");
        parts.ranges.into_iter().map(|part| &text[part]).collect()
    }

    /// Checks what is searched of a question that the model reads to its end.
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(found(text, |_| true), expected, "{text:?}");
    }

    fn check_whole(text: &str) {
        check(text, &[text]);
    }

    fn check_sentences(text: &str, expected: &[&str]) {
        let found: Vec<&str> = sentences(text).into_iter().map(|it| &text[it]).collect();
        assert_eq!(found, expected, "{text:?}");
    }

    const SMALL_TALK: &str =
        "We moved the rack to the cellar. It hums louder than before! The new lamp is nice.";

    #[test]
    fn a_single_sentence_is_not_cut() {
        for text in [
            "where are the backups",
            "Which port does v1.2.3 of api.example.org listen on, e.g. behind nginx, and why?",
            "what did Dr. Meyer and J. Smith say about notes.md vs. the wiki etc. in the call?",
            "is it 3.5 or 4 percent?!",
            "Wann war der Termin am 3. März, z.B. laut Kalender?",
            "the \"done.\" column of the board",
            "which of the boxes in the\ncellar runs the nightly backups\nof the photo library?",
            "which box\r\nruns the backups",
            "母亲什么时候服用降压药？",
            "...",
        ] {
            check_sentences(text, &[text]);
            check_whole(text);
        }
        check_whole("");
        check_whole("  \n ");
        let long = format!(
            "what about {}and the rest of it",
            "one more thing, ".repeat(60)
        );
        check_whole(&long);
    }

    #[test]
    fn sentences_end_at_marks_before_white_space() {
        check_sentences(
            "I moved the rack. which box hums? The \"old relay\" did (finally!). No... yes",
            &[
                "I moved the rack.",
                "which box hums?",
                "The \"old relay\" did (finally!).",
                "No...",
                "yes",
            ],
        );
        check_sentences(
            "昨天我们把机柜搬到了地下室。哪台机器负责夜间备份？谢谢！",
            &[
                "昨天我们把机柜搬到了地下室。",
                "哪台机器负责夜间备份？",
                "谢谢！",
            ],
        );
    }

    #[test]
    fn blank_lines_headings_and_items_end_a_sentence() {
        check_sentences(
            "# Moving\nwe copy the photos\n \t\nthe relay was rotated\n- which disk\n2. which box\n> quoted",
            &[
                "# Moving\nwe copy the photos",
                "the relay was rotated",
                "- which disk",
                "2. which box",
                "> quoted",
            ],
        );
    }

    #[test]
    fn the_sentences_that_ask_are_searched() {
        check(
            &format!("{SMALL_TALK} which box runs the backups?"),
            &["which box runs the backups?"],
        );
        check(&format!("Which port? {SMALL_TALK}"), &["Which port?"]);
        // Typed as search words, without a mark.
        check(
            &format!("{SMALL_TALK}\n\nforty minute rule"),
            &["forty minute rule"],
        );
        check(
            &format!("Which \"port?\" {SMALL_TALK} {SMALL_TALK} And which box?"),
            &["Which \"port?\"", "And which box?"],
        );
    }

    #[test]
    fn a_question_with_its_context_is_searched_as_a_whole() {
        check_whole("We use Postgres in the cellar. Which port does it listen on?");
        check_whole("We use Postgres. It runs in the cellar. Which port does it listen on?");
        check_whole("Which port? Which box? The old one was loud. It is gone.");
        // Nothing is asked.
        check_whole(&format!("{SMALL_TALK} Nobody knows why."));
    }

    #[test]
    fn greetings_closings_and_signatures_ask_nothing() {
        let question = "Which box runs the backups?";
        for (before, after) in [
            ("Hi Claude\n\n", ""),
            ("Good morning everybody\n\n", "\n\nThanks, Anna"),
            ("How are you? ", " Thanks!\n\nAnna Miller, lab"),
            ("", "\n\nBest regards,\nAnna Miller"),
            ("", "\n\nAnna"),
        ] {
            check(
                &format!("{before}{SMALL_TALK} {question}{after}"),
                &[question],
            );
        }
        check(
            &format!("{SMALL_TALK} best practices for backups"),
            &["best practices for backups"],
        );
        check(
            &format!("{SMALL_TALK} thanks to whom did the relay come back to life"),
            &["thanks to whom did the relay come back to life"],
        );
    }

    #[test]
    fn a_question_behind_a_greeting_or_with_two_marks_asks() {
        let other = "Is the station open?";
        for question in [
            "Hey, where's korund?",
            "Which disk?",
            "Which box runs the backups?!",
            "(Which box?)",
        ] {
            let before = format!("{SMALL_TALK} {SMALL_TALK}");
            check(
                &format!("{before} Hi Anna. {question} {other}"),
                &[question, other],
            );
        }
    }

    #[test]
    fn a_tag_asks_nothing() {
        check_whole(&format!("List every port of the relay. {SMALL_TALK} Ok?"));
        check_whole(&format!(
            "List every port of the relay. {SMALL_TALK} Makes sense?"
        ));
        check(
            &format!("{SMALL_TALK} Which port? Right?"),
            &["Which port?"],
        );
    }

    #[test]
    fn more_questions_than_parts_leave_nothing_out() {
        let asked = |at: usize| format!("{SMALL_TALK} Which machine{at} runs backups? ");
        let text: String = (0..40).map(asked).collect();
        assert!(Parts::of(&text, |_| true).is_whole);
        let parts = Parts::of(&text, |text| text.len() < 1000);
        assert_eq!((parts.n_left_out, parts.is_whole), (0, false));
        let text: String = (0..PARTS_MAX).map(asked).collect();
        let parts = Parts::of(&text, |_| true);
        assert_eq!(
            (parts.n_left_out, parts.ranges.len()),
            (3 * PARTS_MAX, PARTS_MAX)
        );
    }

    #[test]
    fn the_number_of_sentences_left_out_is_known() {
        let parts = Parts::of(&format!("{SMALL_TALK} which box runs the backups?"), |_| {
            true
        });
        assert_eq!((parts.n_left_out, parts.is_whole), (3, false));
        let parts = Parts::of("One two. Three four.", |text| text.len() < 12);
        assert_eq!((parts.n_left_out, parts.is_whole), (0, false));
    }

    #[test]
    fn a_sentence_that_the_model_does_not_read_is_cut_at_blanks() {
        let fits = |text: &str| text.split_whitespace().count() <= 4;
        assert_eq!(
            found("one two three four five six seven eight nine", fits),
            ["one two three", "four five", "six seven eight nine"]
        );
        let wide = "水".repeat(9);
        let fits = |text: &str| text.chars().count() <= 4;
        assert_eq!(found(&wide, fits).concat(), wide);
        assert!(found(&wide, fits).into_iter().all(fits));
        assert_eq!(found("水", |_| false), ["水"]);
    }

    #[test]
    fn more_sentences_than_parts_are_joined_and_none_is_left_out() {
        let sentence = |at: usize| format!("Machine number{at} stores archive tapes.");
        let text: Vec<String> = (0..100).map(sentence).collect();
        let text = text.join(" ");
        let parts = found(&text, |text| text.len() < 1000);
        assert_eq!(parts.len(), 25);
        assert_eq!(parts.join(" "), text);
    }

    #[test]
    fn the_work_grows_with_the_length_alone() {
        let n_counted = Cell::new(0_usize);
        let fits = |text: &str| {
            n_counted.set(n_counted.get() + text.len());
            text.len() < 500
        };
        for text in [
            "a b ".repeat(500_000),
            "ab".repeat(1_000_000),
            "a.\n".repeat(600_000),
        ] {
            n_counted.set(0);
            assert!(Parts::of(&text, fits).ranges.len() <= PARTS_MAX);
            assert!(n_counted.get() < 8 * text.len(), "{}", n_counted.get());
        }
    }

    proptest! {
        #[test]
        fn parts_hold_everything_in_order(
            words in prop::collection::vec("[a-z]{1,8}|[.!?]{1,3}|水。|[ \n]{1,3}|- |\"|Dr\\. |\\PC", 0..80),
            n_max in 1_usize..40,
        ) {
            let text = words.concat();
            let fits = |text: &str| text.chars().count() <= n_max;
            let parts = Parts::of(&text, fits);
            prop_assert!(!parts.ranges.is_empty() && parts.ranges.len() <= PARTS_MAX);
            prop_assert_eq!(parts.is_whole, parts.ranges[0] == (0..text.len()));
            prop_assert!(!parts.is_whole || text.trim().is_empty() || fits(&text));
            let mut end = 0;
            for part in &parts.ranges {
                prop_assert!(parts.n_left_out > 0 || text[end..part.start].trim().is_empty());
                prop_assert!(part.start >= end && (part.end > part.start || text.trim().is_empty()));
                end = part.end;
            }
            prop_assert!(parts.n_left_out > 0 || text[end..].trim().is_empty());
        }
    }
}
