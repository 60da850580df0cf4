//! What an agent's own search finds, by the agent's rules and not by Memlens's walk.
//!
//! Properties checked: an emulated memory holds the agent's notes, also those that Memlens leaves out or that are not
//! watched, and none that the agent leaves out; each agent of a program searches its own notes; a change of the config,
//! or of a note that only the agent reads, is followed; marks, counts and "why not?" give the same reason; notes that
//! only the agent reads can be opened, and nothing else.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use memlens_engine::view::{CardId, NotSearchedBy, NoteQuery, TreeEntry};
use memlens_engine::{
    EngineError, FolderId, Home, Library, Part, Place, Ranking, Scope, Search, WhyNot, agents,
    answers_outside, folders_to_add, note_agents, note_list, part_of_agent, past, pipeline,
    whole_overview, why, why_typed,
};
use memlens_params::{ParameterSet, Params, Value};
use memlens_store::{NewPast, ReadLog, Store};
use memlens_tests::{Notes, fresh, index, open};

/// A home with OpenClaw in it, and a library that watches some of its folders.
struct Scene {
    home: Notes,
    library: Library,
    _dir: tempfile::TempDir,
}

impl Scene {
    fn new(config: &str, notes: &[(&str, &str)], watched: &[&str]) -> Scene {
        let home = Notes::new(&[(".openclaw/openclaw.json", config)]);
        for (path, text) in notes {
            home.write(path, text);
        }
        let dir = fresh(&[]);
        let library = open(dir.path()).in_home(Home::new(home.path()));
        let folders: Vec<_> = watched.iter().map(|it| home.at(it)).collect();
        let folders: Vec<_> = folders.iter().map(|it| it.as_path()).collect();
        index(dir.path(), &folders);
        let scene = Scene {
            home,
            library,
            _dir: dir,
        };
        let mut store = Store::open(scene.library.dir()).expect("nobody writes");
        note_agents(&mut store, &Home::new(scene.home.path())).expect("they can be noted");
        drop(store);
        scene.library.refresh().expect("it can be read");
        scene
    }

    fn folder(&self, path: &str) -> FolderId {
        let path = self.home.at(path).display().to_string();
        let lists = self.library.lists();
        let mut folders = lists.snapshot.folders.iter();
        folders
            .find(|it| it.path == path)
            .expect("it is watched")
            .id
    }

    fn place(&self, folder: &str, path: &str) -> Place {
        Place {
            folder: self.folder(folder),
            path: path.to_owned(),
            line: None,
        }
    }

    fn ask(&self, named: &str, part: Part) -> Arc<Search> {
        self.library
            .search_as("router", &all(named), part)
            .expect("it can be searched")
    }

    /// Returns the paths of the notes that are found, sorted.
    fn found(&self, named: &str) -> Vec<String> {
        found(&self.ask(named, Part::All))
    }
}

/// Returns a ranking that keeps everything.
fn all(named: &str) -> Ranking {
    let mut ranking = Ranking::of(pipeline(named).expect("it is known"));
    for (id, value) in [("openclaw.min_score", 0.0), ("openclaw.max_results", 100.0)] {
        let value = Value::Number(value);
        ranking.values.set(id, value).expect("it is in range");
    }
    ranking
}

fn found(search: &Search) -> Vec<String> {
    let trace = search.rank(&all("openclaw").values);
    let rows = trace.kept().iter();
    let mut found: Vec<String> = rows
        .map(|slot| search.row(*slot).expect("a row").path)
        .collect();
    found.sort();
    found.dedup();
    found
}

const ROUTER: &str = "The router stands in the hall.\n";

