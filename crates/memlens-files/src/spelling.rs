//! Finds the name that a file has where a path spells it in another way.
//!
//! Some file systems ignore case (`Otter.md` opens `otter.md`), and some how a letter with an accent is composed. There the
//! disk answers for names that no folder lists. The folders' listings decide, so no system has a rule of its own: where
//! two names that differ by case are two files, both are listed, and each is found as it is.
//!
//! Properties checked, by a simulated file system: a name is spelled as it is listed; where names are distinct nothing is
//! respelled.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use unicode_normalization::{UnicodeNormalization, is_nfc};

use crate::paths::path_in;

/// What a file system answers about names.
pub trait Disk {
    /// Returns whether the system finds something at a path, without following a link at its end.
    fn is_there(&self, path: &Path) -> bool;
    /// Returns the names that a folder lists; those that are not UTF-8 are left out.
    fn names_in(&self, folder: &Path) -> Vec<String>;
}

/// The real file system.
#[derive(Debug, Clone, Copy)]
pub struct SystemDisk;

impl Disk for SystemDisk {
    fn is_there(&self, path: &Path) -> bool {
        path.symlink_metadata().is_ok()
    }

    fn names_in(&self, folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        entries
            .filter_map(|entry| entry.file_name().into_string().ok())
            .collect()
    }
}

/// Returns the name of a file or folder below `folder` as the listings of its folders spell it; `None` if the system
/// finds nothing there. `name` is separated by `/`.
pub fn spelled(disk: &dyn Disk, folder: &Path, name: &str) -> Option<String> {
    if !disk.is_there(&path_in(folder, name)) {
        return None;
    }
    let mut spelled = String::new();
    for part in name.split('/') {
        let around = path_in(folder, &spelled);
        let listed = listed_as(disk, &around, part);
        if !spelled.is_empty() {
            spelled.push('/');
        }
        spelled.push_str(listed.as_deref().unwrap_or(part));
    }
    Some(spelled)
}

/// Returns the listed name of something that the system finds in `folder` as `name`; `None` if that is `name`, or unknown.
fn listed_as(disk: &dyn Disk, folder: &Path, name: &str) -> Option<String> {
    // Where no other spelling is found names are distinct, and the folder need not be listed.
    let mut others = other_spellings(name).into_iter();
    if !others.any(|other| disk.is_there(&folder.join(other))) {
        return None;
    }
    let listed = disk.names_in(folder);
    if listed.iter().any(|one| one == name) {
        return None;
    }
    // The system may ignore case or composition or both: a name that differs by both counts only if no other does.
    let by_case = only(&listed, name, without_case);
    let by_form = only(&listed, name, |one| composed(one).into_owned());
    let found = match (by_case, by_form) {
        (Some(one), Some(other)) => (one == other).then_some(one),
        (Some(one), None) | (None, Some(one)) => Some(one),
        (None, None) => only(&listed, name, |one| without_case(&composed(one))),
    };
    found.map(str::to_owned)
}

/// Returns the only one of `names` with the same composed form as `wanted`; `None` if there is none, or more than one.
/// Repeated names count once. A name in ASCII has no other form.
pub fn only_composed<'a>(
    names: impl IntoIterator<Item = &'a str>,
    wanted: &str,
) -> Option<&'a str> {
    if wanted.is_ascii() {
        return None;
    }
    let names = names.into_iter().filter(|name| !name.is_ascii());
    only(names, wanted, |name| composed(name).into_owned())
}

fn only<'a, S: AsRef<str> + ?Sized + 'a>(
    names: impl IntoIterator<Item = &'a S>,
    wanted: &str,
    key: impl Fn(&str) -> String,
) -> Option<&'a str> {
    let wanted = key(wanted);
    let names = names.into_iter().map(AsRef::as_ref);
    let same: BTreeSet<&str> = names.filter(|name| key(name) == wanted).collect();
    let mut same = same.into_iter();
    same.next().filter(|_| same.next().is_none())
}

