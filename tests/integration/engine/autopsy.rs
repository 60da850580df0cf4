//! Why an agent forgot a fact.
//!
//! Properties checked: there is one verdict, with proof, for each step that can lose a fact; what the agent was given
//! counts before what a step assumes; unknown things are reported as unknown; the smallest change and the working
//! question have the effect they name; a report without text holds no text.

use std::fs;

use jiff::civil::{Date, date};
use jiff::tz::TimeZone;
use memlens_engine::view::{
    Autopsy, AutopsyQuestion, AutopsyStep, StepOutcome, StepProof, Verdict,
};
use memlens_engine::{EngineError, Home, Library, RecallChange, acts, autopsy};
use memlens_store::{NewPast, ReadLog, Store};
use memlens_tests::{Notes, fresh, index, open, write_openclaw_index};
use serde_json::json;

/// Time asked about: 2026-11-20 22:31, UTC.
pub(crate) const AT_MS: i64 = 1_795_213_860_000;
const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
/// 2020-01-01, UTC; every note is younger.
pub(crate) const LONG_AGO_MS: f64 = 1_577_836_800_000.0;
pub(crate) const FACT: &str = "wait four minutes after restarting the router";
pub(crate) const LINE: &str = "- After restarting the router wait four minutes.\n";

/// An agent in a home, whose memory is watched.
pub(crate) struct Scene {
    pub(crate) home: Notes,
    pub(crate) library: Library,
    pub(crate) agent: &'static str,
    _dir: tempfile::TempDir,
}

/// Sets when a file was saved: at noon of a day.
pub(crate) fn saved(home: &Notes, path: &str, day: Date) {
    let noon = day.at(12, 0, 0, 0).to_zoned(TimeZone::UTC);
    let file = fs::File::options().write(true).open(home.at(path));
    file.expect("it is there")
        .set_modified(noon.expect("it is in range").timestamp().into())
        .expect("it can be dated");
}

impl Scene {
    pub(crate) fn of(agent: &'static str, memory: &str, notes: &[(&str, &str)]) -> Scene {
        let home = Notes::new(&[]);
        for (path, text) in notes {
            let path = format!("{memory}/{path}");
            home.write(&path, text);
            // A note that is named after a day was saved on it.
            let name = path.rsplit('/').next().unwrap_or_default();
            let day = name.get(..10).and_then(|day| day.parse::<Date>().ok());
            if let Some(day) = day {
                saved(&home, &path, day);
            }
        }
        let dir = fresh(&[]);
        let library = open(dir.path()).in_home(Home::new(home.path()));
        index(library.dir(), &[&home.at(memory)]);
        let mut store = Store::open(library.dir()).expect("nobody writes");
        for folder in store.folders().expect("they can be read") {
            store
                .set_folder_agent(folder.id, Some(agent))
                .expect("it can be saved");
        }
        drop(store);
        library.refresh().expect("it can be read");
        Scene {
            home,
            library,
            agent,
            _dir: dir,
        }
    }

    pub(crate) fn openclaw(notes: &[(&str, &str)]) -> Scene {
        Scene::of("openclaw", ".openclaw/workspace", notes)
    }

    /// Agrees that agents' logs are read.
    fn allow_logs(&self) {
        let change = RecallChange {
            is_allowed: Some(true),
            ..RecallChange::default()
        };
        acts::change_recall(&self.library.to_write(), change).expect("nobody writes");
    }

    /// Returns OpenClaw's memory of a router and other things.
    pub(crate) fn router() -> Scene {
        Scene::openclaw(&[
            ("memory/home-server.md", &format!("# Network\n\n{LINE}")),
            ("memory/soup.md", "# Soup\n\nStock, salt and a long walk.\n"),
        ])
    }

    pub(crate) fn claude(notes: &[(&str, &str)]) -> Scene {
        Scene::of("claude-code", ".claude/projects/-house/memory", notes)
    }

    /// Stores questions of a session as the agent's log would give them. The log counts as read even without a
    /// question.
    pub(crate) fn log(&self, questions: &[NewPast]) {
        self.log_at("/7f3a.jsonl", questions);
    }

    /// The same for a log at a certain path.
    pub(crate) fn log_at(&self, path: &str, questions: &[NewPast]) {
        let mut store = Store::open(self.library.dir()).expect("nobody writes");
        let log = ReadLog {
            path: path.to_owned(),
            agent: self.agent.to_owned(),
            cursor: Some("1".to_owned()),
            n_bytes: 1,
            stamp: String::new(),
            problem: None,
        };
        store
            .keep_past(&log, questions, &[])
            .expect("they can be kept");
    }

