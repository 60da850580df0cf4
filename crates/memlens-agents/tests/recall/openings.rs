//! Openings of notes, with or without a search before them.

use memlens_agents::PastKind;

use crate::support::{Notebook, Scratch, fixture};

/// Contents of a log fixture, with the invented user's home as `~`.
fn notebook_of(name: &str, place: &str) -> Notebook {
    let scratch = Scratch::new();
    let iris = scratch.path().to_string_lossy().into_owned();
    scratch.write(place, fixture(name).replace("/home/iris", &iris));
    let mut notebook = scratch.notebook();
    for question in &mut notebook.questions {
        for used in &mut question.opened {
            used.path = used.path.replace(&iris, "~");
        }
        for returned in question.returned.iter_mut().flatten() {
            returned.path = returned.path.replace(&iris, "~");
        }
        question.settings.clear();
    }
    notebook
}

#[test]
fn claude_code_opens_by_read_grep_and_shell() {
    let notebook = notebook_of(
        "claude-code/openings.jsonl",
        ".claude/projects/-home-iris-garden/77aa.jsonl",
    );
    let m = "~/.claude/projects/-home-iris-garden/memory";
    assert_eq!(
        notebook.openings(),
        [
            format!("{m}/topic.md"),
            // Its Read shows 2,000 lines at once.
            format!("{m}/long.md:1-2000"),
            format!("{m}/birds.md:1-20"),
            format!("{m}/long.md:3-9"),
        ]
    );
    assert_eq!(
        notebook.searches_in_short(),
        [
            format!("heron -> {m}/birds.md:name | opened {m}/birds.md:1-20 | cited \n"),
            "koi ->  | opened  | cited \n".to_owned(),
            "koi -> failed | opened  | cited \n".to_owned(),
            format!("carp -> {m}/birds.md:4-5 | opened {m}/long.md:3-9 | cited \n"),
        ]
        .concat()
    );
    let mut openings = notebook.questions.iter();
    let first = openings.find(|it| it.kind == PastKind::Opening);
    let first = first.expect("there are openings");
    assert_eq!(first.session, "77aa2a50-7d1e-4c55-8a35-9f0c1b7c2d10");
    assert_eq!(first.at_ms, Some(1_795_593_660_000));
    assert_eq!(first.question, "");
}

#[test]
fn codex_opens_by_its_shell_and_a_search_that_failed_found_not_nothing() {
    let name = "rollout-2026-11-25T08-00-00-019f0000-3b7e-7d02-9c11-5f0a2b6c8d77.jsonl";
    let notebook = notebook_of(
        &format!("codex/{name}"),
        &format!(".codex/sessions/2026/11/25/{name}"),
    );
    let d = "~/.codex/memories";
    assert_eq!(
        notebook.openings(),
        [
            format!("{d}/MEMORY.md"),
            format!("{d}/long.md:part"),
            format!("{d}/a.md"),
        ]
    );
    assert_eq!(
        notebook.searches_in_short(),
        [
            format!("pump -> {d}/MEMORY.md:12-12 | opened  | cited \n"),
            "koi ->  | opened  | cited \n".to_owned(),
            "koi -> failed | opened  | cited \n".to_owned(),
            format!("carp -> failed | opened {d}/long.md:part {d}/a.md | cited \n"),
        ]
        .concat()
    );
}

#[test]
fn of_notes_that_a_pattern_names_those_are_opened_that_the_output_shows() {
    let scratch = Scratch::new();
    let memory = ".claude/projects/-home-iris-garden/memory";
    scratch.write(
        &format!("{memory}/pond.md"),
        "The pond pump is a Nautilus.\n",
    );
    scratch.write(
        &format!("{memory}/koi.md"),
        "The koi are fed at eight.\nTwice on Sundays.\n",
    );
    let folder = scratch.path().join(memory).display().to_string();
    let mut log = String::new();
    for (id, command, output) in [
        (
            "a",
            format!("cat {folder}/*.md"),
            "The koi are fed at eight.\nTwice on Sundays.\n",
        ),
        (
            "b",
            format!("head -n 1 {folder}/*.md"),
            &*format!("==> {folder}/gone.md <==\nx\n"),
        ),
        (
            "c",
            format!("find {folder} -name '*.md' -exec cat {{}} \\;"),
            "The pond pump is a Nautilus.\nThe koi are fed at eight.\nTwice on Sundays.\n",
        ),
        // Nothing shows which notes they were.
        (
            "d",
            format!("cat {folder}/*.md | head -n 2"),
            "Something else.\n",
        ),
        (
            "e",
            format!("find {folder} -name '*.md'"),
            &*format!("{folder}/pond.md\n"),
        ),
        ("f", format!("cat {folder}/*.md"), ""),
    ] {
        let call = serde_json::json!({
            "type": "assistant", "sessionId": "s", "timestamp": "2026-11-25T08:00:00.000Z",
            "message": {"content": [{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]},
        });
        let answer = serde_json::json!({
            "type": "user", "sessionId": "s", "timestamp": "2026-11-25T08:00:01.000Z",
            "message": {"content": [{"type": "tool_result", "tool_use_id": id, "content": output}]},
        });
        log.push_str(&format!("{call}\n{answer}\n"));
    }
    scratch.write(".claude/projects/-home-iris-garden/1.jsonl", log);
    let notebook = scratch.notebook();
    let mut openings: Vec<String> = notebook
        .openings()
        .iter()
        .map(|it| it.replace(&folder, "~"))
        .collect();
    for opening in &mut openings {
        let mut notes: Vec<&str> = opening.split(' ').collect();
        notes.sort_unstable();
        *opening = notes.join(" ");
    }
    assert_eq!(
        openings,
        ["~/koi.md", "~/gone.md:1-1", "~/koi.md ~/pond.md"]
    );
}

#[test]
fn gemini_cli_opens_by_read_file_and_shell() {
    let notebook = notebook_of(
        "gemini-cli/session-2026-11-25T08-00-7f3e2a12.jsonl",
        ".gemini/tmp/garden/chats/session-2026-11-25T08-00-7f3e2a12.jsonl",
    );
    let g = "~/.gemini/tmp/garden/memory";
    assert_eq!(
        notebook.openings(),
        [
            format!("{g}/MEMORY.md"),
            format!("{g}/long.md:1-2000"),
            format!("{g}/pond.md"),
        ]
    );
    assert_eq!(
        notebook.searches_in_short(),
        "koi ->  | opened  | cited \npump -> MEMORY.md:4-4 | opened  | cited \n"
    );
}

#[test]
fn an_opening_that_is_read_again_is_the_same() {
    let name = "claude-code/openings.jsonl";
    let scratch = Scratch::new();
    let iris = scratch.path().to_string_lossy().into_owned();
    let text = fixture(name).replace("/home/iris", &iris);
    scratch.write(".claude/projects/-home-iris-garden/77aa.jsonl", &text);
    let mut notebook = scratch.notebook();
    let before = notebook.questions.clone();
    // A cursor of another version of the reader is not continued.
    for cursor in [None, notebook.cursor.clone().map(|it| format!("1{it}"))] {
        notebook.cursor = cursor;
        let read = notebook.read(&scratch.log(), &scratch.home());
        assert_eq!(read.n_questions, 4);
        assert_eq!(notebook.questions, before);
    }
}
