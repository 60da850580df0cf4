//! What became of a past question's results is claimed only where the agent's own index is searched by the agent's own ranking with
//! the agent's own model.

use std::fs;

use memlens_embed::{Embedder, Hashing};
use memlens_engine::acts;
use memlens_engine::past;
use memlens_engine::view::{Fate, ReplaySummary, ThenNow};
use memlens_engine::{Home, Library, PastFilter, Ranking, RecallChange};
use memlens_params::Params;
use memlens_store::{NewPast, ReadLog, Store};
use memlens_tests::{Notes, fresh, open, write_openclaw_index};
use serde_json::{Value, json};

const DAY_MS: i64 = 24 * 60 * 60 * 1000;
const HALL: &str = "The router stands in the hall.\n";
const ATTIC: &str = "The router stands in the attic.\n";

fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// OpenClaw with a workspace of two notes, its config, and its own index of both.
struct Scene {
    home: Notes,
    library: Library,
    _dir: tempfile::TempDir,
}

impl Scene {
    /// `model` embedded the index, which was made at a moment.
    fn new(model: &str, written_ms: i64) -> Scene {
        Scene::watching(".openclaw/workspace", model, written_ms)
    }

    /// One of which a folder is watched.
    fn watching(watched: &str, model: &str, written_ms: i64) -> Scene {
        let home = Notes::new(&[
            (".openclaw/workspace/memory/hall.md", HALL),
            (".openclaw/workspace/memory/attic.md", ATTIC),
            (
                ".openclaw/openclaw.json",
                &json!({"meta": {"lastTouchedVersion": "2026.9.6"}}).to_string(),
            ),
        ]);
        let asked: Vec<f64> = Hashing::default()
            .embed(&["router"], &false.into())
            .expect("it can be embedded")
            .remove(0)
            .into_iter()
            .map(f64::from)
            .collect();
        write_openclaw_index(
            &home.at(".openclaw/agents/main/agent/openclaw-agent.sqlite"),
            model,
            written_ms,
            &[
                ("memory/hall.md", (1, 1), HALL, asked.clone()),
                ("memory/attic.md", (1, 1), ATTIC, asked),
            ],
        );
        let dir = fresh(&[]);
        memlens_tests::index(dir.path(), &[&home.at(watched)]);
        let mut store = Store::open(dir.path()).expect("nobody writes");
        for folder in store.folders().expect("they can be read") {
            store
                .set_folder_agent(folder.id, Some("openclaw"))
                .expect("it can be saved");
        }
        drop(store);
        let library = open(dir.path()).in_home(Home::new(home.path()));
        let change = RecallChange {
            is_allowed: Some(true),
            ..RecallChange::default()
        };
        acts::change_recall(&library.to_write(), change).expect("nobody writes");
        Scene {
            home,
            library,
            _dir: dir,
        }
    }

    /// One with the model of the library, whose notes did not change since.
    fn own() -> Scene {
        Scene::new(&Hashing::default().info().id, now_ms() + DAY_MS)
    }

    /// Keeps a question with its results, and returns its id.
    fn asked(&self, agent: &str, call: &str, returned: &Value, settings: &Value) -> String {
        let log = ReadLog {
            path: "/h/.openclaw/agents/main/sessions/1.jsonl".to_owned(),
            agent: agent.to_owned(),
            cursor: None,
            n_bytes: 0,
            stamp: String::new(),
            problem: None,
        };
        let past = NewPast {
            agent: agent.to_owned(),
            session: "s".to_owned(),
            call: call.to_owned(),
            // After the notes were written.
            at_ms: Some(now_ms() + DAY_MS),
            is_opening: false,
            has_failed: false,
            is_pattern: false,
            served: None,
            question: "router".to_owned(),
            settings: settings.to_string(),
            returned: (!returned.is_null()).then(|| returned.to_string()),
            opened: "[]".to_owned(),
            cited: "[]".to_owned(),
        };
        let mut store = Store::open(self.library.dir()).expect("nobody writes");
        store.keep_past(&log, &[past], &[]).expect("it can be kept");
        drop(store);
        let all = past::list(&self.library, &PastFilter::default());
        let all = all.expect("they can be read");
        let one = all.iter().find(|it| it.asked.call == call);
        one.expect("it was kept").id.to_string()
    }