/// Returns notes that Memlens leaves out, notes that OpenClaw leaves out, and a folder that is not watched.
fn mixed() -> Scene {
    Scene::new(
        "{meta: {lastTouchedVersion: '2026.9.6'}, memory: {search: {extraPaths: ['../../vault']}}}",
        &[
            (".openclaw/workspace/MEMORY.md", ROUTER),
            (".openclaw/workspace/AGENTS.md", ROUTER),
            (".openclaw/workspace/projects/plan.md", ROUTER),
            (".openclaw/workspace/memory/list.txt", ROUTER),
            (".openclaw/workspace/memory/a.md", ROUTER),
            (".openclaw/workspace/memory/.hidden/b.md", ROUTER),
            (".openclaw/workspace/memory/ignored.md", ROUTER),
            (".openclaw/workspace/.gitignore", "ignored.md\n"),
            ("vault/kettle.md", "The kettle is by the router.\n"),
            ("private/c.md", ROUTER),
        ],
        &[".openclaw/workspace"],
    )
}

#[test]
fn a_note_that_only_the_agent_searches_is_explained_as_such() {
    let scene = mixed();
    let library = &scene.library;
    let params = memlens_params::Params::default();
    let search = library.search("router", &params, None).expect("it works");
    let answer_to = |typed: &str| {
        let here = Some(scene.home.path());
        let answer = why_typed(library, &search, &params, typed, here);
        answer.expect("it can be explained")
    };
    let why = |typed: &str| {
        let answer = answer_to(typed);
        assert_eq!(answer.why, WhyNot::NotWatched, "{typed}");
        (answer.sentence, answer.advice.expect("there is one"))
    };
    let vault = scene.home.at("vault").display().to_string();
    let expected = (
        format!("OpenClaw searches this note, but Memlens does not watch its folder {vault}."),
        format!("Run `memlens index {vault}`, or press Watch beside OpenClaw in Settings."),
    );
    let absolute = format!("{vault}/kettle.md");
    for typed in [&*absolute, "vault/kettle.md", "vault/kettle.md:1"] {
        assert_eq!(why(typed), expected, "{typed}");
    }
    // For notes that no agent searches the only reason is that they are not watched.
    for typed in ["private/c.md", &*vault] {
        let (sentence, _) = why(typed);
        assert_eq!(sentence, "It is not in a watched folder.", "{typed}");
    }
    assert_eq!(answer_to(&format!("{vault}/none.md")).why, WhyNot::Gone);
    // The emulated memory holds the note, so its rank is explained.
    let emulated = scene.ask("openclaw", Part::All);
    let values = &all("openclaw").values;
    let answer =
        why_typed(library, &emulated, values, &absolute, None).expect("it can be explained");
    assert!(
        matches!(answer.why, WhyNot::Searched { .. }),
        "{}",
        answer.sentence
    );
    assert_eq!(answer.path, "kettle.md");
}

#[test]
fn the_memory_holds_what_the_agent_indexes_and_nothing_else() {
    let scene = mixed();
    let search = scene.ask("openclaw", Part::All);
    assert_eq!(
        found(&search),
        [
            "MEMORY.md",
            "kettle.md",
            "memory/.hidden/b.md",
            "memory/a.md",
            "memory/ignored.md"
        ]
    );
    assert!(
        search.notices[0].starts_with("OpenClaw 2026.9, emulated over 5 notes of its workspace."),
        "{:?}",
        search.notices
    );
    let reported = search
        .notices
        .iter()
        .any(|it| it.starts_with("3 of them are not indexed by Memlens"));
    assert!(reported, "{:?}", search.notices);
    // Also if only the agent's own folders are searched: extraPaths belong to its memory.
    let own = part_of_agent(&scene.library, "openclaw").expect("it is watched");
    assert_eq!(found(&scene.ask("openclaw", own)).len(), 5);
    // An older edition reads only its own key, but the config names the version that wrote it.
    assert_eq!(scene.found("openclaw@2026.7").len(), 5);
}

#[test]
fn what_only_the_agent_reads_can_be_opened_and_nothing_else() {
    let scene = mixed();
    let search = scene.ask("openclaw", Part::All);
    let rows = search.rows().expect("rows");
    for path in ["kettle.md", "memory/.hidden/b.md", "memory/ignored.md"] {
        let row = rows.iter().find(|it| it.path == path).expect("it is found");
        let folder = FolderId(row.folder.parse().expect("a number"));
        let opened = scene
            .library
            .document(folder, path)
            .expect("it can be opened");
        assert!(opened.text.contains("router"), "{path}");
        let absolute = scene.library.absolute(folder, path).expect("it is there");
        assert!(absolute.ends_with(path));
        let unknown = scene.library.document(folder, "../private/c.md");
        assert!(
            matches!(unknown, Err(EngineError::NoDocument { .. })),
            "{unknown:?}"
        );
    }
    let workspace = scene.folder(".openclaw/workspace");
    let hidden = scene.library.document(workspace, ".gitignore");
    assert!(
        matches!(hidden, Err(EngineError::NoDocument { .. })),
        "{hidden:?}"
    );
}

