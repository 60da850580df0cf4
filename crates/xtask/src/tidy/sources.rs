//! Checks for text that no file may contain.

use std::fs;

use super::Finding;
use crate::error::{Error, Result};
use crate::project::Project;

/// Folders in which checkouts and programs of one machine lie; the present machine's are added to them. Split so that this file
/// does not name them.
const MACHINE_FOLDERS: &[&str] = &[concat!("/ro", "ot/"), concat!("/wo", "rk/")];

/// Hosts of package registries. Each machine may have its own; the project names none. Split so that this file does
/// not.
const REGISTRY_HOSTS: &[&str] = &[
    concat!("registry.npm", "js.org"),
    concat!("py", "pi.org"),
    concat!("files.python", "hosted.org"),
    concat!("static.", "crates.io"),
    concat!("index.", "crates.io"),
];

/// Words of unfinished code, split for the same reason.
const UNFINISHED: &[&str] = &[concat!("to", "do!("), concat!("unimple", "mented!(")];

/// Words that code without I/O, clock, chance, threads and logging has no use for.
const IMPURE: &[&str] = &[
    "std::fs",
    "std::io",
    "std::net",
    "std::env",
    "std::process",
    "std::thread",
    "std::time",
    "tokio",
    "rand::",
    "log::",
    "tracing::",
    "println!",
    "async ",
];
const PURE_SOURCES: &[&str] = &[
    "crates/memlens-params/src/",
    "crates/memlens-corroborate/src/",
    "crates/memlens-contradict/src/",
    "crates/memlens-rank/src/",
];

/// The call that resolves a path, which only one file may contain: its answer has another form on Windows. Tools and tests
/// compare nothing with the library.
const RESOLVING: &str = "canonicalize";
const RESOLVER: &str = "crates/memlens-files/src/paths.rs";

/// Calls that Windows refuses while another program holds the file that is replaced; only one file retries them.
const RENAMING: [&str; 2] = ["fs::rename(", ".persist("];
const RENAMER: &str = "crates/memlens-files/src/held_open.rs";

/// A folder of the library joined with the name of a note, whose `/` would stay in the path on Windows.
const JOINING: [&str; 2] = ["path).join(", "folder).join("];

/// The line that keeps registry addresses out of a lock file; npm reads it beside package.json only.
const NPMRC_LINE: &str = "omit-lockfile-registry-resolved=true";

/// Checks every text file of the project.
pub fn check(project: &Project, files: &[String]) -> Result<Vec<Finding>> {
    let folders = machine_folders(project);
    let mut findings = Vec::new();
    for path in files {
        let bytes = fs::read(project.root.join(path)).map_err(|source| Error::Read {
            path: path.into(),
            source,
        })?;
        // Models and pictures are no text.
        if let Ok(text) = String::from_utf8(bytes) {
            findings.extend(check_text(path, &text, &folders));
        }
        if let Some(folder) = path.strip_suffix("package-lock.json") {
            let npmrc = fs::read_to_string(project.root.join(folder).join(".npmrc"));
            if !npmrc.is_ok_and(|text| text.lines().any(|line| line == NPMRC_LINE)) {
                findings.push(Finding {
                    path: format!("{folder}.npmrc"),
                    line: None,
                    rule: format!("must say {NPMRC_LINE}"),
                });
            }
        }
    }
    Ok(findings)
}

fn check_text(path: &str, text: &str, machine_folders: &[String]) -> Vec<Finding> {
    let is_pure = PURE_SOURCES.iter().any(|folder| path.starts_with(folder));
    let is_rust = path.ends_with(".rs");
    let is_npm_lock = path.ends_with("package-lock.json");
    let mut findings = Vec::new();
    let mut is_in_tests = false;
    for (index, line) in text.lines().enumerate() {
        let mut find = |rule: String| {
            findings.push(Finding {
                path: path.to_owned(),
                line: Some(index + 1),
                rule,
            });
        };
        if let Some(folder) = machine_folders
            .iter()
            .find(|folder| begins_path(line, folder))
        {
            find(format!("names {folder}, a folder of one machine"));
        }
        // Cargo writes its own lock file, with the registry's public name in it.
        if path != "Cargo.lock"
            && let Some(host) = REGISTRY_HOSTS.iter().find(|host| line.contains(**host))
        {
            find(format!("names the package registry {host}"));
        }
        if is_npm_lock && line.trim_start().starts_with("\"resolved\": \"http") {
            find("contains the address of a package registry".to_owned());
        }
        if is_rust && let Some(word) = UNFINISHED.iter().find(|word| line.contains(**word)) {
            find(format!("is unfinished: {word}…)"));
        }
        // Tests come last in a file and may measure, print and read.
        is_in_tests |= line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(all(test");
        let code = line.split("//").next().unwrap_or("");
        if is_pure
            && is_rust
            && !is_in_tests
            && let Some(word) = IMPURE.iter().find(|word| contains_word(code, word))
        {
            find(format!("uses {} in a pure crate", word.trim()));
        }
        let is_program = is_program(path) && !is_in_tests;
        if is_program && path != RESOLVER && contains_word(code, RESOLVING) {
            find("resolves a path: use memlens_files::canonical".to_owned());
        }
        if is_program && path != RENAMER && RENAMING.iter().any(|call| code.contains(call)) {
            find("replaces a file: use memlens_files::rename or write".to_owned());
        }
        if is_program
            && code.contains("Path::new(&")
            && JOINING.iter().any(|call| code.contains(call))
        {
            find("joins the name of a note: use memlens_files::path_in".to_owned());
        }
    }
    findings
}

/// Whether a file is the source of a program that users run.
fn is_program(path: &str) -> bool {
    let is_source = path.starts_with("src-tauri/src/")
        || (path.starts_with("crates/memlens-") && path.contains("/src/"));
    is_source && path.ends_with(".rs") && !path.ends_with("/tests.rs")
}

/// Folders whose names would identify a machine, each with a final `/`: the known ones, the home folder and the
/// checkout.
fn machine_folders(project: &Project) -> Vec<String> {
    let own = [dirs::home_dir(), Some(project.root.clone())];
    let own = own
        .iter()
        .flatten()
        .map(|folder| format!("{}/", folder.display()));
    MACHINE_FOLDERS
        .iter()
        .map(|folder| (*folder).to_owned())
        .chain(own)
        .collect()
}

/// Whether a path in `line` begins with `folder`.
fn begins_path(line: &str, folder: &str) -> bool {
    line.match_indices(folder)
        .any(|(start, _)| !line[..start].ends_with(is_part_of_path))
}

/// Whether `code` contains `word`, not as the end of a longer word.
fn contains_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(start, _)| {
        !code[..start].ends_with(|symbol: char| symbol.is_alphanumeric() || symbol == '_')
    })
}

