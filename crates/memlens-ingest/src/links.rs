//! The links that a Markdown note contains, and what other notes may call it.
//!
//! Properties checked: code, comments and escaped brackets hold no links; a link is on the line where it begins; any text is read
//! without a panic.

use std::ops::Range;

use pulldown_cmark::{Event, LinkType, Options, Parser, Tag, TagEnd};

use crate::front_matter::head;
use crate::lines::{Lines, offset};
use crate::outline::without_long_marks;

/// Maximum length of a name or of a link's words; more is cut off.
const WORDS_CHARS_MAX: usize = 200;
/// Links with a longer address are left out, as no note has it.
const ADDRESS_CHARS_MAX: usize = 2_048;
/// Maximum number of names that front matter may give a note.
const NAMES_MAX: usize = 100;
/// Keys of front matter that name the note.
const NAME_KEYS: [&str; 4] = ["aliases", "alias", "title", "name"];

/// The links, headings and names of a Markdown note.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NoteLinks {
    /// In the order of the text.
    pub links: Vec<WrittenLink>,
    /// Headings in the order of the text, without marks.
    pub headings: Vec<WrittenHeading>,
    /// Names in front matter: `aliases`, `alias`, `title` and `name`.
    pub names: Vec<String>,
}

/// A link as it is written in a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenLink {
    /// Line in which it begins, 1-based.
    pub line: u32,
    /// The text that is shown for it, at most 200 characters.
    pub words: String,
    /// Where it leads: an address, or the name of a note with `#` and a heading.
    pub address: String,
    /// Whether it is written as `[[address|words]]`.
    pub is_wiki: bool,
}

/// A heading of a note.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenHeading {
    /// Line in which it begins, 1-based.
    pub line: u32,
    /// Its text, at most 200 characters.
    pub words: String,
}

/// Reads the links, headings and names of a Markdown note.
pub fn links(text: &str) -> NoteLinks {
    // Also front matter that is no valid YAML names its note.
    let body = head(text).outline_start;
    let lines = Lines::of(text);
    let mut found = NoteLinks {
        names: names_of(&text[..body]),
        ..NoteLinks::default()
    };
    add_links_of_front(&mut found, &text[..body], &lines);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_WIKILINKS | Options::ENABLE_STRIKETHROUGH;
    let markdown = without_long_marks(&text[body..]);
    // The links and headings that the next words belong to; an image may be in a link, and a link in a heading.
    let mut open: Vec<Open> = Vec::new();
    for (event, range) in Parser::new_ext(&markdown, options).into_offset_iter() {
        if let Event::Start(tag) = &event {
            let line = lines.line_of(offset(body + range.start));
            open.extend(kind_of(tag).map(|kind| Open::new(kind, line)));
        } else if let Event::End(TagEnd::Link | TagEnd::Image | TagEnd::Heading(_)) = event {
            if let Some(closed) = open.pop() {
                found.add(closed);
            }
        } else if let Event::Text(words) | Event::Code(words) = event {
            add_words(&mut open, &words);
        } else if let Event::SoftBreak | Event::HardBreak = event {
            add_words(&mut open, " ");
        }
    }
    // A heading ends after the links in it.
    found.links.sort_by_key(|link| link.line);
    found
}

/// A link or heading whose end was not read yet.
struct Open {
    kind: OpenKind,
    line: u32,
    words: String,
    n_chars: usize,
}

enum OpenKind {
    Link { is_wiki: bool, address: String },
    Image,
    Heading,
}

/// What a tag begins; `None` if it is none of these.
fn kind_of(tag: &Tag<'_>) -> Option<OpenKind> {
    let is_wiki = |link_type: &LinkType| matches!(link_type, LinkType::WikiLink { .. });
    let link = |link_type: &LinkType, address: &str| OpenKind::Link {
        is_wiki: is_wiki(link_type),
        address: address.to_owned(),
    };
    if let Tag::Link {
        link_type,
        dest_url,
        ..
    } = tag
    {
        if matches!(link_type, LinkType::Email) {
            // The parser leaves out the scheme that `<ana@example.org>` does not name.
            return Some(link(link_type, &format!("mailto:{dest_url}")));
        }
        return Some(link(link_type, dest_url));
    }
    if let Tag::Image {
        link_type,
        dest_url,
        ..
    } = tag
    {
        // `![[note]]` shows another note here; other images are no links.
        return Some(match is_wiki(link_type) {
            true => link(link_type, dest_url),
            false => OpenKind::Image,
        });
    }
    matches!(tag, Tag::Heading { .. }).then_some(OpenKind::Heading)
}

