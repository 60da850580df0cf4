//! What the start page counts: questions to begin with, the size of what an agent does not load, notes that no search finds, and
//! the sample notes. Then the watched agent's own ranking: its memory before a question, and its config changed and put back.

use std::path::Path;

use memlens_engine::export::{config_problems, undo_config, write_config};
use memlens_engine::view::{LoadCut, SuggestedQuestion, TreeEntry};
use memlens_engine::{
    Home, Ranking, agents, folders_to_add, loaded, open_sample_notes, past, pipeline,
    prepare_memory, read_agent_config, watched_folders,
};
use memlens_params::{ParameterSet, Value};
use memlens_store::NewPast;
use memlens_tests::{Notes, open};
use serde_json::json;

use crate::forgetting::{asked, days_ago, library, notes};
use crate::watched::{Watched, scratch};

fn suggested(questions: &[NewPast]) -> Vec<(String, Option<String>, bool)> {
    let notes = notes();
    let dir = library(&notes, questions);
    let suggested = past::suggested(&open(dir.path())).expect("they can be read");
    let offered = suggested.into_iter().map(
        |SuggestedQuestion {
             question,
             agent_name,
             found_nothing,
         }| (question, agent_name, found_nothing),
    );
    offered.collect()
}

/// A question that found something.
fn answered(call: &str, question: &str, at_ms: i64) -> NewPast {
    NewPast {
        returned: Some(json!([{"path": "router.md", "lines": [1, 1], "score": 0.5}]).to_string()),
        ..asked(call, question, at_ms)
    }
}

#[test]
fn questions_that_found_nothing_come_first() {
    let offered = suggested(&[
        answered("1", "where is the router", days_ago(1)),
        asked("2", "who feeds the koi", days_ago(3)),
        answered("3", "when are bees treated", days_ago(4)),
        asked("4", "who has the key", days_ago(2)),
        // It found something when it was asked last.
        asked("5", "Where is the  router", days_ago(9)),
        NewPast {
            is_pattern: true,
            served: None,
            ..asked("6", "koi|carp", days_ago(0))
        },
        NewPast {
            has_failed: true,
            returned: None,
            ..asked("7", "what failed", days_ago(0))
        },
        asked("8", &"long ".repeat(80), days_ago(0)),
    ]);
    let of = |question: &str, found_nothing| {
        let agent = Some("OpenClaw".to_owned());
        (question.to_owned(), agent, found_nothing)
    };
    assert_eq!(
        offered,
        [
            of("who has the key", true),
            of("who feeds the koi", true),
            of("where is the router", false),
            of("when are bees treated", false),
        ]
    );
}

#[test]
fn questions_are_made_from_notes_only_if_no_agent_asked() {
    let notes = Notes::new(&[
        (
            "house.md",
            "# The push relay and its port\n\nIt listens on 8093.\n",
        ),
        // What an agent is instructed with is no memory.
        ("lab/SOUL.md", "# Who you are at heart\n\nBe kind.\n"),
        ("AGENTS.md", "# Every session begins so\n\nRead this.\n"),
    ]);
    let dir = library(&notes, &[]);
    let offered = past::suggested(&open(dir.path())).expect("they can be read");
    let made: Vec<(&str, Option<&str>)> = offered
        .iter()
        .map(|it| (it.question.as_str(), it.agent_name.as_deref()))
        .collect();
    assert_eq!(
        made,
        [(
            "What do my notes say about the push relay and its port?",
            None
        )]
    );
    // One that cannot be suggested is not one that was asked.
    let opening = NewPast {
        is_opening: true,
        ..asked("1", "", days_ago(0))
    };
    let dir = library(&notes, &[opening]);
    let offered = past::suggested(&open(dir.path())).expect("they can be read");
    assert_eq!(offered.len(), 1);
}

/// Entries of a tree that are notes, and those that no search of the agent finds.
fn counted(entries: &[TreeEntry]) -> (u32, u32) {
    entries.iter().fold((0, 0), |(n, unsearched), entry| {
        let inner = counted(&entry.children);
        let is_note = u32::from(!entry.is_folder);
        let is_unsearched = u32::from(entry.not_searched.is_some());
        (n + inner.0 + is_note, unsearched + inner.1 + is_unsearched)
    })
}

