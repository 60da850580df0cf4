//! Parses dates in values, file names and folder names.
//!
//! A week or a month counts as its last day. Day and month before a year are read only if their order is unambiguous:
//! `25.12.2026` is read, `06.05.2026` is not.
//!
//! Properties checked: every day can be read in each form; arbitrary text and paths never panic; numbers, versions and
//! durations are no dates.

use jiff::civil::{Date, ISOWeekDate};
use jiff::tz::Offset;

/// Years with which digits without `-` between them may begin; longer numbers are rarely dates.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2100;

/// How precise a form is. The most precise one in a name counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Grain {
    Day,
    /// A day whose form has the year last.
    DayYearLast,
    Week,
    Month,
}

/// Where a form occurs: a value may have single digits; a name has many numbers that are no dates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum In {
    Value,
    Name,
}

/// Returns the day of a path inside a watched folder, separated by `/`; `None` if no part of it is a date.
///
/// In this order, the first one in a name if there are several: the file name; folders by year, month and day with the
/// file (`2026/05/06.md`, `2026/05/06/standup.md`); the names of the folders, the innermost first; folders by year and
/// month.
pub fn date_of_path(path: &str) -> Option<Date> {
    if !path.bytes().any(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let (folders, stem) = parts(path);
    date_in_name(stem)
        .or_else(|| folder_day(&folders, stem))
        .or_else(|| folders.iter().rev().find_map(|folder| date_in_name(folder)))
        .or_else(|| folder_month(&folders, stem))
}

/// Returns the part of a file name that looks like a date, if [`date_of_path`] finds no day in the path.
pub fn unread_date(path: &str) -> Option<String> {
    if date_of_path(path).is_some() {
        return None;
    }
    let (_, stem) = parts(path);
    // Not part of an address such as `10.10.10.10`.
    let goes_on = |at: usize| {
        let before = stem[..at].strip_suffix('.');
        before.is_some_and(|before| before.ends_with(|char: char| char.is_ascii_digit()))
    };
    number_starts(stem)
        .filter(|at| !goes_on(*at))
        .find_map(|at| date_like(&stem[at..]).map(|length| stem[at..at + length].to_owned()))
}

/// Returns the day of a value: a date alone, before a time of day, or as the text of a link.
pub(crate) fn date_of_value(written: &str) -> Option<Date> {
    let written = written.trim();
    if let Some(inside) = wrapped(written, "[[", "]]") {
        // `[[target|text]]`: the displayed text may be "yesterday".
        let (target, text) = inside.split_once('|').unwrap_or((inside, ""));
        return date_of_target(target).or_else(|| date_of_plain(text));
    }
    if let Some((text, target)) = written
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(')'))
        .and_then(|rest| rest.split_once("]("))
    {
        return date_of_plain(text)
            .or_else(|| wrapped(text, "[[", "]]").and_then(date_of_target))
            .or_else(|| date_of_target(target));
    }
    // Org mode uses `<2026-05-06 Wed>` and `[2026-05-06 Wed]`.
    let inside = wrapped(written, "<", ">").or_else(|| wrapped(written, "[", "]"));
    if let Some(inside) = inside {
        let day = inside.split_whitespace().next().unwrap_or("");
        return date_of_plain(inside).or_else(|| date_of_plain(day));
    }
    date_of_plain(written)
}

/// Returns the day of a number: eight digits, or more with a time, as in [`date_of_value`].
pub(crate) fn date_of_number(number: f64) -> Option<Date> {
    // Larger numbers lose digits.
    let is_whole = number.fract() == 0.0 && (1e7..1e15).contains(&number);
    is_whole.then(|| date_of_value(&format!("{number:.0}")))?
}

/// Returns the day (UTC) of a point in time since 1970, in seconds, or above 100 billion in milliseconds.
pub(crate) fn date_of_unix(number: f64) -> Option<Date> {
    const MS_FROM: f64 = 1e11;
    // Smaller numbers are counts or years.
    const FROM: f64 = 1e8;
    let seconds = if number.abs() >= MS_FROM {
        number / 1000.0
    } else {
        number
    };
    if seconds.is_nan() || seconds < FROM {
        return None;
    }
    let timestamp = jiff::Timestamp::from_second(seconds.floor() as i64).ok()?;
    let date = Offset::UTC.to_datetime(timestamp).date();
    YEARS.contains(&date.year()).then_some(date)
}