impl Open {
    fn new(kind: OpenKind, line: u32) -> Open {
        Open {
            kind,
            line,
            words: String::new(),
            n_chars: 0,
        }
    }
}

fn add_words(open: &mut [Open], words: &str) {
    for open in open {
        let room = WORDS_CHARS_MAX - open.n_chars;
        let new: String = words.chars().take(room).collect();
        open.n_chars += new.chars().count();
        open.words.push_str(&new);
    }
}

impl NoteLinks {
    fn add(&mut self, closed: Open) {
        let Open {
            kind, line, words, ..
        } = closed;
        let words = words.trim().to_owned();
        match kind {
            OpenKind::Link { is_wiki, address } => {
                // In a table the bar is written as `\|`.
                let address = address.trim().trim_end_matches('\\').to_owned();
                if !address.is_empty() && address.chars().nth(ADDRESS_CHARS_MAX).is_none() {
                    self.links.push(WrittenLink {
                        line,
                        words,
                        address,
                        is_wiki,
                    });
                }
            }
            OpenKind::Heading => self.headings.push(WrittenHeading { line, words }),
            OpenKind::Image => {}
        }
    }
}

/// Adds `[[links]]` of front matter, such as `related: "[[router]]"`.
fn add_links_of_front(found: &mut NoteLinks, front: &str, lines: &Lines) {
    for (at, inner) in bracketed(front) {
        let (address, words) = inner.split_once('|').unwrap_or((inner, inner));
        let closed = Open {
            kind: OpenKind::Link {
                is_wiki: true,
                address: address.to_owned(),
            },
            line: lines.line_of(offset(at)),
            words: words.chars().take(WORDS_CHARS_MAX).collect(),
            n_chars: 0,
        };
        found.add(closed);
    }
}

/// What is between `[[` and `]]` within a line, with the byte where the first bracket is.
fn bracketed(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut from = 0;
    std::iter::from_fn(move || {
        loop {
            let at = from + text[from..].find("[[")?;
            from = at + 2;
            let line = text[from..].lines().next().unwrap_or_default();
            if let Some(end) = line.find("]]") {
                let Range { start, end } = from..from + end;
                from = end + 2;
                return Some((at, &text[start..end]));
            }
        }
    })
}

/// The values of [`NAME_KEYS`] in front matter: a text, `[a, b]`, or lines that begin with `-`. It is read by lines, because a
/// title such as `a: b` is no YAML.
fn names_of(front: &str) -> Vec<String> {
    let mut names = Vec::new();
    let mut is_list = false;
    for line in front.lines() {
        let item = line.trim_start().strip_prefix("- ").filter(|_| is_list);
        if let Some(item) = item {
            names.push(unquoted(item));
            continue;
        }
        is_list = false;
        let Some((key, value)) = line.split_once(':') else {
            continue;
        };
        let is_name = NAME_KEYS
            .iter()
            .any(|known| known.eq_ignore_ascii_case(key.trim_end()));
        if !is_name {
            continue;
        }
        let value = value.trim();
        let listed = value
            .strip_prefix('[')
            .and_then(|inner| inner.strip_suffix(']'));
        match listed {
            _ if value.is_empty() => is_list = true,
            Some(inner) if !inner.starts_with('[') => names.extend(inner.split(',').map(unquoted)),
            Some(_) | None => names.push(unquoted(value)),
        }
    }
    names.retain(|name| !name.is_empty() && name.chars().nth(WORDS_CHARS_MAX).is_none());
    names.truncate(NAMES_MAX);
    names
}