    pub(crate) fn asked(&self, question: &str, returned: Option<serde_json::Value>) -> NewPast {
        NewPast {
            agent: self.agent.to_owned(),
            session: "7f3a".to_owned(),
            call: question.to_owned(),
            at_ms: Some(AT_MS),
            is_opening: false,
            has_failed: false,
            is_pattern: matches!(self.agent, "claude-code" | "codex" | "gemini-cli"),
            served: None,
            question: question.to_owned(),
            settings: "{}".to_owned(),
            returned: returned.map(|it| it.to_string()),
            opened: "[]".to_owned(),
            cited: "[]".to_owned(),
        }
    }

    pub(crate) fn autopsy(&self, fact: &str, session: Option<&str>, at_ms: Option<f64>) -> Autopsy {
        let question = AutopsyQuestion {
            fact: fact.to_owned(),
            agent: Some(self.agent.to_owned()),
            session: session.map(str::to_owned),
            at_ms,
        };
        autopsy(&self.library, &question, None).expect("it can be found out")
    }

    pub(crate) fn of_session(&self, fact: &str) -> Autopsy {
        self.autopsy(fact, Some("7f3a"), None)
    }
}

pub(crate) fn step(autopsy: &Autopsy, step: AutopsyStep) -> &StepProof {
    let mut steps = autopsy.steps.iter();
    steps
        .find(|it| it.step == step)
        .expect("every step is reported")
}

/// Checks the verdict, and which step failed first.
pub(crate) fn check(autopsy: &Autopsy, verdict: Verdict, lost_at: Option<AutopsyStep>) {
    let mut steps = autopsy.steps.iter();
    let first = steps.find(|it| it.outcome == StepOutcome::Failed);
    assert_eq!(
        (autopsy.verdict, first.map(|it| it.step)),
        (verdict, lost_at),
        "{autopsy:#?}"
    );
    assert_eq!(autopsy.steps.len(), 7);
}

pub(crate) fn check_proof(autopsy: &Autopsy, of: AutopsyStep, outcome: StepOutcome, said: &str) {
    let found = step(autopsy, of);
    assert!(
        found.outcome == outcome && found.proof.contains(said),
        "{said}: {found:#?}"
    );
}

#[test]
fn what_no_note_holds_was_never_written() {
    let scene = Scene::router();
    let autopsy = scene.of_session("the router needs a new password");
    check(&autopsy, Verdict::NeverWritten, Some(AutopsyStep::Written));
    check_proof(
        &autopsy,
        AutopsyStep::Written,
        StepOutcome::Failed,
        "memory/home-server.md:3 comes nearest, without “needs”, “new”, “password”",
    );
    assert_eq!(autopsy.place, None);
    let nothing = scene.of_session("zebra");
    assert!(nothing.summary.contains("No line holds any"), "{nothing:?}");
}

#[test]
fn what_came_after_the_moment_was_written_later() {
    let scene = Scene::openclaw(&[
        ("memory/home-server.md", LINE),
        ("memory/2026-11-25.md", "- The boiler was repaired.\n"),
        ("memory/2026-11-01.md", "- The attic was painted.\n"),
    ]);
    let later = Some(AutopsyStep::Written);
    let at = |fact: &str| scene.autopsy(fact, None, Some(AT_MS as f64));
    check(&at("the boiler was repaired"), Verdict::WrittenLater, later);
    let before = |autopsy: &Autopsy, said: &str| {
        check_proof(autopsy, AutopsyStep::Written, StepOutcome::Passed, said);
    };
    before(&at("the attic was painted"), "unchanged since 2026-11-01");
    before(&at(FACT), "unchanged since 2023-11-1");
}

