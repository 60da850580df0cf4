//! The files that agents always load beside their memory, as the published programs were seen to load them.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use memlens_agents::{Content, Home, SessionLoad, always_loaded, look, projects, session_load};

/// The name of the folder that Claude Code makes for a project.
fn slug(path: &Path) -> String {
    let path = path.canonicalize().expect("it is there");
    let path = path.to_string_lossy();
    path.replace(|sign: char| !sign.is_ascii_alphanumeric(), "-")
}

struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new(files: &[(&str, &str)]) -> Scratch {
        let scratch = Scratch(tempfile::tempdir().expect("a scratch folder can be made"));
        for (name, text) in files {
            let path = scratch.at(name);
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
            fs::write(path, text).expect("it can be written");
        }
        scratch
    }

    fn at(&self, name: &str) -> std::path::PathBuf {
        self.0.path().join(name)
    }

    fn home(&self) -> Home {
        Home::new(self.0.path())
    }

    /// What the agent loads in a session.
    fn load(&self, home: &Home, agent: &str, cwd: Option<&str>) -> SessionLoad {
        let found = look(home);
        let found = found.iter().find(|found| found.agent.id == agent);
        let cwd = cwd.map(|cwd| self.at(cwd));
        session_load(home, found.expect("it is found"), cwd.as_deref())
    }
}

/// The files as `path: state`; what is loaded whole has none.
fn shown(home: &Home, load: &SessionLoad) -> Vec<String> {
    load.files
        .iter()
        .map(|file| {
            let path = home.shown(&file.path);
            match &file.content {
                Content::Loaded { text, measured, .. } if measured.cut().is_none() => {
                    assert!(!text.is_empty());
                    path
                }
                Content::Loaded { measured, .. } => {
                    format!("{path}: {} bytes", measured.given.len())
                }
                Content::NotRead(why) | Content::NotLoaded(why) | Content::Missing(why) => {
                    format!("{path}: {why}")
                }
            }
        })
        .collect()
}

const LONG: &str = "x";

