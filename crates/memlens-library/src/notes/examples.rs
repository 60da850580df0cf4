//! Example questions, made from the headings of the user's own notes.

use memlens_store::DocumentRow;

use crate::Library;

const EXAMPLES: usize = 3;
/// First words of headings that are written small within a sentence.
const SMALL_WORDS: [&str; 18] = [
    "a", "an", "the", "my", "our", "how", "what", "when", "where", "which", "who", "why", "whose",
    "if", "this", "these", "all", "some",
];
/// Names of files with which agents are instructed, in lower case. What they say is no memory that a user would ask for.
const INSTRUCTIONS: [&str; 13] = [
    "agents.md",
    "agents.override.md",
    "boot.md",
    "bootstrap.md",
    "claude.local.md",
    "claude.md",
    "gemini.md",
    "heartbeat.md",
    "identity.md",
    "skill.md",
    "soul.md",
    "tools.md",
    "user.md",
];
/// Longer headings do not fit on a line.
const CHARS_MAX: usize = 80;

/// Up to three questions about what the notes name in their headings, from each third of the memory; files of instructions are
/// left out. Empty if no heading has enough words.
pub fn example_questions(library: &Library) -> Vec<String> {
    let lists = library.lists();
    let documents = lists.snapshot.documents.iter();
    let documents: Vec<_> = documents.filter(|it| !is_instruction(&it.path)).collect();
    let third = |at: usize| at * documents.len() / EXAMPLES;
    (0..EXAMPLES)
        .filter_map(|at| {
            let mut of_third = third(at)..third(at + 1);
            of_third.find_map(|at| of(documents[at]))
        })
        .collect()
}

/// Whether a note is named as a file of instructions.
fn is_instruction(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    INSTRUCTIONS.contains(&name.as_str())
}

/// The question of a note: a heading near its middle, with the one above it if it says little alone.
fn of(document: &DocumentRow) -> Option<String> {
    let chunks = &document.chunks;
    let (before, after) = chunks.split_at(chunks.len() / 2);
    after
        .iter()
        .chain(before)
        .find_map(|chunk| question(document.heading(chunk)))
}

/// The last of several headings that are joined by ` > `; `None` if it has only one word, or is too long.
fn question(headings: &str) -> Option<String> {
    let mut parts = headings.rsplit(" > ").map(str::trim);
    let last = parts.next().filter(|it| !it.is_empty())?;
    let said = match parts.next() {
        Some(above) if n_words(last) < 3 => format!("{above}: {last}"),
        Some(_) | None => last.to_owned(),
    };
    (n_words(&said) >= 2 && said.chars().count() <= CHARS_MAX).then(|| asked(&said))
}

/// A heading as a question. Of a text with other letters than those of English the language is not known, so it stays as it is.
fn asked(heading: &str) -> String {
    if heading.ends_with(['?', '？']) || !heading.is_ascii() {
        return heading.to_owned();
    }
    let heading = heading.trim_end_matches(['.', ':', '!']);
    if let Some(aim) = heading.strip_prefix("How to ") {
        return format!("How do I {aim}?");
    }
    if heading.starts_with("What to ") {
        return format!("{heading}?");
    }
    let (first, rest) = heading.split_once(' ').unwrap_or((heading, ""));
    // A name keeps its capital.
    let is_small = SMALL_WORDS.contains(&first.to_ascii_lowercase().as_str());
    let subject = if is_small {
        format!("{} {rest}", first.to_ascii_lowercase())
    } else {
        heading.to_owned()
    };
    format!("What do my notes say about {subject}?")
}

fn n_words(text: &str) -> usize {
    let has_letter = |word: &&str| word.chars().any(char::is_alphabetic);
    text.split_whitespace().filter(has_letter).count()
}

#[cfg(test)]
mod tests {
    use super::question;

    #[test]
    fn headings_become_questions() {
        for (headings, expected) in [
            (
                "Home server > The push relay and its port",
                Some("What do my notes say about the push relay and its port?"),
            ),
            (
                "Home server > Relay",
                Some("What do my notes say about Home server: Relay?"),
            ),
            (
                "Server > How to restart the relay",
                Some("How do I restart the relay?"),
            ),
            ("What to do if it hangs.", Some("What to do if it hangs?")),
            (
                "Why the relay moved",
                Some("What do my notes say about why the relay moved?"),
            ),
            ("FAQ > Who has the key?", Some("Who has the key?")),
            ("Relay", None),
            ("2026-05-01", None),
            ("Log > 2026-05-01", None),
            ("", None),
            ("Schl\u{fc}ssel im Flur", Some("Schl\u{fc}ssel im Flur")),
            (
                "\u{5bb6}\u{306e} \u{30b5}\u{30fc}\u{30d0}\u{30fc}",
                Some("\u{5bb6}\u{306e} \u{30b5}\u{30fc}\u{30d0}\u{30fc}"),
            ),
        ] {
            assert_eq!(question(headings).as_deref(), expected, "{headings:?}");
        }
        assert_eq!(question(&"a word ".repeat(20)), None);
    }
}
