//! The age of a note for the decay of scores, by edition.

use std::sync::LazyLock;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use regex::Regex;

use super::Edition;

const DAY_MS: f64 = 86_400_000.0;

/// 2026.3 to 2026.7: a date is the complete name of a file directly in `memory/`.
static DATED_2026_7: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|/)memory/(\d{4})-(\d{2})-(\d{2})\.md$").expect("a valid pattern")
});
/// Since 2026.8: also in subfolders, and with words after the date.
static DATED_2026_8: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?:^|/)memory/(?:[^/]+/)*(\d{4})-(\d{2})-(\d{2})(?:-[^/]+)?\.md$")
        .expect("a valid pattern")
});

/// Returns the rule of an edition: the pattern of a dated note's path, and the paths that never decay. `None` if the
/// edition has no decay.
fn rule(edition: Edition) -> Option<(&'static Regex, &'static [&'static str])> {
    match edition {
        Edition::V2026_2 => None,
        Edition::V2026_7 => Some((&DATED_2026_7, &["MEMORY.md"])),
        Edition::V2026_8 => Some((&DATED_2026_8, &["MEMORY.md", "USER.md"])),
    }
}

/// Returns the age of a note in days, at least 0; `None` if it never decays. `path` is relative to the workspace.
pub fn days(edition: Edition, path: &str, modified_ms: i64, now_ms: i64) -> Option<f64> {
    let (pattern, evergreen) = rule(edition)?;
    if evergreen.contains(&path) {
        return None;
    }
    let changed_ms = match pattern.captures(path) {
        // A date that does not exist counts as dated, but the file's time is used.
        Some(found) => midnight(&found[1], &found[2], &found[3]).unwrap_or(modified_ms),
        None if path.starts_with("memory/") => return None,
        None => modified_ms,
    };
    Some(((now_ms - changed_ms) as f64 / DAY_MS).max(0.0))
}

fn midnight(year: &str, month: &str, day: &str) -> Option<i64> {
    let date = Date::new(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?);
    let midnight = date.ok()?.to_zoned(TimeZone::UTC).ok()?;
    Some(midnight.timestamp().as_millisecond())
}

#[cfg(test)]
mod tests {
    use super::days;
    use crate::openclaw::Edition::{V2026_2, V2026_7, V2026_8};

    const DAY: i64 = 86_400_000;

    #[test]
    fn each_edition_has_its_dated_paths_and_its_exemptions() {
        // 2026-11-26.
        let now = 1_795_651_200_000;
        let modified = now - 5 * DAY;
        let from_file = Some(5.0);
        let (dated, never) = (Some(6.0), None);
        for (path, in_2026_7, in_2026_8) in [
            ("memory/2026-11-20.md", dated, dated),
            ("memory/2026-11-20-slug.md", never, dated),
            ("memory/2026-11-20-1530.md", never, dated),
            ("memory/sub/2026-11-20.md", never, dated),
            ("memory/dreaming/light/2026-11-20.md", never, dated),
            ("memory/2026-11-20-.md", never, never),
            ("memory/2026-11-20x.md", never, never),
            ("memory/undated.md", never, never),
            ("memory/2026-02-30.md", from_file, from_file),
            ("memory/2027-01-01.md", Some(0.0), Some(0.0)),
            ("extra/memory/2026-11-20.md", dated, dated),
            ("extra/memory/sub/2026-11-20.md", from_file, dated),
            ("extra/2026-11-20.md", from_file, from_file),
            ("../more/m.md", from_file, from_file),
            ("MEMORY.md", never, never),
            ("USER.md", from_file, never),
            ("extra/MEMORY.md", from_file, from_file),
        ] {
            assert_eq!(days(V2026_7, path, modified, now), in_2026_7, "{path}");
            assert_eq!(days(V2026_8, path, modified, now), in_2026_8, "{path}");
            assert_eq!(days(V2026_2, path, modified, now), None, "{path}");
        }
    }
}
