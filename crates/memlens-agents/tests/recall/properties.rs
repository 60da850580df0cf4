//! Whatever stands in a log and wherever it is cut, reading it in two goes tells what one go tells, and nothing panics.

use memlens_agents::logs;
use proptest::prelude::*;

use crate::generator::{self, Kind};
use crate::support::{Notebook, Scratch, fixture};

/// A fixture of each agent whose log is a file of lines, and where it lies.
const LOGS: [(&str, &str); 5] = [
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
];

/// Sorted by session and call, since interleaved sessions may be kept in another order.
fn sorted(mut notebook: Notebook) -> Vec<memlens_agents::PastQuestion> {
    notebook
        .questions
        .sort_by(|one, other| (&one.session, &one.call).cmp(&(&other.session, &other.call)));
    notebook.questions
}

/// Reads a log in goes that end at these bytes.
fn in_goes(name: &str, bytes: &[u8], ends: &[usize]) -> Vec<memlens_agents::PastQuestion> {
    let scratch = Scratch::new();
    let mut notebook = Notebook::default();
    for end in ends {
        scratch.write(name, &bytes[..*end]);
        notebook.read(&scratch.log(), &scratch.home());
    }
    sorted(notebook)
}

#[test]
fn a_log_that_is_cut_at_any_byte_tells_the_same_in_two_goes() {
    for (of, name) in LOGS {
        let home = Scratch::new();
        let bytes = fixture(of)
            .replace("/home/iris", &home.path().to_string_lossy())
            .into_bytes();
        let whole = in_goes(name, &bytes, &[bytes.len()]);
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
                in_goes(name, &bytes, &[cut, bytes.len()]),
                whole,
                "{of} cut at byte {cut}"
            );
        }
    }
}

#[test]
fn made_up_sessions_of_every_kind_are_told_whole() {
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

#[test]
fn a_hundred_questions_and_a_thousand_sessions_are_gone_on_with() {
    // More questions than a session is held with, more sessions than are held, cut in the middle.
    let scratch = Scratch::new();
    generator::write(scratch.path(), Kind::ClaudeCode, 150, 14);
    let mut lines: Vec<String> = Vec::new();
    for log in logs(&scratch.home()) {
        let text = std::fs::read_to_string(log.path).expect("it can be read");
        lines.extend(text.lines().map(str::to_owned));
    }
    // Dealt like cards, so that all sessions go on at once.
    let n_piles = 13;
    let dealt: Vec<&str> = (0..n_piles)
        .flat_map(|pile| lines.iter().skip(pile).step_by(n_piles))
        .map(String::as_str)
        .collect();
    let bytes = (dealt.join("\n") + "\n").into_bytes();
    let home = scratch.path().to_string_lossy().into_owned();
    let text = String::from_utf8(bytes).expect("it is a text");
    let name = ".claude/projects/-garden/all.jsonl";
    let read = |cuts: &[usize]| {
        let scratch = Scratch::new();
        let bytes = text.replace(&home, &scratch.path().to_string_lossy());
        let n = bytes.len();
        let ends: Vec<usize> = cuts.iter().map(|cut| cut * n / 100).chain([n]).collect();
        let mut notebook = Notebook::default();
        for end in ends {
            scratch.write(name, &bytes.as_bytes()[..end]);
            notebook.read(&scratch.log(), &scratch.home());
        }
        notebook.n_questions_by_session()
    };
    let whole = read(&[]);
    assert!(whole.len() > 100, "{}", whole.len());
    assert_eq!(read(&[37, 61]), whole);
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
        let mut notebook = scratch.told();
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
        scratch.told();
    }

    #[test]
    fn no_cursor_makes_a_reader_panic(cursor in "\\PC{0,80}", at in any::<u64>()) {
        let scratch = Scratch::new();
        scratch.write(LOGS[0].1, fixture(LOGS[0].0));
        for cursor in [cursor, format!(r#"{{"at":{at},"marks":"0","context":{{"session":"s"}},"pending":[]}}"#)] {
            let mut notebook = Notebook { cursor: Some(cursor), ..Notebook::default() };
            notebook.read(&scratch.log(), &scratch.home());
            prop_assert_eq!(notebook.questions.len(), 3);
        }
    }
}
