//! `$include` in an OpenClaw config: parts of it in other files of the config's folder.
//!
//! Merged as OpenClaw does it (read in the packages 2026.2.12, 2026.7.35 and 2026.9.6, checked with `config validate` of 2026.9.6):
//! arrays are joined, objects are merged key by key, and for other values the including file wins.
//!
//! Properties checked: no file outside the config's folder is read; a cycle, a missing file and a chain that is too long are
//! named; the work is bounded.

use std::path::{Component, Path, PathBuf};

use serde_json::{Map, Value};

use crate::config::{parse_any, read_text};

const KEY: &str = "$include";

/// Maximum number of files in one chain. It is OpenClaw's own limit.
const DEPTH_MAX: usize = 10;

/// Maximum number of reads and bytes for one config. OpenClaw has no such limit: files that include each other several times
/// on every level would be read billions of times.
const READS_MAX: usize = 200;
const BYTES_MAX: usize = 4 << 20;

/// Maximum length of a path, as in OpenClaw.
const PATH_MAX: usize = 4096;

/// A config with every `$include` replaced by what the named files hold. `before` is called with every file before it is
/// looked for.
///
/// # Errors
/// The file that includes, the name, and what is wrong, for the user.
pub(crate) fn resolve(
    value: Value,
    config: &Path,
    before: &mut dyn FnMut(&Path),
) -> Result<Value, String> {
    if !has_include(&value) {
        return Ok(value);
    }
    let config = std::path::absolute(config).map_err(|error| error.to_string())?;
    let config = normalized(&config);
    let folder = config.parent().unwrap_or(Path::new("/")).to_owned();
    let mut resolving = Resolving {
        real_folder: memlens_files::canonical(&folder).unwrap_or_else(|_| folder.clone()),
        folder,
        chain: vec![config],
        before,
        n_reads: 0,
        n_bytes: 0,
    };
    resolving.value(value)
}

fn has_include(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.contains_key(KEY) || fields.values().any(has_include),
        Value::Array(items) => items.iter().any(has_include),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

struct Resolving<'a> {
    folder: PathBuf,
    real_folder: PathBuf,
    /// The config, and the files that led to the current one.
    chain: Vec<PathBuf>,
    before: &'a mut dyn FnMut(&Path),
    n_reads: usize,
    n_bytes: usize,
}

impl Resolving<'_> {
    fn value(&mut self, value: Value) -> Result<Value, String> {
        match value {
            Value::Array(items) => {
                let items = items.into_iter().map(|item| self.value(item));
                Ok(Value::Array(items.collect::<Result<_, _>>()?))
            }
            Value::Object(mut fields) => {
                let include = fields.remove(KEY);
                let mut rest = Map::new();
                for (key, value) in fields {
                    rest.insert(key, self.value(value)?);
                }
                match include {
                    None => Ok(Value::Object(rest)),
                    Some(include) => self.included(&include, rest),
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Ok(value),
        }
    }

    /// The file that `$include` names, with the other keys of its object merged over it.
    fn included(&mut self, include: &Value, rest: Map<String, Value>) -> Result<Value, String> {
        let included = match include {
            Value::String(named) => self.load(named)?,
            Value::Array(several) => {
                let mut merged = Value::Object(Map::new());
                for named in several {
                    let Value::String(named) = named else {
                        return Err(self.says("must list names of files, in quotes"));
                    };
                    let loaded = self.load(named)?;
                    merge(&mut merged, loaded);
                }
                merged
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                return Err(
                    self.says("must be the name of a file in quotes, or a list of such names")
                );
            }
        };
        if rest.is_empty() {
            return Ok(included);
        }
        if !included.is_object() {
            return Err(
                self.says("has other keys beside it, so the file must hold settings by name")
            );
        }
        let mut merged = included;
        merge(&mut merged, Value::Object(rest));
        Ok(merged)
    }

    fn load(&mut self, named: &str) -> Result<Value, String> {
        let shown = memlens_params::brief(named).into_owned();
        let refused = |of: &Self, why: &str| Err(of.says(&format!("{shown:?}: {why}")));
        if named.len() >= PATH_MAX || named.contains('\0') {
            return refused(self, "this is not the name of a file");
        }
        let from = self.chain.last().and_then(|path| path.parent());
        let path = normalized(&from.unwrap_or(&self.folder).join(named));
        if !path.starts_with(&self.folder) {
            return refused(
                self,
                "it is outside the config's folder and is not read. OpenClaw reads it only if OPENCLAW_INCLUDE_ROOTS allows it",
            );
        }
        (self.before)(&path);
        let Ok(real) = memlens_files::canonical(&path) else {
            return refused(self, "there is no such file");
        };
        if !real.starts_with(&self.real_folder) {
            return refused(
                self,
                "a link leads out of the config's folder, so it is not read",
            );
        }
        if self.chain.contains(&path) {
            let mut names: Vec<String> = self.chain.iter().map(|it| self.name(it)).collect();
            names.push(self.name(&path));
            return Err(format!("{KEY} is circular: {}", names.join(" → ")));
        }
        if self.chain.len() > DEPTH_MAX {
            return refused(self, &format!("it is more than {DEPTH_MAX} files deep"));
        }
        self.n_reads += 1;
        if self.n_reads > READS_MAX {
            return refused(self, &format!("more than {READS_MAX} files are included"));
        }
        let text = match read_text(&real, &self.real_folder) {
            Ok(Some(text)) => text,
            Ok(None) => return refused(self, "there is no such file"),
            Err(why) => return refused(self, &why),
        };
        self.n_bytes += text.len();
        if self.n_bytes > BYTES_MAX {
            return refused(
                self,
                &format!(
                    "the included files are larger than {} MiB together",
                    BYTES_MAX >> 20
                ),
            );
        }
        let value = match parse_any(&text) {
            Ok(value) => value,
            Err(why) => return refused(self, &why),
        };
        self.chain.push(path);
        let value = self.value(value);
        self.chain.pop();
        value
    }

    /// A reason with the file that includes, if that is not the config itself.
    fn says(&self, why: &str) -> String {
        match self.chain.as_slice() {
            [_, .., from] => format!("{}: {KEY} {why}", self.name(from)),
            _ => format!("{KEY} {why}"),
        }
    }

    fn name(&self, path: &Path) -> String {
        let name = path.strip_prefix(&self.folder).unwrap_or(path);
        name.display().to_string()
    }
}

/// A path without `.` and `..`, by its text alone.
fn normalized(path: &Path) -> PathBuf {
    let mut normalized = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                normalized.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                normalized.push(part);
            }
        }
    }
    normalized
}

