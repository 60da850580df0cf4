//! Whether the headings above two sentences say that they are about different things.
//!
//! "Deploys are allowed on Fridays" under "Staging" and "Deploys are forbidden on Fridays" under "Production" are both true.
//! Two notes about one thing often have other titles too, so titles that only name a date, an occasion or a kind of note
//! ("Meeting 2026-03-01", "Notes") name no scope, and neither does a topic that the sentence names itself.
//!
//! Notes of two projects are about two things under any heading: "Requires Node 14" and "Requires Node 18" are both true of
//! two packages.

use std::collections::{BTreeMap, BTreeSet};

/// What is above a sentence.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Above {
    /// Path of the note in its folder, with `/`.
    pub path: String,
    /// The note's title and the headings above the sentence, outermost first. Without any, the name of the file counts.
    pub headings: Vec<String>,
}

/// What is not claimed to be so: conditions, examples, what was rejected.
const HYPOTHETICAL: &str = "if example sample proposal proposed rejected discarded alternative idea draft hypothetical suppose imagine scenario wrong incorrect myth misconception mistake not never dont avoid bad antipattern suggestion considered";

/// What is no longer so.
const FORMER: &str = "before old former formerly previous previously until history historical archive archived deprecated obsolete outdated legacy past superseded removed";

/// Where something is so, and not elsewhere.
const ENVIRONMENT: &str = "staging production prod sandbox canary preview demo";

/// Words that name no scope: function words, kinds of notes, occasions, and what somebody does with a note.
const GENERIC: [&str; 5] = [
    "a about above all also an and any are as at be been below by can do doe did for from get ha have here how i in into is it its me more most my new of on only or other our out over per so some than that the their them then there these thi to under up us using via was we what when where which who why will with within you your",
    "action agenda appendix article background basic category chapter checklist cheatsheet comment conclusion context convention decision description detail diary doc document documentation entry fact faq file folder further general guide guideline handbook howto important index info information intro introduction item journal key knowledge line link list log main manual memo memorie memory misc miscellaneous note number overview page paragraph part point policy preference procedure profile project question readme record reference remark report rule runbook playbook section spec specification strategy summary team term text tip title todo topic tutorial untitled useful various wiki",
    "call catchup chat conversation daily discussion followup kickoff meeting minute monthly morning afternoon evening night planning recap retro retrospective review session standup sprint sync talk task week weekly weekend day month year quarter date time today yesterday tomorrow now current currently latest recent recently status progress update",
    "add added adding change changed changing changelog config configuration configure configuring fix fixed install installation installing learned move moved op operation plan set setting setup environment system thing work started start working",
    "january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun q1 q2 q3 q4 am pm utc",
];

/// Length from which a word of hexadecimal digits is an id.
const ID_LEN: usize = 7;

fn has(list: &str, word: &str) -> bool {
    list.split(' ').any(|listed| listed == word)
}

fn is_generic(word: &str) -> bool {
    GENERIC.iter().any(|list| has(list, word))
}

/// The words of a text, lowercase and without a plural "s".
fn words(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace(['\'', '\u{2019}'], "");
    text.split(|char: char| !char.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| match word.strip_suffix('s') {
            Some(stem) if stem.len() > 2 && !stem.ends_with('s') => stem.to_owned(),
            Some(_) | None => word.to_owned(),
        })
        .collect()
}

