//! Checks the layout: the top level, the crates, and the trees that the READMEs show.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::Finding;
use crate::error::{Error, Result};
use crate::project::Project;

/// The top level as agreed, besides the README, which is a map, and names that begin with a dot.
const TOP: &[&str] = &[
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE",
    "crates",
    "icons",
    "src-tauri",
    "tests",
    "ui",
];

/// Files whose fenced `text` blocks show a tree of files.
const MAPS: &[&str] = &["README.md", "crates/README.md"];

/// Checks the top level, the names of the crates and the maps.
pub fn check(project: &Project, files: &[String]) -> Result<Vec<Finding>> {
    let mut findings = top_level(files);
    let mut mapped = BTreeSet::new();
    for map in MAPS {
        if !files.iter().any(|path| path == map) {
            findings.push(Finding {
                path: (*map).to_owned(),
                line: None,
                rule: "is missing".to_owned(),
            });
            continue;
        }
        let text = read(&project.root.join(map))?;
        for (line, path) in tree_paths(&text) {
            if !project.root.join(&path).exists() {
                findings.push(Finding {
                    path: (*map).to_owned(),
                    line: Some(line),
                    rule: format!("lists {path}, which does not exist"),
                });
            }
            mapped.insert(path);
        }
    }
    for folder in crate_folders(files) {
        if !mapped.contains(&format!("crates/{folder}")) {
            findings.push(Finding {
                path: format!("crates/{folder}"),
                line: None,
                rule: "is not on the map: add it to crates/README.md".to_owned(),
            });
        }
        let manifest = read(&project.root.join(format!("crates/{folder}/Cargo.toml")))?;
        if !manifest.contains(&format!("name = \"{folder}\"")) {
            findings.push(Finding {
                path: format!("crates/{folder}/Cargo.toml"),
                line: None,
                rule: "must name its crate like its folder".to_owned(),
            });
        }
    }
    Ok(findings)
}

fn top_level(files: &[String]) -> Vec<Finding> {
    let present: BTreeSet<&str> = files
        .iter()
        .filter_map(|path| path.split('/').next())
        .collect();
    let extra = present
        .iter()
        .filter(|name| !name.starts_with('.') && !TOP.contains(name) && !MAPS.contains(name))
        .map(|name| ((*name).to_owned(), "is not part of the agreed top level"));
    let absent = TOP
        .iter()
        .filter(|name| !present.contains(*name))
        .map(|name| ((*name).to_owned(), "is missing"));
    extra
        .chain(absent)
        .map(|(path, rule)| Finding {
            path,
            line: None,
            rule: rule.to_owned(),
        })
        .collect()
}

/// The folders in `crates/` that hold a crate; others hold documents.
fn crate_folders(files: &[String]) -> BTreeSet<&str> {
    files
        .iter()
        .filter_map(|path| path.strip_prefix("crates/")?.split_once('/'))
        .filter(|(_, file)| *file == "Cargo.toml" || file.starts_with("src/"))
        .map(|(folder, _)| folder)
        .collect()
}

/// The paths in the trees of a Markdown text with their 1-based lines.
///
/// A tree is a fenced `text` block whose first line is a folder (it ends with `/`). Two spaces go one folder deeper; the path
/// ends at the first space, what follows is said about it.
fn tree_paths(markdown: &str) -> Vec<(usize, String)> {
    let mut paths = Vec::new();
    // The folders above the present line, by depth; `None` outside a tree.
    let mut above: Option<Vec<String>> = None;
    let mut is_first = false;
    for (index, line) in markdown.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            is_first = above.is_none() && line.trim() == "```text";
            above = is_first.then(Vec::new);
            continue;
        }
        let Some(name) = line.split_whitespace().next() else {
            continue;
        };
        if is_first && !name.ends_with('/') {
            above = None;
        }
        is_first = false;
        let Some(folders) = &mut above else {
            continue;
        };
        let depth = (line.len() - line.trim_start().len()) / 2;
        folders.truncate(depth);
        let path = format!("{}{name}", folders.concat());
        folders.push(name.to_owned());
        paths.push((index + 1, path.trim_end_matches('/').to_owned()));
    }
    paths
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|source| Error::Read {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(files: &[&str]) -> Vec<String> {
        let files: Vec<String> = files.iter().map(|path| (*path).to_owned()).collect();
        top_level(&files).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn the_top_level_is_as_agreed() {
        let mut files = TOP.to_vec();
        files.push(".ci/run");
        assert_eq!(rules(&files), [""; 0]);
        files.retain(|path| *path != "LICENSE");
        files.push("docs/a.md");
        assert_eq!(
            rules(&files),
            [
                "docs: is not part of the agreed top level",
                "LICENSE: is missing",
            ]
        );
    }

    #[test]
    fn a_folder_of_documents_is_no_crate() {
        let files = [
            "crates/a/Cargo.toml",
            "crates/a/src/lib.rs",
            "crates/b/src/lib.rs",
            "crates/decisions/001-a.md",
            "crates/README.md",
        ];
        let files = files.map(str::to_owned);
        assert_eq!(crate_folders(&files), BTreeSet::from(["a", "b"]));
    }

    #[test]
    fn trees_are_read_by_indentation() {
        let markdown = "```text\ncrates/\n  a/   what it is for\n    src/lib.rs\n  b/\nui/  pages\n```\n\n```text\nnot a tree\n```\n\n```sh\ncrates/\n```\n";
        let paths: Vec<String> = tree_paths(markdown)
            .into_iter()
            .map(|(_, path)| path)
            .collect();
        assert_eq!(
            paths,
            [
                "crates",
                "crates/a",
                "crates/a/src/lib.rs",
                "crates/b",
                "ui"
            ]
        );
    }
}