#[test]
fn a_date_proves_only_what_it_can() {
    let at = |path: &str, text: &str, day: Date| {
        let scene = Scene::openclaw(&[("memory/soup.md", "- Soup.\n")]);
        let path = format!(".openclaw/workspace/memory/{path}");
        scene.home.write(&path, text);
        saved(&scene.home, &path, day);
        index(
            scene.library.dir(),
            &[&scene.home.at(".openclaw/workspace")],
        );
        scene.library.refresh().expect("it can be read");
        scene.autopsy(FACT, None, Some(AT_MS as f64))
    };
    let (before, after) = (date(2026, 11, 6), date(2026, 11, 24));
    let dated = |field: &str| format!("---\n{field}\n---\n\n{LINE}");
    for (path, text) in [
        ("2026-11.md", LINE.to_owned()),
        ("2026-W47.md", LINE.to_owned()),
        ("trip-2026-12-24.md", LINE.to_owned()),
        ("2026-12-24.md", LINE.to_owned()),
        ("trip.md", dated("updated: 2026-11-22")),
        ("trip.md", dated("date: 2026-12-24")),
    ] {
        // A file that was saved before the moment held the line, whatever its date.
        let said = "unchanged since 2026-11-06";
        let early = at(path, &text, before);
        check_proof(&early, AutopsyStep::Written, StepOutcome::Passed, said);
        // Saved later, it proves nothing.
        let late = at(path, &text, after);
        let said = "Not known whether this line was there";
        check_proof(&late, AutopsyStep::Written, StepOutcome::Unknown, said);
    }
    // The date of a note says nothing about a line that may have been added.
    let added = at("plants.md", &dated("created: 2026-01-01"), after);
    let said = "Not known whether this line was there";
    check_proof(&added, AutopsyStep::Written, StepOutcome::Unknown, said);
    let later = at("2026-11-22.md", LINE, after);
    check(&later, Verdict::WrittenLater, Some(AutopsyStep::Written));
    // A line that carries its own date.
    let line = |day: &str| format!("{{\"date\": \"{day}\", \"text\": \"{FACT}\"}}\n");
    let early = at("log.jsonl", &line("2026-11-10"), after);
    let said = "dated 2026-11-10, before";
    check_proof(&early, AutopsyStep::Written, StepOutcome::Passed, said);
    let later = at("log.jsonl", &line("2026-11-22"), after);
    check(&later, Verdict::WrittenLater, Some(AutopsyStep::Written));
}

#[test]
fn a_save_of_the_file_alone_is_no_evidence_of_when_a_line_was_written() {
    let scene = Scene::router();
    let mut question = scene.asked("router", Some(json!([])));
    question.at_ms = Some(LONG_AGO_MS as i64);
    scene.log(&[question]);
    let autopsy = scene.autopsy(FACT, None, Some(LONG_AGO_MS));
    check_proof(
        &autopsy,
        AutopsyStep::Written,
        StepOutcome::Unknown,
        "Not known whether this line was there on 2020-01-01",
    );
    // The next steps decide.
    assert_ne!(autopsy.verdict, Verdict::WrittenLater, "{autopsy:#?}");
    assert_eq!(
        step(&autopsy, AutopsyStep::Asked).outcome,
        StepOutcome::Passed,
        "{autopsy:#?}"
    );
}

#[test]
fn what_an_agent_does_not_load_is_past_its_cap() {
    let mut lines: String = (1..=250)
        .map(|n| format!("- fact {n} is about the attic\n"))
        .collect();
    lines.insert_str(0, "- The gate code hangs in the shed.\n");
    lines.push_str(LINE);
    let scene = Scene::claude(&[
        ("MEMORY.md", &lines),
        ("other.md", "- The cat likes rain.\n"),
    ]);
    scene.log(&[]);
    let past = scene.of_session(FACT);
    check(&past, Verdict::PastLoadCap, Some(AutopsyStep::LoadCap));
    check_proof(
        &past,
        AutopsyStep::LoadCap,
        StepOutcome::Failed,
        "from line 201 on it sees nothing",
    );
    // A loaded note counts as given, whatever was searched.
    let loaded = scene.of_session("the gate code hangs in the shed");
    check_proof(
        &loaded,
        AutopsyStep::LoadCap,
        StepOutcome::Passed,
        "loads this line",
    );
    check(&loaded, Verdict::Given, None);
    check_proof(
        &loaded,
        AutopsyStep::Asked,
        StepOutcome::Unknown,
        "The agent received it anyway",
    );
    let not_loaded = scene.of_session("the cat likes rain");
    check_proof(
        &not_loaded,
        AutopsyStep::LoadCap,
        StepOutcome::Passed,
        "does not load this note",
    );
}

