//! Each agent in a generated home folder: what exists is found and nothing else; what the environment or a config names
//! takes precedence over the default; and anything else at the path of a config affects only that agent.

use std::fs;
use std::path::Path;

use memlens_agents::{AGENTS, Cut, Found, Home, loaded, look, whose};
use memlens_files::System;

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

/// Rows as `name used/cap unit cut`.
fn measured(scratch: &Scratch) -> Vec<String> {
    measured_in(&scratch.home())
}

fn measured_in(home: &Home) -> Vec<String> {
    let found = look(home);
    let rows = found.iter().flat_map(|found| loaded(found).rows);
    rows.map(|row| {
        let cut = match row.cut {
            Cut::None => String::new(),
            Cut::FromLine(line) => format!(" from {line} of {}", row.n_lines),
            Cut::Middle { from, again } => format!(" from {from}, again {again}"),
            Cut::Files => " in all".to_owned(),
        };
        let entries = row
            .entries
            .map(|(past, all)| format!(", {past} of {all} entries"));
        let name = row.path.file_name().expect("it has a name").display();
        let cap = row.cap.map_or("whole".to_owned(), |cap| cap.to_string());
        format!(
            "{name} {}/{cap} {}{cut}{}",
            row.used,
            row.unit.name(),
            entries.unwrap_or_default()
        )
    })
    .collect()
}

#[test]
fn claude_code_loads_lines_or_characters_whichever_is_first() {
    let scratch = Scratch::new(&[(".claude/projects/a/memory/MEMORY.md", &"line\n".repeat(412))]);
    assert_eq!(
        measured(&scratch),
        [
            "MEMORY.md 412/200 lines from 201 of 412",
            "MEMORY.md 2059/25000 characters"
        ]
    );
    scratch.write(
        ".claude/projects/a/memory/MEMORY.md",
        &format!("{}\n", "x".repeat(249)).repeat(150),
    );
    assert_eq!(
        measured(&scratch),
        [
            "MEMORY.md 150/200 lines",
            "MEMORY.md 37499/25000 characters from 101 of 150"
        ]
    );
    scratch.write(".claude/projects/a/memory/MEMORY.md", "");
    assert_eq!(
        measured(&scratch),
        ["MEMORY.md 0/200 lines", "MEMORY.md 0/25000 characters"]
    );
}

