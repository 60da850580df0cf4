//! Whose memory a fact is in, whose questions count, and which session and line are meant.

use memlens_engine::view::{Autopsy, AutopsyQuestion, AutopsyStep, StepOutcome, Verdict};
use memlens_engine::{EngineError, Home, Library, RecallChange, acts, autopsy, past};
use memlens_store::{NewPast, ReadLog, Store};
use memlens_tests::{Notes, fresh, index, open, write_openclaw_index};
use serde_json::json;

use crate::autopsy::{AT_MS, FACT, LINE, check, check_proof, step};

/// Agents in one home, whose memories are watched.
struct Agents {
    home: Notes,
    library: Library,
    _dir: tempfile::TempDir,
}

const CLAUDE: &str = ".claude/projects/-house/memory";
const OPENCLAW: &str = ".openclaw/workspace";
const BULB: &str = "the projector bulb was exchanged by the caretaker";
const BULB_LINE: &str = "# W\n\n- The projector bulb was exchanged by the caretaker.\n";

impl Agents {
    /// `memories` are the watched folders with their agents.
    fn of(files: &[(&str, &str)], memories: &[(&str, &str)]) -> Agents {
        let home = Notes::new(files);
        let dir = fresh(&[]);
        let library = open(dir.path()).in_home(Home::new(home.path()));
        for (memory, agent) in memories {
            let path = home.at(memory);
            index(library.dir(), &[&path]);
            let mut store = Store::open(library.dir()).expect("nobody writes");
            let folders = store.folders().expect("they can be read");
            let folder = folders
                .iter()
                .find(|it| it.agent.is_none())
                .expect("it is new");
            store
                .set_folder_agent(folder.id, Some(agent))
                .expect("it can be saved");
        }
        library.refresh().expect("it can be read");
        Agents {
            home,
            library,
            _dir: dir,
        }
    }

    fn log(&self, path: &str, agent: &str, questions: &[NewPast]) {
        let mut store = Store::open(self.library.dir()).expect("nobody writes");
        let log = ReadLog {
            path: self.home.at(path).display().to_string(),
            agent: agent.to_owned(),
            cursor: Some("1".to_owned()),
            n_bytes: 1,
            stamp: String::new(),
            problem: None,
        };
        store
            .keep_past(&log, questions, &[])
            .expect("they can be kept");
    }

    fn ask(&self, fact: &str, agent: Option<&str>, session: Option<&str>) -> Autopsy {
        self.try_ask(fact, agent, session)
            .expect("it can be found out")
    }

    fn try_ask(
        &self,
        fact: &str,
        agent: Option<&str>,
        session: Option<&str>,
    ) -> Result<Autopsy, EngineError> {
        let question = AutopsyQuestion {
            fact: fact.to_owned(),
            agent: agent.map(str::to_owned),
            session: session.map(str::to_owned),
            at_ms: None,
        };
        autopsy(&self.library, &question, None)
    }

    fn refused(&self, fact: &str, session: Option<&str>) -> String {
        let refused = self.try_ask(fact, None, session);
        refused.expect_err(fact).to_string()
    }
}

fn asked(agent: &str, session: &str, question: &str, returned: serde_json::Value) -> NewPast {
    NewPast {
        agent: agent.to_owned(),
        session: session.to_owned(),
        call: question.to_owned(),
        at_ms: Some(AT_MS),
        is_opening: false,
        has_failed: false,
        is_pattern: agent != "openclaw",
        served: None,
        question: question.to_owned(),
        settings: "{}".to_owned(),
        returned: Some(returned.to_string()),
        opened: "[]".to_owned(),
        cited: "[]".to_owned(),
    }
}

/// Claude Code and OpenClaw; the fact is in OpenClaw's memory.
fn both() -> Agents {
    Agents::of(
        &[
            (
                &format!("{CLAUDE}/topic.md"),
                "- The cistern pump is new.\n",
            ),
            (&format!("{OPENCLAW}/memory/home.md"), LINE),
        ],
        &[(CLAUDE, "claude-code"), (OPENCLAW, "openclaw")],
    )
}