/// Merges `over` into a value.
fn merge(into: &mut Value, over: Value) {
    match (into, over) {
        (Value::Object(into), Value::Object(over)) => {
            for (key, value) in over {
                match into.get_mut(&key) {
                    Some(found) => merge(found, value),
                    None => drop(into.insert(key, value)),
                }
            }
        }
        (Value::Array(into), Value::Array(over)) => into.extend(over),
        (into, over) => *into = over,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::config::parse_text;

    /// Resolves `openclaw.json` among these files.
    fn resolved(files: &[(&str, &str)]) -> (Result<Value, String>, Vec<String>) {
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let root = dir.path().join("state");
        for (name, text) in files {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        resolved_in(&root)
    }

    fn resolved_in(root: &Path) -> (Result<Value, String>, Vec<String>) {
        let config = root.join("openclaw.json");
        let value = parse_text(&std::fs::read_to_string(&config).unwrap()).unwrap();
        let mut found = Vec::new();
        let value = resolve(value, &config, &mut |path| {
            if !found.iter().any(|it: &PathBuf| it == path) {
                found.push(path.to_owned());
            }
        });
        let name = |path: &PathBuf| path.strip_prefix(root).unwrap().display().to_string();
        (value, found.iter().map(name).collect())
    }

    #[test]
    fn files_are_merged_as_openclaw_merges_them() {
        let (value, files) = resolved(&[
            (
                "openclaw.json",
                "{$include: ['./a.json5', 'parts/b.json5'], memory: {search: {extraPaths: ['c'], query: {minScore: 0.5}}}, one: 1}",
            ),
            (
                "a.json5",
                "{memory: {search: {extraPaths: ['a'], query: {minScore: 0.1, maxResults: 3}}}}",
            ),
            (
                "parts/b.json5",
                "{memory: {search: {extraPaths: ['b'], $include: '../deep.json5'}}, two: null}",
            ),
            ("deep.json5", "{provider: 'openai'}"),
        ]);
        assert_eq!(
            value.unwrap(),
            json!({
                "memory": {"search": {
                    "extraPaths": ["a", "b", "c"],
                    "provider": "openai",
                    "query": {"minScore": 0.5, "maxResults": 3},
                }},
                "one": 1,
                "two": null,
            })
        );
        assert_eq!(files, ["a.json5", "parts/b.json5", "deep.json5"]);
        // A part may be any value, and the same file may be included in two places.
        let (value, files) = resolved(&[
            (
                "openclaw.json",
                "{a: {$include: 'list.json'}, b: [{$include: 'list.json'}]}",
            ),
            ("list.json", "[1]"),
        ]);
        assert_eq!(value.unwrap(), json!({"a": [1], "b": [[1]]}));
        assert_eq!(files, ["list.json"]);
    }

    #[test]
    fn what_cannot_be_included_is_named() {
        let long = "x".repeat(5000);
        for (files, why) in [
            (
                vec![("openclaw.json", "{$include: './none.json5'}")],
                "$include \"./none.json5\": there is no such file",
            ),
            (
                vec![
                    ("openclaw.json", "{$include: 'a.json'}"),
                    ("a.json", "{b: {$include: 'none.json'}}"),
                ],
                "a.json: $include \"none.json\": there is no such file",
            ),
            (
                vec![
                    ("openclaw.json", "{$include: 'a.json'}"),
                    ("a.json", "{$include: 'parts/../b.json'}"),
                    ("b.json", "{$include: 'a.json'}"),
                ],
                "$include is circular: openclaw.json → a.json → b.json → a.json",
            ),
            (
                vec![("openclaw.json", "{$include: 'openclaw.json'}")],
                "$include is circular: openclaw.json → openclaw.json",
            ),
            (
                vec![("openclaw.json", "{$include: '../secret.json'}")],
                "it is outside the config's folder and is not read",
            ),
            (
                vec![("openclaw.json", "{$include: '/etc/passwd'}")],
                "it is outside the config's folder and is not read",
            ),
            (
                vec![
                    ("openclaw.json", "{$include: 'a.json'}"),
                    ("a.json", "{b 1}"),
                ],
                "$include \"a.json\": line 1, column 4: expected colon",
            ),
            (
                vec![("openclaw.json", "{$include: 'a.json'}"), ("a.json", " ")],
                "$include \"a.json\": it is empty",
            ),
            (
                vec![("openclaw.json", "{$include: 'a.json'}"), ("a.json/b", "")],
                "$include \"a.json\": it is a folder",
            ),
            (
                vec![("openclaw.json", "{$include: 5}")],
                "$include must be the name of a file",
            ),
            (
                vec![
                    ("openclaw.json", "{$include: ['a.json', 5]}"),
                    ("a.json", "{}"),
                ],
                "$include must list names of files",
            ),
            (
                vec![
                    ("openclaw.json", "{b: 1, $include: 'a.json'}"),
                    ("a.json", "[1]"),
                ],
                "the file must hold settings by name",
            ),
            (
                vec![("openclaw.json", &format!("{{$include: '{long}'}}"))],
                "this is not the name of a file",
            ),
        ] {
            let (refused, _) = resolved(&files);
            let refused = refused.expect_err(why);
            assert!(refused.contains(why), "{refused}");
            assert!(refused.len() < 400, "{refused}");
        }
    }

    #[test]
    fn chains_and_work_are_bounded() {
        let names: Vec<String> = (0..12).map(|n| format!("{n}.json")).collect();
        let chain = |n_deep: usize| {
            let mut files = vec![("openclaw.json", "{$include: '0.json'}".to_owned())];
            for (n, name) in names.iter().enumerate().take(n_deep) {
                let text = if n + 1 < n_deep {
                    format!("{{$include: '{}.json'}}", n + 1)
                } else {
                    "{a: 1}".to_owned()
                };
                files.push((name, text));
            }
            let files: Vec<_> = files
                .iter()
                .map(|(name, text)| (*name, text.as_str()))
                .collect();
            resolved(&files).0
        };
        assert_eq!(chain(10), Ok(json!({"a": 1})));
        assert!(chain(11).is_err_and(|why| {
            why.contains("9.json: $include \"10.json\": it is more than 10 files deep")
        }));
        let mut files = vec![(
            "openclaw.json",
            "{$include: ['0.json', '0.json', '0.json']}".to_owned(),
        )];
        for n in 0..9 {
            let next = &names[n + 1];
            files.push((
                &names[n],
                format!("{{$include: ['{next}', '{next}', '{next}']}}"),
            ));
        }
        files.push((&names[9], "{}".to_owned()));
        let files: Vec<_> = files
            .iter()
            .map(|(name, text)| (*name, text.as_str()))
            .collect();
        let refused = resolved(&files).0.expect_err("59,049 reads are refused");
        assert!(
            refused.contains("more than 200 files are included"),
            "{refused}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_only_within_the_folder() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().expect("a scratch folder can be made");
        let root = dir.path().join("state");
        std::fs::create_dir_all(root.join("parts")).unwrap();
        std::fs::create_dir(dir.path().join("secret")).unwrap();
        std::fs::write(dir.path().join("secret/a.json"), "{token: 'sk-1'}").unwrap();
        std::fs::write(root.join("real.json"), "{a: 1}").unwrap();
        symlink(dir.path().join("secret/a.json"), root.join("file.json")).unwrap();
        symlink(dir.path().join("secret"), root.join("folder")).unwrap();
        symlink(root.join("real.json"), root.join("parts/inside.json")).unwrap();
        for (named, outcome) in [
            ("file.json", None),
            ("folder/a.json", None),
            ("parts/inside.json", Some(json!({"a": 1}))),
        ] {
            std::fs::write(
                root.join("openclaw.json"),
                format!("{{$include: '{named}'}}"),
            )
            .unwrap();
            let found = resolved_in(&root).0;
            match outcome {
                Some(expected) => assert_eq!(found, Ok(expected)),
                None => assert!(
                    found.is_err_and(|why| why.contains("a link leads out of the config's folder")),
                    "{named}"
                ),
            }
        }
    }
}
