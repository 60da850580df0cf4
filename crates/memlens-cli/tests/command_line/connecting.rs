//! `memlens serve install` and `uninstall`: the entry in an agent's config, and nothing else of it.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use memlens_tests::Notes;
use serde_json::Value;

use crate::memlens::{AtHome, Memlens, text};

/// Each agent with its config, a text of it, and the beginning of the entry.
const CONFIGS: [(&str, &str, &str); 4] = [
    (
        "claude-code",
        ".claude.json",
        "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"x\"\n    }\n  }\n}",
    ),
    (
        "codex",
        ".codex/config.toml",
        "model = \"gpt\" # best\n\n[mcp_servers.other]\ncommand = 'x'\n# end\n",
    ),
    (
        "gemini-cli",
        ".gemini/settings.json",
        "{\n  // mine\n  \"ui\": {}\n}\n",
    ),
    (
        "openclaw",
        ".openclaw/openclaw.json",
        "{\n  // mine\n  memory: { search: {} },\n}\n",
    ),
];

fn home() -> Notes {
    let mut files: Vec<(&str, &str)> = CONFIGS
        .iter()
        .map(|(_, path, text)| (*path, *text))
        .collect();
    files.push((
        ".claude/projects/-work/memory/MEMORY.md",
        "The router is grey.\n",
    ));
    Notes::new(&files)
}

fn written(home: &Notes, path: &str) -> String {
    fs::read_to_string(home.at(path)).expect("it can be read")
}

/// The files in a folder.
fn n_files(home: &Notes, path: &str) -> usize {
    let folder = home.at(path);
    let folder = folder.parent().expect("it has a folder");
    fs::read_dir(folder).expect("it can be read").count()
}

#[test]
fn the_entry_is_added_once_and_removed_and_everything_else_stays() {
    let home = home();
    let memlens = Memlens::new();
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let no_folder = "No folder is watched yet, so the server does not start";
    for (agent, path, before) in CONFIGS {
        fs::set_permissions(home.at(path), fs::Permissions::from_mode(0o600))
            .expect("it can be set");
        let n_before = n_files(&home, path);
        let install = ["serve", "install", "--agent", agent, "--all-folders"];
        let (status, out, err) = at.run(&install);
        assert_eq!((status, err.as_str()), (Some(0), ""), "{agent}");
        assert!(
            out.contains(text(&home.at(path))) && out.contains("With --write"),
            "{out}"
        );
        assert!(out.contains(no_folder), "{out}");
        assert_eq!(
            (written(&home, path).as_str(), n_files(&home, path)),
            (before, n_before)
        );

        let write = [&install[..], &["--write"]].concat();
        let (status, out, err) = at.run(&write);
        assert_eq!((status, out.as_str()), (Some(0), ""), "{agent}: {err}");
        let after = written(&home, path);
        assert!(
            err.contains("backup: ") && err.contains("checked with version"),
            "{err}"
        );
        assert!(err.contains(no_folder), "{err}");
        assert!(after.contains("--mcp"), "{after}");
        for line in before
            .lines()
            .filter(|line| !["{", "}", "  }"].contains(line))
        {
            assert!(
                after.contains(line.trim_end_matches(',')),
                "{line}: {after}"
            );
        }
        let mode = fs::metadata(home.at(path))
            .expect("it is there")
            .permissions()
            .mode();
        assert_eq!((mode & 0o777, n_files(&home, path)), (0o600, n_before + 1));

        let (status, _, err) = at.run(&write);
        assert!(
            status == Some(0) && err.contains("has this entry already"),
            "{err}"
        );
        assert_eq!(
            (written(&home, path), n_files(&home, path)),
            (after, n_before + 1)
        );

        let uninstall = ["serve", "uninstall", "--agent", agent];
        let (status, _, err) = at.run(&uninstall);
        assert_eq!(status, Some(0), "{err}");
        assert_eq!(written(&home, path), before, "{agent}");
        let (status, _, err) = at.run(&uninstall);
        assert!(
            status == Some(2) && err.contains("nothing was written"),
            "{err}"
        );
    }
}