#[test]
fn the_agent_is_the_one_whose_memory_the_note_is() {
    let both = both();
    let of_claude = format!("{CLAUDE}/../7f3a.jsonl");
    let greps = asked("claude-code", "7f3a", "router", json!([]));
    both.log(&of_claude, "claude-code", &[greps]);
    // Only Claude Code's log was read, and the fact is in OpenClaw's memory.
    let unread = both.ask(FACT, None, None);
    assert_eq!(unread.agent.as_deref(), Some("openclaw"));
    check(&unread, Verdict::Unknown, None);
    let said = "none of its logs is read, only logs of Claude Code";
    check_proof(&unread, AutopsyStep::Asked, StepOutcome::Unknown, said);
    // Claude Code's search is none of OpenClaw's.
    both.log(".openclaw/agents/main/sessions/o1.jsonl", "openclaw", &[]);
    let never = both.ask(FACT, None, None);
    check(&never, Verdict::NeverAsked, Some(AutopsyStep::Asked));
    assert_eq!(
        never.headline,
        "No log that was read shows that OpenClaw asked about it."
    );
    assert!(step(&never, AutopsyStep::Asked).questions.is_empty());
    // A session is of its agent, whosever note the fact is in.
    let of_session = both.ask(FACT, None, Some("7f3a"));
    assert_eq!(of_session.agent.as_deref(), Some("claude-code"));
    let said = "This note is in the memory of OpenClaw.";
    check_proof(
        &of_session,
        AutopsyStep::Indexed,
        StepOutcome::Unknown,
        said,
    );
}

#[test]
fn a_session_is_named_by_its_id_or_the_beginning_of_it() {
    let both = both();
    let id = "7f3a2a50-7d1e-4c55-8a35-9f0c1b7c2d10";
    let name = |id: &str| format!(".openclaw/agents/main/sessions/{id}.jsonl");
    let searched = asked("openclaw", id, "router", json!([]));
    both.log(&name(id), "openclaw", &[searched]);
    for typed in ["7f3a", id] {
        let found = both.ask(FACT, None, Some(typed));
        assert_eq!(found.closest.as_deref(), Some("router"), "{found:#?}");
    }
    let refused = both.refused(FACT, Some("bogus"));
    assert!(
        refused.contains("no search that was read, and no log file"),
        "{refused}"
    );
    // A session of another agent is none of this one.
    let of_other = both.try_ask(FACT, Some("claude-code"), Some("7f3a"));
    let unread = of_other.expect("no log of Claude Code is read");
    check_proof(
        &unread,
        AutopsyStep::Asked,
        StepOutcome::Unknown,
        "none of its logs",
    );
    // A log that was read is a session, even if nothing was searched in it.
    both.log(&name("7f99-quiet"), "openclaw", &[]);
    let quiet = both.ask(FACT, None, Some("7f99"));
    check(&quiet, Verdict::NeverAsked, Some(AutopsyStep::Asked));
    let refused = both.refused(FACT, Some("7f"));
    assert!(refused.contains("it may be any of"), "{refused}");
}

#[test]
fn a_line_that_cannot_be_identified_is_not_taken_for_words() {
    let two = Agents::of(
        &[
            (
                ".claude/projects/-alpha/memory/MEMORY.md",
                "# A\n\n- The cat is grey.\n",
            ),
            (
                ".claude/projects/-beta/memory/MEMORY.md",
                "# B\n\n- The dog is old.\n",
            ),
        ],
        &[
            (".claude/projects/-alpha/memory", "claude-code"),
            (".claude/projects/-beta/memory", "claude-code"),
        ],
    );
    for (fact, said) in [
        ("MEMORY.md:3", "it could be"),
        ("nosuch.md:5", "there is no"),
        ("memory/nosuch:5", "there is no"),
        ("MEMORY.md:0", "line numbers start at 1"),
    ] {
        let refused = two.refused(fact, None);
        assert!(refused.contains(said), "{fact}: {refused}");
    }
    // Words that end in a time, and an address.
    for fact in [
        "the cat came home at 22:31",
        "see http://localhost/router:80",
    ] {
        let words = two.ask(fact, None, None);
        assert_eq!(words.verdict, Verdict::NeverWritten, "{words:#?}");
    }
}