#[test]
fn claude_code_2_1_332() {
    let long = LONG.repeat(100_000);
    let scratch = Scratch::new(&[
        (
            ".claude/CLAUDE.md",
            "Yours. @one.md `@code.md`\n\n<!-- @comment.md -->\n\n```\n@fence.md\n```\n",
        ),
        (".claude/one.md", "@two.md"),
        (".claude/two.md", "@three.md"),
        (".claude/three.md", "@four.md"),
        (".claude/four.md", "@five.md"),
        (".claude/five.md", "Too deep."),
        (".claude/code.md", "No."),
        (".claude/comment.md", "No."),
        (".claude/fence.md", "No."),
        (".claude/rules/tabs.md", "Use tabs."),
        (".claude/rules/some.md", "---\npaths: src/**\n---\nSome."),
        ("code/CLAUDE.md", "Above the git root."),
        ("code/shop/.git/HEAD", "ref"),
        ("code/shop/CLAUDE.md", &long),
        (
            "code/shop/.claude/CLAUDE.md",
            "Also. @../README.md @~/.ssh/notes.md @~/far.md",
        ),
        ("code/shop/README.md", "Read me."),
        ("far.md", "Far."),
        (".ssh/notes.md", "Secret."),
        ("code/shop/.claude/rules/a.md", "A."),
        ("code/shop/CLAUDE.local.md", "Mine."),
        ("code/shop/AGENTS.md", "No."),
        ("code/shop/sub/CLAUDE.md", "No."),
    ]);
    let home = scratch.home();
    let project = slug(&scratch.at("code/shop"));
    let memory = format!(".claude/projects/{project}/memory");
    fs::create_dir_all(scratch.at(&memory)).expect("it can be made");
    for (name, text) in [("MEMORY.md", "- fact"), ("topic.md", "No.")] {
        fs::write(scratch.at(&memory).join(name), text).expect("it can be written");
    }
    let memory = format!("~/{memory}/MEMORY.md");
    assert_eq!(
        shown(&home, &scratch.load(&home, "claude-code", None)),
        [
            "~/.claude/CLAUDE.md",
            "~/.claude/one.md",
            "~/.claude/two.md",
            "~/.claude/three.md",
            "~/.claude/four.md",
            "~/.claude/five.md: it is imported more than 4 deep",
            "~/.claude/rules/some.md: its front matter has paths, so it is loaded only with such files",
            "~/.claude/rules/tabs.md",
            &memory,
        ]
    );
    let outside = "it is outside the project, so Claude Code loads it only after you agreed there";
    let mut expected = vec![
        "~/code/CLAUDE.md".to_owned(),
        "~/code/shop/CLAUDE.md".to_owned(),
        "~/code/shop/.claude/CLAUDE.md".to_owned(),
        "~/code/shop/README.md".to_owned(),
        format!("~/.ssh/notes.md: {outside}"),
        format!("~/far.md: {outside}"),
        "~/code/shop/.claude/rules/a.md".to_owned(),
        "~/code/shop/CLAUDE.local.md".to_owned(),
        memory,
    ];
    let load = |home: &Home| shown(home, &scratch.load(home, "claude-code", Some("code/shop")));
    assert_eq!(load(&home), expected);

    let excluded = scratch.at("code/CLAUDE.md");
    fs::write(
        scratch.at(".claude/settings.json"),
        format!("{{\"claudeMdExcludes\": [{excluded:?}, \"**/rules/*.md\"]}}"),
    )
    .expect("it can be written");
    let why = "claudeMdExcludes in ~/.claude/settings.json names it";
    expected[0] = format!("~/code/CLAUDE.md: {why}");
    expected[6] = format!("~/code/shop/.claude/rules/a.md: {why}");
    assert_eq!(load(&home), expected);

    let off = home.clone().with("CLAUDE_CODE_DISABLE_CLAUDE_MDS", "1");
    let of_off = load(&off);
    let is_off = |line: &&String| line.ends_with(": CLAUDE_CODE_DISABLE_CLAUDE_MDS is set");
    assert!(of_off.iter().filter(is_off).count() >= 3, "{of_off:?}");
    assert!(
        of_off
            .iter()
            .all(|line| is_off(&line) || line.ends_with(why)),
        "{of_off:?}"
    );
    let switches = scratch
        .load(&off, "claude-code", Some("code/shop"))
        .switches;
    assert!(
        switches[0].contains("CLAUDE_CODE_DISABLE_CLAUDE_MDS is set"),
        "{switches:?}"
    );
}

#[test]
fn an_import_of_the_user_is_read_only_where_that_is_safe() {
    let scratch = Scratch::new(&[
        (
            ".claude/CLAUDE.md",
            "@~/.ssh/notes.md @~/notes.md @~/linked.md @~/gone.md @/etc/hostname @~/x.bin @someone",
        ),
        (".ssh/notes.md", "Secret."),
        ("notes.md", "Fine."),
        ("x.bin", "a\0b"),
    ]);
    symlink(scratch.at(".ssh/notes.md"), scratch.at("linked.md")).expect("links can be made");
    let home = scratch.home();
    let mut loaded = shown(&home, &scratch.load(&home, "claude-code", None));
    loaded.retain(|line| !line.starts_with("/etc"));
    assert_eq!(
        loaded,
        [
            "~/.claude/CLAUDE.md",
            "~/.ssh/notes.md: it is hidden, or in a hidden folder that is not the agent's",
            "~/notes.md",
            "~/linked.md: it is a link, and links are not followed",
            "~/gone.md: so nothing is imported",
            "~/x.bin: it is not a text file",
        ]
    );
    if Path::new("/etc/hostname").exists() {
        let all = shown(&home, &scratch.load(&home, "claude-code", None));
        assert!(
            all.contains(
                &"/etc/hostname: it is outside the home folder and the project".to_owned()
            ),
            "{all:?}"
        );
    }
    // A folder on the way that is a link.
    let scratch = Scratch::new(&[
        (".claude/CLAUDE.md", "@~/dir/notes.md"),
        (".ssh/notes.md", "Secret."),
    ]);
    symlink(scratch.at(".ssh"), scratch.at("dir")).expect("links can be made");
    let home = scratch.home();
    let loaded = shown(&home, &scratch.load(&home, "claude-code", None));
    assert_eq!(
        loaded[1],
        "~/dir/notes.md: it is hidden, or in a hidden folder that is not the agent's"
    );
}

