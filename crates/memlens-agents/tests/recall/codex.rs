//! Reading the rollout files of Codex.

use memlens_agents::{line_hash, read_log};

use crate::support::{Scratch, fixture};

const NAME: &str = "rollout-2026-06-03T08-14-02-019e91aa-3b7e-7d02-9c11-5f0a2b6c8d77.jsonl";

#[test]
fn searches_by_the_shell_are_reported_with_what_the_answers_cited() {
    let scratch = Scratch::new();
    let iris = scratch.path().to_string_lossy().into_owned();
    let text = fixture(&format!("codex/{NAME}")).replace("/home/iris", &iris);
    scratch.write(&format!(".codex/sessions/2026/06/03/{NAME}"), text);
    let notebook = scratch.notebook();
    assert_eq!(
        notebook.searches_in_short().replace(&iris, "~"),
        "pump|pond -> ~/.codex/memories/MEMORY.md:12-13 ~/.codex/memories/MEMORY.md:40-40 | opened ~/.codex/memories/MEMORY.md:12-20 | cited MEMORY.md:12-18 rollout_summaries/2026-04-11-pond.md:3-3\n\
         heron ->  | opened  | cited \n\
         koi\ncarp context_lines=2 -> MEMORY.md:30-30 | opened  | cited \n"
    );
    assert_eq!(
        notebook.questions[0].session,
        "019e91aa-3b7e-7d02-9c11-5f0a2b6c8d77"
    );
    // Its search is one for exact text, by the shell and by its tool, and what it printed is recognised line by line.
    assert!(notebook.searches().iter().all(|it| it.is_pattern));
    let returned = notebook.questions[0]
        .returned
        .as_ref()
        .expect("it was answered");
    let hashes = ["# Pond", "The pump is an AquaMax 3000."].map(line_hash);
    assert_eq!(
        returned[0].line_hashes,
        hashes.map(|it| it.expect("it has words"))
    );
}

#[test]
fn a_citation_without_a_question_is_none() {
    let scratch = Scratch::new();
    let text = fixture(&format!("codex/{NAME}"));
    let citation = text.lines().find(|line| line.contains("citation_entries"));
    let citation = citation.expect("the fixture has one");
    scratch.write(
        &format!(".codex/sessions/2026/06/03/{NAME}"),
        format!("{citation}\n"),
    );
    assert_eq!(scratch.notebook().searches_in_short(), "");
}

#[test]
fn a_note_that_could_not_be_shown_was_not_opened() {
    let line = |payload: String| {
        format!(
            r#"{{"timestamp":"2026-06-03T08:14:05.000Z","type":"response_item","payload":{payload}}}"#
        )
    };
    let call = |id: &str, command: &str| {
        line(format!(
            r#"{{"type":"function_call","name":"exec_command","arguments":"{{\"cmd\":\"{command} ~/.codex/memories/MEMORY.md\"}}","call_id":"{id}"}}"#
        ))
    };
    let answer = |id: &str, output: &str| {
        line(format!(
            r#"{{"type":"function_call_output","call_id":"{id}","output":"{output}"}}"#
        ))
    };
    let opened = |output: &str| {
        let lines = [
            call("a", "rg koi"),
            // A search that finds nothing ends so.
            answer("a", r"Process exited with code 1\nOutput:\n"),
            call("b", "cat"),
            answer("b", output),
        ];
        let scratch = Scratch::new();
        scratch.write(
            &format!(".codex/sessions/2026/06/03/{NAME}"),
            lines.join("\n") + "\n",
        );
        scratch.notebook().searches_in_short()
    };
    let not_opened = "koi ->  | opened  | cited \n";
    for failed in [
        r"Process exited with code 1\nOutput:\ncat: No such file or directory",
        r"Exit code: 2\nWall time: 0.1 seconds\nOutput:\n",
        r#"{\"output\":\"\",\"metadata\":{\"exit_code\":1}}"#,
        r#"{\"output\":\"\",\"exitCode\":127}"#,
    ] {
        assert_eq!(opened(failed), not_opened, "{failed}");
    }
    for shown in [
        r"Process exited with code 0\nOutput:\nExit code: 1 means nothing was found",
        r#"{\"output\":\"koi\",\"metadata\":{\"exit_code\":0}}"#,
        "koi",
    ] {
        assert_ne!(opened(shown), not_opened, "{shown}");
    }
}

#[test]
fn a_rollout_that_was_packed_tells_the_same() {
    let scratch = Scratch::new();
    let iris = scratch.path().to_string_lossy().into_owned();
    let text = fixture(&format!("codex/{NAME}")).replace("/home/iris", &iris);
    let plain = scratch.write(&format!(".codex/archived_sessions/{NAME}"), &text);
    let expected = scratch.notebook().questions;
    assert_eq!(expected[0].session, "019e91aa-3b7e-7d02-9c11-5f0a2b6c8d77");
    std::fs::remove_file(plain).expect("it can be removed");
    let bytes = zstd::encode_all(text.as_bytes(), 3).expect("it can be packed");
    let path = scratch.write(&format!(".codex/archived_sessions/{NAME}.zst"), &bytes);
    let mut notebook = scratch.notebook();
    assert_eq!(notebook.questions, expected);
    assert_eq!(notebook.n_bytes, bytes.len() as u64);
    let n_batches = notebook.n_batches;
    notebook.read(&scratch.log(), &scratch.home());
    assert_eq!(
        notebook.n_batches, n_batches,
        "nothing changed, so nothing is kept"
    );

    std::fs::write(path, &bytes[..bytes.len() / 2]).expect("it can be written");
    let error = read_log(&scratch.log(), &scratch.home(), None, &mut notebook);
    let error = error.expect_err("half of it is gone").to_string();
    assert!(
        error.contains("was passed over: it cannot be unpacked"),
        "{error}"
    );
}
