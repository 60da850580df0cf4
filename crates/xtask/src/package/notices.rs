//! Whose code the programs hold: every library that is linked or packed into them, with its licence and the texts.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use serde_json::Value;

use crate::command;
use crate::error::{Error, Result};
use crate::project::Project;

/// Part of the window's pages though it is a tool to npm: its compiler's output calls it.
const PACKED_TOOLS: &[&str] = &["svelte"];

/// Programs whose lists of stop words are copied, with the folder of the list and its licence.
const STOP_WORDS: &[(&str, &str, &str)] = &[
    ("openclaw", "2026.9.6", "openclaw/stop-words"),
    ("qmd", "2.8.3", "qmd/stop-words"),
];

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Library {
    name: String,
    version: String,
    /// As its author wrote it, mostly an SPDX expression.
    license: String,
    folder: PathBuf,
}

/// Writes names, licences and texts to `file`.
pub fn write(project: &Project, programs: &[(&str, &str)], file: &Path) -> Result<()> {
    let mut cargo = command::cargo(project);
    cargo.args(["metadata", "--format-version=1", "--locked"]);
    // What only other systems link is no part of this package.
    let version = command::output(Command::new("rustc").arg("-vV"))?;
    if let Some(host) = version.lines().find_map(|line| line.strip_prefix("host: ")) {
        cargo.args(["--filter-platform", host]);
    }
    let answer = |program: &str, error: serde_json::Error| Error::Answer {
        program: program.to_owned(),
        cause: error.to_string(),
    };
    let metadata: Metadata = serde_json::from_str(&command::output(&mut cargo)?)
        .map_err(|error| answer("cargo metadata", error))?;
    let names: Vec<&str> = programs.iter().map(|(package, _)| *package).collect();
    let mut libraries = linked(&metadata, &names);
    let lock = project.ui().join("package-lock.json");
    let text = fs::read_to_string(&lock).map_err(|source| Error::Read {
        path: lock.clone(),
        source,
    })?;
    let lock: Value =
        serde_json::from_str(&text).map_err(|error| answer("npm's lock file", error))?;
    libraries.extend(packed(&lock, &project.ui()));
    for (program, version, folder) in STOP_WORDS {
        libraries.insert(Library {
            name: format!("{program} (its stop words)"),
            version: (*version).to_owned(),
            license: "MIT".to_owned(),
            folder: project.root.join("crates/memlens-emulate/src").join(folder),
        });
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(file, text_of(&libraries)))
        .map_err(|source| Error::Write {
            path: file.to_owned(),
            source,
        })
}

/// The parts of `cargo metadata` that are read.
#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    resolve: Resolve,
}

#[derive(Deserialize)]
struct Package {
    id: String,
    name: String,
    version: String,
    license: Option<String>,
    /// None for the workspace's own.
    source: Option<String>,
    manifest_path: PathBuf,
}

#[derive(Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Deserialize)]
struct Node {
    id: String,
    deps: Vec<Dependency>,
}

#[derive(Deserialize)]
struct Dependency {
    pkg: String,
    dep_kinds: Vec<DependencyKind>,
}

#[derive(Deserialize)]
struct DependencyKind {
    /// None for what is linked; `dev` or `build`.
    kind: Option<String>,
}

/// The crates of others that reach the programs of these packages, tests and build scripts left out.
fn linked(metadata: &Metadata, programs: &[&str]) -> BTreeSet<Library> {
    let nodes: HashMap<&str, &Node> = metadata
        .resolve
        .nodes
        .iter()
        .map(|node| (node.id.as_str(), node))
        .collect();
    let mut reached: HashSet<&str> = HashSet::new();
    let mut ahead: Vec<&str> = metadata
        .packages
        .iter()
        .filter(|package| package.source.is_none() && programs.contains(&package.name.as_str()))
        .map(|package| package.id.as_str())
        .collect();
    while let Some(id) = ahead.pop() {
        if !reached.insert(id) {
            continue;
        }
        let linked = nodes.get(id).into_iter().flat_map(|node| &node.deps);
        ahead.extend(
            linked
                .filter(|dependency| dependency.dep_kinds.iter().any(|it| it.kind.is_none()))
                .map(|dependency| dependency.pkg.as_str()),
        );
    }
    metadata
        .packages
        .iter()
        .filter(|package| package.source.is_some() && reached.contains(package.id.as_str()))
        .map(|package| Library {
            name: package.name.clone(),
            version: package.version.clone(),
            license: package.license.clone().unwrap_or_default(),
            folder: package
                .manifest_path
                .parent()
                .unwrap_or(Path::new(""))
                .to_owned(),
        })
        .collect()
}

