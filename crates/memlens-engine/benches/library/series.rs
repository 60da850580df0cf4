//! What is printed for `cargo xtask bench`: named samples, one series a line of JSON.

use std::hint::black_box;
use std::time::{Duration, Instant};

use serde_json::json;

/// The unit of times of a microsecond and above.
pub const MICROSECONDS: &str = "us";
/// The unit of times of a millisecond and above.
pub const MILLISECONDS: &str = "ms";
/// Unit of latencies that a user notices.
pub const SECONDS: &str = "s";

pub struct Series {
    name: String,
    unit: &'static str,
    note: String,
    samples: Vec<f64>,
}

impl Series {
    pub fn of(name: &str, unit: &'static str, note: &str) -> Series {
        Series {
            name: name.to_owned(),
            unit,
            note: note.to_owned(),
            samples: Vec::new(),
        }
    }

    pub fn add(&mut self, sample: f64) {
        self.samples.push(sample);
    }

    /// The series with one more sample.
    pub fn with(mut self, sample: f64) -> Series {
        self.add(sample);
        self
    }

    /// Adds a time in the series' unit.
    pub fn add_time(&mut self, time: Duration) {
        let in_a_second = match self.unit {
            MICROSECONDS => 1e6,
            MILLISECONDS => 1e3,
            SECONDS => 1.0,
            unit => panic!("{unit:?} is no unit of time"),
        };
        self.add(time.as_secs_f64() * in_a_second);
    }

    /// Adds the time of one call; giving its result back to the system does not count.
    pub fn time<T>(&mut self, call: impl FnOnce() -> T) {
        let started = Instant::now();
        let result = black_box(call());
        let time = started.elapsed();
        drop(result);
        self.add_time(time);
    }

    pub fn print(&self) {
        let Series {
            name,
            unit,
            note,
            samples,
        } = self;
        println!(
            "{}",
            json!({ "name": name, "unit": unit, "note": note, "samples": samples })
        );
    }
}
