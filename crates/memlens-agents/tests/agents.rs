//! Each agent in a generated home folder: what exists is found and nothing else; what the environment or a config names
//! takes precedence over the default; and anything else at the path of a config affects only that agent.

use std::fs;
use std::path::Path;

use memlens_agents::{AGENTS, Found, Home, loaded, look, whose};
use memlens_files::System;

#[path = "agents/measured.rs"]
mod measured;

/// A temporary home folder with files.
struct Scratch(tempfile::TempDir);

impl Scratch {
    /// With these files; a name that ends in `/` is a folder.
    fn new(files: &[(&str, &str)]) -> Scratch {
        let scratch = Scratch(tempfile::tempdir().expect("a scratch folder can be made"));
        for (name, text) in files {
            scratch.write(name, text);
        }
        scratch
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.path().join(name);
        if name.ends_with('/') {
            fs::create_dir_all(path).expect("it can be made");
            return;
        }
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn home(&self) -> Home {
        Home::new(self.path())
    }
}

/// What was found, as `id [version]: folder, folder; problem; problem`, a line for each agent; paths from the home folder.
fn in_short(home: &Home, found: &[Found]) -> String {
    let lines: Vec<String> = found
        .iter()
        .map(|found| {
            let folders: Vec<String> = found.folders.iter().map(|it| home.shown(it)).collect();
            let version = found.version.as_ref().map(|it| format!(" {it}"));
            let parts: Vec<String> = std::iter::once(folders.join(", "))
                .chain(found.problems.iter().cloned())
                .collect();
            format!(
                "{}{}: {}",
                found.agent.id,
                version.unwrap_or_default(),
                parts.join("; ")
            )
        })
        .collect();
    lines.join("\n")
}

#[track_caller]
fn check(home: &Home, expected: &str) {
    assert_eq!(in_short(home, &look(home)), expected);
}

#[test]
fn an_empty_home_holds_no_agent() {
    check(&Scratch::new(&[]).home(), "");
    check(&Home::new(Path::new("/nowhere/at/all")), "");
}

#[test]
fn each_agent_is_found_at_its_own_place() {
    let scratch = Scratch::new(&[
        (".openclaw/workspace/MEMORY.md", "note"),
        (
            ".claude/projects/-home-iris-garden/memory/MEMORY.md",
            "note",
        ),
        (".claude/projects/-home-iris-house/0f.jsonl", "{}"),
        (".codex/memories/memory_summary.md", "note"),
        (".gemini/tmp/garden/memory/MEMORY.md", "note"),
        (".gemini/tmp/garden/chats/session-1.jsonl", "{}"),
        (".hermes/memories/USER.md", "note"),
        (".letta/agents/agent-1/memory/persona.md", "note"),
        (".letta/lc-local-backend/memfs/agent-2/memory/", ""),
        (".memsearch/memory/2026-11-01.md", "note"),
        ("basic-memory/note.md", "note"),
        ("Notes/yard/", ""),
        (
            ".config/qmd/index.yml",
            "collections:\n  yard:\n    path: ~/Notes/yard\n    pattern: '**/*.md'\n",
        ),
        ("viking/", ""),
        (
            ".openviking/ov.conf",
            r#"{"storage": {"workspace": "~/viking"}}"#,
        ),
        ("Tidebook/.obsidian/", ""),
    ]);
    let vault = scratch.path().join("Tidebook");
    let vaults = format!("{{\"vaults\": {{\"1f\": {{\"path\": {vault:?}, \"ts\": 1}}}}}}");
    scratch.write(".config/obsidian/obsidian.json", &vaults);
    scratch.write(
        "Library/Application Support/obsidian/obsidian.json",
        &vaults,
    );
    check(
        &scratch.home(),
        "openclaw: ~/.openclaw/workspace\n\
         claude-code: ~/.claude/projects/-home-iris-garden/memory\n\
         codex: ~/.codex/memories\n\
         gemini-cli: ~/.gemini/tmp/garden/memory\n\
         hermes: ~/.hermes/memories\n\
         letta-code: ~/.letta/agents/agent-1/memory, ~/.letta/lc-local-backend/memfs/agent-2/memory\n\
         memsearch: ~/.memsearch/memory\n\
         basic-memory: ~/basic-memory\n\
         qmd: ~/Notes/yard\n\
         openviking: ~/viking\n\
         obsidian: ~/Tidebook",
    );
    assert_eq!(look(&scratch.home()).len(), AGENTS.len());
}

#[test]
fn places_of_windows_and_macos_are_found_there() {
    let scratch = Scratch::new(&[
        ("AppData/Local/hermes/memories/USER.md", "note"),
        (".hermes/memories/USER.md", "note"),
        ("local/hermes/memories/USER.md", "note"),
        ("h/memories/USER.md", "note"),
        ("Tidebook/.obsidian/", ""),
    ]);
    let vault = scratch.path().join("Tidebook");
    let vaults = format!("{{\"vaults\": {{\"1f\": {{\"path\": {vault:?}, \"ts\": 1}}}}}}");
    for settings in ["AppData/Roaming", "Library/Application Support"] {
        scratch.write(&format!("{settings}/obsidian/obsidian.json"), &vaults);
    }
    let at = |name: &str| scratch.path().join(name);
    let windows = scratch.home().on(System::Windows);
    check(
        &windows,
        "hermes: ~/AppData/Local/hermes/memories\nobsidian: ~/Tidebook",
    );
    check(
        &windows.clone().with("LOCALAPPDATA", at("local")),
        "hermes: ~/local/hermes/memories\nobsidian: ~/Tidebook",
    );
    check(
        &windows.with("HERMES_HOME", at("h")),
        "hermes: ~/h/memories\nobsidian: ~/Tidebook",
    );
    check(
        &scratch.home().on(System::MacOs),
        "hermes: ~/.hermes/memories\nobsidian: ~/Tidebook",
    );
    check(
        &scratch.home().on(System::Linux),
        "hermes: ~/.hermes/memories",
    );
}

#[test]
fn the_environment_goes_before_the_home_folder() {
    let scratch = Scratch::new(&[
        (".claude/projects/a/memory/", ""),
        ("c/projects/b/memory/", ""),
        (".codex/memories/", ""),
        ("x/memories/", ""),
        (".hermes/memories/", ""),
        ("h/memories/", ""),
        (".openclaw/workspace/", ""),
        ("o/workspace/", ""),
        (".config/qmd/index.yml", "collections: {}"),
        ("g/qmd/index.yml", "collections: {a: {path: ~/x}}"),
    ]);
    let at = |name: &str| scratch.path().join(name);
    check(
        &scratch
            .home()
            .with("CLAUDE_CONFIG_DIR", at("c"))
            .with("CODEX_HOME", at("x"))
            .with("HERMES_HOME", at("h"))
            .with("OPENCLAW_STATE_DIR", at("o"))
            .with("XDG_CONFIG_HOME", at("g")),
        "openclaw: ~/o/workspace\n\
         claude-code: ~/c/projects/b/memory\n\
         codex: ~/x/memories\n\
         hermes: ~/h/memories\n\
         qmd: ~/x",
    );
    let files = [
        (".openclaw/workspace/", ""),
        (".openclaw-yard/workspace/", ""),
        ("named/", ""),
    ];
    for (variable, value, expected) in [
        (
            "OPENCLAW_PROFILE",
            "yard",
            "openclaw: ~/.openclaw-yard/workspace",
        ),
        ("OPENCLAW_PROFILE", "", "openclaw: ~/.openclaw/workspace"),
        (
            "OPENCLAW_PROFILE",
            "default",
            "openclaw: ~/.openclaw/workspace",
        ),
        ("OPENCLAW_WORKSPACE_DIR", "~/named", "openclaw: ~/named"),
        (
            "OPENCLAW_WORKSPACE_DIR",
            "named",
            "openclaw: ; OPENCLAW_WORKSPACE_DIR names \"named\", which is not an absolute path",
        ),
    ] {
        check(&Scratch::new(&files).home().with(variable, value), expected);
    }
}

#[test]
fn letta_code_and_memsearch_are_found_by_their_variables() {
    let scratch = Scratch::new(&[
        ("backend/memfs/agent-1/memory/", ""),
        ("named/", ""),
        ("other/memory/", ""),
        (".memsearch/memory/2026-11-01.md", "note"),
    ]);
    let home = scratch.home();
    check(&home, "memsearch: ~/.memsearch/memory");
    // Nothing else says that Letta Code is here.
    check(
        &home.clone().with("MEMORY_DIR", "~/named"),
        "memsearch: ~/.memsearch/memory",
    );
    check(
        &home
            .clone()
            .with("LETTA_LOCAL_BACKEND_DIR", "~/backend")
            .with("MEMORY_DIR", "~/named"),
        "letta-code: ~/backend/memfs/agent-1/memory, ~/named\nmemsearch: ~/.memsearch/memory",
    );
    check(
        &home.clone().with("LETTA_MEMORY_DIR", "~/named"),
        "letta-code: ~/named\nmemsearch: ~/.memsearch/memory",
    );
    check(
        &home.with("MEMSEARCH_DIR", "~/other"),
        "memsearch: ~/other/memory",
    );
}

#[test]
fn openclaw_has_a_workspace_for_each_agent() {
    let folders = [
        (".openclaw/workspace/", ""),
        (".openclaw/workspace-yard/", ""),
        ("base/yard/", ""),
        ("own/", ""),
    ];
    for (config, expected) in [
        (
            "{meta: {lastTouchedVersion: '2026.9.6'}} // JSON5",
            "openclaw 2026.9.6: ~/.openclaw/workspace",
        ),
        (
            "{agents: {entries: {main: {}}}}",
            "openclaw: ~/.openclaw/workspace",
        ),
        // The only one has the default.
        (
            "{agents: {entries: {yard: {}}}}",
            "openclaw: ~/.openclaw/workspace",
        ),
        (
            "{agents: {entries: {main: {}, yard: {}}}}",
            "openclaw: ~/.openclaw/workspace, ~/.openclaw/workspace-yard",
        ),
        (
            "{agents: {defaults: {workspace: '~/base'}, entries: {main: {}, yard: {}}}}",
            "openclaw: ~/base",
        ),
        (
            "{agents: {list: [{id: 'main'}, {id: 'yard', workspace: '~/own'}]}}",
            "openclaw: ~/.openclaw/workspace, ~/own",
        ),
        (
            "{agents: {entries: {main: {workspace: '~/gone'}, yard: {workspace: 3}}}}",
            "openclaw: ~/.openclaw/workspace, ~/.openclaw/workspace-yard; \
             the workspace of agent yard is not a text, so it is passed over; \
             agent main names ~/gone, which is not there",
        ),
        (
            "{agents: {entries: [1]}}",
            "openclaw: ~/.openclaw/workspace; agents.entries is not a list of names, so it is passed over",
        ),
    ] {
        let scratch = Scratch::new(&folders);
        scratch.write(".openclaw/openclaw.json", config);
        check(&scratch.home(), expected);
    }
}

#[test]
fn configs_name_folders() {
    let scratch = Scratch::new(&[
        ("auto/MEMORY.md", "a\n"),
        (
            ".claude/settings.json",
            r#"{"autoMemoryDirectory": "~/auto"}"#,
        ),
        ("a/", ""),
        ("b/", ""),
        (
            ".basic-memory/config.json",
            r#"{"projects": {"a": "~/a", "b": {"path": "~/b"}, "c": {"cloud": true}, "d": 4, "e": "~/e"}}"#,
        ),
    ]);
    check(
        &scratch.home(),
        "claude-code: ~/auto\n\
         basic-memory: ~/a, ~/b; the path of project d is not a text, so it is passed over; \
         project e names ~/e, which is not there",
    );
    let found = look(&scratch.home());
    assert_eq!(
        loaded(&found[0]).files[0].path,
        scratch.path().join("auto/MEMORY.md")
    );
}

#[test]
fn what_cannot_be_read_is_reported_and_the_others_are_found() {
    for (put, why) in [
        ("", "it is empty"),
        ("{", "line 1: it ends too early (object)"),
        ("{\n a b}", "line 2, column 4: expected colon"),
        ("7", "it holds no settings by name"),
        ("\u{feff}{}", ""),
    ] {
        let scratch = Scratch::new(&[(".openclaw/workspace/", ""), (".hermes/memories/", "")]);
        scratch.write(".openclaw/openclaw.json", put);
        let problem = match why {
            "" => String::new(),
            why => format!("; cannot read ~/.openclaw/openclaw.json: {why}"),
        };
        check(
            &scratch.home(),
            &format!("openclaw: ~/.openclaw/workspace{problem}\nhermes: ~/.hermes/memories"),
        );
    }
    let scratch = Scratch::new(&[
        (".openclaw/openclaw.json/", ""),
        (".claude", "a file"),
        (".codex/memories", "a file"),
        (".config/qmd/index.yml", "collections: ["),
        (".config/obsidian/obsidian.json", "null"),
        ("Library/Application Support/obsidian/obsidian.json", "null"),
    ]);
    let found = look(&scratch.home());
    let problems: Vec<String> = found
        .iter()
        .map(|found| found.problems.join("; "))
        .collect();
    assert_eq!(
        problems[0],
        "cannot read ~/.openclaw/openclaw.json: it is a folder"
    );
    assert_eq!(problems[1], "~/.claude is not a folder");
    assert_eq!(problems[2], "~/.codex/memories is not a folder");
    assert!(
        problems[3].starts_with("cannot read ~/.config/qmd/index.yml: "),
        "{problems:?}"
    );
    assert!(
        problems[4].ends_with("obsidian.json: it holds no settings by name"),
        "{problems:?}"
    );
}

#[cfg(unix)]
#[test]
fn links_are_reported_and_not_followed() {
    use std::os::unix::fs::symlink;
    let scratch = Scratch::new(&[
        ("elsewhere/memory/MEMORY.md", "secret"),
        (".claude/projects/a/", ""),
        (".hermes/", ""),
    ]);
    let at = |name: &str| scratch.path().join(name);
    symlink(at("elsewhere"), at(".claude/projects/b")).expect("links can be made");
    symlink(at("elsewhere/memory"), at(".claude/projects/a/memory")).expect("links can be made");
    symlink(at("elsewhere"), at(".hermes/memories")).expect("links can be made");
    check(
        &scratch.home(),
        "claude-code: ; ~/.claude/projects/a/memory is a link, and links are not followed: add the folder it leads to\n\
         hermes: ; ~/.hermes/memories is a link, and links are not followed: add the folder it leads to",
    );
}

#[test]
fn a_folder_in_another_is_not_listed_twice() {
    let scratch = Scratch::new(&[
        ("a/b/", ""),
        (
            ".config/qmd/index.yml",
            "collections: {one: {path: ~/a/b}, two: {path: ~/a}, three: {path: ~/a}}",
        ),
    ]);
    check(&scratch.home(), "qmd: ~/a");
}

#[test]
fn a_folder_is_of_the_agent_whose_notes_it_holds() {
    let scratch = Scratch::new(&[
        (".codex/memories/", ""),
        (".hermes/memories/", ""),
        (
            ".config/qmd/index.yml",
            "collections: {one: {path: ~/.hermes/memories}, two: {path: ~/.codex}}",
        ),
    ]);
    let found = look(&scratch.home());
    for (path, expected) in [
        (".codex/memories", Some("codex")),
        (".codex/memories/skills", Some("codex")),
        // A collection goes before a folder that is only around the notes.
        (".codex", Some("qmd")),
        (".hermes", Some("hermes")),
        (".hermes/memories", Some("hermes")),
        (".codex-other", None),
        ("", None),
    ] {
        let agent = whose(&found, &scratch.path().join(path)).map(|agent| agent.id);
        assert_eq!(agent, expected, "{path:?}");
    }
}

#[test]
fn folders_are_named_so_that_they_can_be_distinguished() {
    let scratch = Scratch::new(&[
        (".openclaw/workspace/", ""),
        (".openclaw/workspace-yard/", ""),
        (
            ".openclaw/openclaw.json",
            "{agents: {entries: {main: {}, yard: {}}}}",
        ),
        (".claude/projects/-srv-house/memory/", ""),
        (".codex/memories/", ""),
        ("Notes/Garden/", ""),
        (
            ".config/qmd/index.yml",
            "collections: {one: {path: ~/Notes/Garden}}",
        ),
    ]);
    let home = scratch
        .path()
        .to_string_lossy()
        .replace(|sign: char| !sign.is_ascii_alphanumeric(), "-");
    scratch.write(&format!(".claude/projects/{home}-garden/memory/"), "");
    let home = scratch.home();
    let names: Vec<String> = look(&home)
        .iter()
        .flat_map(|found| {
            found
                .folders
                .iter()
                .map(|folder| found.name_of(folder, &home))
        })
        .collect();
    let mut expected = vec![
        "OpenClaw",
        "OpenClaw yard",
        "Claude Code srv-house",
        "Claude Code garden",
        "Codex",
        "Garden",
    ];
    // Sorted by the made-up home's own name.
    if names[2] != expected[2] {
        expected.swap(2, 3);
    }
    assert_eq!(names, expected);
}