/// OpenClaw with the agents `main` and `lab`, each with a workspace; the fact is in that of `lab`.
fn members() -> Agents {
    let config = json!({
        "meta": {"lastTouchedVersion": "2026.9.6"},
        "agents": {"entries": {
            "main": {"workspace": "~/.openclaw/ws-main"},
            "lab": {"workspace": "~/.openclaw/ws-lab"},
        }},
    });
    Agents::of(
        &[
            (".openclaw/openclaw.json", &config.to_string()),
            (
                ".openclaw/ws-main/memory/m.md",
                "# Main\n\n- The cat is called Minka.\n",
            ),
            (".openclaw/ws-lab/memory/w.md", BULB_LINE),
        ],
        &[
            (".openclaw/ws-main", "openclaw"),
            (".openclaw/ws-lab", "openclaw"),
        ],
    )
}

const OF_LAB: &str = ".openclaw/agents/lab/sessions/w1.jsonl";
const OF_MAIN: &str = ".openclaw/agents/main/sessions/m1.jsonl";

#[test]
fn a_session_of_any_agent_of_openclaw_searches_its_own_workspace() {
    let members = members();
    members.log(
        OF_LAB,
        "openclaw",
        &[asked("openclaw", "w1", "projector bulb", json!([]))],
    );
    members.log(
        OF_MAIN,
        "openclaw",
        &[asked("openclaw", "m1", "projector bulb", json!([]))],
    );
    let lab = members.ask(BULB, None, Some("w1"));
    check(&lab, Verdict::RankedOut, Some(AutopsyStep::Ranked));
    assert!(
        lab.headline.starts_with("OpenClaw agent “lab” asked"),
        "{lab:#?}"
    );
    check_proof(
        &lab,
        AutopsyStep::Ranked,
        StepOutcome::Failed,
        "finds it now at rank 1",
    );
    // The emulation has another index, so it does not show what lost it.
    check_proof(
        &lab,
        AutopsyStep::Ranked,
        StepOutcome::Failed,
        "but its own index and embedding model are not known here",
    );
    assert_eq!(
        lab.headline,
        "OpenClaw agent “lab” asked, and the note was not in the answer."
    );
    // The workspace of lab is not searched by main.
    let main = members.ask(BULB, None, Some("m1"));
    check(&main, Verdict::NotIndexed, Some(AutopsyStep::Indexed));
    assert!(
        main.headline
            .contains("where OpenClaw agent “main” does not search"),
        "{main:#?}"
    );
    // Without a session it is the agent in whose workspace the note is, with its questions only.
    for agent in [None, Some("openclaw")] {
        let own = members.ask(BULB, agent, None);
        check(&own, Verdict::RankedOut, Some(AutopsyStep::Ranked));
        assert_eq!(
            step(&own, AutopsyStep::Asked).questions.len(),
            1,
            "{own:#?}"
        );
    }
    // A fact in both workspaces is looked for in the session's own first.
    members
        .home
        .write(".openclaw/ws-main/memory/copy.md", BULB_LINE);
    index(
        members.library.dir(),
        &[&members.home.at(".openclaw/ws-main")],
    );
    members.library.refresh().expect("it can be read");
    for (session, path) in [("m1", "memory/copy.md"), ("w1", "memory/w.md")] {
        let found = members.ask(BULB, None, Some(session));
        assert_eq!(found.place.expect("it is there").path, path, "{session}");
        assert_eq!(found.verdict, Verdict::RankedOut, "{session}");
    }
}

