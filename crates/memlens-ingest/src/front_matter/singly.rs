//! Front matter that is not valid YAML as a whole: each `key: value` is parsed separately.

use std::ops::Range;

use super::values::{Document, Fields};
use crate::document::Problem;
use crate::lines::{lines_from, offset};

/// Maximum number of bad lines that are listed; of the others only the number is reported.
const BAD_LINES_NAMED: usize = 10;

/// Maximum number of characters of a key in a message.
const KEY_CHARS_MAX: usize = 40;

/// Parses the entries of a block separately, and reports those that cannot be parsed.
///
/// `None` if the block may be something else: no entry can be parsed, or it has lines without a key and no key that
/// counts.
pub(super) fn fields_singly(yaml: &str) -> Option<(Fields, Vec<Problem>)> {
    let entries = entries(yaml);
    // A single entry would give the same result as before.
    if entries.len() < 2 {
        return None;
    }
    let mut fields = Fields::default();
    let mut bad: Vec<Problem> = Vec::new();
    let (mut n_read, mut n_without_key) = (0, 0);
    for (line, range) in entries {
        let entry = &yaml[range];
        let message = match serde_yaml_ng::from_str(entry) {
            Ok(Document::Fields(found)) => {
                fields.add(*found);
                n_read += 1;
                continue;
            }
            Ok(Document::Empty) => continue,
            Ok(Document::Text) => {
                n_without_key += 1;
                "neither a key with a value nor a comment; left out".to_owned()
            }
            Err(error) => match entry.split_once(':') {
                Some((key, _)) if !key.contains('\n') => {
                    let key: String = key.trim().chars().take(KEY_CHARS_MAX).collect();
                    format!(
                        "{key} is not valid YAML ({}); left out",
                        super::cause(&error)
                    )
                }
                _ => {
                    n_without_key += 1;
                    format!("not valid YAML ({}); left out", super::cause(&error))
                }
            },
        };
        bad.push(Problem {
            line: Some(line),
            message,
        });
    }
    if n_read == 0 || (n_without_key > 0 && fields.is_empty()) {
        return None;
    }
    if let Some(n_more) = bad.len().checked_sub(BAD_LINES_NAMED).filter(|n| *n > 0) {
        bad.truncate(BAD_LINES_NAMED);
        bad.push(Problem {
            line: None,
            message: format!("and {n_more} more lines of the front matter that are left out"),
        });
    }
    Some((fields, bad))
}

/// Returns the top-level entries of a block, each with its line in the note. An entry ends where the next begins.
fn entries(yaml: &str) -> Vec<(u32, Range<usize>)> {
    let mut entries: Vec<(u32, Range<usize>)> = Vec::new();
    for (idx, line) in lines_from(yaml, 0).enumerate() {
        // Indented lines, items and the ends of lists belong to the key above.
        let goes_on = yaml[line.clone()].is_empty()
            || yaml[line.clone()].starts_with([' ', '\t', ']', '}'])
            || yaml[line.clone()].starts_with("- ");
        match entries.last_mut() {
            Some((_, entry)) if goes_on => entry.end = line.end,
            _ => entries.push((offset(idx) + 2, line)),
        }
    }
    entries
}