#[test]
fn findings_of_one_workspace_are_counted_once_and_alike() {
    let memory = "The attic is cold.\n".repeat(1_100);
    let config = r#"{"meta": {"lastTouchedVersion": "2026.9.6"}, "agents": {"list": [
        {"id": "main", "default": true}, {"id": "lab", "workspace": "~/.openclaw/workspace"}]}}"#;
    let home = Notes::new(&[
        (".openclaw/openclaw.json", config),
        (".openclaw/workspace/MEMORY.md", &memory),
        (".openclaw/workspace/AGENTS.md", "Be brief.\n"),
        (".openclaw/workspace/TOOLS.md", "None.\n"),
        (
            ".openclaw/workspace/memory/2026-11-02.md",
            "The relay was sold.\n",
        ),
    ]);
    let dir = scratch();
    let mut watched = Watched::at_home(dir.path(), &home);
    let of_home = Home::new(home.path());
    let state = watched
        .engine
        .add_agent(&of_home, "openclaw")
        .expect("it can be added");
    assert_eq!(state.folders.len(), 1, "two agents share it");
    watched.wait("everything is indexed", Watched::is_idle);

    let trees = watched.engine.trees().expect("they can be read");
    let counts: Vec<(u32, u32)> = trees.iter().map(|tree| counted(&tree.entries)).collect();
    assert_eq!(counts, [(4, 2)]);
    let folders = watched_folders(dir.path()).expect("they can be read");
    let view = agents(&of_home, &folders);
    let openclaw = &view.agents[0];
    assert_eq!((openclaw.n_notes, openclaw.n_unsearched), (4, 2));

    let files = loaded(&of_home, &folders).files;
    let cut: Vec<_> = files
        .iter()
        .filter(|file| file.cut == LoadCut::Middle)
        .collect();
    let names: Vec<Option<&str>> = cut.iter().map(|file| file.note.as_deref()).collect();
    assert_eq!(names, [Some("MEMORY.md")]);
    // More than what is past the cap, because the mark takes room of it.
    let past_cap = cut[0].used - cut[0].cap.expect("it has one");
    assert_eq!(cut[0].used, 20_899);
    assert!(
        (past_cap + 100..past_cap + 130).contains(&cut[0].left_out),
        "{cut:?}"
    );
}

#[test]
fn a_config_that_breaks_or_goes_leaves_what_is_watched() {
    let home = Notes::new(&[
        (
            ".openclaw/openclaw.json",
            r#"{"meta": {"lastTouchedVersion": "2026.9.6"}}"#,
        ),
        (".openclaw/workspace/MEMORY.md", "The relay is grey.\n"),
        (".openclaw/workspace/AGENTS.md", "Be brief.\n"),
    ]);
    let dir = scratch();
    let mut watched = Watched::at_home(dir.path(), &home);
    let of_home = Home::new(home.path());
    watched
        .engine
        .add_agent(&of_home, "openclaw")
        .expect("it can be added");
    watched.wait("everything is indexed", Watched::is_idle);
    let folders = watched_folders(dir.path()).expect("they can be read");
    let look = || {
        let view = agents(&of_home, &folders);
        let openclaw = &view.agents[0];
        (
            openclaw.is_watched,
            openclaw.version.clone(),
            openclaw.problems.len(),
        )
    };
    assert_eq!(look(), (true, Some("2026.9.6".to_owned()), 0));
    home.write(".openclaw/openclaw.json", "{broken");
    let (_, version, n_problems) = look();
    assert_eq!((version, n_problems), (None, 1));
    std::fs::remove_file(home.at(".openclaw/openclaw.json")).expect("it is there");
    assert_eq!(look(), (true, None, 0));
    assert_eq!(
        folders_to_add(&of_home, "openclaw", &folders).expect("it is there"),
        []
    );
}

#[test]
fn sample_notes_are_watched_beside_the_library() {
    let around = scratch();
    let dir = around.path().join("library");
    let mut watched = Watched::open(&dir);
    let state = open_sample_notes(&watched.engine).expect("they can be opened");
    let names: Vec<&str> = state.folders.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["memlens-sample-notes"]);
    watched.wait("everything is indexed", Watched::is_idle);
    assert_eq!(watched.engine.state().n_files, 11);
    // A second time they are there, and watched already.
    let again = open_sample_notes(&watched.engine);
    assert!(again.is_err() || again.is_ok_and(|state| state.folders.len() == 1));
    assert!(
        Path::new(&dir)
            .with_file_name("memlens-sample-notes")
            .is_dir()
    );
}

/// A home with a config of OpenClaw, and the change that exports a ranking into it.
fn change_of(config: &str) -> (Notes, memlens_engine::Export) {
    let home = Notes::new(&[(".openclaw/openclaw.json", config)]);
    let mut ranking = Ranking::of(pipeline("openclaw@2026.9").expect("it is known"));
    let set = ranking.values.set("openclaw.min_score", Value::Number(0.5));
    set.expect("it is a number");
    let target = memlens_engine::target("openclaw@2026.9").expect("it is known");
    let mut made = memlens_engine::export(&ranking, target, None).expect("it can be exported");
    let path = home.at(".openclaw/openclaw.json");
    made.into_config(&path, None).expect("it can be read");
    (home, made)
}

