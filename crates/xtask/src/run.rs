//! Building Memlens and opening it.

pub mod sample;
pub mod screenshot;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::{Args, ValueEnum};

use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;
use crate::setup::{self, Install, Purpose};
use crate::ui;

/// The default question, asked of the sample notes.
const SAMPLE_QUERY: &str = "the internet is down at home, what should I try first";

/// The default size of the window in pixels, and the size of the headless screen.
const SIZE: Size = Size {
    width: 1440,
    height: 900,
};

/// What `cargo xtask run` was asked to do.
#[derive(Args)]
pub struct RunArgs {
    /// Folder of notes (default: sample notes that you can edit)
    folder: Option<PathBuf>,
    /// Open the window on a virtual screen and save a screenshot as PNG
    #[arg(long, value_name = "FILE")]
    screenshot: Option<PathBuf>,
    /// Search for this on start
    #[arg(long, value_name = "TEXT")]
    query: Option<String>,
    /// Theme (default: the system's)
    #[arg(long)]
    theme: Option<Theme>,
    /// Window size in pixels
    #[arg(long, value_name = "WxH", value_parser = Size::parse)]
    size: Option<Size>,
    /// Install no system packages: if any are missing, print the command to install them, and fail
    #[arg(long)]
    no_install: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Theme {
    Light,
    Dark,
}

/// Width and height of a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub width: u32,
    pub height: u32,
}

impl Size {
    fn parse(text: &str) -> Result<Self, String> {
        let parse = || {
            let (width, height) = text.split_once('x')?;
            Some(Self {
                width: width.parse().ok().filter(|pixels| *pixels > 0)?,
                height: height.parse().ok().filter(|pixels| *pixels > 0)?,
            })
        };
        parse().ok_or_else(|| "give width and height in pixels, such as 1440x900".to_owned())
    }
}

/// The notes to open and where Memlens keeps what it knows of them.
struct Opened {
    notes: PathBuf,
    /// `None`: the platform's data folder, which the programs find themselves.
    library: Option<PathBuf>,
    /// What to search for at once.
    query: Option<String>,
}

/// Builds what is needed and opens it: in a window, in a picture, or in the terminal if there is no display.
pub fn run(project: &Project, args: &RunArgs) -> Result<()> {
    // Before the long part, so that a mistyped folder is known at once.
    let opened = open(project, args)?;
    let install = if args.no_install {
        Install::Nothing
    } else {
        Install::Missing
    };
    if args.screenshot.is_none() && !setup::has_display() {
        setup::setup(project, Purpose::Terminal, install)?;
        build(project, &["memlens"])?;
        eprintln!(
            "No display here: the search is printed instead. `--screenshot FILE` saves a picture of the window.\n"
        );
        return in_terminal(project, &opened);
    }
    let purpose = if args.screenshot.is_some() {
        Purpose::Headless
    } else {
        Purpose::Window
    };
    setup::setup(project, purpose, install)?;
    ui::build(project)?;
    build(project, &["memlens", "memlens-app"])?;
    let app = project.program("memlens-app");
    match &args.screenshot {
        Some(file) => {
            let size = args.size.unwrap_or(SIZE);
            screenshot::save(&app, &app_arguments(&opened, args, Some(size)), size, file)?;
            eprintln!("Saved {}", file.display());
            Ok(())
        }
        None => command::run(Command::new(app).args(app_arguments(&opened, args, args.size))),
    }
}

/// Builds programs by their names, in the common profile. They are built with the whole workspace, since otherwise they
/// would have other features than the tests, and half of their dependencies would be built a second time.
pub fn build(project: &Project, programs: &[&str]) -> Result<()> {
    let mut cargo = command::cargo(project);
    cargo.args(["build", "--workspace"]);
    for program in programs {
        cargo.args(["--bin", program]);
    }
    command::run(&mut cargo)
}

fn open(project: &Project, args: &RunArgs) -> Result<Opened> {
    let Some(folder) = &args.folder else {
        let sample = sample::prepare(project)?;
        return Ok(Opened {
            notes: sample.notes,
            library: Some(sample.library),
            query: Some(
                args.query
                    .clone()
                    .unwrap_or_else(|| SAMPLE_QUERY.to_owned()),
            ),
        });
    };
    let open_error = |cause: String| Error::Open {
        path: folder.clone(),
        cause,
    };
    let notes = fs::canonicalize(folder).map_err(|source| open_error(source.to_string()))?;
    if !notes.is_dir() {
        return Err(open_error("it is a file, not a folder".to_owned()));
    }
    Ok(Opened {
        notes,
        library: None,
        query: args.query.clone(),
    })
}

fn app_arguments(opened: &Opened, args: &RunArgs, size: Option<Size>) -> Vec<String> {
    let mut arguments = library_arguments(opened.library.as_deref());
    arguments.push("--add".to_owned());
    arguments.push(opened.notes.to_string_lossy().into_owned());
    let mut push = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            arguments.extend([name.to_owned(), value]);
        }
    };
    push("--query", opened.query.clone());
    push(
        "--theme",
        args.theme.map(|theme| match theme {
            Theme::Light => "light".to_owned(),
            Theme::Dark => "dark".to_owned(),
        }),
    );
    push(
        "--size",
        size.map(|Size { width, height }| format!("{width}x{height}")),
    );
    arguments
}

fn library_arguments(library: Option<&Path>) -> Vec<String> {
    library.map_or_else(Vec::new, |library| {
        vec![
            "--library".to_owned(),
            library.to_string_lossy().into_owned(),
        ]
    })
}

fn in_terminal(project: &Project, opened: &Opened) -> Result<()> {
    // The last word follows `--`: a question may begin with a dash.
    let memlens = |arguments: &[&str], last: &str| {
        command::run(
            Command::new(project.program("memlens"))
                .args(arguments)
                .args(library_arguments(opened.library.as_deref()))
                .args(["--", last]),
        )
    };
    memlens(&["index"], &opened.notes.to_string_lossy())?;
    match &opened.query {
        Some(query) => memlens(&["search", "--explain"], query),
        None => {
            eprintln!("Add `--query TEXT` to search it.");
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    //! Sizes are read strictly; the app gets what was asked and nothing else.

    use super::*;

    #[test]
    fn sizes_are_two_positive_numbers() {
        let check = |text: &str, expected: Option<(u32, u32)>| {
            let size = Size::parse(text).ok();
            assert_eq!(
                size.map(|size| (size.width, size.height)),
                expected,
                "{text}"
            );
        };
        check("1440x900", Some((1440, 900)));
        check("0x900", None);
        check("1440", None);
        check("1440x", None);
        check("1440x900x24", None);
        check("-1x9", None);
    }

    #[test]
    fn the_app_gets_what_was_asked() {
        let mut args = RunArgs {
            folder: None,
            screenshot: None,
            query: None,
            theme: None,
            size: None,
            no_install: false,
        };
        let mut opened = Opened {
            notes: PathBuf::from("notes"),
            library: None,
            query: None,
        };
        assert_eq!(app_arguments(&opened, &args, None), ["--add", "notes"]);
        opened.library = Some(PathBuf::from("lib"));
        opened.query = Some("where is it".to_owned());
        args.theme = Some(Theme::Dark);
        assert_eq!(
            app_arguments(&opened, &args, Some(SIZE)),
            [
                "--library",
                "lib",
                "--add",
                "notes",
                "--query",
                "where is it",
                "--theme",
                "dark",
                "--size",
                "1440x900",
            ]
        );
    }
}
