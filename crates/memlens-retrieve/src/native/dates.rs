//! The date of a chunk: the written date, otherwise the one in the file's path, otherwise the modification time.

use jiff::civil::Date;
use memlens_rank::DateSource;
use memlens_store::DocumentRow;

use crate::Dated;

const MS_PER_DAY: f64 = 86_400_000.0;
/// The length of `YYYY-MM-DD`.
const DATE_LENGTH: usize = 10;

/// Returns the date of a chunk: its own date, `YYYY-MM-DD`, or that of its document.
pub fn said(own: Option<&str>, document: Dated) -> Dated {
    match own.and_then(day) {
        Some(day) => Dated {
            day,
            from: DateSource::Written,
        },
        None => document,
    }
}

/// Returns the date of a document.
pub fn dated(document: &DocumentRow) -> Dated {
    let written = document.date.as_deref().and_then(day);
    let in_path = || memlens_ingest::date_of_path(&document.path).and_then(days);
    let on = |day, from| Dated { day, from };
    match written {
        Some(day) => on(day, DateSource::Written),
        None => in_path().map_or_else(
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

/// Returns the days between 1970-01-01 and a date `YYYY-MM-DD`; `None` for any other text.
fn day(text: &str) -> Option<f64> {
    days((text.len() == DATE_LENGTH).then(|| text.parse().ok())??)
}

/// Returns the days between 1970-01-01 and a date.
fn days(date: Date) -> Option<f64> {
    let days = date.since(Date::constant(1970, 1, 1)).ok()?.get_days();
    Some(f64::from(days))
}

#[cfg(test)]
mod tests {
    use super::*;

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