#[test]
fn what_the_index_does_not_hold_was_not_indexed() {
    let scene = Scene::router();
    scene.log(&[scene.asked("router", Some(json!([])))]);
    let lost = |fact: &str, said: &str| {
        let autopsy = scene.of_session(fact);
        check(&autopsy, Verdict::NotIndexed, Some(AutopsyStep::Indexed));
        check_proof(&autopsy, AutopsyStep::Indexed, StepOutcome::Failed, said);
        check_proof(
            &autopsy,
            AutopsyStep::Ranked,
            StepOutcome::Unknown,
            "not ranked",
        );
    };
    // A new note, a changed one, and one excluded by a rule, each with a line as its fact.
    let memory = ".openclaw/workspace/memory";
    scene.home.write(
        &format!("{memory}/new.md"),
        "- The fuse box is in the barn.\n",
    );
    lost("the fuse box is in the barn", "waits to be indexed");
    lost("memory/new.md:1", "waits to be indexed");
    let more = format!("# Network\n\n{LINE}- The modem is older.\n");
    scene.home.write(&format!("{memory}/home-server.md"), more);
    lost("the modem is older", "The index is older than the note");
    // A file with only a new modification time is unchanged.
    let touched = scene.home.at(&format!("{memory}/soup.md"));
    fs::File::options()
        .append(true)
        .open(touched)
        .and_then(|file| file.set_modified(std::time::SystemTime::now()))
        .expect("its time can be set");
    let touched = scene.of_session("stock, salt and a long walk");
    check_proof(
        &touched,
        AutopsyStep::Indexed,
        StepOutcome::Passed,
        "as the note has it",
    );
    assert!(
        !format!("{touched:?}").contains("note changed since"),
        "{touched:#?}"
    );
    scene
        .home
        .write(&format!("{memory}/.gitignore"), "secret.md\n");
    scene.home.write(
        &format!("{memory}/secret.md"),
        "- The safe is behind the clock.\n",
    );
    for fact in ["the safe is behind the clock", "memory/secret.md:1"] {
        // Memlens leaves it out; OpenClaw does not read ignore files.
        let autopsy = scene.of_session(fact);
        check(&autopsy, Verdict::NeverAsked, Some(AutopsyStep::Asked));
        let said = "OpenClaw indexes it by its own rules. The emulation of OpenClaw reads it. Memlens's own index does not hold it. It is left out of the library";
        check_proof(&autopsy, AutopsyStep::Indexed, StepOutcome::Passed, said);
        let place = scene.of_session(fact).place.expect("it stands there");
        assert_eq!(
            (place.line, place.text.as_str()),
            (1, ""),
            "no text of what a rule leaves out"
        );
    }
    // Unchanged text is found at its old lines.
    let kept = scene.of_session(FACT);
    check_proof(
        &kept,
        AutopsyStep::Indexed,
        StepOutcome::Passed,
        "as the note has it",
    );
    // A note that OpenClaw does not index.
    scene.home.write(
        ".openclaw/workspace/projects/barn.md",
        "- The ladder is in the loft.\n",
    );
    index(
        scene.library.dir(),
        &[&scene.home.at(".openclaw/workspace")],
    );
    scene.library.refresh().expect("it can be read");
    lost(
        "the ladder is in the loft",
        "OpenClaw does not index this note",
    );
}

#[test]
fn an_agents_own_index_may_be_older_than_its_note() {
    let scene = Scene::router();
    scene.allow_logs();
    scene.log(&[]);
    let database = scene
        .home
        .at(".openclaw/agents/main/agent/openclaw-agent.sqlite");
    let own = |text: &str| {
        let _ = fs::remove_file(&database);
        let path = "memory/home-server.md";
        let chunks = [(path, (1, 3), text, vec![1.0, 0.0])];
        write_openclaw_index(&database, "another", AT_MS, &chunks);
        scene.of_session(FACT)
    };
    let older = own("# Network\n\n- The router is blue.\n");
    check(&older, Verdict::NotIndexed, Some(AutopsyStep::Indexed));
    check_proof(
        &older,
        AutopsyStep::Indexed,
        StepOutcome::Failed,
        "own index is older than the note: it holds it as of 2026-11-2",
    );
    let scene = Scene::router();
    scene.allow_logs();
    let database = scene
        .home
        .at(".openclaw/agents/main/agent/openclaw-agent.sqlite");
    let held = format!("# Network\n\n{LINE}");
    let chunks = [(
        "memory/home-server.md",
        (1, 3),
        held.as_str(),
        vec![1.0, 0.0],
    )];
    write_openclaw_index(&database, "another", AT_MS, &chunks);
    check_proof(
        &scene.of_session(FACT),
        AutopsyStep::Indexed,
        StepOutcome::Passed,
        "It is in OpenClaw's own index as of 2026-11-2",
    );
}