#[test]
fn changes_of_the_config_and_of_notes_are_followed() {
    let scene = mixed();
    assert!(scene.found("openclaw").contains(&"kettle.md".to_owned()));
    scene.home.write(
        ".openclaw/openclaw.json",
        "{memory: {search: {extraPaths: []}}}",
    );
    assert!(!scene.found("openclaw").contains(&"kettle.md".to_owned()));
    scene.home.write(
        ".openclaw/openclaw.json",
        "{memory: {search: {enabled: false, extraPaths: []}}}",
    );
    let search = scene.ask("openclaw", Part::All);
    assert_eq!(found(&search), [""; 0]);
    let reported = search
        .notices
        .iter()
        .any(|it| it == "OpenClaw's search is switched off in ~/.openclaw/openclaw.json: memory.search.enabled is false.");
    assert!(reported, "{:?}", search.notices);
    // A change of a note that only the agent reads is not a change of the library. It is seen after a bounded time.
    scene.home.write(".openclaw/openclaw.json", "{}");
    assert!(
        !scene
            .found("openclaw")
            .contains(&"memory/.hidden/new.md".to_owned())
    );
    scene
        .home
        .write(".openclaw/workspace/memory/.hidden/new.md", ROUTER);
    let started = Instant::now();
    while !scene
        .found("openclaw")
        .contains(&"memory/.hidden/new.md".to_owned())
    {
        assert!(started.elapsed() < Duration::from_secs(60), "it is seen");
        std::thread::sleep(Duration::from_millis(100));
    }
}

/// Returns two agents with a workspace each.
fn two_agents(watched: &[&str]) -> Scene {
    Scene::new(
        "{agents: {entries: {main: {default: true}, yard: {}}}}",
        &[
            (".openclaw/workspace/memory/house.md", ROUTER),
            (".openclaw/workspace-yard/memory/shed.md", ROUTER),
        ],
        watched,
    )
}

#[test]
fn each_agent_searches_its_own_workspace() {
    let both = [".openclaw/workspace", ".openclaw/workspace-yard"];
    let scene = two_agents(&both);
    let search = scene.ask("openclaw", Part::All);
    assert_eq!(found(&search), ["memory/house.md"]);
    let said = "of its default agent main: each of its 2 agents searches its own workspace only.";
    assert!(search.notices[0].contains(said), "{:?}", search.notices);
    // A search within one workspace counts as its agent's.
    let scope = Scope {
        folder: scene.folder(both[1]),
        path: String::new(),
    };
    let within = scene.ask("openclaw", Part::Folder(scope));
    assert_eq!(found(&within), ["memory/shed.md"]);
    assert!(
        within.notices[0].contains("of its agent yard"),
        "{:?}",
        within.notices
    );
    // A past question is asked in the workspace of the agent whose log has it.
    let asked = |log: &str, call: &str| {
        let mut store = Store::open(scene.library.dir()).expect("nobody writes");
        let log = ReadLog {
            path: log.to_owned(),
            agent: "openclaw".to_owned(),
            cursor: Some("1".to_owned()),
            n_bytes: 1,
            stamp: String::new(),
            problem: None,
        };
        let past = NewPast {
            agent: "openclaw".to_owned(),
            session: "7f3a".to_owned(),
            call: call.to_owned(),
            at_ms: Some(1_795_213_860_000),
            question: "router".to_owned(),
            settings: "{}".to_owned(),
            returned: Some("[]".to_owned()),
            opened: "[]".to_owned(),
            cited: "[]".to_owned(),
            is_opening: false,
            has_failed: false,
            is_pattern: false,
            served: None,
        };
        store.keep_past(&log, &[past], &[]).expect("it can be kept");
    };
    asked("/h/.openclaw/agents/yard/agent/openclaw-agent.sqlite", "1");
    asked("/h/.openclaw/agents/main/sessions/1.jsonl", "2");
    scene.library.refresh().expect("it can be read");
    let past =
        past::list(&scene.library, &memlens_engine::PastFilter::default()).expect("they are kept");
    let now = |member: &str| {
        let one = past.iter().find(|it| it.member.as_deref() == Some(member));
        let id = one.expect("its log names it").id.to_string();
        let then_now =
            past::then_now(&scene.library, &id, Some(&all("openclaw"))).expect("it can be asked");
        then_now
            .now
            .into_iter()
            .map(|it| it.path)
            .collect::<Vec<_>>()
    };
    assert_eq!(now("yard"), ["memory/shed.md"]);
    assert_eq!(now("main"), ["memory/house.md"]);
    // Of the two agents, the watched one is taken.
    let scene = two_agents(&both[1..]);
    let search = scene.ask("openclaw", Part::All);
    assert_eq!(found(&search), ["memory/shed.md"]);
    assert!(
        search.notices[0]
            .contains("of its agent yard, as the default agent's workspace is not watched"),
        "{:?}",
        search.notices
    );
}

