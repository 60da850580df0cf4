//! Matched words in a text, and the passage of a chunk that shows most of them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::Range;

use memlens_index::{QueryWord, marks};

use crate::notes::plain_heading::plain_heading;

/// Maximum length of a snippet in characters.
const SNIPPET_CHARS: usize = 220;

/// Number of characters shown before a match in a text without sentences or blanks near it.
const RUN_UP_CHARS: usize = 20;

/// Characters that end a sentence without a blank after them.
const UNSPACED_STOPS: [char; 4] = ['。', '！', '？', '।'];

/// The byte ranges of the query's words in a text; stop words are not marked.
pub fn matches(text: &str, query: &[QueryWord]) -> Vec<Range<usize>> {
    marks(text, query)
}

/// Byte ranges as UTF-16 ranges; overlapping ones (bigrams) are joined.
pub fn utf16(text: &str, ranges: &[Range<usize>]) -> Vec<(u32, u32)> {
    let mut joined: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match joined.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            Some(_) | None => joined.push(range.clone()),
        }
    }
    let (mut at, mut units) = (0, 0u32);
    let mut upto = |byte: usize| {
        units += text[at..byte].encode_utf16().count() as u32;
        at = byte;
        units
    };
    joined
        .into_iter()
        .map(|range| (upto(range.start), upto(range.end)))
        .collect()
}

/// Bytes of the lines `first` to `last` of a text, counted from 0; lines beyond its end are left out.
pub fn bytes_of_lines(text: &str, first: usize, last: usize) -> Range<usize> {
    let start_of = |line: usize| match line {
        0 => Some(0),
        _ => text.match_indices('\n').nth(line - 1).map(|(at, _)| at + 1),
    };
    let end = start_of(last + 1).unwrap_or(text.len());
    start_of(first).unwrap_or(end).min(end)..end
}

/// The passage with the most distinct matched words, on one line, with its marks.
///
/// If a match is in the best window, by its bytes, only those of the window count. A chunk without a match shows its
/// beginning, behind its headings. A heading that the passage begins with is shown as plain words.
pub fn snippet(
    text: &str,
    query: &[QueryWord],
    window: Option<Range<usize>>,
) -> (String, Vec<(u32, u32)>) {
    let mut found = matches(text, query);
    if let Some(window) = window
        && found.iter().any(|word| window.contains(&word.start))
    {
        found.retain(|word| window.contains(&word.start));
    }
    let start = best_start(text, &found);
    let rest = if found.is_empty() {
        behind_headings(text)
    } else {
        text[start..].trim_start_matches(|sign: char| sign.is_whitespace() || sign == '#')
    };
    let mut line = String::new();
    if start > 0 {
        line.push('…');
    }
    let mut n_chars = 0;
    for word in with_plain_heading(text, rest, query).split_whitespace() {
        if n_chars > 0 {
            line.push(' ');
        }
        line.extend(word.chars().take(SNIPPET_CHARS));
        n_chars += word.chars().count() + 1;
        if n_chars > SNIPPET_CHARS {
            line.push('…');
            break;
        }
    }
    let marks = utf16(&line, &matches(&line, query));
    (line, marks)
}

/// Start of the passage: the start of the sentence or line of the best match.
fn best_start(text: &str, found: &[Range<usize>]) -> usize {
    let best = found
        .iter()
        .enumerate()
        .map(|(at, first)| {
            let words: HashSet<&str> = found[at..]
                .iter()
                .take_while(|other| other.start < first.start + SNIPPET_CHARS)
                .map(|other| &text[other.clone()])
                .collect();
            (words.len(), first.start)
        })
        // The earliest of equals wins.
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    let Some((_, at)) = best else { return 0 };
    let before = &text[..at];
    let line = before.rfind('\n').map_or(0, |newline| newline + 1);
    let sentence = before.rfind(". ").map_or(0, |stop| stop + 2);
    let unspaced = before
        .char_indices()
        .rfind(|(_, sign)| UNSPACED_STOPS.contains(sign))
        .map_or(0, |(stop, sign)| stop + sign.len_utf8());
    let start = line.max(sentence).max(unspaced);
    // A long run-up would push the match out of sight.
    if at - start <= SNIPPET_CHARS / 3 {
        return start;
    }
    let near = before
        .char_indices()
        .rev()
        .take(SNIPPET_CHARS / 3)
        .filter(|(_, sign)| sign.is_whitespace())
        .last();
    let run_up = || before.char_indices().rev().take(RUN_UP_CHARS).last();
    match near {
        Some((space, sign)) => space + sign.len_utf8(),
        None => run_up().map_or(at, |(sign, _)| sign),
    }
}

fn behind_headings(text: &str) -> &str {
    let body = text
        .lines()
        .find(|line| !line.starts_with('#') && line.chars().any(char::is_alphanumeric));
    body.map_or(text, |line| {
        &text[line.as_ptr() as usize - text.as_ptr() as usize..]
    })
}

