//! Which notes each program's own search finds, by the configs of a made-up home.
//!
//! Properties checked: what is listed is judged as searched, and every other file of the tree has a cause; each cause by a file of
//! its own; agents of one program have indexes of their own; settings of every edition are read.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use memlens_agents::{Home, Index, NotSearched, Searched, Share, look};

const LONG: Duration = Duration::from_secs(600);

struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new(files: &[(&str, &str)]) -> Scratch {
        let scratch = Scratch(tempfile::tempdir().expect("a scratch folder can be made"));
        for (name, text) in files {
            let path = scratch.0.path().join(name);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
            fs::write(path, text).expect("it can be written");
        }
        scratch
    }

    fn openclaw(config: &str, notes: &[&str]) -> Scratch {
        let mut files = vec![(".openclaw/openclaw.json", config)];
        files.extend(notes.iter().map(|path| (*path, "A note.\n")));
        Scratch::new(&files)
    }

    /// The home folder, with links in its path resolved.
    fn path(&self) -> PathBuf {
        self.0.path().canonicalize().expect("it is there")
    }

    fn home(&self) -> Home {
        Home::new(&self.path())
    }

    fn searched(&self, agent: &str) -> Searched {
        Searched::of(&self.home(), agent).expect("its rules are known")
    }

    /// Every file of a folder.
    fn all(&self, below: &str) -> BTreeSet<PathBuf> {
        let mut files = BTreeSet::new();
        let mut folders = vec![self.path().join(below)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("it can be listed") {
                let path = entry.expect("it can be looked at").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.insert(path);
                }
            }
        }
        files
    }
}

fn names(index: &Index) -> Vec<String> {
    let listed = index.files(LONG);
    assert!(!listed.is_partial, "{listed:?}");
    listed.files.into_iter().map(|it| it.name).collect()
}

fn cause(searched: &Searched, path: &Path) -> Option<NotSearched> {
    searched.judge(path).err().map(|it| it.cause)
}

#[test]
fn openclaw_indexes_by_its_own_rules() {
    let scratch = Scratch::openclaw(
        "{meta: {lastTouchedVersion: '2026.9.6'}}",
        &[
            ".openclaw/workspace/MEMORY.md",
            ".openclaw/workspace/USER.md",
            ".openclaw/workspace/memory.md",
            ".openclaw/workspace/AGENTS.md",
            ".openclaw/workspace/SOUL.md",
            ".openclaw/workspace/TOOLS.md",
            ".openclaw/workspace/projects/router.md",
            ".openclaw/workspace/memory/2026-11-02.md",
            ".openclaw/workspace/memory/deep/er/a.md",
            ".openclaw/workspace/memory/.hidden/b.md",
            ".openclaw/workspace/memory/.c.md",
            ".openclaw/workspace/memory/ignored.md",
            ".openclaw/workspace/memory/list.txt",
            ".openclaw/workspace/memory/UP.MD",
            ".openclaw/workspace/memory/.openclaw-repair/d.md",
        ],
    );
    let ignore = ".openclaw/workspace/.gitignore";
    fs::write(scratch.path().join(ignore), "memory/ignored.md\n").expect("it can be written");
    let searched = scratch.searched("openclaw");
    let index = searched.index(None).expect("there is one");
    let found = [
        "MEMORY.md",
        "USER.md",
        "memory/.c.md",
        "memory/.hidden/b.md",
        "memory/2026-11-02.md",
        "memory/deep/er/a.md",
        "memory/ignored.md",
    ];
    assert_eq!(names(index), found);
    let workspace = scratch.path().join(".openclaw/workspace");
    for path in scratch.all(".openclaw/workspace") {
        let name = path.strip_prefix(&workspace).expect("it is in it");
        let is_found = found.iter().any(|it| Path::new(it) == name);
        assert_eq!(searched.judge(&path).is_ok(), is_found, "{name:?}");
        assert_eq!(index.name_of(&path).is_some(), is_found, "{name:?}");
    }
    for (path, expected) in [
        ("AGENTS.md", NotSearched::OutsideMemory),
        ("memory.md", NotSearched::OutsideMemory),
        ("projects/router.md", NotSearched::OutsideMemory),
        ("memory/list.txt", NotSearched::Kind),
        ("memory/UP.MD", NotSearched::Kind),
        ("memory/.openclaw-repair/d.md", NotSearched::SkippedName),
        ("../../vault/a.md", NotSearched::Elsewhere),
    ] {
        let path = match path.strip_prefix("../../") {
            Some(outside) => scratch.path().join(outside),
            None => workspace.join(path),
        };
        assert_eq!(cause(&searched, &path), Some(expected), "{path:?}");
    }
    let unsearched = searched
        .judge(&workspace.join("AGENTS.md"))
        .expect_err("it is not indexed");
    assert_eq!(
        (unsearched.reason.as_str(), unsearched.advice.as_str()),
        (
            "Of its workspace OpenClaw indexes only MEMORY.md, USER.md and the Markdown files below memory/.",
            "Move the note below memory/, or add its folder to memory.search.extraPaths in ~/.openclaw/openclaw.json."
        )
    );
    for (version, expected) in [
        ("2026.7.35", vec!["MEMORY.md"]),
        ("2026.2", vec!["MEMORY.md", "memory.md"]),
    ] {
        let names = names(&index.clone().as_of(version));
        let top: Vec<&String> = names.iter().filter(|it| !it.contains('/')).collect();
        assert_eq!(top, expected, "{version}");
    }
}