/// Returns whether a heading names a release, such as "1.31.0" or "[v2.0.0]".
fn release(word: &str) -> Option<String> {
    let word = word.trim_matches(|char: char| !char.is_ascii_alphanumeric());
    let number = word.strip_prefix(['v', 'V']).unwrap_or(word);
    let parts: Vec<&str> = number.split('.').collect();
    let is_number =
        |part: &&str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let n_needed = if number.len() < word.len() { 1 } else { 3 };
    (parts.len() >= n_needed && parts.iter().all(is_number)).then(|| format!("version {number}"))
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a word is an id or an ordinal of a date: "4f3a9b2c", "3rd".
fn is_id(word: &str) -> bool {
    let n_digits = word.bytes().filter(u8::is_ascii_digit).count();
    let is_hex = word.len() >= ID_LEN && word.bytes().all(|byte| byte.is_ascii_hexdigit());
    let is_ordinal = ["st", "nd", "rd", "th", "t"].iter().any(|end| {
        word.strip_suffix(end)
            .is_some_and(|rest| !rest.is_empty() && is_number(rest))
    });
    n_digits > 0 && (is_hex || is_ordinal || word.len() > 2 * ID_LEN)
}

/// Returns the words of a heading that name a scope. A number or letter belongs to the word before it: "server 1".
fn scope_words(heading: &str) -> BTreeSet<String> {
    let mut found: BTreeSet<String> = heading.split_whitespace().filter_map(release).collect();
    let all = words(heading);
    let n_all = all.len();
    let mut before: Option<&str> = None;
    for (at, word) in all.iter().enumerate() {
        let is_last = at + 1 == n_all;
        let is_letter = word.len() == 1 && (is_last || word != "a") && word != "i";
        let is_year = is_number(word)
            && word.len() == 4
            && (word.starts_with("19") || word.starts_with("20"));
        if is_number(word) || is_letter {
            if let Some(named) = before.filter(|_| !is_year && word.len() < ID_LEN) {
                found.insert(format!("{named} {word}"));
            }
            before = None;
            continue;
        }
        before = None;
        // "Before you start" is no time.
        let is_advice = word == "before" && all.get(at + 1).is_some_and(|next| next == "you");
        if is_generic(word) || is_id(word) || is_advice || release(word).is_some() {
            continue;
        }
        before = Some(word);
        // "Version" alone names none.
        if word != "version" {
            found.insert(word.clone());
        }
    }
    found
}

/// Where a scope word is from: the heading that names it.
type Named<'a> = BTreeMap<String, &'a str>;

fn named<'a>(headings: &'a [String]) -> Named<'a> {
    let mut named = Named::new();
    for heading in headings {
        for word in scope_words(heading) {
            named.insert(word, heading);
        }
    }
    named
}

