//! OpenClaw's transcripts.

use crate::support::{Scratch, fixture};

const SESSIONS: &str = ".openclaw/agents/main/sessions";

#[test]
fn searches_of_a_transcript_are_told_with_what_came_of_them() {
    let scratch = Scratch::new();
    scratch.write(
        &format!("{SESSIONS}/garden.jsonl"),
        fixture("openclaw/garden.jsonl"),
    );
    scratch.write(&format!("{SESSIONS}/sessions.json"), "{}");
    let told = scratch.told();
    assert_eq!(
        told.told(),
        "pond pump replaced maxResults=4 -> memory/2026-04-11.md:9-14=0.7124 MEMORY.md:31-31=0.4402 | opened memory/2026-04-11.md:9-14 | cited \n\
         fish that Jonas ordered ->  | opened  | cited \n\
         koi -> ? | opened  | cited \n"
    );
    let first = &told.questions[0];
    assert_eq!(first.agent, "openclaw");
    assert_eq!(first.session, "7c1f0f5e-3f0a-4c6e-9d2b-5a1e8f6b2c11");
    assert_eq!(first.call, "toolu_01PondA");
    assert_eq!(first.at_ms, Some(1_780_474_447_310));
    assert_eq!(told.n_bytes, scratch.log().bytes);
}