#[test]
fn an_agent_that_asked_nothing_never_asked() {
    let scene = Scene::router();
    // Without a log nothing is known.
    let unknown = scene.of_session(FACT);
    check(&unknown, Verdict::Unknown, None);
    check_proof(
        &unknown,
        AutopsyStep::Asked,
        StepOutcome::Unknown,
        "none of its logs is read",
    );
    assert!(unknown.advice[0].contains("recall import"), "{unknown:?}");
    let mut other = scene.asked("router", Some(json!([])));
    other.session = "else".to_owned();
    other.at_ms = Some(AT_MS - 2 * DAY_MS);
    scene.log(&[other]);
    let never = |autopsy: &Autopsy| {
        check(autopsy, Verdict::NeverAsked, Some(AutopsyStep::Asked));
        let works = autopsy.works.as_ref().expect("a question would find it");
        assert_eq!(works.rank, 1, "{works:?}");
    };
    never(&scene.of_session(FACT));
    // Questions about other things are not about the fact.
    let mut soup = scene.asked("how long does the soup boil", Some(json!([])));
    soup.session = "kitchen".to_owned();
    soup.at_ms = Some(AT_MS - 9 * DAY_MS);
    scene.log(&[soup]);
    let other = scene.autopsy(FACT, Some("kitchen"), None);
    check(&other, Verdict::NeverAsked, Some(AutopsyStep::Asked));
    check_proof(
        &other,
        AutopsyStep::Asked,
        StepOutcome::Failed,
        "searched once in this session, for other things",
    );
    assert_eq!(
        other.headline,
        "OpenClaw never asked about it in this session."
    );
    assert!(other.fix.is_none() && !format!("{:?}", other.advice).contains("minScore"));
    // Another session's question counts within the day before the moment; not two days before, nor after it.
    let at = |at_ms: i64| scene.autopsy(FACT, None, Some(at_ms as f64));
    // What was read of the logs may not reach that day.
    let open = at(AT_MS);
    check(&open, Verdict::Unknown, None);
    let said = "what was read of the logs does not show what OpenClaw did in the day before";
    check_proof(&open, AutopsyStep::Asked, StepOutcome::Unknown, said);
    let mut later = scene.asked("how long does the tea stand", Some(json!([])));
    later.session = "tea".to_owned();
    later.at_ms = Some(AT_MS + DAY_MS);
    scene.log(&[later]);
    never(&at(AT_MS));
    let in_time = at(AT_MS - 2 * DAY_MS + MINUTE_MS);
    assert_eq!(in_time.closest.as_deref(), Some("router"), "{in_time:#?}");
    never(&at(AT_MS - 2 * DAY_MS - MINUTE_MS));
    // Without a moment, a question of any time counts.
    let any = scene.autopsy(FACT, None, None);
    assert_eq!(any.closest.as_deref(), Some("router"), "{any:#?}");
}

#[test]
fn what_no_line_of_the_note_holds_was_searched_for_in_vain() {
    let scene = Scene::claude(&[
        (
            "house.md",
            &format!("# House\n\n{LINE}- The cellar is dry.\n"),
        ),
        ("soup.md", "- Stock and salt.\n"),
    ]);
    scene.log(&[scene.asked("internet gone", Some(json!([])))]);
    let never = scene.of_session(FACT);
    check(&never, Verdict::NeverAsked, Some(AutopsyStep::Asked));
    assert_eq!(step(&never, AutopsyStep::Asked).questions.len(), 1);
    // A question that Memlens's ranking answers does not help an agent that greps.
    assert_eq!(never.works, None);
    let last = never.advice.last().expect("something can be done");
    assert!(
        last.contains("A search for “restarting” finds it"),
        "{last}"
    );
    let asked = |pattern: &str| {
        scene.log(&[scene.asked(pattern, Some(json!([])))]);
        scene.of_session(FACT)
    };
    // A word of the fact does not help an agent that searches for exact text.
    let badly = asked("router down");
    check(&badly, Verdict::AskedBadly, Some(AutopsyStep::Asked));
    check_proof(
        &badly,
        AutopsyStep::Asked,
        StepOutcome::Failed,
        "no line of the note holds “router down”",
    );
    check_proof(
        &badly,
        AutopsyStep::Indexed,
        StepOutcome::Passed,
        "has no index",
    );
    // No setting of Claude Code's search is known, so none is named.
    assert_eq!(badly.fix, None, "{badly:#?}");
    assert!(!format!("{:?}", badly.advice).contains("Set "), "{badly:?}");
    // One search that could find it is enough; then it was not lost in ranking.
    for (pattern, said) in [
        ("router.*cellar\ndry", "shows other lines of this note"),
        ("ROUTER|modem", "finds this line"),
    ] {
        let open = asked(pattern);
        check_proof(&open, AutopsyStep::Ranked, StepOutcome::Unknown, said);
        assert_eq!(open.verdict, Verdict::Unknown, "{open:#?}");
    }
}