const CONFIG: &str = r#"{"meta": {"lastTouchedVersion": "2026.9.6"}, "memory": {"search": {"query": {"minScore": 0.4}}}}"#;

#[test]
fn what_is_measured_before_a_change_is_what_the_file_gives_after_it() {
    let (home, made) = change_of(CONFIG);
    let change = made.change.as_ref().expect("there is a config");
    let (before, after) = change.rankings.as_ref().expect("it is emulated");
    let least = |ranking: &Ranking| ranking.values.get("openclaw.min_score");
    assert_eq!(least(before), Some(Value::Number(0.4)));
    assert_eq!(least(after), Some(Value::Number(0.5)));
    write_config(change).expect("it can be written");
    let path = home.at(".openclaw/openclaw.json");
    let read = read_agent_config(&path, None).expect("it can be read");
    assert_eq!(read.ranking.to_view(), after.to_view());
    assert_eq!(config_problems(&path, None), Vec::<String>::new());
}

#[test]
fn a_change_of_a_config_is_undone_from_its_backup_alone() {
    let (home, made) = change_of(CONFIG);
    let change = made.change.as_ref().expect("there is a config");
    let backup = write_config(change).expect("it can be written");
    let text = |path: &Path| std::fs::read_to_string(path).expect("it is there");
    let path = home.at(".openclaw/openclaw.json");
    let written = text(&path);
    assert_ne!(written, CONFIG);

    // The agent saved it since.
    std::fs::write(&path, "{}").expect("it is ours");
    let refused = undo_config(change, &backup)
        .expect_err("it has changed")
        .to_string();
    assert!(
        refused.contains("it has changed since it was read"),
        "{refused}"
    );
    assert_eq!(text(&path), "{}");

    // It vanished: it is not made again behind the agent's back, and what it held is still in the backup.
    std::fs::remove_file(&path).expect("it is ours");
    let refused = undo_config(change, &backup)
        .expect_err("it is gone")
        .to_string();
    assert!(refused.contains("openclaw.json"), "{refused}");
    assert!(!path.exists());
    assert_eq!(text(&backup), CONFIG);
    std::fs::write(&path, &written).expect("it is ours");

    let replaced = undo_config(change, &backup).expect("it can be put back");
    assert_eq!(text(&path), CONFIG);
    assert_eq!(text(&replaced), written);

    std::fs::write(&path, &written).expect("it is ours");
    std::fs::write(&backup, "other").expect("it is ours");
    let refused = undo_config(change, &backup)
        .expect_err("it is another")
        .to_string();
    assert!(
        refused.contains("does not hold what was replaced"),
        "{refused}"
    );
    std::fs::remove_file(&backup).expect("it is ours");
    assert!(undo_config(change, &backup).is_err());
    assert_eq!(text(&path), written);
}

#[test]
fn what_an_agent_refuses_of_its_config_is_told() {
    let (home, _) = change_of(CONFIG);
    let path = home.at(".openclaw/openclaw.json");
    home.write(".openclaw/openclaw.json", "{broken");
    assert_eq!(config_problems(&path, None).len(), 1);
    home.write(
        ".openclaw/openclaw.json",
        r#"{"meta": {"lastTouchedVersion": "2026.9.6"}, "memory": {"search": {"enabled": false}}}"#,
    );
    assert_eq!(config_problems(&path, None).len(), 1);
}

#[test]
fn the_memory_of_an_agent_is_prepared_before_a_question() {
    let notes = notes();
    let dir = library(&notes, &[]);
    let library = open(dir.path());
    let ranking = Ranking::of(pipeline("openclaw").expect("it is known"));
    assert!(prepare_memory(&library, &ranking).expect("it can be made"));
    // Memlens's own needs none.
    let own = Ranking::native(&memlens_params::Params::default());
    assert!(prepare_memory(&library, &own).expect("there is nothing to make"));
    let listed = memlens_engine::pipelines_of(&library);
    let own: Vec<&str> = listed
        .iter()
        .filter(|it| it.is_own)
        .map(|it| it.id)
        .collect();
    assert_eq!(
        own.iter()
            .filter(|id| id.starts_with("openclaw"))
            .collect::<Vec<_>>(),
        [&"openclaw@2026.9"]
    );
    assert!(listed.iter().all(|it| it.id != "memlens" || !it.is_own));
}
