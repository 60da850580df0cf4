//! Captures every log line of this process, including those of libraries, at the most detailed level.

use std::io;
use std::sync::{Mutex, Once};

use tracing_subscriber::fmt::MakeWriter;

static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// Starts capturing; further calls have no effect.
pub fn listen() {
    static LISTENING: Once = Once::new();
    LISTENING.call_once(|| {
        tracing_subscriber::fmt()
            .with_env_filter("trace")
            .with_ansi(false)
            .with_writer(Lines)
            .init();
    });
}

/// Returns what was logged so far.
pub fn lines() -> String {
    let lines = LINES.lock().expect("no writer panics");
    String::from_utf8_lossy(&lines).into_owned()
}

struct Lines;

impl<'a> MakeWriter<'a> for Lines {
    type Writer = Lines;

    fn make_writer(&'a self) -> Lines {
        Lines
    }
}

impl io::Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        LINES.lock().expect("no writer panics").extend(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
