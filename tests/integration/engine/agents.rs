//! Agents and the library: folders know whose memory they are, an agent's folders are watched and searched alone, and
//! "why not?" knows what the agent never loads.

use std::path::Path;

use memlens_engine::view::{Happening, LoadCut, Unloaded};
use memlens_engine::{
    Home, Place, Ranking, add_agent_folders, agents, always_text, always_view, folders_to_add,
    loaded, note_agents, part_of_agent, watched_folders, why,
};
use memlens_params::Params;
use memlens_tests::{Notes, fresh, index, open};

use crate::watched::{Watched, scratch};

/// Returns a home with two agents, one of them with a note longer than what the agent loads.
fn home() -> (Notes, Home) {
    let lines: Vec<String> = (1..=300)
        .map(|n| format!("- fact {n} is about the attic.\n"))
        .collect();
    let notes = Notes::new(&[
        (".claude/projects/-garden/memory/MEMORY.md", &lines.concat()),
        (
            ".claude/projects/-house/memory/MEMORY.md",
            "The router stands in the house.\n",
        ),
        (".codex/config.toml", "[features]\nmemories = true\n"),
        (
            ".codex/memories/memory_summary.md",
            "The router stands in the hall.\n",
        ),
        ("elsewhere/router.md", "The router was sold.\n"),
    ]);
    let home = Home::new(notes.path());
    (notes, home)
}

/// Returns the paths, within their folders, of all rows that a search kept.
fn places(library: &memlens_engine::Library, agent: &str) -> Vec<String> {
    let part = part_of_agent(library, agent).expect("it is watched");
    let ranking = Ranking::native(&Params::default());
    let search = library
        .search_as("router", &ranking, part)
        .expect("it can be searched");
    let rows = search.rows().expect("they can be explained");
    let mut places: Vec<String> = rows.into_iter().map(|row| row.folder_name).collect();
    places.dedup();
    places
}

#[test]
fn an_agents_folders_are_watched_under_names_of_their_own() {
    let (notes, home) = home();
    let dir = fresh(&[&notes.at("elsewhere")]);
    let watched = watched_folders(dir.path()).expect("they can be read");
    let view = agents(&home, &watched);
    let reported: Vec<(&str, u32, bool)> = view
        .agents
        .iter()
        .map(|agent| (agent.id.as_str(), agent.n_notes, agent.is_watched))
        .collect();
    assert_eq!(reported, [("claude-code", 2, false), ("codex", 1, false)]);
    assert!(view.not_found.contains(&"Hermes".to_owned()));

    let (mut indexer, _) =
        memlens_engine::Indexer::open(dir.path(), Box::new(memlens_embed::Hashing::default()))
            .expect("it can be opened");
    let folders = folders_to_add(&home, "claude-code", &watched).expect("they are there");
    add_agent_folders(&mut indexer, &folders).expect("they can be added");
    drop(indexer);
    index(
        dir.path(),
        &[
            &notes.at(".claude/projects/-garden/memory"),
            &notes.at(".claude/projects/-house/memory"),
        ],
    );
    let watched = watched_folders(dir.path()).expect("they can be read");
    let named: Vec<(&str, Option<&str>)> = watched
        .iter()
        .map(|folder| (folder.name.as_str(), folder.agent.as_deref()))
        .collect();
    assert_eq!(
        named,
        [
            ("Claude Code garden", Some("claude-code")),
            ("Claude Code house", Some("claude-code")),
            ("elsewhere", None)
        ]
    );
    assert!(agents(&home, &watched).agents[0].is_watched);
    assert_eq!(
        folders_to_add(&home, "claude-code", &watched).expect("they are there"),
        []
    );
    // Its hidden folders are read because they were named, and a search can be limited to them.
    let library = open(dir.path());
    assert_eq!(
        places(&library, "claude-code")
            .iter()
            .filter(|name| *name == "elsewhere")
            .count(),
        0
    );
    assert!(places(&library, "claude-code").contains(&"Claude Code house".to_owned()));
    let error = part_of_agent(&library, "codex").expect_err("none of its folders is watched");
    assert_eq!(
        error.to_string(),
        "cannot search in codex: no watched folder belongs to this agent"
    );
}

