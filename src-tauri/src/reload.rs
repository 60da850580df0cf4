//! What happens when the process that shows the page ends: the page is loaded again, or the user decides.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tauri::{AppHandle, Manager, WebviewWindow};

use crate::commands::Shell;
use crate::window::MAIN;

/// An end so soon after the one before is answered by the user.
const AGAIN_WITHIN: Duration = Duration::from_secs(60);

const NOTICE: &str = "The process that shows this page ended unexpectedly, and the page was loaded again. Indexing was not affected.";

/// What to do when the page's process has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Answer {
    /// Load the page again and leave a notice.
    Reload,
    /// Ask the user: reload or quit.
    Ask,
}

/// The ends of the page's process.
#[derive(Debug, Default)]
struct Ends {
    last: Option<Instant>,
}

impl Ends {
    fn add(&mut self, now: Instant) -> Answer {
        let before = self.last.replace(now);
        match before {
            Some(before) if now.saturating_duration_since(before) < AGAIN_WITHIN => Answer::Ask,
            Some(_) | None => Answer::Reload,
        }
    }
}

/// Loads the page again when its process ends. On a Mac the builder's handler reports the end.
///
/// # Errors
/// If the window is gone.
pub fn follow(window: &WebviewWindow) -> tauri::Result<()> {
    window.manage(Arc::new(Mutex::new(Ends::default())));
    #[cfg(any(target_os = "linux", target_os = "freebsd"))]
    {
        let app = window.app_handle().clone();
        window.with_webview(move |webview| {
            use webkit2gtk::WebViewExt;
            webview
                .inner()
                .connect_web_process_terminated(move |_, reason| {
                    ended(&app, &format!("{reason:?}"));
                });
        })?;
    }
    Ok(())
}

/// The page's process has ended. Called on the window's thread, which must not wait.
pub fn ended(app: &AppHandle, reason: &str) {
    let Some(ends) = app.try_state::<Arc<Mutex<Ends>>>() else {
        return;
    };
    eprintln!("the process that shows the page ended: {reason}");
    match ends.lock().add(Instant::now()) {
        Answer::Reload => reload(app),
        Answer::Ask => {
            let dialogs = app.state::<Shell>().dialogs.clone();
            let asked = app.clone();
            dialogs.ask_to_reload(app, move |is_agreed| match is_agreed {
                true => reload(&asked),
                false => asked.exit(1),
            });
        }
    }
}

fn reload(app: &AppHandle) {
    // Before the page asks for the state.
    if let Some(engine) = app.state::<Shell>().opening.engine() {
        engine.add_notice(NOTICE.to_owned());
    }
    if let Some(window) = app.get_webview_window(MAIN)
        && let Err(error) = window.reload()
    {
        eprintln!("cannot load the page again: {error}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_is_asked_from_the_second_end_within_a_minute_on() {
        let start = Instant::now();
        let mut ends = Ends::default();
        for (second, expected) in [
            (0, Answer::Reload),
            (59, Answer::Ask),
            // Counted from the last end, not from the first.
            (118, Answer::Ask),
            (178, Answer::Reload),
            (200, Answer::Ask),
            (1_000, Answer::Reload),
        ] {
            let now = start + Duration::from_secs(second);
            assert_eq!(ends.add(now), expected, "second {second}");
        }
    }
}
