//! Whatever a log contains and wherever it is cut, reading it in two passes gives the same as one pass, and nothing
//! panics.

use std::fs;

use memlens_agents::{PastKind, PastQuestion, logs};
use proptest::prelude::*;

use crate::generator::{self, Kind};
use crate::support::{Notebook, Scratch, fixture};

/// A fixture of each agent whose log is a file of lines, with its path.
const LOGS: [(&str, &str); 9] = [
    (
        "openclaw/garden.jsonl",
        ".openclaw/agents/main/sessions/garden.jsonl",
    ),
    (
        "openclaw/events.jsonl",
        ".openclaw/workspace/memory/.dreams/events.jsonl",
    ),
    (
        "claude-code/session.jsonl",
        ".claude/projects/-garden/0b6f.jsonl",
    ),
    (
        "codex/rollout-2026-06-03T08-14-02-019e91aa-3b7e-7d02-9c11-5f0a2b6c8d77.jsonl",
        ".codex/sessions/2026/06/03/rollout-2026-06-03T08-14-02-019e91aa-3b7e-7d02-9c11-5f0a2b6c8d77.jsonl",
    ),
    (
        "gemini-cli/session-2026-06-03T08-14-7f3e2a11.jsonl",
        ".gemini/tmp/9d1f/chats/session-2026-06-03T08-14-7f3e2a11.jsonl",
    ),
    (
        "openclaw/wrapped-nested.jsonl",
        ".openclaw/agents/main/sessions/t7.jsonl",
    ),
    (
        "claude-code/openings.jsonl",
        ".claude/projects/-home-iris-garden/77aa.jsonl",
    ),
    (
        "codex/rollout-2026-11-25T08-00-00-019f0000-3b7e-7d02-9c11-5f0a2b6c8d77.jsonl",
        ".codex/sessions/2026/11/25/rollout-2026-11-25T08-00-00-019f0000-3b7e-7d02-9c11-5f0a2b6c8d77.jsonl",
    ),
    (
        "gemini-cli/session-2026-11-25T08-00-7f3e2a12.jsonl",
        ".gemini/tmp/garden/chats/session-2026-11-25T08-00-7f3e2a12.jsonl",
    ),
];

/// Sorted by session and call, since interleaved sessions may be kept in another order.
fn sorted(mut notebook: Notebook) -> Vec<PastQuestion> {
    notebook
        .questions
        .sort_by(|one, other| (&one.session, &one.call).cmp(&(&other.session, &other.call)));
    notebook.questions
}

/// The text of a log in a home. Scratch folders have names of one length, so its bytes are at the same places in every home.
fn in_home(text: &str, scratch: &Scratch) -> Vec<u8> {
    let home = scratch.path().to_string_lossy();
    text.replace("/home/iris", &home).into_bytes()
}

/// Reads a log in passes that end at these bytes. The result is the same in every home folder.
fn in_goes(name: &str, text: &str, ends: &[usize]) -> Vec<String> {
    let scratch = Scratch::new();
    let bytes = in_home(text, &scratch);
    let mut notebook = Notebook::default();
    for end in ends {
        scratch.write(name, &bytes[..*end]);
        notebook.read(&scratch.log(), &scratch.home());
    }
    let mut notebook: Vec<String> = notebook
        .questions
        .into_iter()
        .map(|mut question| {
            if question.kind == PastKind::Opening {
                // Its name ends in a hash of the paths, which the home is part of.
                let end = question.call.rfind(':').expect("it has parts");
                question.call.truncate(end);
            }
            format!("{question:?}").replace(&*scratch.path().to_string_lossy(), "~")
        })
        .collect();
    notebook.sort();
    notebook
}

#[test]
fn a_log_that_is_cut_at_any_byte_tells_the_same_in_two_goes() {
    for (of, name) in LOGS {
        let text = fixture(of);
        let bytes = in_home(&text, &Scratch::new());
        let whole = in_goes(name, &text, &[bytes.len()]);
        assert!(!whole.is_empty(), "{of}");
        let ends = bytes
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at + 1);
        let near: Vec<usize> = ends.flat_map(|end| [end - 2, end - 1, end]).collect();
        let some = (0..bytes.len()).step_by(397);
        for cut in near.into_iter().chain(some) {
            assert_eq!(
                in_goes(name, &text, &[cut, bytes.len()]),
                whole,
                "{of} cut at byte {cut}"
            );
        }
    }
}

#[test]
fn made_up_sessions_of_every_kind_are_reported_whole() {
    for kind in generator::KINDS {
        let scratch = Scratch::new();
        let written = generator::write(scratch.path(), kind, 3, 40);
        let mut n_questions = 0;
        for log in logs(&scratch.home()) {
            let read = Notebook::default().read(&log, &scratch.home());
            assert_eq!((read.n_skipped, read.notices), (0, Vec::new()), "{kind:?}");
            n_questions += read.n_questions;
        }
        assert_eq!(n_questions, written.n_questions, "{kind:?}");
    }
}

/// The lines of several texts, dealt like cards: each text keeps its order, and all go on at once.
fn dealt(texts: &[String]) -> String {
    let mut piles: Vec<_> = texts.iter().map(|text| text.lines()).collect();
    let mut lines = Vec::new();
    while !piles.is_empty() {
        piles.retain_mut(|pile| {
            // Two at a time, so that an answer is often next to its call.
            lines.extend(pile.by_ref().take(2));
            pile.clone().next().is_some()
        });
    }
    lines.join("\n") + "\n"
}

