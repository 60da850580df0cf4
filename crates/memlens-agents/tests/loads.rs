//! What the published programs were seen to load when a session begins (`tests/fixtures/loads`), predicted to the byte.

use std::fs;
use std::path::{Path, PathBuf};

use memlens_agents::{Cut, FileLoad, Home, MemoryLoad, Part, Unit, loaded, look};
use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/loads")
        .join(name)
}

fn text(name: &str) -> String {
    fs::read_to_string(fixture(name)).expect("the fixture can be read")
}

fn lines(name: &str) -> Vec<Value> {
    text(name)
        .lines()
        .map(|line| serde_json::from_str(line).expect("it is JSON"))
        .collect()
}

/// What the first agent of a home with these files loads.
fn load(files: &[(&str, &str)]) -> MemoryLoad {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    for (name, text) in files {
        let path = scratch.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }
    let found = look(&Home::new(scratch.path()));
    let [found] = &found[..] else {
        panic!("one agent, not {found:?}")
    };
    assert_eq!(found.problems, Vec::<String>::new());
    loaded(found)
}

fn file<'a>(load: &'a MemoryLoad, name: &str) -> &'a FileLoad {
    let found = load.files.iter().find(|file| file.path.ends_with(name));
    found.unwrap_or_else(|| panic!("{name} is loaded"))
}

/// The text of the kept ranges of one part.
fn kept(file: &FileLoad, part: Part) -> String {
    let ranges = file.measured.kept.iter().filter(|kept| kept.part == part);
    ranges.map(|kept| &file.text[kept.range.clone()]).collect()
}

/// Checks that what is reported as left out of each file is what is not loaded of its size.
fn check_left_out(load: &MemoryLoad) {
    for file in &load.files {
        for count in &file.measured.counts {
            let kept = [Part::Head, Part::Tail].map(|part| count.unit.size(&kept(file, part)));
            let expected = match count.cut {
                Some(_) => count.used - kept[0] - kept[1],
                None => 0,
            };
            assert_eq!(
                count.left_out,
                expected,
                "{}: {count:?}",
                file.path.display()
            );
        }
    }
}

#[test]
fn claude_code_2_1_332_memory_md() {
    let rows = lines("claude-code-2.1.332/memory-md-loads.jsonl");
    assert_eq!(rows.len(), 23);
    for row in rows {
        let case = row["case"].as_str().expect("it is named");
        let text = row["file"].as_str().expect("it has a text");
        let load = load(&[(".claude/projects/a/memory/MEMORY.md", text)]);
        let file = file(&load, "MEMORY.md");
        check_left_out(&load);
        // The request holds line feeds alone.
        let given = file
            .measured
            .given
            .replace("\r\n", "\n")
            .replace('\r', "\n");
        assert_eq!(Unit::Utf16.size(&given), row["given_utf16"], "{case}");
        let tail = row["given_tail"].as_str().expect("it has a tail");
        assert!(given.ends_with(tail), "{case}: {given:?}");
        assert_eq!(
            kept(file, Part::Head)
                .replace("\r\n", "\n")
                .replace('\r', "\n"),
            given,
            "{case}"
        );
        // None of these files has anything before the first line that is loaded, but for those that are not cut.
        let cut = load.rows.iter().map(|row| row.cut);
        let cut = cut.filter(|cut| *cut != Cut::None).collect::<Vec<_>>();
        match row["cut_from_line_of_trimmed"].as_u64() {
            None => assert_eq!(cut, [], "{case}"),
            Some(line) => assert_eq!(cut, [Cut::FromLine(line)], "{case}"),
        }
    }
}