/// The npm packages that are packed into the window's pages: those that are no tools, and [`PACKED_TOOLS`].
fn packed(lock: &Value, ui: &Path) -> BTreeSet<Library> {
    let packages = lock["packages"].as_object().into_iter().flatten();
    packages
        .filter_map(|(place, package)| {
            let name = place.rsplit_once("node_modules/")?.1;
            let is_tool = package["dev"].as_bool().unwrap_or(false);
            let text = |key: &str| package[key].as_str().unwrap_or_default().to_owned();
            (!is_tool || PACKED_TOOLS.contains(&name)).then(|| Library {
                name: name.to_owned(),
                version: text("version"),
                license: text("license"),
                folder: ui.join(place),
            })
        })
        .collect()
}

/// Lists the libraries, then every text once with the libraries that bring it.
fn text_of(libraries: &BTreeSet<Library>) -> String {
    let mut out = String::from("Memlens is built with these libraries:\n\n");
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for library in libraries {
        let Library {
            name,
            version,
            license,
            folder,
        } = library;
        let _ = writeln!(out, "{name} {version}: {license}");
        for text in license_texts(folder) {
            texts
                .entry(text)
                .or_default()
                .push(format!("{name} {version}"));
        }
    }
    for (text, names) in texts {
        let _ = write!(
            out,
            "\n{}\n{}\n\n{text}\n",
            "-".repeat(72),
            names.join(", ")
        );
    }
    out
}

/// Returns the licences and notices in a library's folder, trimmed; empty if it has none or cannot be read.
fn license_texts(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.is_file()
                && path
                    .file_name()
                    .is_some_and(|it| is_license(&it.to_string_lossy()))
        })
        .filter_map(|path| fs::read_to_string(path).ok())
        .map(|text| text.trim().replace("\r\n", "\n"))
        .collect()
}

fn is_license(name: &str) -> bool {
    let name = name.to_lowercase();
    [
        "license",
        "licence",
        "copying",
        "notice",
        "copyright",
        "unlicense",
    ]
    .iter()
    .any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    //! What is linked or packed is named, with its texts once; what only tests or builds is not.

    use serde_json::json;

    use super::*;

    fn names(libraries: &BTreeSet<Library>) -> Vec<&str> {
        libraries.iter().map(|it| it.name.as_str()).collect()
    }

    #[test]
    fn crates_are_followed_through_what_is_linked() {
        let package = |name: &str, is_own: bool| {
            json!({ "id": name, "name": name, "version": "1.0.0", "license": "MIT",
                "source": if is_own { Value::Null } else { json!("index") }, "manifest_path": "/r/Cargo.toml" })
        };
        let to = |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let node = |name: &str, deps: Value| json!({ "id": name, "deps": deps });
        let metadata = json!({
            "packages": [package("app", true), package("own", true), package("a", false), package("b", false),
                package("tested", false), package("built", false), package("elsewhere", false)],
            "resolve": { "nodes": [
                node("app", json!([to("own", Value::Null), to("tested", json!("dev")), to("built", json!("build"))])),
                node("own", json!([to("a", Value::Null)])),
                node("a", json!([to("b", Value::Null), to("a", Value::Null)])),
                node("b", json!([])), node("tested", json!([])), node("built", json!([])), node("elsewhere", json!([])),
            ] },
        });
        let metadata: Metadata = serde_json::from_value(metadata).unwrap();
        assert_eq!(names(&linked(&metadata, &["app"])), ["a", "b"]);
    }

    #[test]
    fn npm_packages_are_those_of_the_pages() {
        let lock = json!({ "packages": {
            "": { "name": "ui" },
            "node_modules/bits-ui": { "version": "2.0.0", "license": "MIT" },
            "node_modules/x/node_modules/@y/z": { "version": "1.0.0", "license": "ISC" },
            "node_modules/vite": { "version": "8.0.0", "license": "MIT", "dev": true },
            "node_modules/svelte": { "version": "5.0.0", "license": "MIT", "dev": true },
        } });
        let packed = packed(&lock, Path::new("/ui"));
        assert_eq!(names(&packed), ["@y/z", "bits-ui", "svelte"]);
    }

    #[test]
    fn a_text_of_several_is_written_once() {
        let folder = tempfile::tempdir().unwrap();
        let library = |name: &str| {
            let at = folder.path().join(name);
            fs::create_dir_all(&at).unwrap();
            fs::write(at.join("LICENSE-MIT"), "be free\r\n").unwrap();
            fs::write(at.join("lib.rs"), "no licence").unwrap();
            Library {
                name: name.to_owned(),
                version: "1.0.0".to_owned(),
                license: "MIT".to_owned(),
                folder: at,
            }
        };
        let text = text_of(&[library("a"), library("b")].into());
        assert_eq!(text.matches("be free").count(), 1, "{text}");
        assert!(text.contains("a 1.0.0: MIT\nb 1.0.0: MIT\n"), "{text}");
        assert!(text.contains("a 1.0.0, b 1.0.0\n\nbe free\n"), "{text}");
        assert!(!text.contains("no licence"), "{text}");
    }
}