#[test]
fn a_ranking_that_is_not_known_loses_nothing() {
    let scene = Scene::of(
        "memsearch",
        "code/.memsearch/memory",
        &[("2026-11-01.md", LINE), ("soup.md", "- Stock and salt.\n")],
    );
    scene.log(&[scene.asked("router down", Some(json!([])))]);
    let open = scene.of_session(FACT);
    check_proof(
        &open,
        AutopsyStep::Ranked,
        StepOutcome::Unknown,
        "the ranking of memsearch is not. “router down” finds it at rank 1 by Memlens's own",
    );
    assert_eq!(open.verdict, Verdict::Unknown, "{open:#?}");
    assert_eq!((open.fix, open.works), (None, None));
}

#[test]
fn a_fact_is_words_or_a_line() {
    let scene = Scene::router();
    let place = |fact: &str| {
        let place = scene.of_session(fact).place.expect("it stands there");
        (place.path, place.line, place.text)
    };
    let there = (
        "memory/home-server.md".to_owned(),
        3,
        LINE.trim().to_owned(),
    );
    for fact in [
        FACT,
        "Restarted the ROUTER: wait four minutes!",
        "memory/home-server.md:3",
        " home-server.md:3 ",
    ] {
        assert_eq!(place(fact), there, "{fact}");
    }
    let refused = |fact: &str| {
        let question = AutopsyQuestion {
            fact: fact.to_owned(),
            agent: None,
            session: None,
            at_ms: None,
        };
        let found = autopsy(&scene.library, &question, None);
        found.expect_err(fact)
    };
    assert!(matches!(refused("  "), EngineError::NoFact));
    assert!(matches!(refused("?!"), EngineError::NoFact));
    assert!(
        refused("home-server.md:2")
            .to_string()
            .contains("this line is empty")
    );
    assert!(
        refused("home-server.md:40")
            .to_string()
            .contains("it has 3 lines")
    );
    // Without a named agent and without a question, the agent is the one whose memory the note is in.
    let question = AutopsyQuestion {
        fact: FACT.to_owned(),
        agent: None,
        session: None,
        at_ms: None,
    };
    let autopsy = autopsy(&scene.library, &question, None).expect("it can be found out");
    assert_eq!(autopsy.agent.as_deref(), Some("openclaw"));
    assert_eq!(autopsy.label, "OpenClaw 2026.9");
}

#[cfg(unix)]
#[test]
fn no_line_is_read_outside_of_watched_folders() {
    let scene = Scene::router();
    let outside = Notes::new(&[("secret.md", "- The safe is behind the clock.\n")]);
    let memory = scene.home.at(".openclaw/workspace/memory");
    for (target, name) in [
        (outside.path().to_owned(), "out"),
        (outside.at("secret.md"), "link.md"),
    ] {
        std::os::unix::fs::symlink(target, memory.join(name)).expect("links can be made");
    }
    let absolute = format!("{}:1", outside.at("secret.md").display());
    for fact in [
        "the safe is behind the clock",
        "memory/out/secret.md:1",
        "memory/link.md:1",
    ] {
        let found = scene.of_session(fact);
        let is_read = found.place.is_some_and(|place| !place.text.is_empty());
        assert!(!is_read, "{fact}");
        assert_ne!(found.verdict, Verdict::NeverAsked, "{fact}");
    }
    let question = AutopsyQuestion {
        fact: absolute,
        agent: None,
        session: None,
        at_ms: None,
    };
    let refused = autopsy(&scene.library, &question, None).expect_err("it is not watched");
    assert!(
        refused.to_string().contains("no note in a watched folder"),
        "{refused}"
    );
}