#[test]
fn extra_paths_of_every_edition_are_searched_and_watched() {
    let notes = [
        ".openclaw/workspace/MEMORY.md",
        "vault/kettle.md",
        "vault/.hidden/a.md",
        "vault/b.txt",
        "single/c.md",
        "single/d.md",
    ];
    let all = [
        "../../vault/.hidden/a.md",
        "../../vault/kettle.md",
        "MEMORY.md",
    ];
    for (config, expected) in [
        (
            "{meta: {lastTouchedVersion: '2026.9.2'}, memory: {search: {extraPaths: [{path: '../../vault', pattern: '**/*.md'}]}}}",
            // Wildcards match nothing hidden.
            vec!["../../vault/kettle.md", "MEMORY.md"],
        ),
        (
            "{memory: {search: {extraPaths: ['~/vault']}}}",
            all.to_vec(),
        ),
        (
            "{agents: {entries: {main: {memory: {search: {extraPaths: [' ../../vault/. ']}}}}}}",
            all.to_vec(),
        ),
        (
            "{meta: {lastTouchedVersion: '2026.7.1'}, agents: {defaults: {memorySearch: {extraPaths: ['~/vault']}}}}",
            all.to_vec(),
        ),
        (
            "{meta: {lastTouchedVersion: '2026.1.9'}, memorySearch: {extraPaths: ['../../vault']}}",
            all.to_vec(),
        ),
        // The key of another edition names nothing.
        (
            "{meta: {lastTouchedVersion: '2026.9.2'}, agents: {defaults: {memorySearch: {extraPaths: ['~/vault']}}}}",
            vec!["MEMORY.md"],
        ),
        (
            "{memory: {search: {extraPaths: ['~/single/c.md', '', 3, {path: '~/gone'}]}}}",
            vec!["../../single/c.md", "MEMORY.md"],
        ),
    ] {
        let scratch = Scratch::openclaw(config, &notes);
        let searched = scratch.searched("openclaw");
        assert_eq!(
            names(searched.index(None).expect("there is one")),
            expected,
            "{config}"
        );
        let found = look(&scratch.home());
        let vault = scratch.path().join("vault");
        let is_listed = found[0].folders.contains(&vault);
        assert_eq!(
            is_listed,
            expected.contains(&"../../vault/kettle.md"),
            "{config}"
        );
    }
    let scratch = Scratch::openclaw(
        "{memory: {search: {extraPaths: [{path: '~/vault', pattern: 'k*.md'}]}}}",
        &["vault/kettle.md", "vault/soup.md", "vault/kettle.txt"],
    );
    let searched = scratch.searched("openclaw");
    let at = |name: &str| scratch.path().join("vault").join(name);
    assert_eq!(cause(&searched, &at("kettle.md")), None);
    let index = searched.index(None).expect("there is one");
    let folder = scratch.path().join("vault");
    assert_eq!(index.folder_of(&at("kettle.md")), Some(folder.as_path()));
    assert_eq!(index.folder_of(&at("soup.md")), None);
    assert_eq!(cause(&searched, &at("soup.md")), Some(NotSearched::Pattern));
}