#[test]
fn codex_0_169_0() {
    let scratch = Scratch::new(&[
        (".codex/AGENTS.md", &"g".repeat(40_000)),
        (".codex/sessions/2026/11/25/rollout-1.jsonl", ""),
        ("code/AGENTS.md", "Above the root."),
        ("code/shop/.git/HEAD", "ref"),
        ("code/shop/AGENTS.md", "No: overridden."),
        ("code/shop/AGENTS.override.md", &"a".repeat(30_000)),
        ("code/shop/sub/AGENTS.md", &"b".repeat(2_000)),
        ("code/shop/sub/deep/AGENTS.md", &"c".repeat(2_000)),
        ("alone/sub/AGENTS.md", "Here."),
        ("alone/AGENTS.md", "No: there is no git root."),
    ]);
    let home = scratch.home();
    let load = |cwd| shown(&home, &scratch.load(&home, "codex", cwd));
    assert_eq!(load(None), ["~/.codex/AGENTS.md"]);
    assert_eq!(
        load(Some("code/shop/sub/deep")),
        [
            "~/code/shop/AGENTS.override.md",
            "~/code/shop/sub/AGENTS.md",
            "~/code/shop/sub/deep/AGENTS.md: 768 bytes",
        ]
    );
    assert_eq!(load(Some("alone/sub")), ["~/alone/sub/AGENTS.md"]);
}

#[test]
fn gemini_cli_0_61_0() {
    let long = LONG.repeat(270_000);
    let scratch = Scratch::new(&[
        (".gemini/GEMINI.md", "@one.md `@code.md`"),
        (".gemini/one.md", "One."),
        (".gemini/code.md", "No."),
        (".gemini/memory/MEMORY.md", "No."),
        (".gemini/tmp/sub/memory/MEMORY.md", "- fact"),
        (".gemini/tmp/sub/memory/topic.md", "No."),
        ("code/GEMINI.md", "Above the git root."),
        ("code/shop/.git/HEAD", "ref"),
        (
            "code/shop/GEMINI.md",
            &format!("@./more.md @../GEMINI.md {long}"),
        ),
        ("code/shop/more.md", "More."),
        ("code/shop/AGENTS.md", "No."),
        ("code/shop/sub/GEMINI.md", "Sub."),
    ]);
    let home = scratch.home();
    let load = |cwd| shown(&home, &scratch.load(&home, "gemini-cli", cwd));
    assert_eq!(
        load(None),
        [
            "~/.gemini/GEMINI.md",
            "~/.gemini/one.md",
            "~/.gemini/tmp/sub/memory/MEMORY.md"
        ]
    );
    assert_eq!(
        load(Some("code/shop/sub")),
        [
            "~/code/shop/GEMINI.md",
            "~/code/shop/more.md",
            "~/code/GEMINI.md: it is outside the folder that imports may come from, so Gemini CLI does not load it",
            "~/code/shop/sub/GEMINI.md",
            "~/.gemini/tmp/sub/memory/MEMORY.md",
        ]
    );
}

/// The marks in what a session is given, as `tests/fixtures/loads` records them: lines `MK_…`.
fn marks(load: &SessionLoad, into: &mut std::collections::BTreeSet<String>) {
    for file in &load.files {
        if let Content::Loaded { measured, .. } = &file.content {
            let lines = measured.given.lines();
            into.extend(lines.filter_map(|line| Some(line.strip_prefix("MK_")?.to_owned())));
        }
    }
}