    fn then_now(&self, id: &str, by: Option<&Ranking>) -> ThenNow {
        let answer = past::then_now(&self.library, id, by).expect("it can be asked");
        if answer.not_compared.is_some() {
            let of_now = answer.now.iter().map(|it| it.fate);
            let mut fates = of_now.chain(answer.then.iter().map(|it| it.fate));
            assert!(fates.all(|fate| fate.is_none()), "{answer:#?}");
            assert!(answer.row.fates.is_none() && answer.same_edit.is_empty());
            assert!(answer.now.iter().all(|it| it.moved == 0), "{answer:#?}");
            let said = ["new", "unchanged", "not returned then", "ranks higher"];
            let whys = answer.now.iter().map(|it| it.why.as_str());
            for why in whys {
                assert!(said.iter().all(|it| !why.contains(it)), "{why}");
            }
        }
        answer
    }

    #[track_caller]
    fn check_not(&self, id: &str, by: Option<&Ranking>, why: &str) {
        let answer = self.then_now(id, by);
        let said = answer.not_compared.expect("it cannot be compared");
        assert!(
            said.starts_with("cannot be compared: ") && said.contains(why),
            "{said}"
        );
    }

    fn replay(&self, by: Option<&Ranking>) -> ReplaySummary {
        let replay = past::replay(&self.library, &PastFilter::default(), by);
        replay
            .expect("it can be replayed")
            .expect("nobody stopped it")
    }
}

fn hall() -> Value {
    json!([{"path": "memory/hall.md", "lines": [1, 1], "score": 0.7, "text": "The router stood in the hall."}])
}

#[test]
fn the_own_index_with_the_same_model_proves_what_is_new_and_what_is_gone() {
    let scene = Scene::own();
    let returned = json!([
        {"path": "memory/gone.md", "lines": [1, 1], "score": 0.8},
        {"path": "memory/hall.md", "lines": [1, 1], "score": 0.7, "text": "The router stood in the hall."},
    ]);
    let id = scene.asked("openclaw", "1", &returned, &json!({"maxResults": 6}));
    let answer = scene.then_now(&id, None);
    assert_eq!(answer.not_compared, None, "{answer:#?}");
    let now: Vec<(&str, Option<Fate>)> = answer
        .now
        .iter()
        .map(|it| (it.path.as_str(), it.fate))
        .collect();
    let fate = |path: &str| {
        let found = now.iter().find(|(of, _)| *of == path);
        found.unwrap_or_else(|| panic!("{path} in {now:?}")).1
    };
    assert_eq!(fate("memory/attic.md"), Some(Fate::New));
    assert_eq!(fate("memory/gone.md"), Some(Fate::Gone));
    assert!(matches!(
        fate("memory/hall.md"),
        Some(Fate::Kept | Fate::Rose)
    ));
    let why = |path: &str| {
        let found = answer.now.iter().find(|it| it.path == path);
        found.expect("it is there").why.clone()
    };
    assert_eq!(why("memory/gone.md"), "the note is gone");
    assert_eq!(
        why("memory/attic.md"),
        "not returned then; its note was not changed since"
    );
    // The texts of then and now.
    assert_eq!(answer.then[0].text, None);
    assert_eq!(
        answer.then[1].text.as_deref(),
        Some("The router stood in the hall.")
    );
    let hall = answer.now.iter().find(|it| it.path == "memory/hall.md");
    let text = hall.and_then(|it| it.text.as_deref());
    assert!(
        text.is_some_and(|text| text.contains("The router stands in the hall.")),
        "{text:?}"
    );
    let summary = scene.replay(None);
    assert_eq!((summary.n_compared, summary.n_changed), (1, 1));
    assert!(
        summary.notices.iter().all(|it| !it.contains("compared")),
        "{summary:#?}"
    );
}

#[test]
fn a_note_of_the_workspace_that_is_not_watched_is_not_gone() {
    let model = Hashing::default().info().id.clone();
    let scene = Scene::watching(".openclaw/workspace/memory", &model, now_ms() + DAY_MS);
    scene.home.write(
        ".openclaw/workspace/MEMORY.md",
        "The router is as old as the house.\n",
    );
    let absolute = |name: &str| {
        let path = scene.home.at(&format!(".openclaw/workspace/{name}"));
        path.display().to_string()
    };
    let (there, lost) = (absolute("MEMORY.md"), absolute("lost.md"));
    let check = |call: &str, path: &str, why: &str| {
        let returned = json!([{"path": path, "lines": [1, 1], "score": 0.8}]);
        let id = scene.asked("openclaw", call, &returned, &json!({}));
        let answer = scene.then_now(&id, None);
        let found = answer.now.iter().find(|it| it.path == path);
        let found = found.unwrap_or_else(|| panic!("{path} in {answer:#?}"));
        assert_eq!(found.why, why, "{path}");
        if why != "the note is gone" {
            assert!(answer.not_compared.is_some(), "{answer:#?}");
        }
    };
    check("1", "MEMORY.md", "the note is gone, or not watched");
    check("2", &there, "the note is gone, or not watched");
    check("3", "memory/gone.md", "the note is gone");
    check("4", &lost, "the note is gone");
}