#[test]
fn more_sessions_than_are_held_are_reported_as_if_each_had_its_own_log() {
    let scratch = Scratch::new();
    generator::write(scratch.path(), Kind::ClaudeCode, 150, 30);
    let mut texts = Vec::new();
    let mut alone = Notebook::default();
    for log in logs(&scratch.home()) {
        alone.cursor = None;
        alone.read(&log, &scratch.home());
        texts.push(fs::read_to_string(log.path).expect("it can be read"));
    }
    let alone = sorted(alone);
    assert!(alone.iter().any(|question| !question.opened.is_empty()));
    let text = dealt(&texts);
    fs::remove_dir_all(scratch.path().join(".claude/projects")).expect("it can be removed");
    for goes in [1, 3] {
        let mut notebook = Notebook::default();
        for go in 1..=goes {
            let part = &text.as_bytes()[..text.len() * go / goes];
            scratch.write(".claude/projects/-garden/all.jsonl", part);
            notebook.read(&scratch.log(), &scratch.home());
        }
        let together = sorted(notebook);
        assert_eq!(together.len(), alone.len());
        for (together, alone) in together.iter().zip(&alone) {
            assert_eq!(together, alone, "in {goes} goes");
        }
    }
}

#[test]
fn only_the_last_hundred_questions_of_a_session_are_added_to() {
    let scratch = Scratch::new();
    let ask = |n: usize| {
        format!(
            concat!(
                r#"{{"type":"message","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"c{n}","name":"memory_search","arguments":{{"query":"{n}"}}}}]}}}}"#,
                "\n",
                r#"{{"type":"message","message":{{"role":"toolResult","toolCallId":"c{n}","toolName":"memory_search","details":{{"results":[{{"path":"{n}.md"}}]}}}}}}"#,
                "\n"
            ),
            n = n
        )
    };
    let open = |n: usize| {
        format!(
            concat!(
                r#"{{"type":"message","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"o{n}","name":"memory_get","arguments":{{"path":"{n}.md"}}}}]}}}}"#,
                "\n",
                r#"{{"type":"message","message":{{"role":"toolResult","toolCallId":"o{n}","toolName":"memory_get","details":{{}}}}}}"#,
                "\n"
            ),
            n = n
        )
    };
    let asked: String = (1..=150).map(ask).collect();
    let name = ".openclaw/agents/main/sessions/a.jsonl";
    scratch.write(name, &asked);
    let mut in_two = scratch.notebook();
    let whole = asked + &open(51) + &open(50);
    scratch.write(name, whole);
    in_two.read(&scratch.log(), &scratch.home());
    for notebook in [in_two, scratch.notebook()] {
        let searches = notebook.searches();
        let opened: Vec<(&str, &str)> = searches
            .iter()
            .flat_map(|asked| {
                asked
                    .opened
                    .iter()
                    .map(|used| (&*asked.question, &*used.path))
            })
            .collect();
        // 50 is out of sight, so that what it returned counts for the newest.
        assert_eq!(opened, [("51", "51.md"), ("150", "50.md")]);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn no_bytes_make_a_reader_panic(which in 0..LOGS.len(), places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..40), tail in prop::collection::vec(any::<u8>(), 0..200)) {
        let (of, name) = LOGS[which];
        let mut bytes = fixture(of).into_bytes();
        for (place, byte) in places {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        bytes.extend(tail);
        let scratch = Scratch::new();
        scratch.write(name, &bytes);
        let mut notebook = scratch.notebook();
        bytes.extend(b"\n{}\n");
        scratch.write(name, &bytes);
        notebook.read(&scratch.log(), &scratch.home());
    }

    #[test]
    fn no_values_make_a_reader_panic(which in 0..LOGS.len(), from in "[a-z_\"A-Z]{1,12}", to in "(null|true|-1|1e400|\\[\\]|\\{\\}|\"\"|\"\\\\ud800\"|\\[\\[\\{\\}\\]\\])") {
        let (of, name) = LOGS[which];
        let text = fixture(of);
        // Each value of a field that is named so.
        let field = format!("\"{}\":", from.trim_matches('"'));
        let mut changed = String::new();
        let mut rest = text.as_str();
        while let Some(at) = rest.find(&field) {
            changed.push_str(&rest[..at + field.len()]);
            changed.push_str(&to);
            rest = &rest[at + field.len()..];
            rest = &rest[rest.find([',', '}']).unwrap_or(rest.len())..];
        }
        changed.push_str(rest);
        let scratch = Scratch::new();
        scratch.write(name, changed);
        scratch.notebook();
    }

    #[test]
    fn no_cursor_makes_a_reader_panic(cursor in "\\PC{0,80}", at in any::<u64>()) {
        let scratch = Scratch::new();
        scratch.write(LOGS[0].1, fixture(LOGS[0].0));
        for cursor in [cursor, format!(r#"{{"at":{at},"marks":"0","context":{{"session":"s"}},"pending":[]}}"#)] {
            let mut notebook = Notebook { cursor: Some(cursor), ..Notebook::default() };
            notebook.read(&scratch.log(), &scratch.home());
            prop_assert_eq!(notebook.searches().len(), 3);
        }
    }
}
