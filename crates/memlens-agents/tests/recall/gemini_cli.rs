//! Gemini CLI's chats.

use crate::support::{Scratch, fixture};

#[test]
fn a_message_that_is_told_again_asks_once() {
    let scratch = Scratch::new();
    let iris = scratch.path().to_string_lossy().into_owned();
    let text = fixture("gemini-cli/session-2026-06-03T08-14-7f3e2a11.jsonl");
    let text = text.replace("/home/iris", &iris);
    scratch.write(
        ".gemini/tmp/9d1f/chats/session-2026-06-03T08-14-7f3e2a11.jsonl",
        text,
    );
    let told = scratch.told();
    assert_eq!(
        told.told()
            .replace(&format!("{iris}/.gemini/tmp/9d1f/memory"), "M"),
        "pump dir_path=\"M\" -> MEMORY.md:4-4 | opened M/MEMORY.md | cited \n\
         koi ->  | opened  | cited \n"
    );
    assert_eq!(
        told.questions[0].session,
        "7f3e2a11-0f0d-4d58-8a51-b6d0d3b1c2a9"
    );
}