#[test]
fn lines_of_a_cut_are_those_of_the_file() {
    let fact = |n: u32| format!("- fact {n}\n");
    let facts: String = (1..=210).map(fact).collect();
    for (before, more) in [
        ("---\nname: a\n---\n", 3),
        ("\n\n\n", 3),
        ("<!--\nhidden\n-->\n\n", 4),
        ("\u{feff}", 0),
    ] {
        let load = load(&[(
            ".claude/projects/a/memory/MEMORY.md",
            &format!("{before}{facts}"),
        )]);
        assert_eq!(load.rows[0].used, 210, "{before:?}");
        assert_eq!(load.rows[0].cut, Cut::FromLine(201 + more), "{before:?}");
        let given = &load.files[0].measured.given;
        assert!(given.starts_with("- fact 1\n") && given.ends_with("- fact 200"));
    }
    // A comment between the lines, one within a line, and one in code.
    let text = format!("{}\n<!-- a\nb -->\n\n{facts}", fact(0));
    let load = load(&[(".claude/projects/a/memory/MEMORY.md", &text)]);
    assert_eq!(load.rows[0].used, 212);
    assert_eq!(load.rows[0].cut, Cut::FromLine(204));
    let load = self::load(&[(
        ".claude/projects/a/memory/MEMORY.md",
        "said <!-- inline --> so\n\n```\n<!-- code -->\n```\n",
    )]);
    assert!(load.files[0].measured.given.contains("<!-- code -->"));
    assert!(load.files[0].measured.given.contains("<!-- inline -->"));
}

#[test]
fn codex_0_169_0_memory_summary() {
    let inputs = [
        "ascii-10000.md",
        "ascii-10001.md",
        "599-lines.md",
        "umlaut-9000.md",
        "umlaut-12000.md",
    ];
    let rows = lines("codex-0.169.0/memory_summary.jsonl");
    assert_eq!(rows.len(), inputs.len());
    for (name, row) in inputs.into_iter().zip(rows) {
        let text = text(&format!("codex-0.169.0/{name}"));
        let load = load(&[(".codex/memories/memory_summary.md", &text)]);
        let file = file(&load, "memory_summary.md");
        let Some(mark) = row["mark"].as_str() else {
            assert_eq!(file.measured.given, text.trim(), "{name}");
            assert_eq!(load.rows[0].cut, Cut::None, "{name}");
            continue;
        };
        check_left_out(&load);
        let head = kept(file, Part::Head);
        let tail = kept(file, Part::Tail);
        assert_eq!(head.len() as u64, row["given_head_bytes"], "{name}");
        assert_eq!(tail.len() as u64, row["given_tail_bytes"], "{name}");
        assert_eq!(file.measured.given, format!("{head}{mark}{tail}"), "{name}");
        if name == "599-lines.md" {
            // The title is line 1, so fact S114 is line 115.
            assert_eq!(
                load.rows[0].cut,
                Cut::Middle {
                    from: 115,
                    again: 493
                }
            );
            assert!(head.contains("- S113e ") && tail.contains("\n- S492e "));
        }
    }
}

#[test]
fn codex_without_a_summary_loads_nothing() {
    let load = load(&[(".codex/memories/raw_memories.md", "The relay is grey.\n")]);
    assert_eq!(load.files, []);
    assert_eq!(load.missing.len(), 1);
    assert!(load.missing[0].path.ends_with("memory_summary.md"));
    assert_eq!(
        load.missing[0].so,
        "so Codex loads nothing of its memories when a session begins"
    );
}

#[test]
fn gemini_cli_0_61_0_loads_whole() {
    let text: String = (1..=399).map(|n| format!("- fact {n}\n")).collect();
    let load = load(&[
        (".gemini/tmp/garden/memory/MEMORY.md", &text),
        (".gemini/tmp/garden/memory/topic.md", "Not loaded.\n"),
        (".gemini/memory/MEMORY.md", "Not loaded.\n"),
    ]);
    assert_eq!(load.files.len(), 1);
    assert_eq!(load.files[0].measured.given, text);
    assert_eq!((load.rows[0].cap, load.rows[0].cut), (None, Cut::None));
}