/// As the published programs 2026.9.6 and 2026.7.35 listed them; 2026.2 by its code.
#[test]
fn a_workspace_of_every_kind_of_note_is_indexed_as_the_real_programs_did() {
    let always = [
        "memory/.git/y.md",
        "memory/.hid/x.md",
        "memory/.hidden.md",
        "memory/.md",
        "memory/AGENTS.md",
        "memory/MEMORY.md",
        "memory/README.md",
        "memory/USER.md",
        "memory/folder.md/z.md",
        "memory/memory.md",
        "memory/node_modules/m.md",
    ];
    let never = [
        "AGENTS.md",
        "DREAMS.md",
        "HEARTBEAT.md",
        "Memory.md",
        "memory/Mixed.Md",
        "memory/a.jsonl",
        "memory/a.markdown",
        "memory/a.md.bak",
        "memory/a.txt",
        "memory/UP.MD",
        "user.md",
    ];
    let by_edition = [
        "MEMORY.md",
        "USER.md",
        "memory.md",
        "memory/.openclaw-repair/r.md",
    ];
    let in_workspace = |name: &&str| format!(".openclaw/workspace/{name}");
    let notes: Vec<String> = always
        .iter()
        .chain(&never)
        .chain(&by_edition)
        .map(in_workspace)
        .collect();
    let notes: Vec<&str> = notes.iter().map(String::as_str).collect();
    for (version, own) in [
        ("2026.9.6", vec!["MEMORY.md", "USER.md"]),
        ("2026.7.35", vec!["MEMORY.md"]),
        (
            "2026.2.12",
            vec!["MEMORY.md", "memory.md", "memory/.openclaw-repair/r.md"],
        ),
    ] {
        let config = format!("{{meta: {{lastTouchedVersion: '{version}'}}}}");
        let scratch = Scratch::openclaw(&config, &notes);
        let expected: BTreeSet<&str> = always.iter().chain(&own).copied().collect();
        let searched = scratch.searched("openclaw");
        let found = names(searched.index(None).expect("there is one"));
        let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(found, expected, "{version}");
    }
    // The whole workspace by extraPaths: also what is at its top, but never the lower-case file.
    for (version, config) in [
        ("2026.9.6", "memory: {search: {extraPaths: ['.']}}"),
        (
            "2026.7.35",
            "agents: {defaults: {memorySearch: {extraPaths: ['.']}}}",
        ),
    ] {
        let config = format!("{{meta: {{lastTouchedVersion: '{version}'}}, {config}}}");
        let scratch = Scratch::openclaw(&config, &notes);
        let searched = scratch.searched("openclaw");
        let found = names(searched.index(None).expect("there is one"));
        for name in ["AGENTS.md", "DREAMS.md", "USER.md", "user.md"] {
            assert!(
                found.iter().any(|it| it == name),
                "{version}: {name} in {found:?}"
            );
        }
        assert!(
            !found.iter().any(|it| it == "memory.md"),
            "{version}: {found:?}"
        );
    }
    let scratch = Scratch::openclaw(
        "{memory: {search: {extraPaths: ['memory.md', '~/x*', '~/single/c.MD']}}}",
        &[".openclaw/workspace/memory.md", "x1/a.md", "single/c.MD"],
    );
    let searched = scratch.searched("openclaw");
    assert_eq!(names(searched.index(None).expect("there is one")), [""; 0]);
}

#[test]
fn a_whole_home_is_not_proposed() {
    let scratch = Scratch::openclaw(
        "{memory: {search: {extraPaths: ['~', '/']}}}",
        &[".openclaw/workspace/MEMORY.md"],
    );
    let folders = &look(&scratch.home())[0].folders;
    assert_eq!(*folders, [scratch.path().join(".openclaw/workspace")]);
}

#[test]
fn each_agent_searches_its_own_workspace() {
    let scratch = Scratch::openclaw(
        "{agents: {entries: {Yard: {memory: {search: {enabled: false}}}, main: {}, own: {workspace: '~/own'}}}}",
        &[
            ".openclaw/workspace/memory/a.md",
            ".openclaw/workspace-yard/memory/b.md",
            "own/memory/c.md",
        ],
    );
    let searched = scratch.searched("openclaw");
    let of = |member: Option<&str>| {
        let index = searched.index(member).expect("there is one");
        (index.member.as_str(), names(index))
    };
    let expected = |member, name: &str| (member, vec![name.to_owned()]);
    assert_eq!(of(None), expected("main", "memory/a.md"));
    assert_eq!(of(Some("own")), expected("own", "memory/c.md"));
    assert_eq!(of(Some("yard")), ("yard", Vec::new()));
    let other = scratch.path().join("own/memory/c.md");
    assert_eq!(searched.judge(&other), Ok(()));
    let unsearched = searched
        .judge_as(Some("main"), &other)
        .expect_err("another's");
    assert_eq!(unsearched.cause, NotSearched::OtherWorkspace);
    let off = searched
        .judge_as(Some("yard"), &other)
        .expect_err("it is off");
    assert_eq!(off.cause, NotSearched::SwitchedOff);
    assert_eq!(
        off.reason,
        "OpenClaw's search is switched off in ~/.openclaw/openclaw.json: agents.entries.Yard.memory.search.enabled is false."
    );
}

