//! Example questions, made from the headings of the user's own notes.

use memlens_store::DocumentRow;

use crate::Library;

const EXAMPLES: usize = 3;
/// Longer questions do not fit on a line.
const CHARS_MAX: usize = 80;

/// Up to three questions that the notes answer: headings of notes from each third of the memory. Empty if no
/// heading has enough words.
pub fn example_questions(library: &Library) -> Vec<String> {
    let documents = &library.lists().snapshot.documents;
    let third = |at: usize| at * documents.len() / EXAMPLES;
    (0..EXAMPLES)
        .filter_map(|at| {
            let mut of_third = third(at)..third(at + 1);
            of_third.find_map(|at| of(&documents[at]))
        })
        .collect()
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
    (n_words(&said) >= 2 && said.chars().count() <= CHARS_MAX).then_some(said)
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
                Some("The push relay and its port"),
            ),
            ("Home server > Relay", Some("Home server: Relay")),
            ("Home server", Some("Home server")),
            ("Relay", None),
            ("2026-05-01", None),
            ("Log > 2026-05-01", None),
            ("", None),
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
