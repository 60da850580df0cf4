//! Reading the chats of Gemini CLI.

use memlens_agents::read_log;
use serde_json::{Value, json};

use crate::support::{Scratch, fixture};

#[test]
fn a_message_that_is_reported_again_asks_once() {
    let scratch = Scratch::new();
    let iris = scratch.path().to_string_lossy().into_owned();
    let text = fixture("gemini-cli/session-2026-06-03T08-14-7f3e2a11.jsonl");
    let text = text.replace("/home/iris", &iris);
    scratch.write(
        ".gemini/tmp/9d1f/chats/session-2026-06-03T08-14-7f3e2a11.jsonl",
        text,
    );
    let notebook = scratch.notebook();
    assert_eq!(
        notebook
            .searches_in_short()
            .replace(&format!("{iris}/.gemini/tmp/9d1f/memory"), "M"),
        "pump dir_path=\"M\" -> MEMORY.md:4-4 | opened M/MEMORY.md | cited \n\
         koi ->  | opened  | cited \n"
    );
    assert_eq!(
        notebook.questions[0].session,
        "7f3e2a11-0f0d-4d58-8a51-b6d0d3b1c2a9"
    );
}

#[test]
fn a_chat_of_one_document_is_read_and_read_again_when_it_changed() {
    let scratch = Scratch::new();
    let memory = scratch.path().join(".gemini/tmp/9d1f/memory");
    let call = |id: &str, words: &str, line: u32| {
        json!({
            "id": id, "name": "grep_search", "args": {"pattern": words, "dir_path": memory}, "status": "success",
            "timestamp": "2025-09-03T08:14:05.000Z",
            "result": [{"functionResponse": {"id": id, "name": "grep_search", "response": {
                "output": format!("Found 1 match for pattern \"{words}\" in path \"{}\":\n---\nFile: MEMORY.md\nL{line}: x", memory.display())
            }}}]
        })
    };
    let write = |calls: Vec<Value>| {
        let document = json!({
            "sessionId": "7f3e2a11", "projectHash": "9d1f", "startTime": "2025-09-03T08:14:00.000Z",
            "messages": [
                {"id": "m1", "timestamp": "2025-09-03T08:14:01.000Z", "type": "user", "content": "Which pump?"},
                {"id": "m2", "timestamp": "2025-09-03T08:14:04.000Z", "type": "gemini", "content": "", "toolCalls": calls}
            ]
        });
        let text = serde_json::to_string_pretty(&document).expect("it is JSON");
        scratch.write(
            ".gemini/tmp/9d1f/chats/session-2025-09-03T08-14-7f3e2a11.json",
            text,
        );
    };
    write(vec![call("a", "pump", 4)]);
    let mut notebook = scratch.notebook();
    let line = |words: &str, line: u32| {
        format!(
            "{words} dir_path=\"{}\" -> MEMORY.md:{line}-{line} | opened  | cited \n",
            memory.display()
        )
    };
    assert_eq!(notebook.searches_in_short(), line("pump", 4));
    assert_eq!(notebook.questions[0].session, "7f3e2a11");
    notebook.read(&scratch.log(), &scratch.home());
    assert_eq!(notebook.n_batches, 1, "nothing changed, so nothing is read");
    write(vec![call("a", "pump", 4), call("b", "koi", 9)]);
    notebook.read(&scratch.log(), &scratch.home());
    assert_eq!(
        notebook.searches_in_short(),
        line("pump", 4) + &line("koi", 9)
    );

    scratch.write(
        ".gemini/tmp/9d1f/chats/session-2025-09-03T08-14-7f3e2a11.json",
        "{\"sessionId\": \"7f3e2a11\", \"messages\": [",
    );
    let error = read_log(&scratch.log(), &scratch.home(), None, &mut notebook);
    assert!(
        error
            .expect_err("it is torn")
            .to_string()
            .ends_with("was passed over: it is no whole JSON document.")
    );
}
