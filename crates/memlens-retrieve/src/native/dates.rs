//! When a chunk was said: by what is written, else by the file's name, else by its time.

use std::path::Path;

use jiff::civil::Date;
use memlens_rank::DateSource;
use memlens_store::DocumentRow;

use crate::Dated;

const MS_PER_DAY: f64 = 86_400_000.0;
/// The length of `YYYY-MM-DD`.
const DATE_LENGTH: usize = 10;

/// When a chunk was said: its own date, `YYYY-MM-DD`, comes before its document's.
pub fn said(own: Option<&str>, document: Dated) -> Dated {
    match own.and_then(day) {
        Some(day) => Dated {
            day,
            from: DateSource::Written,
        },
        None => document,
    }
}

/// When a document was said.
pub fn dated(document: &DocumentRow) -> Dated {
    let path = Path::new(&document.path);
    let written = document.date.as_deref().and_then(day);
    let in_name = || path.file_stem().and_then(|stem| date_in(stem.to_str()?));
    let on = |day, from| Dated { day, from };
    match written {
        Some(day) => on(day, DateSource::Written),
        None => in_name().map_or_else(
            || {
                on(
                    document.modified_ms as f64 / MS_PER_DAY,
                    DateSource::Modified,
                )
            },
            |day| on(day, DateSource::FileName),
        ),
    }
}

/// The first `YYYY-MM-DD` in a name that is a date and no part of a longer number.
fn date_in(name: &str) -> Option<f64> {
    let bytes = name.as_bytes();
    let is_digit = |at: Option<usize>| {
        at.and_then(|at| bytes.get(at))
            .is_some_and(u8::is_ascii_digit)
    };
    // Most places are none where a number begins, and are passed over without a look at a date.
    (0..bytes.len())
        .filter(|at| is_digit(Some(*at)) && !is_digit(at.checked_sub(1)))
        .filter(|at| !is_digit(Some(at + DATE_LENGTH)))
        .find_map(|at| day(name.get(at..at + DATE_LENGTH)?))
}

/// The days between 1970-01-01 and a date as `YYYY-MM-DD`; none for anything else.
fn day(text: &str) -> Option<f64> {
    let date: Date = (text.len() == DATE_LENGTH).then(|| text.parse().ok())??;
    let days = date.since(Date::constant(1970, 1, 1)).ok()?.get_days();
    Some(f64::from(days))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_dates_a_note_by_its_first_date() {
        let check = |name: &str, expected: Option<&str>| {
            assert_eq!(
                date_in(name),
                expected.map(|date| day(date).unwrap()),
                "{name}"
            );
        };
        check("2026-03-01", Some("2026-03-01"));
        check("log of 2026-03-01, again 2026-04-01", Some("2026-03-01"));
        check("größe-2024-02-29", Some("2024-02-29"));
        check("2023-02-29", None);
        check("12026-03-01", None);
        check("2026-03-011", None);
        check("2026-3-1", None);
        check("20260301", None);
        check("", None);
        check("é", None);
    }

    #[test]
    fn days_are_counted_from_1970() {
        assert_eq!(day("1970-01-01"), Some(0.0));
        assert_eq!(day("1970-01-31"), Some(30.0));
        assert_eq!(day("2026-03-01"), Some(20_513.0));
        assert_eq!(day("1969-12-31"), Some(-1.0));
        assert_eq!(day("yesterday!"), None);
        assert_eq!(day("2026-03-01T10:00"), None);
    }
}
