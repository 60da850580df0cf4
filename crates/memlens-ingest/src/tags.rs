//! The `#tags` in the text of a Markdown note.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag};

use crate::outline::without_long_marks;

/// A longer run of letters after `#` is no tag.
const CHARS_MAX: usize = 100;
const TAGS_MAX: usize = 200;

/// Tags in `markdown` without `#`, each wording once, in the order of the text, at most 200.
///
/// A tag is `#` at the start of a line or after a blank, then letters, digits, `_`, `-` and `/`, of which one is a letter, as in
/// Obsidian. Code and HTML, also in comments, hold none.
pub fn inline_tags(markdown: &str) -> Vec<String> {
    let mut found = marks(markdown).peekable();
    // Most notes have no tag, and need not be parsed.
    if found.peek().is_none() {
        return Vec::new();
    }
    let hidden = code_and_html(markdown);
    let mut tags: Vec<String> = Vec::new();
    for (at, tag) in found {
        let next = hidden.partition_point(|range| range.end <= at);
        let is_hidden = hidden.get(next).is_some_and(|range| range.contains(&at));
        if !is_hidden && !tags.iter().any(|known| known == tag) {
            tags.push(tag.to_owned());
            if tags.len() == TAGS_MAX {
                break;
            }
        }
    }
    tags
}

/// What looks like a tag, with the place of its `#`.
fn marks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('#').filter_map(|(at, _)| {
        let before = text[..at].chars().next_back();
        if before.is_some_and(|char| !char.is_whitespace()) {
            return None;
        }
        Some((at, tag_of(text[at..].split_whitespace().next()?)?))
    })
}

fn tag_of(word: &str) -> Option<&str> {
    let rest = word.strip_prefix('#')?;
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-' | '/');
    let end = rest.find(|char| !is_part(char)).unwrap_or(rest.len());
    let (tag, after) = rest.split_at(end);
    let is_ended = after
        .chars()
        .all(|char| char.is_ascii_punctuation() && char != '#');
    let is_named = tag.chars().any(char::is_alphabetic);
    (is_ended && is_named && tag.chars().count() <= CHARS_MAX).then_some(tag)
}

/// Byte ranges of code and of HTML, in order.
fn code_and_html(markdown: &str) -> Vec<Range<usize>> {
    let text = without_long_marks(markdown);
    let events = Parser::new_ext(&text, Options::empty()).into_offset_iter();
    events
        .filter(|(event, _)| {
            matches!(
                event,
                Event::Start(Tag::CodeBlock(_) | Tag::HtmlBlock)
                    | Event::Code(_)
                    | Event::InlineHtml(_)
            )
        })
        .map(|(_, range)| range)
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn tags_are_words_after_a_number_sign() {
        for (text, tags) in [
            ("# Heading\n## Another", vec![]),
            (
                "It is #garden, and #home/shed.",
                vec!["garden", "home/shed"],
            ),
            ("#garden #garden #42 #2026-05", vec!["garden"]),
            ("issue#12 and page.html#top", vec![]),
            ("# The #garden", vec!["garden"]),
            ("- #one\n- two\n  #three", vec!["one", "three"]),
            ("#übung #日本", vec!["übung", "日本"]),
        ] {
            assert_eq!(inline_tags(text), tags, "{text}");
        }
        assert_eq!(inline_tags(&format!("#{}", "a".repeat(300))), [""; 0]);
    }

    #[test]
    fn code_and_html_hold_no_tags() {
        for (text, tags) in [
            ("`#code` and #prose", vec!["prose"]),
            ("`` ` #code `` and #prose", vec!["prose"]),
            ("`a\n#code` and #prose", vec!["prose"]),
            ("```\n#define X\n```\n#after", vec!["after"]),
            ("````md\n```\n#inside\n```\n````\n#after", vec!["after"]),
            ("```\n```md\n#inside\n~~~\n#too\n```\n#after", vec!["after"]),
            ("```cat #code``` and #prose", vec!["prose"]),
            ("Before\n\n    #define X\n\n#after", vec!["after"]),
            ("- item\n\n      #define X\n\n#after", vec!["after"]),
            ("- item\n\n    #within the item", vec!["within"]),
            ("<!-- #hidden -->\n\n#after", vec!["after"]),
            ("A <!-- #hidden --> comment, #after", vec!["after"]),
            ("<!--\n#hidden\n\n#too\n-->\n#after", vec!["after"]),
            ("<div>\n#hidden\n</div>\n\n#after", vec!["after"]),
        ] {
            assert_eq!(inline_tags(text), tags, "{text}");
        }
    }

    proptest! {
        /// A tag is in the text, behind its sign.
        #[test]
        fn tags_are_in_the_text(text in "(#[a-zü1/]{0,4}|[ \n`<>!-]|    |```\n){0,40}") {
            for tag in inline_tags(&text) {
                prop_assert!(text.contains(&format!("#{tag}")), "{tag}");
            }
        }
    }
}