fn marked(entries: &[TreeEntry], marks: &mut Vec<(String, NotSearchedBy)>) {
    for entry in entries {
        marks.extend(
            entry
                .not_searched
                .clone()
                .map(|it| (entry.path.clone(), it)),
        );
        marked(&entry.children, marks);
    }
}

#[test]
fn a_note_that_is_never_searched_is_marked_counted_and_explained() {
    let scene = mixed();
    let workspace = scene.folder(".openclaw/workspace");
    let tree = scene
        .library
        .tree(workspace, &Default::default())
        .expect("it can be read");
    let mut marks = Vec::new();
    marked(&tree, &mut marks);
    let paths: Vec<&str> = marks.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["memory/list.txt", "projects/plan.md", "AGENTS.md"]);
    let reason = "Of its workspace OpenClaw indexes only MEMORY.md, USER.md and the Markdown files below memory/.";
    assert_eq!(marks[2].1.reason, reason);
    assert_eq!(marks[2].1.cause, "outside_memory");

    let home = Home::new(scene.home.path());
    let view = agents(&home, &scene.library.lists().snapshot.folders);
    // MEMORY.md, a.md and kettle.md are found; AGENTS.md, plan.md and list.txt are not.
    assert_eq!(
        (view.agents[0].n_notes, view.agents[0].n_unsearched),
        (6, 3)
    );
    let to_add = folders_to_add(&home, "openclaw", &scene.library.lists().snapshot.folders);
    let to_add: Vec<_> = to_add
        .expect("it is there")
        .into_iter()
        .map(|it| it.path)
        .collect();
    assert_eq!(to_add, [scene.home.at("vault")]);

    let why = |place: &Place| {
        let search = scene.ask("openclaw", Part::All);
        let ranking = all("openclaw");
        let answer = why(&scene.library, &search, &ranking.values, place, None);
        answer.expect("it is explained")
    };
    let answer = why(&scene.place(".openclaw/workspace", "AGENTS.md"));
    let WhyNot::NotHeld {
        unsearched: Some(unsearched),
        ..
    } = &answer.why
    else {
        panic!("{answer:?}");
    };
    assert_eq!(*unsearched, marks[2].1);
    assert_eq!(answer.sentence, reason);
    let advice = "Move the note below memory/, or add its folder to memory.search.extraPaths in ~/.openclaw/openclaw.json.";
    assert_eq!(answer.advice.as_deref(), Some(advice));
    // A note that Memlens leaves out and the agent does not is searched as any other.
    let answer = why(&scene.place(".openclaw/workspace", "memory/ignored.md"));
    assert!(matches!(answer.why, WhyNot::Searched { .. }), "{answer:?}");
}

