//! OpenClaw's own index in place of Memlens's chunks and vectors.
//!
//! Properties checked: it is used if its model is the library's, with its own texts, lines and vectors, and its age is
//! shown; if its model is another, or it is damaged or of other notes, the emulation continues without it and gives the
//! reason.

use std::fs;
use std::path::PathBuf;

use memlens_embed::{Embedder, Hashing};
use memlens_engine::acts;
use memlens_engine::{Home, Library, Part, Ranking, RecallChange, Search, pipeline};
use memlens_tests::{Notes, fresh, open, write_openclaw_index};

/// Noon of 2026-11-20, UTC, which is that date nearly everywhere.
const WRITTEN_MS: i64 = 1_795_176_000_000;
const OTHER: &str = "emulated over 2 notes of its workspace.";

/// A home with an agent, and a library that watches its workspace.
struct Watched {
    home: Notes,
    library: Library,
    _dir: tempfile::TempDir,
}

impl Watched {
    fn new() -> Watched {
        let home = Notes::new(&[
            (
                ".openclaw/workspace/memory/hall.md",
                "The router stands in the hall.\n",
            ),
            (
                ".openclaw/workspace/memory/attic.md",
                "The router stands in the attic now.\n",
            ),
        ]);
        let dir = fresh(&[]);
        let library = open(dir.path()).in_home(Home::new(home.path()));
        let watched = Watched {
            home,
            library,
            _dir: dir,
        };
        watched.watch(".openclaw/workspace");
        watched.allow(true);
        watched
    }

    /// Allows or forbids reading agents' logs.
    fn allow(&self, is_allowed: bool) {
        let change = RecallChange {
            is_allowed: Some(is_allowed),
            ..RecallChange::default()
        };
        acts::change_recall(&self.library.to_write(), change).expect("nobody writes");
    }

    /// Watches a workspace as the agent's.
    fn watch(&self, workspace: &str) {
        let workspace = self.home.at(workspace);
        memlens_tests::index(self.library.dir(), &[&workspace]);
        let mut store = memlens_store::Store::open(self.library.dir()).expect("nobody writes");
        for folder in store.folders().expect("they can be read") {
            store
                .set_folder_agent(folder.id, Some("openclaw"))
                .expect("it can be saved");
        }
        drop(store);
        self.library.refresh().expect("it can be read");
    }

    fn database(&self) -> PathBuf {
        self.home
            .at(".openclaw/agents/main/agent/openclaw-agent.sqlite")
    }

    /// Writes an index of both notes, of which one changed since. Its vectors point to "router" and away from it.
    fn index(&self, model: &str) {
        let asked: Vec<f64> = Hashing::default()
            .embed(&["router"], &false.into())
            .expect("it can be embedded")
            .remove(0)
            .into_iter()
            .map(f64::from)
            .collect();
        let away: Vec<f64> = asked.iter().map(|number| -number).collect();
        write_openclaw_index(
            &self.database(),
            model,
            WRITTEN_MS,
            &[
                (
                    "memory/hall.md",
                    (1, 2),
                    "The router stands in the hall.\n",
                    away,
                ),
                (
                    "memory/attic.md",
                    (1, 1),
                    "The router stood in the attic.",
                    asked,
                ),
                ("sessions/1.md", (1, 1), "What was said.", vec![0.0]),
            ],
        );
        let since = std::time::UNIX_EPOCH + std::time::Duration::from_millis(WRITTEN_MS as u64 + 1);
        let attic = fs::File::options()
            .append(true)
            .open(self.home.at(".openclaw/workspace/memory/attic.md"));
        attic
            .and_then(|file| file.set_modified(since))
            .expect("it is ours");
        memlens_tests::index(self.library.dir(), &[&self.home.at(".openclaw/workspace")]);
        self.library.refresh().expect("it can be read");
    }

    fn ask(&self) -> (std::sync::Arc<Search>, Vec<(String, f64)>) {
        let ranking = Ranking::of(pipeline("openclaw").expect("it is known"));
        let search = self
            .library
            .search_as("router", &ranking, Part::All)
            .expect("it can be searched");
        let trace = search.rank(&ranking.values);
        let vector = trace.stages.first().expect("there is one");
        let rows = vector.entries.iter().map(|entry| {
            let text = search
                .snippets(&[entry.slot])
                .expect("it has a text")
                .remove(0);
            (
                text.text.expect("it is there"),
                entry.score_after.expect("every chunk has a vector"),
            )
        });
        let mut rows: Vec<(String, f64)> = rows.collect();
        rows.sort_by(|a, b| b.1.total_cmp(&a.1));
        (search, rows)
    }

