//! `completions` and `man`: every command is in the scripts and has a page; unknown names get a suggestion.

use std::fs;

use crate::memlens::{Memlens, text};

/// Returns the commands that the help lists.
fn commands(memlens: &Memlens) -> Vec<String> {
    let help = memlens.print(&["help"]);
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    listed
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  "))
        .filter(|line| line.starts_with(char::is_alphabetic))
        .filter_map(|line| Some(line.split_whitespace().next()?.to_owned()))
        .filter(|name| name != "help")
        .collect()
}

#[test]
fn every_command_is_completed_and_has_a_page() {
    let memlens = Memlens::new();
    let commands = commands(&memlens);
    assert!(commands.len() > 25, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = memlens.print(&["completions", shell]);
        for command in &commands {
            assert!(script.contains(command.as_str()), "{shell}: {command}");
        }
    }
    let dir = tempfile::tempdir().expect("a scratch folder can be made");
    let run = memlens.run(&["man", text(dir.path())]);
    assert_eq!((run.status, run.out.as_str()), (0, ""), "{run:?}");
    let page = |name: &str| {
        fs::read_to_string(dir.path().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    };
    for command in &commands {
        let page = page(&format!("memlens-{command}.1"));
        assert!(page.starts_with(".ie") || page.contains(".TH"), "{command}");
    }
    assert!(page("memlens.1").contains("memory search"));
    assert!(page("memlens-rerank-provider-set.1").contains("keyring"));
    // None of this needs or makes a library.
    let left = fs::read_dir(memlens.library())
        .expect("it is there")
        .count();
    assert_eq!(left, 0);
}

#[test]
fn close_names_are_suggested() {
    let memlens = Memlens::of(&[]);
    let check = |arguments: &[&str], expected: &str| {
        let run = memlens.run(arguments);
        assert_eq!(run.status, 2, "{arguments:?}: {run:?}");
        assert!(run.err.contains(expected), "{arguments:?}: {run:?}");
    };
    check(
        &["search", "x", "--agent", "opencl"],
        "no agent has the id opencl; did you mean openclaw?",
    );
    check(
        &["emulate", "x", "--agent", "opencl"],
        "did you mean openclaw? name one of",
    );
    check(
        &["export", "--target", "open-viking"],
        "did you mean openviking? name one of",
    );
}

#[test]
fn an_index_without_folders_says_how_to_add_one() {
    let memlens = Memlens::new();
    let run = memlens.run(&["index"]);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(
        run.err.contains("add one with `memlens index FOLDER`"),
        "{run:?}"
    );
}
