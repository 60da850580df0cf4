//! Command line arguments of the window.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::notice;

/// See why an agent's memory search finds what it finds.
#[derive(Debug, Clone, Parser)]
#[command(name = "memlens-app", version)]
pub struct Arguments {
    /// Library folder (default: in the platform's data folder).
    #[arg(long, value_name = "DIR")]
    pub library: Option<PathBuf>,
    /// Add a folder of notes to watch.
    #[arg(long, value_name = "FOLDER")]
    pub add: Vec<PathBuf>,
    /// Start with this question.
    #[arg(long, value_name = "TEXT")]
    pub query: Option<String>,
    /// Theme (default: the system's).
    #[arg(long)]
    pub theme: Option<Theme>,
    /// Window size in pixels (default: as it was closed, at first 1440x900).
    #[arg(long, value_name = "WxH", value_parser = size)]
    pub size: Option<(u32, u32)>,
    /// Show no dialog of the system: the path in this file answers it, and an empty file cancels. For tests.
    #[arg(long, value_name = "FILE", hide = true)]
    pub answer_dialogs: Option<PathBuf>,
    /// Write the TypeScript bindings to a file and open no window.
    #[arg(long, value_name = "FILE", hide = true)]
    pub bindings: Option<PathBuf>,
}

impl Arguments {
    /// The arguments of this process. With wrong ones, or if help or version is asked for, prints or shows the text and ends
    /// the process.
    pub fn of_process() -> Arguments {
        Arguments::try_parse().unwrap_or_else(|error| {
            notice::show_if_unprinted(&error.render().to_string());
            error.exit()
        })
    }
}

/// A theme of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Theme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    /// The theme's name in the window's address.
    pub fn as_str(self) -> &'static str {
        match self {
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }
}

/// Parses a size such as `1440x900`.
fn size(text: &str) -> Result<(u32, u32), String> {
    let read = text
        .split_once('x')
        .and_then(|(width, height)| Some((width.parse().ok()?, height.parse().ok()?)));
    match read {
        Some((width @ 640..=10_000, height @ 480..=10_000)) => Ok((width, height)),
        Some(_) | None => Err("it must be WIDTHxHEIGHT, at least 640x480".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::size;

    #[test]
    fn a_size_is_two_numbers_of_pixels() {
        assert_eq!(size("1100x760"), Ok((1100, 760)));
        for wrong in ["", "1100", "x", "1100x", "-1x5", "10x10", "1e3x900"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
    }
}