    #[track_caller]
    fn check(&self, label: &str, why: &str) {
        let (search, rows) = self.ask();
        let emulated = search.emulated.as_ref().expect("it is emulated");
        assert_eq!(emulated.label, label);
        assert!(emulated.why.contains(why), "{emulated:?}");
        assert!(
            search.notices[0].contains(OTHER) && search.notices[0].ends_with(&emulated.why),
            "{:?}",
            search.notices
        );
        let texts: Vec<&str> = rows.iter().map(|(text, _)| text.as_str()).collect();
        assert!(
            texts.contains(&"The router stands in the attic now."),
            "{texts:?}"
        );
    }
}

#[test]
fn it_stands_in_with_its_own_texts_and_vectors() {
    let watched = Watched::new();
    watched.index(&format!("somebody/{}", Hashing::default().info().id));
    let before = fs::read(watched.database()).expect("it is there");
    let (search, rows) = watched.ask();
    assert_eq!(
        rows.iter()
            .map(|(text, _)| text.as_str())
            .collect::<Vec<_>>(),
        [
            "The router stood in the attic.",
            "The router stands in the hall."
        ]
    );
    assert!(
        (rows[0].1 - 1.0).abs() < 1e-6 && (rows[1].1 + 1.0).abs() < 1e-6,
        "{rows:?}"
    );
    let emulated = search.emulated.as_ref().expect("it is emulated");
    assert_eq!(
        emulated.label,
        "OpenClaw's own index of 2026-11-20, 2 chunks; 1 note changed since"
    );
    let beside: Vec<_> = fs::read_dir(watched.database().parent().expect("a folder"))
        .expect("it is there")
        .map(|entry| entry.expect("it can be listed").file_name())
        .collect();
    assert_eq!(beside, ["openclaw-agent.sqlite"]);
    assert_eq!(fs::read(watched.database()).expect("it is there"), before);
    // Other editions have no such index.
    let older = Ranking::of(pipeline("openclaw@2026.7").expect("it is known"));
    let search = watched.library.search_as("router", &older, Part::All);
    let emulated = search.expect("it can be searched").emulated.clone();
    assert_eq!(
        emulated.expect("it is emulated").label,
        "other model: order is approximate"
    );
}

#[test]
fn where_it_cannot_stand_in_the_label_says_why() {
    let watched = Watched::new();
    let other = "other model: order is approximate";
    watched.check(other, "Its own embedding model may be another");
    watched.index("text-embedding-3-small");
    watched.check(
        "OpenClaw embeds with text-embedding-3-small: order is approximate",
        "hashing",
    );
    let watched = Watched::new();
    watched.index(&Hashing::default().info().id);
    let database = fs::read(watched.database()).expect("it is there");
    fs::write(watched.database(), &database[..database.len() / 2]).expect("it can be torn");
    watched.check(other, "OpenClaw's own index cannot be used: it is damaged.");
    let watched = Watched::new();
    let model = Hashing::default().info().id.clone();
    write_openclaw_index(
        &watched.database(),
        &model,
        WRITTEN_MS,
        &[("memory/hall.md", (1, 1), "Of another workspace.", vec![1.0])],
    );
    watched.check(other, "Its own embedding model may be another");
    let watched = Watched::new();
    let held = |vector| {
        (
            "memory/hall.md",
            (1, 1),
            "The router stands in the hall.",
            vector,
        )
    };
    write_openclaw_index(
        &watched.database(),
        &model,
        WRITTEN_MS,
        &[held(vec![1.0, 2.0])],
    );
    watched.check(other, "its vectors have 2 numbers, and those here ");
    let watched = Watched::new();
    write_openclaw_index(&watched.database(), "none", WRITTEN_MS, &[held(Vec::new())]);
    watched.check(
        other,
        "its chunks have no vectors, so it searches by words alone.",
    );
    let watched = Watched::new();
    watched.index(&model);
    watched
        .home
        .write(".openclaw/workspace-iris/memory/hall.md", "Another hall.\n");
    watched.watch(".openclaw/workspace-iris");
    // The config names no agent for this workspace: only the workspace of the one agent is searched, by its index.
    let (search, _) = watched.ask();
    let emulated = search.emulated.as_ref().expect("it is emulated");
    assert!(
        emulated.label.starts_with("OpenClaw's own index of"),
        "{emulated:?}"
    );
}

#[test]
fn no_copy_is_made_before_the_user_agreed_that_logs_are_read() {
    let watched = Watched::new();
    watched.index(&Hashing::default().info().id);
    let copies = memlens_store::copies(watched.library.dir());
    watched.allow(false);
    watched.check(
        "other model: order is approximate",
        "you have not agreed that logs are read",
    );
    assert!(!copies.exists(), "nothing was copied");

    watched.allow(true);
    let (search, _) = watched.ask();
    let emulated = search.emulated.as_ref().expect("it is emulated");
    assert!(
        emulated.label.starts_with("OpenClaw's own index of"),
        "{emulated:?}"
    );
    let left: Vec<_> = fs::read_dir(&copies)
        .expect("it was made")
        .map(|entry| entry.expect("it can be listed").file_name())
        .collect();
    assert_eq!(left, ["lock"], "no copy is left");
}