fn wrapped<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let inside = text.strip_prefix(open)?.strip_suffix(close)?;
    Some(inside.trim())
}

/// Returns the day of a link's target: its last name, without extension or heading.
fn date_of_target(target: &str) -> Option<Date> {
    let target = target.split(['#', '?']).next().unwrap_or(target).trim();
    let name = target.rsplit('/').next().unwrap_or(target);
    date_of_plain(name.strip_suffix(".md").unwrap_or(name)).or_else(|| date_of_plain(target))
}

fn date_of_plain(written: &str) -> Option<Date> {
    let written = written.trim();
    let (date, grain, length) = form(written, In::Value)?;
    let rest = &written[length..];
    let is_time = rest.starts_with(['T', 't', ' '])
        && rest[1..]
            .trim_start()
            .starts_with(|char: char| char.is_ascii_digit());
    let is_day = matches!(grain, Grain::Day | Grain::DayYearLast);
    (rest.is_empty() || (is_day && is_time)).then_some(date)
}

/// Returns the most precise date in a name, the first of several.
fn date_in_name(name: &str) -> Option<Date> {
    let mut best: Option<(Grain, Date)> = None;
    for at in number_starts(name) {
        let Some((date, grain, _)) = form(&name[at..], In::Name) else {
            continue;
        };
        if best.is_none_or(|(finest, _)| grain < finest) {
            best = Some((grain, date));
        }
        if grain == Grain::Day {
            break;
        }
    }
    best.map(|(_, date)| date)
}

/// Returns where runs of digits begin.
fn number_starts(name: &str) -> impl Iterator<Item = usize> + '_ {
    let bytes = name.as_bytes();
    (0..bytes.len()).filter(|&at| {
        bytes[at].is_ascii_digit()
            && at
                .checked_sub(1)
                .is_none_or(|before| !bytes[before].is_ascii_digit())
    })
}

/// Returns the date with which a text begins, and its length in bytes.
fn form(text: &str, place: In) -> Option<(Date, Grain, usize)> {
    let n_digits = digits(text);
    match n_digits {
        4 => year_first(text, place),
        1 | 2 => year_last(text, place),
        8 | 12 | 14 => compact(&text[..n_digits]).map(|date| (date, Grain::Day, n_digits)),
        _ => None,
    }
}

/// Parses `2026-05-06`, `2026-W19`, `2026-05` and the like.
fn year_first(text: &str, place: In) -> Option<(Date, Grain, usize)> {
    let (year, after_year) = text.split_at(4);
    let year: i16 = year.parse().ok()?;
    if let Some(found) = week(year, text, after_year) {
        return Some(found);
    }
    let separator = after_year.chars().next()?;
    let is_word = |char: char| char.is_alphanumeric();
    if separator == '年' || separator == '년' {
        return ideographic(year, text);
    }
    if is_word(separator) || !(separator == '-' || YEARS.contains(&year) || place == In::Value) {
        return None;
    }
    let (month, after_month) = number(&after_year[separator.len_utf8()..], place)?;
    let day = after_month
        .strip_prefix(separator)
        .and_then(|rest| number(rest, place));
    if let Some((day, rest)) = day {
        let date = Date::new(year, month, day).ok()?;
        return Some((date, Grain::Day, text.len() - rest.len()));
    }
    // `2026-05-next` is the month, `2026-05-321` is no date.
    let goes_on = after_month
        .strip_prefix(separator)
        .is_some_and(|rest| digits(rest) > 0);
    let is_month = matches!(separator, '-' | '_') && YEARS.contains(&year) && !goes_on;
    let last = Date::new(year, month, 1).ok()?.last_of_month();
    is_month.then_some((last, Grain::Month, text.len() - after_month.len()))
}