#[test]
fn hermes_0_19_0_cuts_nothing() {
    let recorded: Value =
        serde_json::from_str(&text("hermes-0.19.0/loads.json")).expect("it is JSON");
    for (name, cap) in [("MEMORY.md", 2_200), ("USER.md", 1_375)] {
        let size = recorded[name]["characters"].as_u64().expect("a number");
        let n = recorded[name]["entries"].as_u64().expect("a number");
        // `n` entries with `size` characters together.
        let pad = (size / n) as usize - 6;
        let entry = |at: u64| format!("{at:03}{}", "x".repeat(pad));
        let mut entries: Vec<String> = (0..n).map(entry).collect();
        let short = size as usize - entries.join("\n§\n").chars().count();
        entries[0].push_str(&"y".repeat(short));
        let text = entries.join("\n§\n");
        let load = load(&[(&format!(".hermes/memories/{name}"), &text)]);
        let row = &load.rows[0];
        assert_eq!((row.used, row.cap, row.cuts), (size, Some(cap), false));
        assert_eq!((row.cut, row.entries), (Cut::None, Some((0, n))));
        assert_eq!(recorded[name]["given_entries"], n);
        assert_eq!(load.files[0].measured.given, text);
    }
    let load = load(&[
        (".hermes/memories/USER.md", "one\n§\ntwo"),
        (".hermes/config.yaml", "memory:\n  user_char_limit: 3\n"),
    ]);
    assert_eq!((load.rows[0].used, load.rows[0].cap), (9, Some(3)));
}

#[test]
fn hermes_0_19_0_loads_equal_entries_once_and_blocks_threats() {
    let recorded: Value =
        serde_json::from_str(&text("hermes-0.19.0/entries.json")).expect("it is JSON");
    let rows = |name: &str| recorded[name].as_array().expect("a list").clone();
    for row in rows("files") {
        let case = row["name"].as_str().expect("it is named");
        let file = row["text"].as_str().expect("it has a text");
        let load = load(&[(".hermes/memories/MEMORY.md", file)]);
        let measured = &load.files[0].measured;
        assert_eq!(measured.given, row["given"].as_str().unwrap(), "{case}");
        assert_eq!(load.rows[0].used, row["stored_characters"], "{case}");
        assert!(measured.kept.iter().all(|kept| {
            let entry = &load.files[0].text[kept.range.clone()];
            measured.given.contains(entry)
        }));
    }
    for row in rows("entries") {
        let entry = row["entry"].as_str().expect("it has a text");
        let load = load(&[(".hermes/memories/MEMORY.md", entry)]);
        let left_out = load.files[0].measured.left_out.first();
        let mut ids = left_out.map_or_else(Vec::new, |one| one.threats.clone());
        ids.sort();
        assert_eq!(serde_json::json!(ids), row["ids"], "{entry:?}");
    }
    let load = load(&[(".hermes/memories/USER.md", "a\n§\nsee\n~/.ssh\n§\na\n")]);
    assert_eq!(
        load.files[0].blocked_lines(),
        [(3, 4, "ssh_access".to_owned())]
    );
    assert_eq!(load.files[0].measured.left_out.len(), 2);
}

#[test]
fn openclaw_2026_9_6_workspace_files() {
    let names = ["MEMORY.md", "USER.md", "AGENTS.md", "TOOLS.md"];
    let texts = names.map(|name| text(&format!("openclaw-2026.9.6-loads/{name}")));
    let files: Vec<(String, &str)> = names
        .iter()
        .zip(&texts)
        .map(|(name, text)| (format!(".openclaw/workspace/{name}"), text.as_str()))
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (&**name, *text)).collect();
    let load = load(&files);
    check_left_out(&load);
    for row in lines("openclaw-2026.9.6-loads/loads.jsonl") {
        let name = row["file"].as_str().expect("it is named");
        let Some(mark) = row["mark"].as_str() else {
            assert!(!load.files.iter().any(|file| file.path.ends_with(name)));
            continue;
        };
        let file = file(&load, name);
        assert_eq!(Unit::Utf16.size(&file.text), row["utf16"], "{name}");
        assert!(file.measured.given.contains(mark), "{name}: {mark}");
        assert_eq!(file.measured.counts[0].used + 1, row["utf16"], "{name}");
        assert!(Unit::Utf16.size(&file.measured.given) <= file.measured.counts[0].cap);
        let numbers: Vec<u64> = mark
            .split(|sign: char| !sign.is_ascii_digit())
            .filter_map(|number| number.parse().ok())
            .collect();
        let sizes: Vec<u64> = [Part::Head, Part::Tail]
            .into_iter()
            .map(|part| Unit::Utf16.size(&kept(file, part)))
            .collect();
        assert_eq!(sizes[0], numbers[0], "{name}");
        assert_eq!(sizes[1], numbers[numbers.len() - 2], "{name}");
    }
    // SOUL.md and IDENTITY.md are missing, and each costs a line of the total.
    let missing: Vec<_> = load
        .missing
        .iter()
        .map(|one| one.path.file_name())
        .collect();
    assert_eq!(
        missing,
        [Some("SOUL.md".as_ref()), Some("IDENTITY.md".as_ref())]
    );
    let order: Vec<_> = load.files.iter().map(|one| one.path.file_name()).collect();
    let expected = ["AGENTS.md", "USER.md", "MEMORY.md"].map(|name| Some(name.as_ref()));
    assert_eq!(order, expected);
}