#[test]
fn a_path_in_an_answer_is_of_the_workspace_of_the_agent_that_asked() {
    let members = members();
    let held = json!([{"path": "memory/w.md", "lines": [1, 3], "score": 0.7}]);
    members.log(
        OF_MAIN,
        "openclaw",
        &[asked("openclaw", "m1", "projector bulb", held.clone())],
    );
    members.log(
        OF_LAB,
        "openclaw",
        &[asked("openclaw", "w1", "projector bulb", held.clone())],
    );
    // The note of that name in main's workspace is deleted; lab has another.
    let main = members.ask(BULB, None, Some("m1"));
    assert_ne!(
        step(&main, AutopsyStep::Given).outcome,
        StepOutcome::Passed,
        "{main:#?}"
    );
    assert_ne!(main.verdict, Verdict::Given, "{main:#?}");
    let said = "no watched note is there under that name now";
    check_proof(&main, AutopsyStep::Given, StepOutcome::Unknown, said);
    let lab = members.ask(BULB, None, Some("w1"));
    assert_eq!(lab.verdict, Verdict::Given, "{lab:#?}");
    // A log that does not say which agent asked proves nothing about either.
    members.log(
        "events.jsonl",
        "openclaw",
        &[asked("openclaw", "e1", "projector bulb", held)],
    );
    let unknown = members.ask(BULB, None, Some("e1"));
    assert_ne!(
        step(&unknown, AutopsyStep::Given).outcome,
        StepOutcome::Passed,
        "{unknown:#?}"
    );
    let said = "the log does not say in whose workspace";
    check_proof(&unknown, AutopsyStep::Given, StepOutcome::Unknown, said);
    let places = past::places::places(&members.library).expect("they can be listed");
    let find = |member, path: &str| places.find("openclaw", member, path).map(|it| it.path);
    assert_eq!(
        find(Some("lab"), "memory/w.md").as_deref(),
        Ok("memory/w.md")
    );
    assert_eq!(find(Some("lab"), "memory/w").as_deref(), Ok("memory/w.md"));
    assert_eq!(
        find(Some("main"), "memory/w.md"),
        Err(past::places::NoPlace::Deleted)
    );
    assert_eq!(
        find(None, "memory/w.md"),
        Err(past::places::NoPlace::NoWorkspace)
    );
    assert_eq!(
        find(Some("gone"), "memory/w.md"),
        Err(past::places::NoPlace::NoWorkspace)
    );
}

#[test]
fn an_own_index_is_that_of_the_agent_that_asked() {
    let members = members();
    let allowed = RecallChange {
        is_allowed: Some(true),
        ..RecallChange::default()
    };
    acts::change_recall(&members.library.to_write(), allowed).expect("nobody writes");
    members.log(
        OF_LAB,
        "openclaw",
        &[asked("openclaw", "w1", "projector bulb", json!([]))],
    );
    // Both indexes have a note of that path; that of main is read first.
    for (member, text) in [
        ("main", "# W\n\n- The projector is new.\n"),
        ("lab", BULB_LINE),
    ] {
        let path = format!(".openclaw/agents/{member}/agent/openclaw-agent.sqlite");
        let chunks = [("memory/w.md", (1, 3), text, vec![1.0, 0.0])];
        write_openclaw_index(&members.home.at(&path), "another", AT_MS, &chunks);
    }
    let lab = members.ask(BULB, None, Some("w1"));
    let said = "It is in OpenClaw agent “lab”'s own index";
    check_proof(&lab, AutopsyStep::Indexed, StepOutcome::Passed, said);
}

#[test]
fn a_known_difference_of_the_emulation_leaves_the_ranking_open() {
    let config = json!({
        "meta": {"lastTouchedVersion": "2026.7.35"},
        "agents": {"defaults": {"memorySearch": {"query": {"hybrid": {"enabled": false}, "minScore": 0.9}}}},
    });
    let home = Agents::of(
        &[
            (".openclaw/openclaw.json", &config.to_string()),
            (&format!("{OPENCLAW}/memory/w.md"), BULB_LINE),
        ],
        &[(OPENCLAW, "openclaw")],
    );
    let sessions = ".openclaw/agents/main/sessions/m1.jsonl";
    home.log(
        sessions,
        "openclaw",
        &[asked("openclaw", "m1", "projector bulb", json!([]))],
    );
    let gap = "by vectors alone";
    let asked_for = home.ask(BULB, None, Some("m1"));
    check(&asked_for, Verdict::Unknown, Some(AutopsyStep::Given));
    check_proof(&asked_for, AutopsyStep::Ranked, StepOutcome::Unknown, gap);
    assert!(
        asked_for.fix.is_none() && asked_for.works.is_none(),
        "{asked_for:#?}"
    );
    assert!(asked_for.summary.contains(gap), "{asked_for:#?}");
}