/// Holds what is predicted against what a program was seen to load with configs of every kind.
fn check_recorded(agent: &str, fixture: &str, n: usize) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/loads")
        .join(fixture);
    let rows = fs::read_to_string(path).expect("the fixture can be read");
    assert_eq!(rows.lines().count(), n);
    for row in rows.lines() {
        let row: serde_json::Value = serde_json::from_str(row).expect("it is JSON");
        let case = row["case"].as_str().expect("it is named");
        let scratch = Scratch::new(&[]);
        let texts = |value: &serde_json::Value| -> Vec<String> {
            let texts = value.as_array().into_iter().flatten();
            texts.map(|it| it.as_str().unwrap().to_owned()).collect()
        };
        let cwd = row["cwd"].as_str().expect("it is named");
        for folder in texts(&row["git"]) {
            fs::create_dir_all(scratch.at(&folder).join(".git")).expect("it can be made");
        }
        fs::create_dir_all(scratch.at(cwd)).expect("it can be made");
        let home = scratch.0.path().canonicalize().expect("it is there");
        let slug = slug(&scratch.at("project"));
        let filled = |text: &str| {
            let home = home.to_string_lossy();
            text.replace("{HOME}", &home).replace("{SLUG}", &slug)
        };
        for (name, text) in row["files"].as_object().expect("files by name") {
            let path = home.join(filled(name));
            fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
            fs::write(path, filled(text.as_str().expect("a text"))).expect("it can be written");
        }
        let mut at = Home::new(&home);
        for (name, value) in row["env"].as_object().expect("variables by name") {
            at = at.with(name, value.as_str().expect("a text"));
        }
        let cwd = home.join(cwd);
        let found = look(&at);
        let found = found.iter().find(|found| found.agent.id == agent);
        let found = found.expect("it is found");
        let of_user = session_load(&at, found, None);
        let of_session = session_load(&at, found, Some(&cwd));
        if row["refused"] == true {
            let said: Vec<&String> = found.problems.iter().chain(&of_session.switches).collect();
            assert!(
                said.iter()
                    .any(|it| it.contains("does not start") || it.contains("cannot read")),
                "{case}: {said:?}"
            );
            continue;
        }
        let mut predicted = std::collections::BTreeSet::new();
        let is_own =
            |file: &memlens_agents::AlwaysLoaded| file.kind != memlens_agents::AlwaysKind::Memory;
        // The settings of a project may rename the user's own files for Gemini CLI.
        let gemini = home.join(".gemini");
        let is_renamed =
            |file: &memlens_agents::AlwaysLoaded| is_own(file) && file.path.starts_with(&gemini);
        // Memory depends on the session, the user's own instructions do not.
        if !of_session.files.iter().any(is_renamed) {
            let mut of_user = of_user;
            of_user.files.retain(is_own);
            marks(&of_user, &mut predicted);
        }
        marks(&of_session, &mut predicted);
        let recorded: std::collections::BTreeSet<String> =
            texts(&row["loaded"]).into_iter().collect();
        assert_eq!(predicted, recorded, "{case}");
    }
}

#[test]
fn claude_code_2_1_332_follows_its_settings() {
    check_recorded("claude-code", "claude-code-2.1.332/settings.jsonl", 49);
}

#[test]
fn codex_0_169_0_follows_its_config() {
    check_recorded("codex", "codex-0.169.0/config.jsonl", 40);
}

#[test]
fn gemini_cli_0_61_0_follows_its_settings() {
    check_recorded("gemini-cli", "gemini-cli-0.61.0/context.jsonl", 18);
}