fn is_part_of_path(symbol: char) -> bool {
    symbol.is_alphanumeric() || "._-~}/".contains(symbol)
}

#[cfg(test)]
mod tests {
    //! Each rule finds its breach, with its line, and nothing that only looks like one.

    use super::*;

    fn check(path: &str, text: &str, expected: &[&str]) {
        let folders = ["/machine/".to_owned()];
        let found: Vec<String> = check_text(path, text, &folders)
            .iter()
            .map(Finding::to_string)
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn paths_of_a_machine_are_found() {
        check(
            "README.md",
            "first\nsee `/machine/notes`",
            &["README.md:2: names /machine/, a folder of one machine"],
        );
        check(
            "README.md",
            "~/machine/notes, tests/machine/x, https://a.b/machine/c",
            &[],
        );
        let project = Project::find();
        let folders = machine_folders(&project);
        assert!(folders.contains(&format!("{}/", project.root.display())));
    }

    #[test]
    fn registries_are_found_except_where_cargo_writes() {
        let text = format!("source = \"{}\"", REGISTRY_HOSTS[4]);
        check("Cargo.lock", &text, &[]);
        check(
            "ui/.npmrc",
            &format!("registry=https://{}/", REGISTRY_HOSTS[0]),
            &[&format!(
                "ui/.npmrc:1: names the package registry {}",
                REGISTRY_HOSTS[0]
            )],
        );
    }

    #[test]
    fn a_lock_file_with_addresses_is_found() {
        check(
            "ui/package-lock.json",
            "{\n  \"resolved\": \"https://a.b/c.tgz\",\n  \"resolved\": \"../local\"\n}",
            &["ui/package-lock.json:2: contains the address of a package registry"],
        );
    }

    #[test]
    fn unfinished_code_is_found() {
        let text = format!("fn a() {{ {}) }}", UNFINISHED[0]);
        let rule = format!("a.rs:1: is unfinished: {}…)", UNFINISHED[0]);
        check("a.rs", &text, &[&rule]);
        check("a.md", &text, &[]);
    }

    #[test]
    fn paths_are_resolved_in_one_place() {
        let text =
            "let a = path.canonicalize();\n#[cfg(all(test, unix))]\nlet b = path.canonicalize();";
        let rule = "resolves a path: use memlens_files::canonical";
        for path in ["crates/memlens-store/src/a.rs", "src-tauri/src/a.rs"] {
            check(path, text, &[&format!("{path}:1: {rule}")]);
        }
        check(
            "src-tauri/src/a.rs",
            "use std::fs::canonicalize as real;",
            &[&format!("src-tauri/src/a.rs:1: {rule}")],
        );
        for path in [
            RESOLVER,
            "crates/xtask/src/a.rs",
            "crates/memlens-store/tests/a.rs",
        ] {
            check(path, text, &[]);
        }
        check(
            "src-tauri/src/a.rs",
            "// not canonicalize\nlet is_canonicalized = true;",
            &[],
        );
    }

    #[test]
    fn files_are_replaced_and_names_joined_in_one_place() {
        let program = "crates/memlens-store/src/a.rs";
        let rename = "replaces a file: use memlens_files::rename or write";
        let join = "joins the name of a note: use memlens_files::path_in";
        for (line, rule) in [
            ("fs::rename(&from, &to)?;", rename),
            ("part.persist(place)?;", rename),
            ("let a = Path::new(&folder.path).join(&note.path);", join),
            ("let a = Path::new(&one.folder).join(name);", join),
        ] {
            check(program, line, &[&format!("{program}:1: {rule}")]);
            check("crates/xtask/src/a.rs", line, &[]);
            check(program, &format!("#[cfg(test)]\n{line}"), &[]);
        }
        check(RENAMER, "fs::rename(from, to)", &[]);
        for line in [
            "memlens_files::rename(&from, &to)?;",
            "part.persist_noclobber(place)?;",
            "let a = path_in(Path::new(&folder.path), name);",
            "let a = root.join(file);",
        ] {
            check(program, line, &[]);
        }
    }

    #[test]
    fn pure_crates_reach_for_nothing() {
        let path = "crates/memlens-rank/src/a.rs";
        check(
            path,
            "use std::time::Instant;",
            &["crates/memlens-rank/src/a.rs:1: uses std::time in a pure crate"],
        );
        check(
            path,
            "use std::fmt; // not std::fs\nlet dialog::A = operand::B;",
            &[],
        );
        check(path, "#[cfg(test)]\nmod tests { use std::fs; }", &[]);
        check(
            "crates/memlens-store/src/a.rs",
            "use std::time::Instant;",
            &[],
        );
    }
}