/// A home of OpenClaw with the files and the settings of a recorded row.
#[cfg(unix)]
fn openclaw_home(row: &Value, workspace: &str) -> tempfile::TempDir {
    let scratch = tempfile::tempdir().expect("a scratch folder can be made");
    let case = row["case"].as_str().expect("it is named");
    let folder = scratch.path().join(workspace);
    fs::create_dir_all(&folder).expect("it can be made");
    for (name, size) in row["files"].as_object().expect("they are named") {
        let to = folder.join(name);
        fs::create_dir_all(to.parent().expect("it is in a folder")).expect("it can be made");
        let from = fixture(&format!("openclaw-2026.9.6-more/{case}/files/{name}"));
        if from.exists() {
            fs::copy(from, to).expect("it can be copied");
        } else if name == "MEMORY.md" {
            let size = size.as_u64().expect("a number") as usize;
            fs::write(to, "x".repeat(size)).expect("it can be written");
        } else {
            let target = folder.join("elsewhere");
            fs::write(&target, "elsewhere\n").expect("it can be written");
            std::os::unix::fs::symlink(target, to).expect("links can be made");
        }
    }
    scratch
}

#[cfg(unix)]
#[test]
fn openclaw_2026_9_6_every_recorded_workspace() {
    let rows = lines("openclaw-2026.9.6-more/loads.jsonl");
    assert!(rows.len() >= 19, "{}", rows.len());
    for row in rows {
        let case = row["case"].as_str().expect("it is named");
        let scratch = openclaw_home(&row, ".openclaw/workspace");
        let here = scratch
            .path()
            .join(".openclaw/workspace")
            .display()
            .to_string();
        let mut settings = row["settings"].clone();
        // The lines about missing files hold the workspace's path.
        let there = row["workspace"].as_str().unwrap_or(&here);
        if let (Some(total), true) = (settings["bootstrapTotalMaxChars"].as_u64(), there != here) {
            let total = total + 3 * here.len() as u64 - 3 * there.len() as u64;
            settings["bootstrapTotalMaxChars"] = total.into();
        }
        let mut agents = serde_json::json!({ "defaults": settings });
        if row["agent_settings"].is_object() {
            agents["entries"] = serde_json::json!({ "main": row["agent_settings"] });
        }
        let config = serde_json::json!({ "agents": agents });
        fs::write(
            scratch.path().join(".openclaw/openclaw.json"),
            config.to_string(),
        )
        .expect("it can be written");
        let found = look(&Home::new(scratch.path()));
        let load = loaded(&found[0]);
        let given: Vec<(String, &str)> = load
            .given
            .iter()
            .map(|(path, text)| {
                let name = path.file_name().expect("it has a name");
                (name.display().to_string(), text.as_str())
            })
            .collect();
        let expected: Vec<(String, String)> = row["given"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| {
                let text = one["text"].as_str().expect("it has a text");
                let name = one["file"].as_str().expect("it has a name");
                (name.to_owned(), text.replace(there, &here))
            })
            .collect();
        let expected: Vec<(String, &str)> = expected
            .iter()
            .map(|(name, text)| (name.clone(), text.as_str()))
            .collect();
        assert_eq!(given, expected, "{case}");
        // The ranges are what the texts were made of.
        for file in &load.files {
            for kept in file
                .measured
                .kept
                .iter()
                .filter(|kept| kept.part != Part::Digest)
            {
                let range = &file.text[kept.range.clone()];
                assert!(file.measured.given.contains(range), "{case}: {range:?}");
            }
        }
    }
}
