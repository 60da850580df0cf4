//! Moments as logs write them.

use serde_json::Value;

/// A smaller number counts seconds: until the year 5138; milliseconds have been greater since 1973.
const SECONDS_MAX: f64 = 1e11;

/// Milliseconds since 1970: of a time in RFC 3339, or of a number of seconds or milliseconds.
pub(super) fn ms(value: &Value) -> Option<i64> {
    if let Some(text) = value.as_str() {
        return text
            .parse::<jiff::Timestamp>()
            .ok()
            .map(jiff::Timestamp::as_millisecond);
    }
    let number = value.as_f64().filter(|number| *number > 0.0)?;
    let ms = if number < SECONDS_MAX {
        number * 1000.0
    } else {
        number
    };
    Some(ms as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_reported_in_all_the_ways_of_logs() {
        let parsed = |value: Value| ms(&value);
        assert_eq!(
            parsed(json!("2026-11-22T15:00:00.250Z")),
            Some(1_795_359_600_250)
        );
        assert_eq!(
            parsed(json!("2026-11-22T16:00:00.250+01:00")),
            Some(1_795_359_600_250)
        );
        assert_eq!(
            parsed(json!(1_795_359_600_250_i64)),
            Some(1_795_359_600_250)
        );
        assert_eq!(parsed(json!(1_795_359_600.25)), Some(1_795_359_600_250));
        for none in [
            json!("yesterday"),
            json!(""),
            json!(-3),
            json!(null),
            json!([1]),
        ] {
            assert_eq!(ms(&none), None, "{none}");
        }
    }
}