#[test]
fn what_cannot_be_added_is_reported() {
    let (_notes, home) = home();
    let check = |id: &str, expected: &str| {
        let error = folders_to_add(&home, id, &[]).expect_err("it is refused");
        assert_eq!(error.to_string(), expected);
    };
    check(
        "hermes",
        "cannot watch hermes: Hermes was not found on this machine",
    );
    check(
        "Codex",
        "cannot watch Codex: no agent has the id Codex; did you mean codex?",
    );
    let empty = Notes::new(&[
        (".claude/settings.json", "{}"),
        (".codex/memories", "a file"),
    ]);
    let home = Home::new(empty.path());
    let check = |id: &str, expected: &str| {
        let error = folders_to_add(&home, id, &[]).expect_err("it is refused");
        assert_eq!(error.to_string(), expected);
    };
    check(
        "claude-code",
        "cannot watch claude-code: Claude Code has no folder of notes yet",
    );
    check(
        "codex",
        "cannot watch codex: ~/.codex/memories is not a folder",
    );
}

#[test]
fn folders_that_were_watched_before_are_reported_again() {
    let (notes, home) = home();
    let dir = fresh(&[&notes.at(".codex/memories"), &notes.at("elsewhere")]);
    let named = || -> Vec<Option<String>> {
        let watched = watched_folders(dir.path()).expect("they can be read");
        watched.into_iter().map(|folder| folder.agent).collect()
    };
    assert_eq!(named(), [None, None]);
    let note = |home: &Home| {
        let (indexer, _) =
            memlens_engine::Indexer::open(dir.path(), Box::new(memlens_embed::Hashing::default()))
                .expect("it can be opened");
        let mut store = indexer.store().beside().expect("it can be written");
        note_agents(&mut store, home).expect("they can be noted")
    };
    assert!(note(&home));
    assert_eq!(named(), [Some("codex".to_owned()), None]);
    assert!(!note(&home));
    // A program that was started with another environment changes nothing.
    assert!(!note(&Home::new(Path::new("/nowhere"))));
    assert_eq!(named(), [Some("codex".to_owned()), None]);
}

#[test]
fn the_window_watches_an_agent_at_a_click() {
    let (notes, home) = home();
    let dir = scratch();
    let mut it = Watched::open(dir.path());
    let state = it
        .engine
        .add_agent(&home, "codex")
        .expect("it can be added");
    let folder = &state.folders[0];
    assert_eq!(folder.name, "Codex");
    let agent = folder.agent.as_ref().expect("it is an agent's");
    assert_eq!(agent.name, "Codex");
    let again = it
        .engine
        .add_agent(&home, "codex")
        .expect("nothing is to be done");
    assert_eq!(again.folders.len(), 1);
    assert!(it.engine.add_agent(&home, "hermes").is_err());
    // Changes in a hidden folder are seen because it was named.
    it.wait("everything is indexed", |it| it.is_idle());
    notes.write(".codex/memories/new.md", "The relay stands in the attic.");
    it.wait_reported(Happening::Added, "new.md");
}

#[test]
fn the_window_reports_again_whose_memory_a_folder_is() {
    let (notes, home) = home();
    let dir = fresh(&[&notes.at(".codex/memories")]);
    let mut it = Watched::open(dir.path());
    assert_eq!(it.engine.state().folders[0].agent, None);
    it.engine.note_agents(&home).expect("it can be noted");
    it.wait("its agent is reported", |it| {
        it.engine.state().folders[0].agent.is_some()
    });
}