/// `rest`, a part of `text` up to its end, with the heading that it begins in as plain words, unless a match or all is lost.
fn with_plain_heading<'a>(text: &str, rest: &'a str, query: &[QueryWord]) -> Cow<'a, str> {
    let before = &text[..text.len() - rest.len()];
    let line = &text[before.rfind('\n').map_or(0, |newline| newline + 1)..];
    let title = line.trim_start_matches('#');
    if title.len() == line.len() || !title.starts_with([' ', '\t']) {
        return Cow::Borrowed(rest);
    }
    let (written, after) = rest.split_at(rest.find('\n').unwrap_or(rest.len()));
    let said = plain_heading(written.trim_start_matches('#'));
    if said.is_empty() || matches(&said, query).len() < matches(written, query).len() {
        return Cow::Borrowed(rest);
    }
    Cow::Owned(said + after)
}

#[cfg(test)]
mod tests {
    use memlens_index::{QueryWord, words};

    use super::{bytes_of_lines, snippet, utf16};

    fn query(text: &str) -> Vec<QueryWord> {
        words(text)
            .into_iter()
            .map(|word| QueryWord {
                typed: text[word.bytes].to_owned(),
                term: word.term,
                weight: 1.0,
                idf: 1.0,
                n_chunks: 1,
                ..QueryWord::default()
            })
            .collect()
    }

    fn check(text: &str, asked: &str, expected: &str) {
        check_in(text, asked, None, expected);
    }

    fn check_in(text: &str, asked: &str, lines: Option<(usize, usize)>, expected: &str) {
        let window = lines.map(|(first, last)| bytes_of_lines(text, first, last));
        let (line, marks) = snippet(text, &query(asked), window);
        let units: Vec<u16> = line.encode_utf16().collect();
        let mut shown = String::new();
        let mut at = 0;
        for (start, end) in marks {
            shown += &String::from_utf16(&units[at..start as usize]).unwrap();
            shown += &format!(
                "[{}]",
                String::from_utf16(&units[start as usize..end as usize]).unwrap()
            );
            at = end as usize;
        }
        shown += &String::from_utf16(&units[at..]).unwrap();
        assert_eq!(shown, expected);
    }

    #[test]
    fn matched_words_are_marked_and_stop_words_are_not() {
        check(
            "First look at the router's light.",
            "the routers",
            "First look at the [router]'s light.",
        );
        check("# Network\n\nThe box hums.", "zebra", "The box hums.");
        check(
            "😀 relay 東京都の天気",
            "relay 東京 天気",
            "😀 [relay] [東京]都の[天気]",
        );
        check("", "relay", "");
    }

    #[test]
    fn a_heading_is_shown_as_plain_words_in_which_matches_are_marked() {
        let heading = "## The **relay** of [the hall](https://a.example/relays) `now`";
        check(
            &format!("{heading}\n\nIt is **grey**."),
            "hall",
            "The relay of the [hall] now It is **grey**.",
        );
        // A match in what is left out keeps the heading as it is written.
        check(
            "# [Docs](https://docs.example/router)",
            "router",
            "[Docs](https://docs.example/[router])",
        );
        check("# ![Logo](a.svg)", "zebra", "# ![Logo](a.svg)");
        check("The **relay**", "relay", "The **[relay]**");
        check("#**relay**", "relay", "**[relay]**");
    }

    #[test]
    fn the_passage_begins_near_the_best_match() {
        let text = format!(
            "{} The relay is quiet at night.",
            "Nothing of note. ".repeat(40)
        );
        check(&text, "quiet relay", "…The [relay] is [quiet] at night.");
    }

    #[test]
    fn the_passage_is_in_the_best_window_if_that_holds_a_word_of_the_question() {
        let text = format!(
            "# Outage\n\nFirst look at the light.\n{}\nThe disks shut down by themselves, photos first.",
            "Nothing of note. ".repeat(20)
        );
        let asked = "what first when it is down";
        let window = "First look at the light.";
        let best = "…The disks shut [down] by themselves, photos [first].";
        check(&text, asked, best);
        let (line, marks) = snippet(&text, &query(asked), Some(bytes_of_lines(&text, 2, 2)));
        assert!(line.starts_with(&format!("…{window} Nothing")), "{line}");
        assert_eq!(marks, [(1, 6)]);
        check_in(&text, asked, Some((3, 3)), best);
        check_in(&text, asked, Some((9, 12)), best);
    }

    #[test]
    fn lines_of_a_text_as_bytes() {
        let text = "a\nbc\n\nd";
        assert_eq!(bytes_of_lines(text, 0, 0), 0..2);
        assert_eq!(bytes_of_lines(text, 1, 2), 2..6);
        assert_eq!(bytes_of_lines(text, 3, 9), 6..7);
        assert_eq!(bytes_of_lines(text, 9, 12), 7..7);
    }

    #[test]
    fn texts_without_blanks_show_what_stands_before_the_match() {
        let filler = "無関係な文".repeat(30);
        check(
            &format!("{filler}。明日は雨です"),
            "明日",
            "…[明日]は雨です",
        );
        let before: String = filler.chars().skip(filler.chars().count() - 20).collect();
        check(
            &format!("{filler}明日は雨です"),
            "明日",
            &format!("…{before}[明日]は雨です"),
        );
    }

    #[test]
    fn bigrams_that_overlap_are_one_mark() {
        assert_eq!(utf16("a東京都", &[1..7, 4..10]), [(1, 4)]);
    }
}