#[test]
fn no_agent_keeps_the_first_workspace_if_ownership_is_explicit() {
    let files = [
        ".openclaw/workspace/memory/a.md",
        ".openclaw/workspace-main/memory/b.md",
        ".openclaw/workspace-yard/memory/c.md",
    ];
    let main = |config, files| {
        let scratch = Scratch::openclaw(config, files);
        let searched = scratch.searched("openclaw");
        names(searched.index(Some("main")).expect("there is one"))
    };
    let explicit = "{agents: {ownership: 'explicit', entries: {main: {}, yard: {}}}}";
    assert_eq!(main(explicit, &files), ["memory/b.md"]);
    // Its own workspace is not there yet.
    assert!(main(explicit, &files[..1]).is_empty());
    let alone = "{agents: {ownership: 'explicit', entries: {main: {}}}}";
    assert_eq!(main(alone, &files), ["memory/a.md"]);
}

#[test]
fn switches_of_every_edition_act() {
    for (config, expected) in [
        ("{memory: {search: {enabled: true}}}", None),
        (
            "{memory: {search: {sources: ['sessions']}}}",
            Some("memory.search.sources names sessions alone"),
        ),
        (
            "{memory: {search: {sources: ['sessions', 'memory']}}}",
            None,
        ),
        (
            "{memory: {search: {sources: ['sessions'], rememberAcrossConversations: false}}}",
            None,
        ),
        (
            "{meta: {lastTouchedVersion: '2026.7.1'}, agents: {defaults: {memorySearch: {sources: ['sessions']}}}}",
            None,
        ),
        (
            "{meta: {lastTouchedVersion: '2026.7.1'}, agents: {defaults: {memorySearch: {enabled: false}}}}",
            Some("agents.defaults.memorySearch.enabled is false"),
        ),
        (
            "{memory: {search: {enabled: false}}, agents: {entries: {main: {memory: {search: {enabled: true}}}}}}",
            None,
        ),
    ] {
        let scratch = Scratch::openclaw(config, &[".openclaw/workspace/MEMORY.md"]);
        let searched = scratch.searched("openclaw");
        let index = searched.index(None).expect("there is one");
        assert_eq!(index.switched_off.as_deref(), expected, "{config}");
    }
}