#[test]
fn claude_code_memory_follows_the_settings_of_each_project() {
    let outside = tempfile::tempdir().expect("a scratch folder can be made");
    fs::write(outside.path().join("MEMORY.md"), "Not yours.").expect("it can be written");
    let elsewhere = format!("{{\"autoMemoryDirectory\": {:?}}}", outside.path());
    let scratch = Scratch::new(&[
        (
            "garden/.claude/settings.local.json",
            r#"{"autoMemoryEnabled": false}"#,
        ),
        (
            "yard/.claude/settings.json",
            r#"{"autoMemoryDirectory": "~/notes"}"#,
        ),
        ("far/.claude/settings.json", &elsewhere),
        (
            "shop/.claude/settings.json",
            r#"{"autoMemoryEnabled": "no"}"#,
        ),
        ("notes/MEMORY.md", "- of the yard"),
    ]);
    let mut memories = Vec::new();
    for project in ["garden", "yard", "far", "shop"] {
        let cwd = scratch.at(project);
        let folder = scratch.at(".claude/projects").join(slug(&cwd));
        fs::create_dir_all(folder.join("memory")).expect("it can be made");
        fs::write(folder.join("1.jsonl"), format!("{{\"cwd\":{cwd:?}}}\n"))
            .expect("it can be written");
        fs::write(folder.join("memory/MEMORY.md"), "- fact").expect("it can be written");
        memories.push(scratch.home().shown(&folder.join("memory/MEMORY.md")));
    }
    // A project of which no session is left.
    let old = scratch.at(".claude/projects/-old/memory");
    fs::create_dir_all(&old).expect("it can be made");
    fs::write(old.join("MEMORY.md"), "- fact").expect("it can be written");
    let home = scratch.home();
    let found = look(&home);
    let load = always_loaded(&home, &found[0]);
    let loaded: std::collections::BTreeSet<String> = shown(&home, &load).into_iter().collect();
    let expected = [
        "~/.claude/projects/-old/memory/MEMORY.md",
        &memories[3],
        "~/notes/MEMORY.md",
    ];
    assert_eq!(loaded, expected.map(str::to_owned).into());
    let far = outside.path().display();
    let mut expected = vec![
        "autoMemoryEnabled is false in ~/garden/.claude/settings.local.json, so Claude Code loads no MEMORY.md in ~/garden".to_owned(),
        "autoMemoryDirectory in ~/yard/.claude/settings.json names ~/notes, so in ~/yard Claude Code loads the MEMORY.md there and not the usual one".to_owned(),
        format!("autoMemoryDirectory in ~/far/.claude/settings.json names {far}, so in ~/far Claude Code loads the MEMORY.md there and not the usual one; Memlens does not read it, as it is outside the home folder and the project"),
        "~/shop/.claude/settings.json: autoMemoryEnabled has to be true or false, without quotes, so Claude Code ignores the whole file".to_owned(),
    ];
    expected.sort();
    let mut switches = load.switches;
    switches.sort();
    assert_eq!(switches, expected);
    // Nothing of a project is read before the user watches the agent.
    assert_eq!(found[0].switches, Vec::<String>::new());
    assert_eq!(found[0].loads.len(), 5);
}

#[test]
fn projects_are_those_that_sessions_worked_in() {
    let scratch = Scratch::new(&[
        (".codex/memories/memory_summary.md", "fact"),
        ("shop/AGENTS.md", "Shop."),
        ("garden/CLAUDE.md", "Garden."),
        ("yard/GEMINI.md", "Yard."),
        (".gemini/tmp/yard/memory/MEMORY.md", "fact"),
    ]);
    let shop = scratch.at("shop");
    let garden = scratch.at("garden");
    let write = |name: &str, text: String| {
        let path = scratch.at(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    };
    write(
        ".codex/sessions/2026/11/25/rollout-1.jsonl",
        format!(
            "{{\"type\":\"session_meta\",\"payload\":{{\"text\":\"\\\"cwd\\\":\\\"/etc\\\"\",\"cwd\":{shop:?}}}}}\n"
        ),
    );
    write(
        ".codex/sessions/2026/11/25/rollout-2.jsonl",
        "{\"payload\":{\"cwd\":\"/nowhere/at/all\"}}\n".to_owned(),
    );
    write(
        ".claude/projects/-garden/1.jsonl",
        format!("{{\"type\":\"summary\"}}\n{{\"cwd\":{garden:?}}}\n"),
    );
    write(
        ".gemini/tmp/yard/.project_root",
        scratch.at("yard").display().to_string(),
    );
    let home = scratch.home();
    assert_eq!(projects(&home, "codex"), [shop]);
    assert_eq!(projects(&home, "claude-code"), [garden]);
    assert_eq!(projects(&home, "gemini-cli"), [scratch.at("yard")]);
    assert_eq!(projects(&home, "hermes"), Vec::<std::path::PathBuf>::new());
    let found = look(&home);
    let all: Vec<String> = found
        .iter()
        .flat_map(|found| shown(&home, &always_loaded(&home, found)))
        .collect();
    assert_eq!(
        all,
        [
            "~/garden/CLAUDE.md",
            "~/shop/AGENTS.md",
            "~/.codex/memories/memory_summary.md",
            "~/yard/GEMINI.md",
            "~/.gemini/tmp/yard/memory/MEMORY.md",
        ]
    );
}