fn file_name(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.')
        .map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

impl Above {
    /// Returns the nearest heading, otherwise the title or the name of the file.
    pub fn nearest(&self) -> &str {
        let nearest = self.headings.last().map(String::as_str);
        nearest.unwrap_or_else(|| file_name(&self.path))
    }

    /// The headings; the name of the file if there are none.
    fn names(&self) -> Vec<String> {
        if self.headings.is_empty() && !self.path.is_empty() {
            return vec![file_name(&self.path).to_owned()];
        }
        self.headings.clone()
    }
}

/// Names of files in which versions record what they change.
const CHANGELOGS: &str = "changelog changes history news releases";

/// Returns whether a sentence records what a version changed: in a changelog, under the number of a release, or as "Bump
/// the minimum Rust version to 1.31.0". The next version records another number, and both stay true.
pub fn is_in_changelog(above: &Above, sentence: &str) -> bool {
    let file = words(file_name(&above.path));
    let is_changelog = |words: &[String]| {
        let pairs = words
            .windows(2)
            .map(|pair| (pair[0].as_str(), pair[1].as_str()));
        words
            .iter()
            .any(|word| matches!(word.as_str(), "changelog" | "whatsnew"))
            || pairs
                .into_iter()
                .any(|pair| matches!(pair, ("change", "log") | ("release", "note")))
    };
    let is_release = |heading: &String| {
        let first = heading.split_whitespace().next().and_then(release);
        first.is_some_and(|release| release.matches('.').count() > 1)
    };
    let name = file_name(&above.path).to_lowercase();
    let is_file = has(CHANGELOGS, &name) || is_changelog(&file);
    let mut headings = above.headings.iter();
    let first = words(sentence).into_iter().next();
    is_file
        || headings.any(|heading| is_release(heading) || is_changelog(&words(heading)))
        || first.is_some_and(|first| matches!(first.as_str(), "bump" | "bumped"))
}

/// Returns the heading of each side that says that the sentences are about different things, or that one of them is only an
/// example, a proposal or of an earlier time; `None` if no heading says so. Symmetric.
pub fn other_scope(above: [&Above; 2], sentences: [&str; 2]) -> Option<[String; 2]> {
    let names = above.map(Above::names);
    let named = [named(&names[0]), named(&names[1])];
    let said: BTreeSet<String> = sentences
        .iter()
        .flat_map(|sentence| words(sentence))
        .collect();
    let only = |at: usize| -> Vec<&str> {
        let words = named[at].keys();
        words
            .filter(|word| !named[1 - at].contains_key(*word))
            .map(String::as_str)
            .collect()
    };
    let only = [only(0), only(1)];
    let is_said = |word: &&str| said.contains(*word);
    let is_marker = |word: &&str| {
        let is_version = word.starts_with("version ");
        has(FORMER, word) || is_version || has(ENVIRONMENT, word) && !is_said(word)
    };
    let is_hypothetical = |word: &&str| has(HYPOTHETICAL, word);
    // "Guest users" and "Banned users": headings that share a word tell apart what they do not share.
    let is_contrast = named[0].keys().any(|word| named[1].contains_key(word));
    let telling = |at: usize| -> Vec<&str> {
        let words = only[at].iter().copied();
        words.filter(|word| is_contrast || !is_said(word)).collect()
    };
    let telling = [telling(0), telling(1)];
    let is_different = telling.iter().all(|words| !words.is_empty())
        && telling.iter().flatten().any(|word| !is_said(word));
    // "old.md" may be the older of two notes.
    let is_marked = (0..2).any(|at| {
        let mut words = only[at].iter();
        words.any(|word| is_marker(word) && (!has(FORMER, word) || !above[at].headings.is_empty()))
    });
    let is_claimed = !named
        .iter()
        .flat_map(BTreeMap::keys)
        .any(|word| is_hypothetical(&word.as_str()));
    if !is_different && !is_marked && is_claimed {
        return None;
    }
    let label = |at: usize| -> String {
        let marked = only[at]
            .iter()
            .copied()
            .find(|word| is_marker(word) || is_hypothetical(word));
        let telling = telling[at].iter().copied();
        // Of several headings the nearest.
        let nearest = telling
            .filter_map(|word| names[at].iter().rposition(|name| name == named[at][word]))
            .max();
        marked
            .and_then(|word| named[at].get(word).copied())
            .or_else(|| nearest.map(|name| names[at][name].as_str()))
            .or_else(|| names[at].last().map(String::as_str))
            .unwrap_or_default()
            .to_owned()
    };
    Some([label(0), label(1)])
}

/// Where a note is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Location {
    /// Name of the watched folder, unique among them.
    pub folder: String,
    /// Path of the note in it, with `/`.
    pub path: String,
    /// Path in it of the nearest folder around the note that is the root of a project, empty for the watched folder itself;
    /// `None` if the note is in no project.
    pub project: Option<String>,
}

impl Location {
    /// Returns the folder of a note that describes the folder it is in.
    fn described(&self) -> Option<&str> {
        let is_readme = file_name(&self.path).eq_ignore_ascii_case("readme");
        is_readme.then(|| self.path.rsplit_once('/').map_or("", |(folder, _)| folder))
    }

    /// Returns a folder's path on screen.
    fn shown(&self, folder: &str) -> String {
        match folder {
            "" => self.folder.clone(),
            folder => format!("{}/{folder}", self.folder),
        }
    }
}