/// Parses `2026-W19`, its Sunday, and `2026-W19-3`, its Wednesday; the `-` may be missing.
fn week(year: i16, text: &str, after_year: &str) -> Option<(Date, Grain, usize)> {
    let after = after_year.trim_start_matches(['-', '_', ' ', '.']);
    if after_year.len() - after.len() > 1 || !YEARS.contains(&year) {
        return None;
    }
    let after = after.strip_prefix(['W', 'w'])?;
    if digits(after) != 2 {
        return None;
    }
    let (week, rest) = after.split_at(2);
    let week: i8 = week.parse().ok()?;
    let length = |rest: &str| text.len() - rest.len();
    let on = |weekday| ISOWeekDate::new(year, week, weekday).ok().map(Date::from);
    let weekday = rest.strip_prefix('-').filter(|day| digits(day) == 1);
    if let Some(day) = weekday
        && let Ok(weekday) = jiff::civil::Weekday::from_monday_one_offset(day[..1].parse().ok()?)
    {
        return Some((on(weekday)?, Grain::Day, length(&day[1..])));
    }
    let ends = !rest.starts_with(char::is_alphanumeric);
    let sunday = on(jiff::civil::Weekday::Sunday)?;
    ends.then_some((sunday, Grain::Week, length(rest)))
}

/// Parses `2026年5月6日`, and the same with Korean signs.
fn ideographic(year: i16, text: &str) -> Option<(Date, Grain, usize)> {
    let after_year = text[4..].strip_prefix(['年', '년'])?.trim_start();
    let (month, rest) = number(after_year, In::Value)?;
    let (day, rest) = number(rest.strip_prefix(['月', '월'])?.trim_start(), In::Value)?;
    let rest = rest.strip_prefix(['日', '일'])?;
    let date = Date::new(year, month, day).ok()?;
    Some((date, Grain::Day, text.len() - rest.len()))
}

/// Parses `25.12.2026` or `12/25/2026`, if no other order of day and month is a date.
fn year_last(text: &str, place: In) -> Option<(Date, Grain, usize)> {
    let (first, rest) = number(text, place)?;
    let separator = rest.chars().next().filter(|sign| "./-_ ".contains(*sign))?;
    let (second, rest) = number(&rest[1..], place)?;
    let rest = rest.strip_prefix(separator)?;
    if digits(rest) != 4 {
        return None;
    }
    let year: i16 = rest[..4].parse().ok()?;
    if !YEARS.contains(&year) {
        return None;
    }
    let date = match (
        Date::new(year, second, first),
        Date::new(year, first, second),
    ) {
        (Ok(date), Err(_)) | (Err(_), Ok(date)) => date,
        (Ok(date), Ok(other)) if date == other => date,
        _ => return None,
    };
    Some((date, Grain::DayYearLast, text.len() - rest.len() + 4))
}

/// Parses `20260506`, alone or before `HHMM` or `HHMMSS`.
fn compact(text: &str) -> Option<Date> {
    let (day, time) = text.split_at(8);
    let part = |from: usize, to: usize| day[from..to].parse::<i8>().ok();
    let year: i16 = day[..4].parse().ok().filter(|year| YEARS.contains(year))?;
    let is_time = |at: usize, max: u8| {
        time.get(at..at + 2)
            .is_none_or(|two| two.parse::<u8>().is_ok_and(|it| it <= max))
    };
    if !(is_time(0, 23) && is_time(2, 59) && is_time(4, 59)) {
        return None;
    }
    Date::new(year, part(4, 6)?, part(6, 8)?).ok()
}

/// Parses a month or a day, and returns the rest: two digits, or in a value also one.
fn number(text: &str, place: In) -> Option<(i8, &str)> {
    let n_digits = digits(text);
    let is_good = n_digits == 2 || (n_digits == 1 && place == In::Value);
    let number = text[..n_digits].parse().ok().filter(|_| is_good)?;
    Some((number, &text[n_digits..]))
}

/// Returns the number of ASCII digits at the start of a text.
fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Returns the folders of a path, and the file's name without extension.
fn parts(path: &str) -> (Vec<&str>, &str) {
    let mut folders: Vec<&str> = path.split('/').collect();
    let name = folders.pop().unwrap_or("");
    let stem = match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    };
    (folders, stem)
}