#[test]
fn without_proof_nothing_is_claimed_and_the_reason_is_given() {
    let scene = Scene::own();
    let none = json!({});
    let id = scene.asked("openclaw", "1", &hall(), &none);
    let native = Ranking::native(&Params::default());
    scene.check_not(
        &id,
        Some(&native),
        "it is ranked by Memlens now, and was ranked by OpenClaw then",
    );
    let codex = scene.asked("codex", "2", &hall(), &none);
    scene.check_not(&codex, None, "Codex's own search is not emulated");
    let unanswered = scene.asked("openclaw", "3", &Value::Null, &none);
    scene.check_not(&unanswered, None, "no answer was logged");
    let set = json!({"corpus": "sessions"});
    let other = scene.asked("openclaw", "4", &hall(), &set);
    scene.check_not(&other, None, "the call set corpus, which is not emulated");
    let session = json!([{"path": "sessions/1.jsonl", "lines": [1, 1], "score": 0.7}]);
    let of_session = scene.asked("openclaw", "5", &session, &none);
    scene.check_not(
        &of_session,
        None,
        "no watched folder holds sessions/1.jsonl",
    );
    let summary = scene.replay(None);
    assert_eq!(
        (summary.n_questions, summary.n_compared, summary.n_changed),
        (5, 1, 1)
    );
    let said = summary.notices.join("\n");
    for why in [
        "1 answer cannot be compared: Codex's own search is not emulated.",
        "1 answer cannot be compared: no answer was logged.",
        "1 answer cannot be compared: the call set corpus, which is not emulated.",
    ] {
        assert!(said.contains(why), "{said}");
    }
    let by_native = scene.replay(Some(&native));
    assert_eq!((by_native.n_compared, by_native.n_changed), (0, 0));
    // The number of changes is `None` if nothing can be compared.
    let listed = past::page(
        &scene.library,
        &PastFilter::default(),
        memlens_engine::PastOnly::All,
        &memlens_engine::PastPage::default(),
    );
    assert_eq!(listed.expect("they can be listed").n_changed, None);
}

#[test]
fn another_model_an_older_index_and_an_unknown_config_prove_nothing() {
    let later = now_ms() + DAY_MS;
    let check = |scene: &Scene, why: &str| {
        let id = scene.asked("openclaw", "1", &hall(), &json!({}));
        scene.check_not(&id, None, why);
        assert_eq!(scene.replay(None).n_compared, 0);
    };
    check(
        &Scene::new("text-embedding-3-small", later),
        "OpenClaw embeds with text-embedding-3-small, and Memlens with ",
    );
    check(
        // Made before the notes were written.
        &Scene::new(&Hashing::default().info().id, 1000),
        "2 notes changed since OpenClaw's own index of ",
    );
    let scene = Scene::own();
    fs::remove_file(scene.home.at(".openclaw/openclaw.json")).expect("it is there");
    check(
        &scene,
        "the settings of OpenClaw on this machine are not known",
    );
}

#[test]
fn markdown_says_what_the_window_says() {
    let scene = Scene::own();
    let id = scene.asked("codex", "1", &hall(), &json!({}));
    let text = past::markdown(&scene.library, &id, None, true).expect("it can be written");
    assert!(
        text.contains("> These answers cannot be compared: Codex's own search is not emulated.\n"),
        "{text}"
    );
    assert!(text.contains("The router stood in the hall."), "{text}");
    for claim in ["| new |", "| gone |", "| kept |", "unchanged"] {
        assert!(!text.contains(claim), "{claim} in {text}");
    }
    let blank = past::markdown(&scene.library, &id, None, false).expect("it can be written");
    assert!(!blank.contains("The router stood"), "{blank}");
}
