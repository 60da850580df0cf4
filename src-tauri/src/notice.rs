//! Shows the text with which the program ends before it has a window.
//!
//! On Windows a window's program has no console unless it is started with one, so what it prints would be lost.

use memlens_files::System;

/// What to do where the system cannot make a window; empty if nothing is known.
pub(crate) fn window_hint(system: System) -> &'static str {
    match system {
        System::Windows => "; install the Microsoft Edge WebView2 Runtime, which shows the window",
        System::Linux | System::MacOs => "",
    }
}

/// Shows a text in a box of the system, if standard error goes nowhere.
pub(crate) fn show_if_unprinted(text: &str) {
    #[cfg(windows)]
    {
        use std::os::windows::io::AsRawHandle;
        if std::io::stderr().as_raw_handle().is_null() {
            rfd::MessageDialog::new()
                .set_title("Memlens")
                .set_description(text)
                .show();
        }
    }
    #[cfg(not(windows))]
    let _ = text;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_windows_lacks_a_web_view() {
        assert!(window_hint(System::Windows).contains("WebView2"));
        assert_eq!(window_hint(System::Linux), "");
        assert_eq!(window_hint(System::MacOs), "");
    }
}