#[test]
fn a_folder_of_another_agent_has_no_marks() {
    let scene = Scene::new("{}", &[("notes/AGENTS.md", ROUTER)], &["notes"]);
    let tree: Vec<TreeEntry> = scene
        .library
        .tree(scene.folder("notes"), &Default::default())
        .expect("it can be read");
    let mut marks = Vec::new();
    marked(&tree, &mut marks);
    assert_eq!(marks, []);
    // None of the agent's folders is watched, so all watched notes take the place of its memory.
    assert_eq!(scene.found("openclaw"), ["AGENTS.md"]);
}

#[test]
fn answers_that_the_agent_never_finds_are_named_in_place_of_figures() {
    let scene = mixed();
    let at = |path: &str| scene.home.at(&format!(".openclaw/workspace/{path}"));
    let (found, lost) = (at("memory/ignored.md"), at("AGENTS.md"));
    let outside = |named: &str, paths: &[&Path]| {
        let answers = paths.iter().copied();
        answers_outside(&scene.library, &all_or_native(named), answers)
    };
    let said = |named: &str, paths: &[&Path]| outside(named, paths).expect("some are found");
    assert_eq!(said("openclaw", &[&found]), None);
    assert_eq!(said("memlens", &[&lost]), None);
    let partly = said("openclaw", &[&lost, &lost, &found]).expect("two are not found");
    let start = "2 of 3 answers are in notes that OpenClaw does not index, and count as not found. \
         Of its workspace OpenClaw indexes only";
    assert!(partly.starts_with(start), "{partly}");
    let none = outside("openclaw", &[&lost]).expect_err("no figure means anything");
    assert!(matches!(none, EngineError::NoneSearched { n: 1, .. }));
    assert!(none.to_string().contains("extraPaths"), "{none}");
}

fn all_or_native(named: &str) -> Ranking {
    if named == "memlens" {
        Ranking::of(pipeline(named).expect("it is known"))
    } else {
        all(named)
    }
}

#[test]
fn a_replay_names_the_notes_that_are_never_searched() {
    let scene = mixed();
    let filter = memlens_engine::PastFilter::default();
    let replay = |ranking: &Ranking| {
        let summary = past::replay(&scene.library, &filter, Some(ranking));
        summary
            .expect("it can be asked")
            .expect("nobody stops it")
            .notices
    };
    let notices = replay(&all("openclaw"));
    let start =
        "3 of 5 notes are never searched by OpenClaw. Of its workspace OpenClaw indexes only";
    assert!(
        notices.iter().any(|it| it.starts_with(start)),
        "{notices:?}"
    );
    let notices = replay(&all_or_native("memlens"));
    assert!(
        !notices.iter().any(|it| it.contains("never searched")),
        "{notices:?}"
    );
}

#[test]
fn the_overview_lists_what_the_agent_neither_loads_nor_searches() {
    let scene = Scene::new(
        "{meta: {lastTouchedVersion: '2026.9.6'}}",
        &[
            (".openclaw/workspace/MEMORY.md", ROUTER),
            (".openclaw/workspace/AGENTS.md", ROUTER),
            (".openclaw/workspace/memory/router.md", ROUTER),
            (".openclaw/workspace/drafts/router.md", ROUTER),
        ],
        &[".openclaw/workspace"],
    );
    let overview = whole_overview(&scene.library, &Params::default()).expect("it can be read");
    for (id, expected) in [
        (CardId::NotLoaded, &["drafts/router.md", "memory/router.md"]),
        (CardId::NotSearched, &["AGENTS.md", "drafts/router.md"]),
    ] {
        let card = overview.cards.iter().find(|card| card.id == id);
        let card = card.expect("each card is there");
        assert_eq!(card.n, Some(2), "{id:?}: {}", card.basis);
        let query = NoteQuery {
            card: Some(id),
            ..NoteQuery::default()
        };
        let list = note_list(&scene.library, &query).expect("it can be listed");
        let paths: Vec<&str> = list.rows.iter().map(|row| row.path.as_str()).collect();
        assert_eq!(paths, expected, "{id:?}");
    }
}
