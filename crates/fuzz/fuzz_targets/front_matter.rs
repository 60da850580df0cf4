//! Any text between two rules, above one line of a note.

#![no_main]

use libfuzzer_sys::fuzz_target;
use memlens_ingest::{FrontMatter, IngestOptions, Kind};

const BODY: &str = "The body of the note.";

fuzz_target!(|input: &str| {
    let note = format!("---\n{input}\n---\n{BODY}\n");
    let Some(parsed) = fuzz::read(Kind::Markdown, note.as_bytes(), &IngestOptions::default())
    else {
        return;
    };
    let FrontMatter {
        agent,
        date,
        tags,
        weight,
    } = &parsed.front;
    let is_name = |name: &String| !name.is_empty() && name.trim() == name;
    assert!(agent.iter().all(is_name));
    assert!(tags.len() <= 100 && tags.iter().all(is_name));
    assert!(weight.is_none_or(|weight| weight.is_finite() && weight >= 0.0));
    for chunk in &parsed.chunks {
        assert_eq!(
            (&chunk.agent, &chunk.date, &chunk.weight),
            (agent, date, weight)
        );
    }
    // The body is found, whatever precedes it.
    let last = parsed.windows.last().expect("the body has a window");
    assert!(last.text.ends_with(BODY));
});