/// Returns what each note is about, if they are in two projects, or describe two folders of which none holds the other;
/// `None` otherwise. Symmetric.
pub fn other_project(notes: [&Location; 2]) -> Option<[String; 2]> {
    let [a, b] = notes;
    if let (Some(of_a), Some(of_b)) = (&a.project, &b.project)
        && (&a.folder, of_a) != (&b.folder, of_b)
    {
        return Some([
            format!("project {}", a.shown(of_a)),
            format!("project {}", b.shown(of_b)),
        ]);
    }
    let (of_a, of_b) = (a.described()?, b.described()?);
    let holds = |outer: &str, inner: &str| {
        let below = inner.strip_prefix(outer);
        below.is_some_and(|below| outer.is_empty() || below.is_empty() || below.starts_with('/'))
    };
    let is_one = a.folder == b.folder && (holds(of_a, of_b) || holds(of_b, of_a));
    (!is_one).then(|| {
        [
            format!("folder {}", a.shown(of_a)),
            format!("folder {}", b.shown(of_b)),
        ]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn projects(a: (&str, Option<&str>), b: (&str, Option<&str>)) -> Option<String> {
        let location = |(place, project): (&str, Option<&str>)| {
            let (folder, path) = place.split_once(':').expect("it has a folder");
            Location {
                folder: folder.to_owned(),
                path: path.to_owned(),
                project: project.map(str::to_owned),
            }
        };
        let (a, b) = (location(a), location(b));
        let found = other_project([&a, &b]);
        let swapped = other_project([&b, &a]);
        assert_eq!(found, swapped.map(|[b, a]| [a, b]), "symmetric");
        found.map(|[a, b]| format!("{a} / {b}"))
    }

    #[test]
    fn notes_of_two_projects_are_about_two_things() {
        for (a, b, expected) in [
            (
                ("code:a/docs/install.md", Some("a")),
                ("code:b/docs/install.md", Some("b")),
                Some("project code/a / project code/b"),
            ),
            (
                ("code:README.md", Some("")),
                ("code:a/README.md", Some("a")),
                Some("project code / project code/a"),
            ),
            (
                ("relay:notes.md", Some("")),
                ("boat:notes.md", Some("")),
                Some("project relay / project boat"),
            ),
            (
                ("code:a/x.md", Some("a")),
                ("code:a/y/z.md", Some("a")),
                None,
            ),
            (("code:a/x.md", Some("a")), ("code:diary.md", None), None),
            (
                ("notes:iris/relay.md", None),
                ("notes:otto/relay.md", None),
                None,
            ),
        ] {
            assert_eq!(projects(a, b).as_deref(), expected, "{a:?} {b:?}");
        }
    }

    #[test]
    fn readmes_of_two_folders_are_about_two_things() {
        let readmes = |a, b| projects((a, None), (b, None));
        for (a, b, expected) in [
            (
                "code:a/README.md",
                "code:b/readme.txt",
                Some("folder code/a / folder code/b"),
            ),
            (
                "code:a/README.md",
                "code:ab/README.md",
                Some("folder code/a / folder code/ab"),
            ),
            (
                "relay:README.md",
                "boat:README.md",
                Some("folder relay / folder boat"),
            ),
            ("code:README.md", "code:a/README.md", None),
            ("code:a/README.md", "code:a/b/README.md", None),
            ("code:a/README.md", "code:a/readme.txt", None),
            ("code:a/README.md", "code:b/relay.md", None),
        ] {
            assert_eq!(readmes(a, b).as_deref(), expected, "{a} {b}");
        }
    }

    const SENTENCES: [&str; 2] = [
        "The push relay listens on port 8093.",
        "The push relay listens on port 8443.",
    ];

    fn above(place: &str) -> Above {
        let (path, headings) = place.split_once(':').unwrap_or((place, ""));
        let headings = headings
            .split('>')
            .map(str::trim)
            .filter(|part| !part.is_empty());
        Above {
            path: path.to_owned(),
            headings: headings.map(str::to_owned).collect(),
        }
    }

    fn scopes(a: &str, b: &str, sentences: [&str; 2]) -> Option<String> {
        let (a, b) = (above(a), above(b));
        let found = other_scope([&a, &b], sentences);
        let swapped = other_scope([&b, &a], [sentences[1], sentences[0]]);
        assert_eq!(found, swapped.map(|[b, a]| [a, b]), "symmetric");
        found.map(|[a, b]| format!("{a} / {b}"))
    }

    #[test]
    fn headings_that_name_two_things_tell_sentences_apart() {
        for (a, b, expected) in [
            (
                "a.md:Staging environment",
                "b.md:Production environment",
                "Staging environment / Production environment",
            ),
            (
                "a.md:If we migrate to Kubernetes",
                "b.md:Today",
                "If we migrate to Kubernetes / Today",
            ),
            (
                "a.md:Server alpha > Ports",
                "b.md:Server beta > Ports",
                "Server alpha / Server beta",
            ),
            ("a.md:Server 1", "b.md:Server 2", "Server 1 / Server 2"),
            (
                "a.md:API version 1",
                "b.md:API version 2",
                "API version 1 / API version 2",
            ),
            (
                "a.md:Free plan",
                "b.md:Trial plan",
                "Free plan / Trial plan",
            ),
            (
                "a.md:Before the move (2019)",
                "b.md:After the move",
                "Before the move (2019) / After the move",
            ),
            (
                "a.md:Rules > Example of a bad rule",
                "b.md:Rules",
                "Example of a bad rule / Rules",
            ),
            (
                "a.md:Relay > Rejected proposal",
                "b.md:Relay",
                "Rejected proposal / Relay",
            ),
            (
                "a.md:Changes > 1.31.0",
                "b.md:Changes > 1.42.0",
                "1.31.0 / 1.42.0",
            ),
            (
                "a.md:Customer Acme",
                "b.md:Customer Globex",
                "Customer Acme / Customer Globex",
            ),
            ("a.md:Example", "b.md:Example", "Example / Example"),
            ("staging.md", "production.md", "staging / production"),
            ("staging.md", "notes.md", "staging / notes"),
        ] {
            assert_eq!(
                scopes(a, b, SENTENCES).as_deref(),
                Some(expected),
                "{a} {b}"
            );
        }
        let guests = [
            "Guests are allowed to post comments.",
            "Guests are not allowed to post comments.",
        ];
        let found = scopes("a.md:Guest users", "b.md:Banned users", guests);
        assert_eq!(found.as_deref(), Some("Guest users / Banned users"));
    }

    #[test]
    fn records_of_versions_are_changelogs() {
        let bump = "Bump MSRV to 1.31.0";
        for (place, sentence, expected) in [
            ("CHANGELOG.md", SENTENCES[0], true),
            ("pkg/HISTORY.md:1.0", SENTENCES[0], true),
            ("release-notes.md", SENTENCES[0], true),
            ("README.md:serde > Changelog > 2024", SENTENCES[0], true),
            ("a.md:[1.31.0] - 2024-01-01", SENTENCES[0], true),
            ("a.md", bump, true),
            ("a.md:Relay > 1. Ports", SENTENCES[0], false),
            ("a.md:v2", SENTENCES[0], false),
            ("new.md", SENTENCES[0], false),
            ("changes-of-the-relay.md", SENTENCES[0], false),
        ] {
            assert_eq!(
                is_in_changelog(&above(place), sentence),
                expected,
                "{place} {sentence}"
            );
        }
    }

    #[test]
    fn titles_of_dates_occasions_and_topics_name_no_scope() {
        for (a, b) in [
            ("2026-03-01.md", "2026-05-08.md"),
            ("a.md:Meeting 2026-03-01", "b.md:Meeting 8 May 2026"),
            ("a.md:Meeting 3", "b.md:Standup 12 > Decisions"),
            ("a.md:Notes", "b.md:Weekly review"),
            ("a.md:Ops", "b.md:Ops notes"),
            ("a.md:Push relay", "b.md:Relay port decision"),
            ("a.md:Push relay", "b.md:Infrastructure"),
            ("a.md:Relay configuration", "b.md:Relay runbook"),
            ("a.md:1. Introduction", "b.md:3.2 Ports"),
            ("a.md:Before you start", "b.md:Setup"),
            ("4f3a9b2c1d.md", "session-20260301T1200.md"),
            ("2025/relay.md", "2026/relay.md"),
            ("iris/relay.md:Relay", "otto/relay.md"),
            ("old.md", "new.md"),
            ("MEMORY.md", "memory/2026-03-01.md"),
        ] {
            assert_eq!(scopes(a, b, SENTENCES), None, "{a} {b}");
        }
        // What the sentence says itself needs no heading.
        let staging = [
            "The staging relay is encrypted at rest.",
            "The staging relay is not encrypted at rest.",
        ];
        assert_eq!(scopes("a.md:Staging", "b.md:Notes", staging), None);
    }
}
