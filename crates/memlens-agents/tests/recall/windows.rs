//! Reading logs that agents wrote on Windows, where one folder has several spellings.

use memlens_agents::Home;
use memlens_files::System;
use serde_json::json;

use crate::support::{Notebook, Scratch, fixture};

const CODEX: &str = ".codex/sessions/2026/06/03/rollout-2026-06-03T08-14-02-019e91aa-3b7e-7d02-9c11-5f0a2b6c8d77.jsonl";

fn read(scratch: &Scratch) -> Notebook {
    let home = Home::new(r"C:\Users\iris".as_ref()).on(System::Windows);
    let mut notebook = Notebook::default();
    notebook.read(&scratch.log(), &home);
    notebook
}

#[test]
fn a_session_has_its_questions_in_every_spelling_of_its_folder() {
    let questions = |root: &str| {
        let root = format!("{}/", root.replace('\\', r"\\"));
        let text = fixture("claude-code/session.jsonl").replace("/home/iris/", &root);
        let scratch = Scratch::new();
        scratch.write(".claude/projects/C--Users-iris-garden/0b6f.jsonl", text);
        let searches = read(&scratch).searches();
        let in_memory = searches.into_iter().filter(|it| it.is_pattern);
        in_memory.map(|it| it.question).collect::<Vec<String>>()
    };
    for root in [
        r"C:\Users\iris",
        r"c:\Users\iris",
        r"c:\users\IRIS",
        r"\\?\C:\Users\iris",
        "/c/Users/iris",
        "/mnt/c/Users/iris",
    ] {
        assert_eq!(questions(root), ["pump|pond", "Reiher"], "{root}");
    }
    assert_eq!(questions(r"D:\Users\iris"), [""; 0]);
}

#[test]
fn commands_of_powershell_are_questions_and_openings() {
    let line = |payload: serde_json::Value| {
        json!({"timestamp": "2026-06-03T08:14:05.000Z", "type": "response_item", "payload": payload}).to_string()
    };
    let call = |id: &str, command: &str| {
        let arguments = json!({"command": command, "workdir": r"C:\Users\iris\garden"}).to_string();
        line(
            json!({"type": "function_call", "name": "shell_command", "arguments": arguments, "call_id": id}),
        )
    };
    let answer = |id: &str, output: &str| {
        let output = format!("Exit code: 0\nWall time: 0.4 seconds\nOutput:\n{output}");
        line(json!({"type": "function_call_output", "call_id": id, "output": output}))
    };
    let lines = [
        call(
            "a",
            r"Select-String -Path $HOME\.codex\memories\*.md -Pattern 'koi'",
        ),
        answer(
            "a",
            "\r\nC:\\Users\\iris\\.codex\\memories\\MEMORY.md:12:The koi are fed at eight.\r\n\r\n",
        ),
        call(
            "b",
            r"Get-Content C:\Users\iris\.codex\memories\MEMORY.md | Select-Object -Skip 10 -First 5",
        ),
        answer("b", "The koi are fed at eight.\r\n"),
        call("c", r"Get-Content C:\Users\iris\garden\memories.md"),
        answer("c", "not of its memory"),
    ];
    let scratch = Scratch::new();
    scratch.write(CODEX, lines.join("\n") + "\n");
    let notebook = read(&scratch);
    assert_eq!(
        notebook.searches_in_short(),
        "koi -> C:\\Users\\iris\\.codex\\memories\\MEMORY.md:12-12 | opened C:\\Users\\iris\\.codex\\memories\\MEMORY.md:11-15 | cited \n"
    );
    assert_eq!(
        notebook.openings(),
        [r"C:\Users\iris\.codex\memories\MEMORY.md:11-15"]
    );
}