/// Returns the day of folders by year, month and day, the last of which may be the file's name. The innermost year
/// counts.
fn folder_day(folders: &[&str], stem: &str) -> Option<Date> {
    let part = |at: usize| {
        folders
            .get(at)
            .copied()
            .or((at == folders.len()).then_some(stem))
    };
    (0..folders.len()).rev().find_map(|at| {
        let (year, rest) = folder_year(folders[at])?;
        let next = part(at + 1)?;
        if let Some((month, "")) = rest.strip_prefix(['-', '_']).and_then(two_digits) {
            let (day, _) = two_digits(next)?;
            return Date::new(year, month, day).ok();
        }
        let (month, rest_of_month) = two_digits(next).filter(|_| rest.is_empty())?;
        let day = rest_of_month
            .strip_prefix(['-', '_', '.'])
            .and_then(two_digits);
        let (day, _) = day.or_else(|| two_digits(part(at + 2)?))?;
        Date::new(year, month, day).ok()
    })
}

/// Returns the last day of the month of folders by year and month.
fn folder_month(folders: &[&str], stem: &str) -> Option<Date> {
    (0..folders.len()).rev().find_map(|at| {
        let (year, "") = folder_year(folders[at])? else {
            return None;
        };
        let next = folders.get(at + 1).copied();
        let (month, rest) = two_digits(next.unwrap_or(stem))?;
        // A numbered note beside others is no month.
        let is_whole = next.is_some() || rest.is_empty();
        let first = Date::new(year, month, 1).ok().filter(|_| is_whole)?;
        Some(first.last_of_month())
    })
}

/// Returns the year with which a folder's name begins, and the rest.
fn folder_year(name: &str) -> Option<(i16, &str)> {
    if digits(name) != 4 {
        return None;
    }
    let year = name[..4].parse().ok().filter(|year| YEARS.contains(year))?;
    Some((year, &name[4..]))
}

/// Returns the number if a name begins with exactly two digits, and the rest.
fn two_digits(name: &str) -> Option<(i8, &str)> {
    number(name, In::Name)
}

