//! The files that agents always load beside their memory, as the published programs were seen to load them.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use memlens_agents::{Content, Home, SessionLoad, always_loaded, look, projects, session_load};

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
        (".claude/projects/-work-shop/memory/MEMORY.md", "- fact"),
        (".claude/projects/-work-shop/memory/topic.md", "No."),
    ]);
    let home = scratch.home();
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
            "~/.claude/projects/-work-shop/memory/MEMORY.md",
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
        "~/.claude/projects/-work-shop/memory/MEMORY.md".to_owned(),
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
    let mut told = shown(&home, &scratch.load(&home, "claude-code", None));
    told.retain(|line| !line.starts_with("/etc"));
    assert_eq!(
        told,
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
    let told = shown(&home, &scratch.load(&home, "claude-code", None));
    assert_eq!(
        told[1],
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
