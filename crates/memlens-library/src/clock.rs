//! The time now, whatever the system's clock is set to.

use std::time::SystemTime;

use jiff::Timestamp;

/// The time now; the last one that can be written as a date if the clock is set beyond the year 9999.
pub fn now() -> Timestamp {
    of(SystemTime::now())
}

fn of(time: SystemTime) -> Timestamp {
    Timestamp::try_from(time).unwrap_or(if time < SystemTime::UNIX_EPOCH {
        Timestamp::MIN
    } else {
        Timestamp::MAX
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use jiff::tz::TimeZone;

    use super::*;

    #[test]
    fn a_clock_beyond_the_year_9999_is_a_date_all_the_same() {
        let second = 1_784_000_000;
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
        assert_eq!(of(time).as_second(), second as i64);
        // The last second of the year 9999, and 1,000 years later.
        for second in [253_402_300_799, 284_958_000_000] {
            let far = of(SystemTime::UNIX_EPOCH + Duration::from_secs(second));
            assert_eq!(far.to_zoned(TimeZone::system()).year(), 9999);
            assert!(
                far.strftime("%Y-%m-%dT%H-%M-%SZ")
                    .to_string()
                    .starts_with("9999-")
            );
        }
    }
}