#[test]
fn what_an_agent_does_not_load_is_reported_by_why_not() {
    let (notes, home) = home();
    let dir = fresh(&[
        &notes.at(".claude/projects/-garden/memory"),
        &notes.at(".codex/memories"),
    ]);
    let watched = watched_folders(dir.path()).expect("they can be read");
    let load = loaded(&home, &watched);
    assert_eq!(load.problems, Vec::<String>::new());
    assert_eq!(load.findings, []);
    let files = load.files;
    let reported: Vec<_> = files
        .iter()
        .map(|file| {
            (
                file.agent.as_str(),
                file.unit.as_str(),
                file.used,
                file.cut,
                file.cut_at_line,
                file.note.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        reported,
        [
            (
                "claude-code",
                "lines",
                300,
                LoadCut::End,
                Some(201),
                Some("MEMORY.md")
            ),
            (
                "claude-code",
                "characters",
                9_191,
                LoadCut::None,
                None,
                Some("MEMORY.md")
            ),
            // This one is not watched.
            ("claude-code", "lines", 1, LoadCut::None, None, None),
            ("claude-code", "characters", 31, LoadCut::None, None, None),
            (
                "codex",
                "bytes",
                30,
                LoadCut::None,
                None,
                Some("memory_summary.md")
            ),
        ]
    );
    let library = open(dir.path());
    let params = Params::default();
    let search = library
        .search("attic", &params, None)
        .expect("it can be searched");
    let why = |line: Option<u32>| {
        let place = Place {
            folder: watched[0].id,
            path: "MEMORY.md".to_owned(),
            line,
        };
        let answer = why(&library, &search, &params, &place, None).expect("it can be explained");
        memlens_engine::with_load_cap(&library, answer, &home).load_cap
    };
    let past = "Past the load cap: Claude Code loads MEMORY.md up to 200 lines, so from line 201 on it sees nothing unless \
                it opens the file (checked with 2.1.332).";
    assert_eq!(why(Some(250)).as_deref(), Some(past));
    assert_eq!(why(Some(201)).as_deref(), Some(past));
    assert_eq!(why(Some(200)), None);
}

#[test]
fn what_is_not_loaded_of_a_line_is_said_as_it_is() {
    let removed = "---\nname: garden\n---\n- The router is in the attic.\n\n<!-- The spare key is under the pot. -->\n\n- Koi eat at noon.\n";
    // The first line is longer than the cap, so the agent cuts within it.
    let long = format!("- attic {}\n- The gate is blue.\n", "x".repeat(25_000));
    let notes = Notes::new(&[
        (".claude/projects/-garden/memory/MEMORY.md", removed),
        (".claude/projects/-pond/memory/MEMORY.md", &long),
    ]);
    let home = Home::new(notes.path());
    let garden = notes.at(".claude/projects/-garden/memory");
    let pond = notes.at(".claude/projects/-pond/memory");
    let dir = fresh(&[&garden, &pond]);
    let watched = watched_folders(dir.path()).expect("they can be read");
    let library = open(dir.path());
    let params = Params::default();
    let search = library
        .search("attic", &params, None)
        .expect("it can be searched");
    let folder = |at: &Path| {
        let path = at.display().to_string();
        let found = watched.iter().find(|folder| folder.path == path);
        found.expect("it is watched").id
    };
    let check = |at: &Path, line: Option<u32>, expected: Option<&str>| {
        let place = Place {
            folder: folder(at),
            path: "MEMORY.md".to_owned(),
            line,
        };
        let answer = why(&library, &search, &params, &place, None).expect("it can be explained");
        let said = memlens_engine::with_load_cap(&library, answer, &home).load_cap;
        assert_eq!(said.as_deref(), expected, "line {line:?}");
    };
    let out = "Claude Code removes front matter and comments from MEMORY.md before it loads it, and this line is in one of these (checked with 2.1.332).";
    check(&garden, Some(2), Some(out));
    check(&garden, Some(6), Some(out));
    check(&garden, Some(4), None);
    check(&garden, Some(8), None);
    check(
        &pond,
        Some(1),
        Some(
            "Claude Code loads only characters 1 to 25000 of this line of MEMORY.md: the rest is past the load cap (checked with 2.1.332).",
        ),
    );
    check(
        &pond,
        Some(2),
        Some(
            "Past the load cap: Claude Code loads MEMORY.md up to 25000 characters, which end within line 1, so of what follows it sees nothing unless it opens the file (checked with 2.1.332).",
        ),
    );
    let files = loaded(&home, &watched).files;
    let said: Vec<(String, String)> = files
        .iter()
        .map(|file| {
            (
                memlens_engine::cut_said(file),
                memlens_engine::removed_lines_said(&file.unloaded),
            )
        })
        .collect();
    let removed = "lines 1 to 3 and 6 are removed before loading (front matter and comments)";
    let both = |cut: &str, removed: &str| (cut.to_owned(), removed.to_owned());
    assert_eq!(
        said,
        [
            both("", removed),
            both("", removed),
            both("", ""),
            both("cut within line 1: 1 of 2 lines is not loaded", ""),
        ]
    );
}

#[test]
fn a_note_that_two_agents_load_is_explained_for_both() {
    let notes = Notes::new(&[(
        ".openclaw/workspace/MEMORY.md",
        &(1..=300)
            .map(|at| format!("- note {at} about the attic\n"))
            .collect::<String>(),
    )]);
    let workspace = notes.at(".openclaw/workspace");
    let settings = format!(r#"{{"autoMemoryDirectory": "{}"}}"#, workspace.display());
    notes.write(".claude/settings.json", &settings);
    let home = Home::new(notes.path());
    let dir = fresh(&[&workspace]);
    let watched = watched_folders(dir.path()).expect("they can be read");
    let library = open(dir.path());
    let params = Params::default();
    let search = library
        .search("attic", &params, None)
        .expect("it can be searched");
    let place = Place {
        folder: watched[0].id,
        path: "MEMORY.md".to_owned(),
        line: Some(250),
    };
    let answer = why(&library, &search, &params, &place, None).expect("it can be explained");
    let said = memlens_engine::with_load_cap(&library, answer, &home).load_cap;
    assert_eq!(
        said.as_deref(),
        Some(
            "OpenClaw loads line 250. Past the load cap: Claude Code loads MEMORY.md up to 200 lines, so from line 201 on it sees nothing unless it opens the file (checked with 2.1.332)."
        )
    );
}

#[test]
fn instruction_files_are_read_only_of_a_watched_agent() {
    let notes = Notes::new(&[
        (".claude/CLAUDE.md", "Use tabs.\n@extra.md\n"),
        (".claude/extra.md", "<!-- hidden -->\n\nTest first.\n"),
        (".claude/projects/-garden/memory/MEMORY.md", "- fact\n"),
        ("elsewhere/router.md", "The router was sold.\n"),
    ]);
    let home = Home::new(notes.path());
    let unwatched = fresh(&[&notes.at("elsewhere")]);
    let watched = watched_folders(unwatched.path()).expect("they can be read");
    let view = always_view(&home, &watched, "claude-code").expect("it is known");
    assert!(!view.is_watched && view.files.is_empty());
    let extra = notes.at(".claude/extra.md").display().to_string();
    assert!(always_text(&home, &watched, "claude-code", &extra).is_err());

    let dir = fresh(&[&notes.at(".claude/projects/-garden/memory")]);
    let watched = watched_folders(dir.path()).expect("they can be read");
    let view = always_view(&home, &watched, "claude-code").expect("it is known");
    let reported: Vec<(&str, Option<&str>, u32)> = view
        .files
        .iter()
        .map(|file| (file.shown.as_str(), file.by.as_deref(), file.n_lines))
        .collect();
    assert_eq!(
        reported,
        [
            ("~/.claude/CLAUDE.md", None, 2),
            ("~/.claude/extra.md", Some("~/.claude/CLAUDE.md"), 3),
            ("~/.claude/projects/-garden/memory/MEMORY.md", None, 1),
        ]
    );
    let text = always_text(&home, &watched, "claude-code", &extra).expect("it is read");
    let unloaded: Vec<(u32, u32, Unloaded)> = text
        .file
        .unloaded
        .iter()
        .map(|run| (run.first, run.last, run.why))
        .collect();
    assert_eq!(unloaded, [(1, 1, Unloaded::Removed)]);
    let other = notes.at("elsewhere/router.md").display().to_string();
    assert!(always_text(&home, &watched, "claude-code", &other).is_err());
    // Instruction files are not notes.
    let library = open(dir.path());
    let found = library
        .search("tabs", &Params::default(), None)
        .expect("it can be searched");
    let rows = found.rows().expect("they can be listed");
    assert!(rows.iter().all(|row| row.path == "MEMORY.md"), "{rows:?}");
}
