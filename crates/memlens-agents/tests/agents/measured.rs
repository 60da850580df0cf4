//! What an agent loads when a session begins: sizes, limits and cuts, by the settings that it reads.

use memlens_agents::{Cut, Home, loaded, look};

use super::Scratch;

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