#[test]
fn settings_switch_loading_off() {
    let memory = (".claude/projects/a/memory/MEMORY.md", "fact\n");
    let switches = |home: &Home| look(home)[0].switches.join("; ");
    for (settings, said) in [
        (
            r#"{"autoMemoryEnabled": false}"#,
            "autoMemoryEnabled is false in ~/.claude/settings.json, so Claude Code loads no MEMORY.md",
        ),
        (
            r#"{"env": {"CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1"}}"#,
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY is set in ~/.claude/settings.json, so Claude Code loads no MEMORY.md",
        ),
    ] {
        let scratch = Scratch::new(&[memory, (".claude/settings.json", settings)]);
        assert_eq!(measured(&scratch), Vec::<String>::new());
        assert_eq!(switches(&scratch.home()), said);
    }
    let scratch = Scratch::new(&[
        memory,
        (".claude/settings.json", r#"{"autoMemoryEnabled": true}"#),
    ]);
    assert_eq!(measured(&scratch).len(), 2);
    for name in [
        "CLAUDE_CODE_DISABLE_AUTO_MEMORY",
        "CLAUDE_CODE_DISABLE_CLAUDE_MDS",
    ] {
        let home = scratch.home().with(name, "1");
        assert_eq!(measured_in(&home), Vec::<String>::new());
        assert_eq!(
            switches(&home),
            format!("{name} is set, so Claude Code loads no MEMORY.md")
        );
        assert_eq!(measured_in(&scratch.home().with(name, "0")).len(), 2);
    }
    // Another folder instead of the usual ones.
    let scratch = Scratch::new(&[
        memory,
        ("auto/MEMORY.md", "one\ntwo\n"),
        (
            ".claude/settings.json",
            r#"{"autoMemoryDirectory": "~/auto"}"#,
        ),
    ]);
    assert_eq!(measured(&scratch)[0], "MEMORY.md 2/200 lines");
    assert_eq!(measured(&scratch).len(), 2);
    assert!(switches(&scratch.home()).contains("autoMemoryDirectory in ~/.claude/settings.json"));
    let off = |path: &str| {
        let found = look(&scratch.home());
        let file = scratch.home().folder().join(path);
        found.iter().any(|it| it.switched_off(&file).is_some())
    };
    assert!(off(memory.0), "{}", memory.0);
    assert!(!off("auto/MEMORY.md"));

    let scratch = Scratch::new(&[
        (".openclaw/workspace/MEMORY.md", "fact\n"),
        (
            ".openclaw/openclaw.json",
            "{agents: {defaults: {contextInjection: 'never'}}}",
        ),
    ]);
    assert_eq!(measured(&scratch), Vec::<String>::new());
    assert_eq!(
        switches(&scratch.home()),
        "contextInjection is never in ~/.openclaw/openclaw.json, so OpenClaw loads no file of ~/.openclaw/workspace"
    );
}

#[test]
fn settings_that_an_agent_refuses_are_named() {
    let memory = (".claude/projects/a/memory/MEMORY.md", "fact\n");
    for (settings, problem) in [
        (
            r#"{"autoMemoryEnabled": "false"}"#,
            "~/.claude/settings.json: autoMemoryEnabled has to be true or false, without quotes, so Claude Code ignores the whole file",
        ),
        (
            r#"{"autoMemoryDirectory": 3, "autoMemoryEnabled": false}"#,
            "~/.claude/settings.json: autoMemoryDirectory has to be a text in quotes, so Claude Code ignores the whole file",
        ),
        (
            "{\"autoMemoryEnabled\": false, // off\n}",
            "cannot read ~/.claude/settings.json: line 1, column 30: key must be a string",
        ),
        (
            r#"{"autoMemoryDirectory": "notes"}"#,
            "autoMemoryDirectory in ~/.claude/settings.json is \"notes\", which is neither absolute nor below ~/, so Claude Code takes the usual folder",
        ),
    ] {
        let scratch = Scratch::new(&[memory, (".claude/settings.json", settings)]);
        assert_eq!(look(&scratch.home())[0].problems, [problem]);
        assert_eq!(measured(&scratch).len(), 2, "{settings}");
    }
    // A folder that is named and is not there is loaded from all the same, and so nothing is.
    let scratch = Scratch::new(&[
        memory,
        (
            ".claude/settings.json",
            r#"{"autoMemoryDirectory": "~/none"}"#,
        ),
    ]);
    assert_eq!(measured(&scratch), Vec::<String>::new());
    let summary = (".codex/memories/memory_summary.md", "fact\n");
    for (config, problem) in [
        (
            "project_doc_max_bytes = '10'",
            "~/.codex/config.toml: project_doc_max_bytes has to be a whole number from 0, without quotes, so Codex does not start",
        ),
        (
            "project_doc_fallback_filenames = 'CLAUDE.md'",
            "~/.codex/config.toml: project_doc_fallback_filenames has to be a list of texts in square brackets, so Codex does not start",
        ),
        (
            "[features]\nmemories = 1",
            "~/.codex/config.toml: features.memories has to be true or false, without quotes, so Codex does not start",
        ),
        (
            "x = ",
            "cannot read ~/.codex/config.toml: line 1, column 5: string values must be quoted, expected literal string",
        ),
    ] {
        let scratch = Scratch::new(&[summary, (".codex/config.toml", config)]);
        assert_eq!(look(&scratch.home())[0].problems, [problem]);
    }
    let switches = |config: &str| {
        let scratch = Scratch::new(&[summary, (".codex/config.toml", config)]);
        let found = look(&scratch.home());
        (found[0].switches.join("; "), found[0].loads.len())
    };
    assert_eq!(switches("[features]\nmemories = true"), (String::new(), 1));
    assert_eq!(
        switches("[features]\nmemories = false"),
        ("features.memories is false in ~/.codex/config.toml, so Codex loads nothing of its memories".to_owned(), 0)
    );
    assert_eq!(
        switches(""),
        ("features.memories is not true in ~/.codex/config.toml: Codex loads its memories only in sessions that switch them on".to_owned(), 1)
    );
    let scratch = Scratch::new(&[
        (".gemini/tmp/a/memory/MEMORY.md", "fact\n"),
        (".gemini/settings.json", "{\"context\": {\"fileName\": 3}}"),
    ]);
    assert_eq!(
        look(&scratch.home())[0].problems,
        [
            "~/.gemini/settings.json: context.fileName has to be a text in quotes or a list of such texts, so Gemini CLI does not start"
        ]
    );
}

#[test]
fn openclaw_cuts_the_middle() {
    let scratch = Scratch::new(&[
        (".openclaw/workspace/MEMORY.md", &"x".repeat(17_940)),
        (".openclaw/workspace/USER.md", &"fact 678\n".repeat(500)),
        (
            ".openclaw/workspace/memory/2026-11-01.md",
            &"x".repeat(50_000),
        ),
    ]);
    for name in ["AGENTS.md", "SOUL.md", "IDENTITY.md"] {
        scratch.write(&format!(".openclaw/workspace/{name}"), "fact\n");
    }
    assert_eq!(
        measured(&scratch),
        [
            "AGENTS.md 4/20000 characters",
            "SOUL.md 4/20000 characters",
            "IDENTITY.md 4/20000 characters",
            "USER.md 4499/4000 characters from 325, again 393",
            "MEMORY.md 17940/20000 characters",
            "workspace 21952/60000 characters"
        ]
    );
    // The total is spent in the agent's order, and what is left of it goes to the memory.
    for name in ["AGENTS.md", "SOUL.md", "IDENTITY.md"] {
        scratch.write(&format!(".openclaw/workspace/{name}"), &"x\n".repeat(9_000));
    }
    let rows = measured(&scratch);
    assert_eq!(rows[2], "IDENTITY.md 17999/20000 characters");
    assert_eq!(rows[3], "USER.md 4499/4000 characters from 325, again 393");
    // What was loaded of USER.md is 3,999 long.
    assert_eq!(rows[4], "MEMORY.md 17940/2004 characters from 1, again 2");
    assert_eq!(rows[5], "workspace 75937/60000 characters in all");
}

#[test]
fn openclaw_takes_its_limits_from_its_config() {
    let scratch = Scratch::new(&[
        (".openclaw/workspace/MEMORY.md", &"x".repeat(900)),
        (".openclaw/workspace/USER.md", &"x".repeat(900)),
        (".openclaw/workspace-yard/MEMORY.md", &"x".repeat(900)),
    ]);
    let rows = |config: &str| {
        scratch.write(".openclaw/openclaw.json", config);
        let of_file = |row: &String| !row.starts_with("workspace");
        measured(&scratch)
            .into_iter()
            .filter(of_file)
            .collect::<Vec<_>>()
    };
    let one_line = "from 1, again 2";
    assert_eq!(
        rows("{agents: {defaults: {bootstrapMaxChars: 800.5}}}"),
        [
            format!("USER.md 900/800 characters {one_line}"),
            format!("MEMORY.md 900/800 characters {one_line}")
        ]
    );
    // What is not a positive number is passed over.
    assert_eq!(
        rows("{agents: {defaults: {bootstrapMaxChars: -1, bootstrapTotalMaxChars: 'x'}}}"),
        [
            "USER.md 900/4000 characters",
            "MEMORY.md 900/20000 characters"
        ]
    );
    assert_eq!(
        rows(
            "{agents: {defaults: {bootstrapMaxChars: 700}, entries: {main: {}, yard: {bootstrapMaxChars: 600}}}}"
        ),
        [
            format!("USER.md 900/700 characters {one_line}"),
            format!("MEMORY.md 900/700 characters {one_line}"),
            format!("MEMORY.md 900/600 characters {one_line}"),
        ]
    );
    // Three lines about missing files are spent first; with fewer than 64 left nothing more is loaded.
    let missing: usize = ["AGENTS.md", "SOUL.md", "IDENTITY.md"]
        .map(|name| {
            let path = scratch.path().join(".openclaw/workspace").join(name);
            format!("[MISSING] Expected at: {}", path.display())
                .encode_utf16()
                .count()
        })
        .iter()
        .sum();
    for (left, row) in [(64, "USER.md 900/64"), (63, "USER.md 900/0")] {
        let total = missing + left;
        let rows = rows(&format!(
            "{{agents: {{defaults: {{bootstrapTotalMaxChars: {total}}}}}}}"
        ));
        assert!(rows[0].starts_with(row), "{left}: {rows:?}");
        assert_eq!(rows[1], "MEMORY.md 900/0 characters from 1 of 1", "{left}");
    }
}

#[test]
fn a_file_that_cannot_be_measured_is_reported() {
    let scratch = Scratch::new(&[(".codex/memories/memory_summary.md/", "")]);
    let load = loaded(&look(&scratch.home())[0]);
    assert!(load.rows.is_empty());
    assert_eq!(load.unreadable[0].why, "it is not a file");
}

#[test]
fn every_rule_names_the_version_it_was_checked_with() {
    let scratch = Scratch::new(&[
        (".openclaw/workspace/", ""),
        (".claude/projects/a/memory/", ""),
        (".codex/memories/", ""),
        (".gemini/tmp/a/memory/", ""),
        (".hermes/memories/", ""),
    ]);
    let found = look(&scratch.home());
    let versions: Vec<(&str, usize)> = found
        .iter()
        .map(|found| {
            let files = &found.loads[0].files;
            let version = files[0].cap.source.version;
            assert_eq!(version, found.agent.source.version);
            assert!(files.iter().all(|file| file.cap.source.version == version));
            (version, files.len())
        })
        .collect();
    assert_eq!(
        versions,
        [
            ("2026.9.6", 6),
            ("2.1.332", 1),
            ("0.169.0", 1),
            ("0.61.0", 1),
            ("0.19.0", 2)
        ]
    );
}
