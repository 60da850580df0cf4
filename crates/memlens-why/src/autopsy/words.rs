//! The distinctive words of a fact, and times formatted for the user.

use std::collections::BTreeMap;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use memlens_index::{is_stop_word, words};

/// The words of a text that say something, each once in reading order: as it is compared, and as it is written. All of them
/// if none says much.
pub(super) fn content_words(text: &str) -> Vec<(String, String)> {
    let mut seen = BTreeMap::new();
    let all: Vec<(String, String)> = words(text)
        .into_iter()
        .map(|word| (word.term, text[word.bytes].to_owned()))
        .filter(|(term, _)| seen.insert(term.clone(), ()).is_none())
        .collect();
    let content: Vec<_> = all
        .iter()
        .filter(|(_, typed)| !is_stop_word(typed))
        .cloned()
        .collect();
    if content.is_empty() { all } else { content }
}

/// A line with fewer distinctive words may be in any note.
pub(super) const OWN_WORDS: usize = 3;

/// The words of a text with one blank between them.
pub(super) fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A time in the user's time zone.
pub(super) fn moment(at_ms: i64) -> String {
    Timestamp::from_millisecond(at_ms).map_or_else(
        |_| "an unknown time".to_owned(),
        |at| {
            at.to_zoned(TimeZone::system())
                .strftime("%Y-%m-%d %H:%M")
                .to_string()
        },
    )
}

/// The day of a time in the user's time zone, `YYYY-MM-DD`.
pub(super) fn day(at_ms: i64) -> Option<String> {
    let at = Timestamp::from_millisecond(at_ms).ok()?;
    Some(at.to_zoned(TimeZone::system()).date().to_string())
}

/// `once`, `twice` or a number.
pub(super) fn times(n: usize) -> String {
    match n {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        n => format!("{n} times"),
    }
}

/// Words in quotes, joined by commas.
pub(super) fn quoted<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let quoted: Vec<String> = words.into_iter().map(|word| format!("“{word}”")).collect();
    quoted.join(", ")
}

/// A number with its noun: `1 link`, `3 links`.
pub(super) fn counted(n: usize, of: &str) -> String {
    match n {
        1 => format!("1 {of}"),
        n => format!("{n} {of}s"),
    }
}

/// Names joined as a list: `a, b and c`.
pub(super) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