fn unquoted(value: &str) -> String {
    let value = value.trim();
    let quoted = ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    quoted.unwrap_or(value).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found(text: &str) -> Vec<(u32, String, String, bool)> {
        let links = links(text).links.into_iter();
        links
            .map(|it| (it.line, it.words, it.address, it.is_wiki))
            .collect()
    }

    #[test]
    fn links_are_found_with_their_lines() {
        for (text, line, words, address, is_wiki) in [
            ("[[router]]", 1, "router", "router", true),
            ("See [[router|the box]].", 1, "the box", "router", true),
            (
                "\n\n- [[router#Quiet hours]]",
                3,
                "router#Quiet hours",
                "router#Quiet hours",
                true,
            ),
            (
                "| a | b |\n|---|---|\n| [[router\\|box]] | x |",
                3,
                "box",
                "router",
                true,
            ),
            ("![[router]]", 1, "router", "router", true),
            (
                "a\n[the `box`](../router.md#quiet)",
                2,
                "the box",
                "../router.md#quiet",
                false,
            ),
            ("[box][r]\n\n[r]: router.md", 1, "box", "router.md", false),
            ("# [box](router.md)", 1, "box", "router.md", false),
            (
                "[![logo](logo.png) box](router.md)",
                1,
                "logo box",
                "router.md",
                false,
            ),
            ("[a b](<a b.md>)", 1, "a b", "a b.md", false),
            (
                "---\nrelated: \"[[router|box]]\"\n---\ntext",
                2,
                "box",
                "router",
                true,
            ),
            (
                "<https://example.org>",
                1,
                "https://example.org",
                "https://example.org",
                false,
            ),
        ] {
            let expected = (line, words.to_owned(), address.to_owned(), is_wiki);
            assert_eq!(found(text), [expected], "{text}");
        }
    }

    #[test]
    fn code_comments_and_pictures_are_no_links() {
        for text in [
            "`[[router]]`",
            "```\n[[router]] [a](b.md)\n```",
            "    [[router]]",
            "<!-- [[router]] -->",
            "\\[[router]\\]",
            "![a](b.png)",
            "[a]()",
            "[ ] to do",
            "[[]]",
            "[[a\n\nb]]",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
        let long = format!("[a]({})", "x".repeat(ADDRESS_CHARS_MAX + 1));
        assert_eq!(found(&long), []);
    }

    #[test]
    fn headings_are_found_with_their_lines() {
        let text = "---\ntitle: x\n---\n# One *two* `three`\n\nUnder\n---\n\n```\n# code\n```\n";
        let headings = links(text).headings.into_iter();
        let headings: Vec<(u32, String)> = headings.map(|it| (it.line, it.words)).collect();
        assert_eq!(
            headings,
            [(4, "One two three".to_owned()), (6, "Under".to_owned())]
        );
    }

    #[test]
    fn front_matter_names_a_note() {
        for (front, names) in [
            ("aliases: [a, \"b c\"]", vec!["a", "b c"]),
            ("aliases:\n  - a\n  - 'b'\ntags:\n  - no", vec!["a", "b"]),
            ("Alias: a", vec!["a"]),
            ("title: How: to", vec!["How: to"]),
            ("name: a-slug\ndescription: no", vec!["a-slug"]),
            ("aliases:", vec![]),
            ("agent: iris", vec![]),
        ] {
            let text = format!("---\n{front}\n---\nbody");
            assert_eq!(links(&text).names, names, "{front}");
        }
        assert_eq!(links("title: a\n").names, [""; 0]);
    }

    proptest! {
        /// Any text is read, and links are in order on lines of the text.
        #[test]
        fn links_are_on_lines_of_the_text(text in "(\\[\\[?|\\]\\]?|\\(a.md\\)|[a|#`\n!]|---\n|é){0,60}") {
            let n_lines = text.lines().count().max(1) as u32;
            let links = links(&text).links;
            prop_assert!(links.iter().all(|link| (1..=n_lines).contains(&link.line)));
            prop_assert!(links.is_sorted_by_key(|link| link.line));
        }
    }
}
