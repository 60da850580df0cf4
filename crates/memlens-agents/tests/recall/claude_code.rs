//! Reading the session files of Claude Code.

use crate::support::{Scratch, fixture};

const MEMORY: &str = "/home/iris/.claude/projects/-home-iris-garden/memory";

/// Paths in the fixture are those of an invented user.
fn scratch() -> Scratch {
    let scratch = Scratch::new();
    let iris = scratch.path().to_string_lossy().into_owned();
    let text = fixture("claude-code/session.jsonl").replace("/home/iris", &iris);
    scratch.write(".claude/projects/-home-iris-garden/0b6f.jsonl", text);
    scratch
}

#[test]
fn searches_in_a_memory_folder_and_of_known_servers_are_reported() {
    let scratch = scratch();
    let notebook = scratch.notebook();
    let iris = scratch.path().to_string_lossy().into_owned();
    let m = MEMORY.replace("/home/iris", &iris);
    assert_eq!(
        notebook
            .searches_in_short()
            .replace(&m, "M")
            .replace(&iris, "~"),
        "pump|pond -n=true output_mode=\"content\" path=\"M\" -> M/pond.md:3-4 M/MEMORY.md:11-11 | opened M/pond.md:3-4 | cited \n\
         Reiher path=\"M\" ->  | opened  | cited \n\
         koi winter\nhow do the koi survive the winter limit=3 -> notes/koi.md=0.87 | opened  | cited \n\
         heron at the pond page_size=5 project=\"garden\" -> garden/visitors.md=0.83 | opened garden/visitors.md | cited \n"
    );
    let searches = notebook.searches();
    let sessions: Vec<&str> = searches.iter().map(|it| &it.session[..4]).collect();
    assert_eq!(sessions, ["0b6f", "0b6f", "0b6f", "5d0c"]);
}

#[test]
fn a_memory_folder_of_another_place_is_known_by_the_settings() {
    let scratch = Scratch::new();
    scratch.write(
        ".claude/settings.json",
        r#"{"autoMemoryDirectory":"~/brain"}"#,
    );
    let line = r#"{"sessionId":"s","timestamp":"2026-06-03T08:14:02.000Z","message":{"content":[{"type":"tool_use","id":"a","name":"Grep","input":{"pattern":"pond","path":"~/brain"}}]}}"#;
    scratch.write(".claude/projects/x/s.jsonl", format!("{line}\n"));
    assert_eq!(
        scratch.notebook().searches_in_short(),
        "pond path=\"~/brain\" -> ? | opened  | cited \n"
    );
}

#[test]
fn a_memory_folder_of_another_place_is_known_by_the_settings_of_the_project() {
    let scratch = Scratch::new();
    let settings = |file: &str, folder: &str| {
        let text = format!(r#"{{"autoMemoryDirectory":"{folder}"}}"#);
        scratch.write(file, text);
    };
    settings(".claude/settings.json", "~/brain");
    settings("garden/.claude/settings.json", "~/pond");
    settings("shed/.claude/settings.json", "~/attic");
    settings("shed/.claude/settings.local.json", "~/loft");
    let home = scratch.path().to_string_lossy().into_owned();
    let line = |id: &str, cwd: &str, place: &str| {
        format!(
            r#"{{"cwd":"{home}/{cwd}","sessionId":"s","timestamp":"2026-06-03T08:14:02.000Z","message":{{"content":[{{"type":"tool_use","id":"{id}","name":"Grep","input":{{"pattern":"{id}","path":"~/{place}"}}}}]}}}}"#
        )
    };
    let lines = [
        line("of-project", "garden", "pond"),
        line("of-folder-above", "garden/beds/north", "pond"),
        line("of-user", "garden", "brain"),
        line("local", "shed", "loft"),
        line("shared-below-local", "shed", "attic"),
        line("of-another", "shed", "pond"),
        line("unknown", "garden", "loft"),
    ];
    scratch.write(".claude/projects/x/s.jsonl", lines.join("\n") + "\n");
    let notebook = scratch.notebook();
    let searches = notebook.searches();
    let questions: Vec<&str> = searches.iter().map(|it| it.question.as_str()).collect();
    assert_eq!(
        questions,
        ["of-project", "of-folder-above", "of-user", "local"]
    );
}

#[test]
fn subagents_have_files_of_their_own() {
    let scratch = scratch();
    scratch.write(".claude/projects/x/5d0c/subagents/agent-a1.jsonl", "");
    scratch.write(".claude/projects/x/5d0c/notes/other.jsonl", "");
    let logs = memlens_agents::logs(&scratch.home());
    let paths: Vec<String> = logs
        .iter()
        .map(|log| scratch.home().shown(&log.path))
        .collect();
    assert_eq!(
        paths,
        [
            "~/.claude/projects/-home-iris-garden/0b6f.jsonl",
            "~/.claude/projects/x/5d0c/subagents/agent-a1.jsonl"
        ]
    );
}

/// A line with blocks of a message.
fn line(blocks: &str) -> String {
    format!(
        r#"{{"sessionId":"s","cwd":"/home/iris","timestamp":"2026-06-03T08:14:02.000Z","message":{{"content":[{blocks}]}}}}"#
    )
}

#[test]
fn a_shell_that_searches_twice_asks_one_question_and_a_note_is_known_without_its_end() {
    let scratch = Scratch::new();
    let lines = [
        line(
            r#"{"type":"tool_use","id":"a","name":"Bash","input":{"command":"cd ~/.claude/projects/x/memory; grep -n koi *.md; rg carp"}}"#,
        ),
        line(
            r#"{"type":"tool_result","tool_use_id":"a","content":"ponds.md:3:koi\nponds.md:4:carp"}"#,
        ),
        line(
            r#"{"type":"tool_use","id":"b","name":"mcp__basic-memory__search_notes","input":{"query":"soil"}}"#,
        ),
        line(r#"{"type":"tool_result","tool_use_id":"b","content":"{\"results\":[]}"}"#),
        line(
            r#"{"type":"tool_use","id":"c","name":"mcp__basic-memory__read_note","input":{"identifier":"memory://x/pond"}}"#,
        ),
        line(r#"{"type":"tool_result","tool_use_id":"c","content":"The pond"}"#),
    ];
    scratch.write(".claude/projects/x/s.jsonl", lines.join("\n") + "\n");
    let in_short = || {
        let memory = scratch.path().join(".claude/projects/x/memory");
        let notebook = scratch.notebook().searches_in_short();
        notebook.replace(&*memory.to_string_lossy(), "M")
    };
    assert_eq!(
        in_short(),
        "koi\ncarp -> M/ponds.md:3-4 | opened  | cited \nsoil ->  | opened memory://x/pond | cited \n"
    );
    let found = lines[1].replace("ponds.md", "x/pond.md");
    scratch.write(
        ".claude/projects/x/s.jsonl",
        [&lines[..1], &[found], &lines[2..]].concat().join("\n") + "\n",
    );
    assert_eq!(
        in_short(),
        "koi\ncarp -> M/x/pond.md:3-4 | opened memory://x/pond | cited \nsoil ->  | opened  | cited \n"
    );
}