#[test]
fn included_files_and_the_scope_of_direct_messages_count() {
    let search = |included: &str, session: &str| {
        let config = format!("{{memory: {{$include: './search.json5'}}, session: {session}}}");
        let scratch = Scratch::openclaw(
            &config,
            &[".openclaw/workspace/MEMORY.md", "vault/kettle.md"],
        );
        let path = scratch.path().join(".openclaw/search.json5");
        fs::write(path, included).expect("it can be written");
        let searched = scratch.searched("openclaw");
        let index = searched.index(None).expect("there is one");
        (index.switched_off.clone(), names(index))
    };
    let found = |names: &[&str]| names.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
    let off = |said: &str| (Some(said.to_owned()), found(&[]));
    assert_eq!(
        search("{search: {extraPaths: ['../../vault']}}", "{}"),
        (None, found(&["../../vault/kettle.md", "MEMORY.md"]))
    );
    assert_eq!(
        search("{search: {enabled: false}}", "{}"),
        off("memory.search.enabled is false")
    );
    let sessions = "{search: {sources: ['sessions']}}";
    assert_eq!(
        search(sessions, "{}"),
        off("memory.search.sources names sessions alone")
    );
    // Each sender has a conversation of its own, so no transcript is searched, and notes are.
    assert_eq!(
        search(sessions, "{dmScope: 'per-peer'}"),
        (None, found(&["MEMORY.md"]))
    );
    // An include that cannot be read leaves the rest of the config.
    assert_eq!(search("{search: ", "{}"), (None, found(&["MEMORY.md"])));
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_and_a_listing_ends() {
    let scratch = Scratch::openclaw(
        "{memory: {search: {extraPaths: ['~/link', '~/loop']}}}",
        &[
            ".openclaw/workspace/memory/a.md",
            "elsewhere/secret.md",
            "loop/b.md",
        ],
    );
    let at = |name: &str| scratch.path().join(name);
    let link = |to: &str, from: &str| {
        std::os::unix::fs::symlink(at(to), at(from)).expect("links can be made");
    };
    link("elsewhere", "link");
    link("loop", "loop/again");
    link(
        "elsewhere/secret.md",
        ".openclaw/workspace/memory/secret.md",
    );
    link("elsewhere/secret.md", ".openclaw/workspace/MEMORY.md");
    let searched = scratch.searched("openclaw");
    let index = searched.index(None).expect("there is one");
    assert_eq!(names(index), ["../../loop/b.md", "memory/a.md"]);
    assert!(index.files(Duration::ZERO).is_partial);
}

#[test]
fn qmd_indexes_what_the_pattern_of_a_collection_names() {
    let scratch = Scratch::new(&[
        (
            ".config/qmd/index.yml",
            "collections:\n  yard:\n    path: ~/notes\n  lists:\n    path: ~/lists\n    pattern: '*.txt'\n",
        ),
        ("notes/a.md", "x"),
        ("notes/.b.md", "x"),
        ("notes/.c/d.md", "x"),
        ("notes/node_modules/e.md", "x"),
        ("notes/f.txt", "x"),
        ("lists/g.txt", "x"),
    ]);
    let searched = scratch.searched("qmd");
    let index = searched.index(None).expect("there is one");
    assert_eq!(names(index), ["lists/g.txt", "yard/a.md"]);
    let judged = |name: &str| cause(&searched, &scratch.path().join("notes").join(name));
    assert_eq!(judged(".b.md"), Some(NotSearched::SkippedName));
    assert_eq!(judged("node_modules/e.md"), Some(NotSearched::SkippedName));
    assert_eq!(judged("f.txt"), Some(NotSearched::Pattern));
}

#[test]
fn programs_whose_rules_are_not_known_have_none() {
    let scratch = Scratch::new(&[(".claude/projects/a/memory/MEMORY.md", "x")]);
    assert!(Searched::of(&scratch.home(), "claude-code").is_none());
    assert!(Searched::of(&scratch.home(), "openclaw").is_none());
    assert!(Searched::of(&scratch.home(), "qmd").is_none());
}

#[test]
fn each_agent_has_its_own_share_of_a_folder() {
    let config = "{
        agents: {
            defaults: {workspace: '~/shared'},
            entries: {
                main: {default: true},
                work: {workspace: '~/work', memory: {search: {extraPaths: ['~/vault',
                    {path: '~/all', pattern: '**/*.md'}, {path: '~/some', pattern: 'team/*.md'}]}}},
                inner: {},
                Other: {workspace: '~/other/nested'},
            },
        },
    }";
    let scratch = Scratch::openclaw(
        config,
        &[
            "shared/MEMORY.md",
            "shared/inner/MEMORY.md",
            "work/MEMORY.md",
            "work/memory/a.md",
            "vault/deep/b.md",
            "all/d.md",
            "some/private/e.md",
            "some/team/f.md",
            "other/nested/MEMORY.md",
            "unrelated/c.md",
        ],
    );
    let searched = scratch.searched("openclaw");
    for (member, folder, expected) in [
        ("work", "work", Share::Whole),
        ("Work", "work/memory", Share::Whole),
        ("work", "vault", Share::Whole),
        ("work", "vault/deep", Share::Whole),
        ("work", "all", Share::Whole),
        // The pattern may leave notes out.
        ("work", "some", Share::Part),
        ("work", "some/team", Share::Part),
        ("main", "some", Share::Nothing),
        ("work", "shared", Share::Nothing),
        ("work", "unrelated", Share::Nothing),
        ("work", "", Share::Part),
        ("main", "work", Share::Nothing),
        ("main", "vault", Share::Nothing),
        // The workspace of another agent is inside.
        ("main", "shared", Share::Part),
        ("main", "shared/memory", Share::Whole),
        ("main", "shared/inner", Share::Nothing),
        ("inner", "shared", Share::Part),
        ("inner", "shared/inner", Share::Whole),
        ("other", "other", Share::Part),
        ("other", "other/nested", Share::Whole),
    ] {
        let path = scratch.path().join(folder);
        let path = if folder.is_empty() {
            scratch.path()
        } else {
            path
        };
        assert_eq!(
            searched.share(member, &path),
            Some(expected),
            "{member} {folder}"
        );
    }
    assert_eq!(searched.share("nobody", &scratch.path().join("work")), None);
}