#[test]
fn an_agent_that_is_connected_starts_what_the_entry_says() {
    let home = home();
    let memlens = Memlens::new();
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let write = ["serve", "install", "--agent", "claude-code", "--write"];
    let (status, _, err) = at.run(&write);
    assert!(
        status == Some(2) && err.contains("run `memlens agents add claude-code` first"),
        "{err}"
    );
    assert_eq!(written(&home, ".claude.json"), CONFIGS[0].2);
    let added = at.run(&["agents", "add", "claude-code"]);
    assert_eq!(added.0, Some(0), "{added:?}");
    let (status, _, err) = at.run(&write);
    assert_eq!(status, Some(0), "{err}");
    let config: Value = serde_json::from_str(&written(&home, ".claude.json")).expect("it is JSON");
    let entry = &config["mcpServers"]["memlens"];
    assert_eq!(entry["type"], "stdio");
    let arguments: Vec<String> = serde_json::from_value(entry["args"].clone()).expect("texts");
    assert_eq!(arguments[2..], ["serve", "--mcp", "--agent", "claude-code"]);
    let mut child = std::process::Command::new(entry["command"].as_str().expect("a path"))
        .args(&arguments)
        .env("HOME", home.path())
        .stdin(std::process::Stdio::null())
        .spawn()
        .expect("it can be started");
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn a_preset_that_the_library_does_not_have_is_refused() {
    let home = home();
    let memlens = Memlens::of(&[&home]);
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let serve = at.run(&["serve", "--mcp", "--saved-preset", "nope"]);
    assert!(
        serve.0 == Some(2) && serve.2.contains("it has Rensei"),
        "{serve:?}"
    );
    let install = ["serve", "install", "--agent", "codex", "--all-folders"];
    for write in [&[][..], &["--write"]] {
        let unknown = at.run(&[&install[..], &["--saved-preset", "nope"], write].concat());
        assert_eq!(unknown, serve);
        assert_eq!(written(&home, ".codex/config.toml"), CONFIGS[1].2);
    }
    let known = at.run(&[&install[..], &["--saved-preset", "Rensei", "--write"]].concat());
    assert_eq!(known.0, Some(0), "{known:?}");
    assert!(written(&home, ".codex/config.toml").contains("--saved-preset=Rensei"));
}

#[test]
fn an_entry_with_other_arguments_is_replaced_and_named() {
    let before = "{\"mcpServers\": {\"memlens\": {\"command\": \"/opt/memlens\", \"args\": [\"serve\", \"--mcp\", \"--preset\", \"mine.json\"], \"env\": {\"A\": \"1\"}}}}\n";
    let starts = "started: /opt/memlens serve --mcp --preset mine.json";
    let memlens = Memlens::new();
    let home = Notes::new(&[(".claude.json", before), (".claude/a.md", "a")]);
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let install = [
        "serve",
        "install",
        "--agent",
        "claude-code",
        "--all-folders",
    ];
    let (status, out, _) = at.run(&install);
    assert!(
        status == Some(0) && out.contains("With --write Memlens replaces it"),
        "{out}"
    );
    let (status, _, err) = at.run(&[&install[..], &["--write"]].concat());
    assert_eq!(status, Some(0), "{err}");
    assert!(
        err.contains("replaced mcpServers.memlens") && err.contains(starts),
        "{err}"
    );
    assert!(!err.contains("added"), "{err}");
    let config: Value = serde_json::from_str(&written(&home, ".claude.json")).expect("it is JSON");
    assert_eq!(config["mcpServers"]["memlens"]["env"]["A"], "1");
    let backup = err
        .split("backup: ")
        .nth(1)
        .and_then(|rest| rest.lines().next());
    let backup = fs::read_to_string(backup.expect("it is named")).expect("it can be read");
    assert_eq!(backup, before);
}

#[test]
fn what_memlens_did_not_write_is_left_alone() {
    let memlens = Memlens::new();
    let others = "{\"mcpServers\": {\"memlens\": {\"command\": \"/opt/theirs\"}}}\n";
    let cases: [(&str, &str, &str, &str); 6] = [
        (
            "claude-code",
            ".claude.json",
            others,
            "does not start `memlens serve --mcp`",
        ),
        (
            "claude-code",
            ".claude.json",
            "{\"a\": 1,}",
            "trailing comma",
        ),
        ("codex", ".codex/config.toml", "a = \n", "line 1"),
        (
            "codex",
            ".codex/config.toml",
            "[mcp_servers]\nmemlens = 1\n",
            "does not start `memlens serve --mcp`",
        ),
        (
            "gemini-cli",
            ".gemini/settings.json",
            "{\"mcpServers\": 1}",
            "is not an object",
        ),
        ("openclaw", ".openclaw/openclaw.json", "{a: 1, a", "line 1"),
    ];
    for (agent, path, before, message) in cases {
        let home = Notes::new(&[(path, before), (".claude/a.md", "a")]);
        let at = AtHome {
            memlens: &memlens,
            home: &home,
        };
        let n_before = n_files(&home, path);
        let install = ["serve", "install", "--agent", agent, "--all-folders"];
        let (status, _, err) = at.run(&[&install[..], &["--write"]].concat());
        assert!(status == Some(2) && err.contains(message), "{agent}: {err}");
        let (status, out, _) = at.run(&install);
        assert!(
            status == Some(0) && out.contains("Memlens cannot add it: "),
            "{agent}: {out}"
        );
        let (status, _, err) = at.run(&["serve", "uninstall", "--agent", agent]);
        assert!(
            status == Some(2) && !err.contains("first"),
            "{agent}: {err}"
        );
        assert_eq!(
            (written(&home, path).as_str(), n_files(&home, path)),
            (before, n_before)
        );
    }
    let unknown = memlens.run(&["serve", "install", "--agent", "clippy"]);
    assert!(
        unknown.status == 2
            && unknown
                .err
                .contains("claude-code, codex, gemini-cli, openclaw"),
        "{unknown:?}"
    );
}

#[test]
fn a_link_is_refused_and_an_absent_config_is_made() {
    let memlens = Memlens::new();
    let home = Notes::new(&[("real.toml", "a = 1\n"), (".codex/a.md", "a")]);
    let at = AtHome {
        memlens: &memlens,
        home: &home,
    };
    let config = home.at(".codex/config.toml");
    let write = [
        "serve",
        "install",
        "--agent",
        "codex",
        "--all-folders",
        "--write",
    ];
    std::os::unix::fs::symlink(home.at("real.toml"), &config).expect("links can be made");
    let (status, _, err) = at.run(&write);
    assert!(status == Some(2) && err.contains("it is a link"), "{err}");
    assert_eq!(written(&home, "real.toml"), "a = 1\n");
    fs::remove_file(&config).expect("it can be removed");
    let (status, _, err) = at.run(&write);
    assert!(
        status == Some(0) && err.contains("the file is new"),
        "{err}"
    );
    let mode = fs::metadata(&config)
        .expect("it is there")
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let (status, _, err) = at.run(&[
        "serve",
        "install",
        "--agent",
        "gemini-cli",
        "--all-folders",
        "--write",
    ]);
    assert!(
        status == Some(2) && err.contains("Gemini CLI was not found"),
        "{err}"
    );
}