/// Returns a name in composed form (NFC): `ü` is one character.
pub fn composed(name: &str) -> Cow<'_, str> {
    if is_nfc(name) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.nfc().collect())
}

/// Returns a form that is the same for all names that differ only by case.
pub(crate) fn without_case(name: &str) -> String {
    // Through upper case, because some letters have several lower ones.
    let upper = name.chars().flat_map(char::to_uppercase);
    upper.flat_map(char::to_lowercase).collect()
}

/// Returns spellings of `name` that are other names where case and composition count.
fn other_spellings(name: &str) -> Vec<String> {
    let swapped: String = name.chars().map(with_other_case).collect();
    let composed: String = name.nfc().collect();
    let decomposed: String = name.nfd().collect();
    let mut others = vec![swapped, composed, decomposed];
    others.retain(|other| other != name);
    others
}

/// Returns the letter in the other case; unchanged if it has none, or one of several letters.
fn with_other_case(letter: char) -> char {
    let mut upper = letter.to_uppercase();
    let mut lower = letter.to_lowercase();
    match (upper.next(), upper.next(), lower.next(), lower.next()) {
        (Some(upper), None, _, _) if upper != letter => upper,
        (_, _, Some(lower), None) => lower,
        _ => letter,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    /// How a simulated file system compares names.
    #[derive(Debug, Clone, Copy, PartialEq)]
    enum Rule {
        /// Every byte counts, as on Linux.
        Exact,
        /// Case is ignored, as by NTFS.
        Case,
        /// Case and composition are ignored, as by APFS.
        CaseAndForm,
    }

    const RULES: [Rule; 3] = [Rule::Exact, Rule::Case, Rule::CaseAndForm];

    /// A file system in memory.
    struct Simulated {
        rule: Rule,
        /// Listed names of each folder, by the folder's key.
        folders: BTreeMap<String, BTreeMap<String, String>>,
    }

    impl Simulated {
        fn new(rule: Rule, files: &[&str]) -> Simulated {
            let mut disk = Simulated {
                rule,
                folders: BTreeMap::new(),
            };
            for file in files {
                let mut folder = String::new();
                for name in file.split('/') {
                    let names = disk.folders.entry(folder.clone()).or_default();
                    let key = key(rule, name);
                    // What is there keeps its name.
                    names.entry(key.clone()).or_insert_with(|| name.to_owned());
                    folder = format!("{folder}/{key}");
                }
            }
            disk
        }

        fn folder_key(&self, path: &Path) -> String {
            let names = path.strip_prefix("/notes").expect("below the root");
            names
                .iter()
                .map(|name| format!("/{}", key(self.rule, name.to_str().expect("UTF-8"))))
                .collect()
        }
    }

    fn key(rule: Rule, name: &str) -> String {
        let lower = |name: &str| name.chars().flat_map(char::to_lowercase).collect();
        match rule {
            Rule::Exact => name.to_owned(),
            Rule::Case => lower(name),
            Rule::CaseAndForm => lower(&composed(name)),
        }
    }

    impl Disk for Simulated {
        fn is_there(&self, path: &Path) -> bool {
            let key = self.folder_key(path);
            let Some((folder, name)) = key.rsplit_once('/') else {
                return true;
            };
            let names = self.folders.get(folder);
            names.is_some_and(|names| names.contains_key(name))
        }

        fn names_in(&self, folder: &Path) -> Vec<String> {
            let names = self.folders.get(&self.folder_key(folder));
            names
                .into_iter()
                .flat_map(BTreeMap::values)
                .cloned()
                .collect()
        }
    }

    fn check(rule: Rule, files: &[&str], typed: &str, expected: Option<&str>) {
        let disk = Simulated::new(rule, files);
        let found = spelled(&disk, Path::new("/notes"), typed);
        assert_eq!(found.as_deref(), expected, "{rule:?} {files:?} {typed}");
    }

    #[test]
    fn a_name_is_spelled_as_it_is_listed() {
        let files = &["Protocols/Otter.md"];
        for rule in [Rule::Case, Rule::CaseAndForm] {
            for typed in ["protocols/otter.md", "PROTOCOLS/Otter.md", files[0]] {
                check(rule, files, typed, Some(files[0]));
            }
            check(rule, files, "protocols", Some("Protocols"));
            check(rule, files, "protocols/heron.md", None);
        }
        check(Rule::Exact, files, files[0], Some(files[0]));
        check(Rule::Exact, files, "protocols/otter.md", None);
        let decomposed = "U\u{308}bung.md";
        check(
            Rule::CaseAndForm,
            &[decomposed],
            "\u{dc}bung.md",
            Some(decomposed),
        );
        check(
            Rule::CaseAndForm,
            &[decomposed],
            "\u{fc}BUNG.md",
            Some(decomposed),
        );
        check(Rule::Case, &[decomposed], "\u{dc}bung.md", None);
    }

    #[test]
    fn files_that_differ_by_case_or_form_are_two() {
        let files = [
            "otter.md",
            "Otter.md",
            "OTTER.MD",
            "\u{dc}.md",
            "U\u{308}.md",
        ];
        for file in files {
            check(Rule::Exact, &files, file, Some(file));
        }
        check(Rule::Case, &files, "\u{fc}.md", Some("\u{dc}.md"));
        check(Rule::Case, &files, "u\u{308}.md", Some("U\u{308}.md"));
        // Which one the system means cannot be seen in its listing.
        check(
            Rule::Case,
            &["\u{c9}", "e\u{301}"],
            "\u{e9}",
            Some("\u{e9}"),
        );
    }

    #[test]
    fn a_composed_name_is_found_if_it_is_the_only_one() {
        let (composed, decomposed) = ("a/\u{e9}\u{323}.md", "a/e\u{301}\u{323}.md");
        let other = "a/\u{1eb9}\u{301}.md";
        for (names, wanted, expected) in [
            (vec![decomposed, "a/b.md"], composed, Some(decomposed)),
            (vec![decomposed, decomposed], composed, Some(decomposed)),
            (vec![decomposed, other], composed, None),
            (vec!["A/\u{c9}\u{323}.md"], composed, None),
            (vec!["a/b.md"], "a/b.md", None),
            (vec![], composed, None),
        ] {
            assert_eq!(only_composed(names.clone(), wanted), expected, "{names:?}");
        }
    }

    proptest! {
        #[test]
        fn every_spelling_leads_to_the_listed_name(
            files in prop::collection::vec("[aAbB\u{e9}\u{c9}]{1,2}(/[aAb\u{e9}]\\.md)?", 1..6),
            is_listed_decomposed in any::<bool>(),
            rule in prop::sample::select(RULES.as_slice()),
            upper in any::<bool>(),
            is_decomposed in any::<bool>(),
        ) {
            let listed = |file: &String| if is_listed_decomposed { file.nfd().collect() } else { file.clone() };
            let files: Vec<String> = files.iter().map(listed).collect();
            let files: Vec<&str> = files.iter().map(String::as_str).collect();
            let disk = Simulated::new(rule, &files);
            let root = Path::new("/notes");
            for file in &files {
                let other: String = if upper { file.to_uppercase() } else { file.to_lowercase() };
                let other: String = if is_decomposed { other.nfd().collect() } else { other.nfc().collect() };
                for typed in [*file, &other] {
                    let found = spelled(&disk, root, typed);
                    prop_assert_eq!(found.is_some(), disk.is_there(&root.join(typed)));
                    let Some(found) = found else { continue };
                    // It is the same file, and each of its names is listed.
                    prop_assert_eq!(disk.folder_key(&root.join(&found)), disk.folder_key(&root.join(typed)));
                    let mut around = root.to_owned();
                    for name in found.split('/') {
                        prop_assert!(disk.names_in(&around).iter().any(|one| one == name), "{} of {:?}", name, &found);
                        around.push(name);
                    }
                    if rule == Rule::Exact {
                        prop_assert_eq!(found, typed);
                    }
                }
            }
        }
    }
}