/// Returns the length of what looks like a date at the start of a text: three numbers that could be year, month and
/// day, or eight digits that begin or end with a year.
fn date_like(text: &str) -> Option<usize> {
    let is_year = |digits: &str| digits.parse().is_ok_and(|year| YEARS.contains(&year));
    let first = digits(text);
    if first == 8 && (is_year(&text[..4]) || is_year(&text[4..8])) {
        return Some(first);
    }
    let sign = text[first..].chars().next()?;
    if !"./-_ ".contains(sign) {
        return None;
    }
    let after_first = &text[first + 1..];
    let second = digits(after_first);
    let after_second = after_first[second..].strip_prefix(sign)?;
    let third = digits(after_second);
    let [one, two, three] = [
        &text[..first],
        &after_first[..second],
        &after_second[..third],
    ];
    let may_be = |a: &str, b: &str| {
        let number = |text: &str| text.parse::<u32>().ok().filter(|_| text.len() <= 2);
        match (number(a), number(b)) {
            (Some(a), Some(b)) => a.min(b) <= 12 && a.max(b) <= 31,
            _ => false,
        }
    };
    let is_like = match (first, third) {
        (4, _) => is_year(one) && may_be(two, three),
        (_, 4) => is_year(three) && may_be(one, two),
        (2, 2) => second == 2 && may_be(one, two),
        _ => false,
    };
    // Four numbers are an address or a version.
    let goes_on = sign == '.'
        && after_second[third..]
            .strip_prefix('.')
            .is_some_and(|rest| digits(rest) > 0);
    (is_like && !goes_on).then_some(text.len() - after_second.len() + third)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::ToSpan;
    use proptest::prelude::*;

    fn check(path: &str, expected: &str) {
        let found = date_of_path(path).map(|date| date.to_string());
        assert_eq!(found.as_deref().unwrap_or(""), expected, "{path}");
    }

    fn check_value(value: &str, expected: &str) {
        let found = date_of_value(value).map(|date| date.to_string());
        assert_eq!(found.as_deref().unwrap_or(""), expected, "{value}");
    }

    #[test]
    fn names() {
        for name in [
            "2026-03-01",
            "log of 2026-03-01, again 2026-04-01",
            "größe-2026-03-01",
            "2026_03_01",
            "2026.03.01 standup",
            "2026 03 01",
            "20260301",
            "IMG_20260301_101500",
            "20260301T1015",
            "202603011015 zettel",
            "20260301101559",
            "2026-W09-7",
            "2026-W09",
            "2026W09",
            "standup 2026-w09",
            "2026年3月1日",
            // The day, not the week or the month before it.
            "2026-W30, of 2026-03-01",
            "2026-07 2026-03-01",
        ] {
            check(&format!("sub/{name}.md"), "2026-03-01");
        }
        check("2026-W19.md", "2026-05-10");
        check("2026-W53.md", "2027-01-03");
        check("2026-05.md", "2026-05-31");
        check("report-2024-02-final.md", "2024-02-29");
        check("1815-06-18 Waterloo.md", "1815-06-18");
        check("25.12.2026.md", "2026-12-25");
        check("12-25-2026.md", "2026-12-25");
        check("05.05.2026.md", "2026-05-05");
    }

    #[test]
    fn numbers_are_no_dates() {
        for name in [
            "",
            "é",
            "2023-02-29",
            "12026-03-01",
            "2026-03-011",
            "2026-3-1",
            "06.05.2026",
            "20261301",
            "202603012460",
            "88888888",
            "123456789012",
            "v2026.7.35",
            "192.168.10.12",
            "2026",
            "2026-W54",
            "2026-W1",
            "2026-W191",
            "2026.05",
            "1234-05",
            "2026-13",
            "2026-05-321",
        ] {
            check(&format!("{name}.md"), "");
        }
    }

    #[test]
    fn folders() {
        check("2026/05/06.md", "2026-05-06");
        check("journal/2026/05/06/standup.md", "2026-05-06");
        check("journal/2026/05-May/06-Wednesday.md", "2026-05-06");
        check("2026/05-06.md", "2026-05-06");
        check("2026-05/06 standup.md", "2026-05-06");
        check("2026-05-06/standup.md", "2026-05-06");
        check("2026-W19/standup.md", "2026-05-10");
        check("2026/05/standup.md", "2026-05-31");
        check("2026/05.md", "2026-05-31");
        check("2026-05/standup.md", "2026-05-31");
        // The name takes precedence over the folders, the inner folder over the outer one.
        check("2026/05/06/2025-01-02.md", "2025-01-02");
        check("2025-01-02/2026-05-06/standup.md", "2026-05-06");
        check("2024/01/01/2026/05/06/standup.md", "2026-05-06");
        check("2026/01-introduction.md", "");
        check("2026/13/06.md", "");
        check("2026/standup.md", "");
        check("12/05/06.md", "");
    }

    #[test]
    fn values() {
        for value in [
            "2026-05-06",
            " 2026-5-6 ",
            "2026/05/06",
            "2026.05.06 10:00",
            "2026_05_06",
            "2026-05-06T23:30:00-11:00",
            "20260506",
            "20260506T101500Z",
            "2026-W19-3",
            "2026年5月6日",
            "[[2026-05-06]]",
            "[[journal/2026-05-06.md#Standup]]",
            "[[2026-05-06|yesterday]]",
            "[[standup|2026-05-06]]",
            "[2026-05-06](journal/x.md)",
            "[Wednesday](journal/2026-05-06.md)",
            "[[[2026-05-06]]](x.md)",
            "<2026-05-06 Wed>",
            "[2026-05-06 Wed 10:00]",
        ] {
            check_value(value, "2026-05-06");
        }
        check_value("2026-W19", "2026-05-10");
        check_value("2026-05", "2026-05-31");
        check_value("25/12/2026", "2026-12-25");
        for value in [
            "",
            "2026",
            "06.05.2026",
            "2026-05-06x",
            "yesterday",
            "2026-02-30",
            "+002026-1",
            "2026-05/06",
            "[[]]",
            "2026-05 2026",
            "2026-13",
            "[]()",
        ] {
            check_value(value, "");
        }
        assert_eq!(date_of_number(20_260_506.0), date_of_value("2026-05-06"));
        for number in [f64::NAN, f64::INFINITY, -20_260_506.0, 20_260_506.5, 2026.0] {
            assert_eq!(date_of_number(number), None, "{number}");
        }
        assert_eq!(date_of_unix(1_778_025_600.0), date_of_value("2026-05-06"));
        assert_eq!(
            date_of_unix(1_778_111_999_999.0),
            date_of_value("2026-05-06")
        );
        for number in [f64::NAN, f64::INFINITY, f64::MIN, 1e300, 0.0, 2026.0] {
            assert_eq!(date_of_unix(number), None, "{number}");
        }
    }

    #[test]
    fn digits_like_a_date_that_give_no_day() {
        for (path, expected) in [
            ("06.05.2026.md", Some("06.05.2026")),
            ("call 06-05-26.md", Some("06-05-26")),
            ("2026-3-1.md", Some("2026-3-1")),
            ("20261350.md", Some("20261350")),
            ("06052026.md", Some("06052026")),
            ("2026-02-30.md", Some("2026-02-30")),
            ("2026-05-06.md", None),
            // The folder has the date.
            ("2026/05/06.05.2026.md", None),
            ("v1.2.3.md", None),
            ("v2026.7.35.md", None),
            ("10.10.10.10.md", None),
            ("12345678.md", None),
            ("chapter 12.md", None),
            ("2026.md", None),
            ("", None),
        ] {
            assert_eq!(unread_date(path).as_deref(), expected, "{path}");
        }
    }

    fn any_day() -> impl Strategy<Value = Date> {
        (0_i64..200 * 365).prop_map(|days| Date::constant(1901, 1, 1) + days.days())
    }

    proptest! {
        #[test]
        fn every_day_survives_each_form(date in any_day(), before in "[a-z]{0,5}", after in "[a-z]{0,5}") {
            let (year, month, day) = (date.year(), date.month(), date.day());
            for separator in ["-", "_", ".", " ", "/"] {
                let form = format!("{year}{separator}{month:02}{separator}{day:02}");
                prop_assert_eq!(date_of_value(&form), Some(date));
                prop_assert_eq!(date_of_value(&format!("{year}{separator}{month}{separator}{day} 9:00")), Some(date));
                if separator != "/" {
                    prop_assert_eq!(date_of_path(&format!("x/{before} {form} {after}.md")), Some(date));
                }
            }
            let compact = format!("{year}{month:02}{day:02}");
            prop_assert_eq!(date_of_value(&compact), Some(date));
            prop_assert_eq!(date_of_path(&format!("{before}{compact}_{after}.md")), Some(date));
            prop_assert_eq!(date_of_path(&format!("{before}/{year}/{month:02}/{day:02}.md")), Some(date));
            prop_assert_eq!(date_of_path(&format!("{year}/{month:02}/{day:02}/{before}.md")), Some(date));
            prop_assert_eq!(date_of_value(&format!("[[{date}]]")), Some(date));

            let week = date.iso_week_date();
            let form = format!("{}-W{:02}", week.year(), week.week());
            let last = date_of_value(&form).expect("a week");
            prop_assert!(last.weekday() == jiff::civil::Weekday::Sunday && (last - 6.days()..=last).contains(&date));
            prop_assert_eq!(date_of_path(&format!("{before} {form}.md")), Some(last));
            let last = date_of_value(&format!("{year}-{month:02}"));
            prop_assert_eq!(last, Some(date.last_of_month()));
            prop_assert_eq!(date_of_path(&format!("{before} {year}-{month:02}.md")), last);
        }

        /// An ambiguous order is never decided, an unambiguous one always.
        #[test]
        fn day_and_month_before_a_year(date in any_day()) {
            let (year, month, day) = (date.year(), date.month(), date.day());
            let path = format!("{day:02}.{month:02}.{year}.md");
            let is_sure = day > 12 || day == month;
            prop_assert_eq!(date_of_path(&path), is_sure.then_some(date));
            prop_assert_eq!(unread_date(&path).is_some(), !is_sure);
        }

        #[test]
        fn any_text(text in "([0-9]{1,8}|[-_./ W年月日\\[\\]()<>|a-z]|\\PC){0,12}") {
            for found in [date_of_value(&text), date_of_path(&text)].into_iter().flatten() {
                prop_assert!(found.year() >= 0);
            }
            let _ = unread_date(&text);
        }
    }
}
