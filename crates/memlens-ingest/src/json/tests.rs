//! JSON lines and documents: each text with its place.

use super::*;

fn read(text: &str) -> Observations {
    observations(text, &IngestOptions::default())
}

fn check_problem(line: &str, n_chunks: usize, message: &str) {
    let found = read(&format!("\n{line}\n{{\"text\": \"good\"}}\n"));
    assert_eq!(found.chunks.len(), n_chunks + 1, "{line}");
    let problems: Vec<_> = found
        .problems
        .iter()
        .map(|problem| (problem.line, problem.message.as_str()))
        .collect();
    assert_eq!(problems, [(Some(2), message)], "{line}");
}

#[test]
fn fields() {
    let found = read(
        "{\"id\": \"o1\", \"agent\": \"iris\", \"date\": \"2026-03-01\", \"weight\": 0.5, \"text\": \"One.\", \"other\": [{}]}\n\n{\"content\":\"Two.\",\"id\":7,\"agent\":null,\"text\":null}",
    );
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    let [one, two] = found.chunks.as_slice() else {
        panic!("{:?}", found.chunks)
    };
    assert_eq!(
        (one.text.as_str(), one.start_line, one.end_line),
        ("One.", 1, 1)
    );
    assert_eq!(
        (one.external_id.as_deref(), one.agent.as_deref(), one.weight),
        (Some("o1"), Some("iris"), Some(0.5))
    );
    assert_eq!(one.date, "2026-03-01".parse().ok());
    assert_eq!(
        (
            two.text.as_str(),
            two.start_line,
            two.external_id.as_deref()
        ),
        ("Two.", 3, Some("7"))
    );
    assert_eq!(
        (two.agent.as_deref(), two.weight, two.date),
        (None, None, None)
    );
    let windows: Vec<_> = found
        .windows
        .iter()
        .map(|window| (window.text.as_str(), window.chunks.as_slice()))
        .collect();
    assert_eq!(windows, [("One.", &[0][..]), ("Two.", &[1])]);
}

#[test]
fn bad_lines_are_named_and_good_ones_kept() {
    check_problem("plain words", 0, "not a JSON object; skipped");
    check_problem("[\"text\"]", 0, "not a JSON object; skipped");
    check_problem(
        "{\"text\": \"cut",
        0,
        "not JSON (EOF while parsing a string at column 13); skipped",
    );
    check_problem(
        "{\"text\": \"a\"} x",
        0,
        "not JSON (trailing characters at column 15); skipped",
    );
    check_problem(
        "{\"query\": \"a\", \"relevant\": []}",
        0,
        "no text or content; skipped",
    );
    check_problem("{\"text\": 5}", 0, "no text or content; skipped");
    check_problem("{\"text\": \" \\n\"}", 0, "text is blank; skipped");
    check_problem(
        "{\"text\": \"a\", \"agent\": 5}",
        1,
        "agent, which is not a name, cannot be read; left out",
    );
    check_problem(
        "{\"text\": \"a\", \"date\": \"May\"}",
        1,
        "date, which is no day, week or month, cannot be read; left out, write it year first, such as 2026-05-06",
    );
    check_problem(
        "{\"text\": \"a\", \"weight\": -1}",
        1,
        "weight, which is not a number from 0, cannot be read; left out",
    );
    check_problem(
        "{\"text\": \"a\", \"id\": []}",
        1,
        "id, which is neither text nor a number, cannot be read; left out",
    );
    let deep = format!(
        "{{\"text\": \"a\", \"x\": {}1{}}}",
        "[".repeat(1_000_000),
        "]".repeat(1_000_000)
    );
    assert_eq!(read(&deep).chunks.len() + read(&deep).problems.len(), 1);
}

#[test]
fn names_stand_on_every_chunk_and_so_are_short() {
    let line =
        |name: &str| format!("{{\"text\": \"a\", \"agent\": \"{name}\", \"id\": \"{name}\"}}");
    let longest = "é".repeat(200);
    let found = read(&line(&longest));
    let chunk = &found.chunks[0];
    assert_eq!(
        (chunk.agent.as_ref(), chunk.external_id.as_ref()),
        (Some(&longest), Some(&longest))
    );
    let found = read(&line(&"é".repeat(201)));
    assert_eq!(
        (&found.chunks[0].agent, &found.chunks[0].external_id),
        (&None, &None)
    );
    let reported: Vec<&str> = found
        .problems
        .iter()
        .map(|problem| problem.message.as_str())
        .collect();
    assert_eq!(
        reported,
        [
            "agent is longer than 200 characters; left out",
            "id is longer than 200 characters; left out"
        ]
    );
}

#[test]
fn a_number_as_id_is_kept_as_written() {
    for id in ["7", "-1", "1.50", "1e3", "12345678901234567890123", "1e999"] {
        let found = read(&format!("{{\"text\": \"a\", \"id\": {id} }}"));
        assert_eq!(found.chunks[0].external_id.as_deref(), Some(id));
        assert!(found.problems.is_empty());
    }
}

#[test]
fn byte_order_marks_before_a_line_do_not_count() {
    // Two concatenated files, each with a byte order mark.
    let text = "{\"text\": \"a\"}\n\u{feff}{\"text\": \"b\"}\n\u{feff}\n";
    let found = read(text);
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    let bytes = found.chunks[1].bytes.clone();
    assert_eq!(&text[bytes.start as usize..bytes.end as usize], "b");
}

#[test]
fn a_document_repeats_itself_so_much_whatever_its_lines() {
    let line = format!(
        "{{\"text\": \"{}{}\"}}\n",
        "x".repeat(1590),
        "\\ny".repeat(160)
    );
    let text = line.repeat(300);
    let found = read(&text);
    let held: usize = found.chunks.iter().map(|chunk| chunk.text.len()).sum();
    assert!(held < 5 * text.len() + 1024 * 1024 + 4096, "{held}");
    let [reported] = found.problems.as_slice() else {
        panic!("{:?}", found.problems)
    };
    assert_eq!(reported.message, OVERLAP_GIVEN_UP);
    // A single line is cut as usual.
    let one = read(&line);
    assert!(one.chunks.len() > 50 && one.problems.is_empty());
}

#[test]
fn half_a_surrogate_pair_costs_one_character() {
    for (written, expected, is_reported) in [
        (r"cut \ud83d", "cut \u{FFFD}", true),
        (r"\ude42 cut", "\u{FFFD} cut", true),
        (r"a\ud83d\ud83d\ude42b", "a\u{FFFD}🙂b", true),
        (r"a\ud83d\u0041\ud83d\nb", "a\u{FFFD}A\u{FFFD}\nb", true),
        (r"a\ud83d\ude42b", "a🙂b", false),
        ("a🙂\u{d7ff}b", "a🙂\u{d7ff}b", false),
    ] {
        let text = format!("{{\"text\": \"{written}\"}}");
        let found = read(&text);
        assert_eq!(found.chunks[0].text, expected);
        let bytes = &found.chunks[0].bytes;
        assert_eq!(&text[bytes.start as usize..bytes.end as usize], written);
        let reported: Vec<&str> = found
            .problems
            .iter()
            .map(|problem| problem.message.as_str())
            .collect();
        let expected: &[&str] = if is_reported {
            &["text has half of a surrogate pair; read as \u{FFFD}"]
        } else {
            &[]
        };
        assert_eq!(reported, expected, "{written}");
    }
}

#[test]
fn a_run_of_lines_with_one_problem_is_reported_once() {
    let found = read("{}\n{}\n\n{}\nx\n");
    let reported: Vec<(Option<u32>, &str)> = found
        .problems
        .iter()
        .map(|problem| (problem.line, problem.message.as_str()))
        .collect();
    assert_eq!(
        reported,
        [
            (Some(1), "lines 1 to 2: no text or content; skipped"),
            (Some(4), "no text or content; skipped"),
            (Some(5), "not a JSON object; skipped"),
        ]
    );
}

#[test]
fn only_the_first_problems_are_named() {
    let found = read(&"{}\nx\n".repeat(500));
    assert_eq!(found.problems.len(), 21);
    assert_eq!(found.problems[19].line, Some(20));
    assert_eq!(
        found.problems[20],
        Problem {
            line: None,
            message: "and 980 more".to_owned()
        }
    );
}

#[test]
fn long_texts_become_several_chunks() {
    let said: String = (0..100)
        .map(|idx| format!("Sentence number {idx} says \\\"wörd\\\".\\n"))
        .collect();
    let text = format!("{{\"text\": \"short\"}}\n{{\"text\": \"{said}\"}}");
    let found = read(&text);
    assert!(found.chunks.len() > 2 && found.windows.len() > found.chunks.len());
    for chunk in &found.chunks[1..] {
        assert_eq!((chunk.start_line, chunk.end_line), (2, 2));
        let raw = &text[chunk.bytes.start as usize..chunk.bytes.end as usize];
        assert_eq!(
            serde_json::from_str::<String>(&format!("\"{raw}\"")).expect("JSON"),
            chunk.text
        );
    }
    assert!(
        found.windows[1..]
            .iter()
            .all(|window| window.chunks.iter().all(|&chunk| chunk > 0))
    );
}

/// Returns each text of a document with its lines, after the title that it belongs to.
fn texts(document: &str) -> Vec<String> {
    let found = super::document(document, &IngestOptions::default()).expect("a known form");
    assert_eq!(found.problems, [], "{document}");
    let of = |chunk: &Chunk| {
        let heading = chunk.heading_path.iter().map(|title| format!("{title} > "));
        let heading: String = heading.collect();
        format!(
            "{}-{} {heading}{}",
            chunk.start_line, chunk.end_line, chunk.text
        )
    };
    found.chunks.iter().map(of).collect()
}

fn lines_of(text: &str) -> Vec<String> {
    let found = read(text);
    let of = |chunk: &Chunk| format!("{} {}", chunk.start_line, chunk.text);
    found.chunks.iter().map(of).collect()
}

#[test]
fn messages_hold_their_text_in_blocks() {
    let chat = r#"{"role": "user", "content": "Where did we put the tent pegs?"}
{"role": "assistant", "content": [{"type": "text", "text": "The tent pegs are in the orange crate."}]}
{"type": "user", "message": {"role": "user", "content": "And the camping stove?"}}
{"type": "assistant", "timestamp": "2026-05-06T10:00:00Z", "message": {"role": "assistant", "content": [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "It was lent."}, {"type": "tool_use", "input": {"text": "no"}}, {"type": "text", "text": "To number nine."}]}}
{"type": "response_item", "payload": {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "From Codex."}]}}
{"role": "model", "parts": [{"text": "From Gemini."}]}
{"role": "user", "content": [{"type": "text", "text": {"value": "From an assistant.", "annotations": []}}]}
{"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]}
"#;
    assert_eq!(
        lines_of(chat),
        [
            "1 Where did we put the tent pegs?",
            "2 The tent pegs are in the orange crate.",
            "3 And the camping stove?",
            "4 It was lent.\nTo number nine.",
            "5 From Codex.",
            "6 From Gemini.",
            "7 From an assistant.",
            "8 Be brief.",
            "8 Why?",
        ]
    );
    let found = read(chat);
    assert!(found.problems.is_empty(), "{:?}", found.problems);
    assert_eq!(found.chunks[3].date, "2026-05-06".parse().ok());
    let place = &found.chunks[3].bytes;
    let place = &chat[place.start as usize..place.end as usize];
    assert!(
        place.starts_with("It was lent.\"") && place.ends_with("\"To number nine."),
        "{place}"
    );
    check_problem(
        r#"{"role": "assistant", "content": [{"type": "tool_use", "name": "x"}]}"#,
        0,
        "a message without text, such as the call of a tool; skipped",
    );
}

#[test]
fn entities_and_relations_of_a_knowledge_graph() {
    let graph = r#"{"type": "entity", "name": "Otto_Brenner", "entityType": "person", "observations": ["Repairs accordions", "Has the spare van key"]}
{"type": "relation", "from": "Otto_Brenner", "to": "Van", "relationType": "drives"}
"#;
    let expected = [
        "Otto_Brenner person\nRepairs accordions\nHas the spare van key",
        "Otto_Brenner Van drives",
    ];
    let lines: Vec<String> = (1..)
        .zip(expected)
        .map(|(line, text)| format!("{line} {text}"))
        .collect();
    assert_eq!(lines_of(graph), lines);
    // Such a file is often named .json, and some programs write it as one document.
    let document: Vec<String> = (1..)
        .zip(expected)
        .map(|(line, text)| format!("{line}-{line} {text}"))
        .collect();
    assert_eq!(texts(graph), document);
    let pretty = r#"{
  "entities": [
    {
      "observations": [
        "Repairs accordions",
        {"content": "Has the spare van key"}
      ],
      "name": "Otto"
    }
  ],
  "relations": [
    {"source": "Otto", "relationship": "drives", "target": "Van"}
  ]
}"#;
    assert_eq!(
        texts(pretty),
        [
            "5-8 Repairs accordions\nHas the spare van key\nOtto",
            "12-12 Otto drives Van",
        ]
    );
}

#[test]
fn memories_of_mem0_and_letta() {
    let mem0 = r#"{"results": [
  {"id": "m1", "memory": "Prefers oolong", "hash": "x", "metadata": {}, "created_at": "2026-05-06T01:02:03-07:00", "updated_at": null, "agent_id": "iris"},
  {"id": "m2", "memory": "Is allergic to walnuts", "user_id": "u"}
], "relations": []}"#;
    assert_eq!(
        texts(mem0),
        ["2-2 Prefers oolong", "3-3 Is allergic to walnuts"]
    );
    let found = super::document(mem0, &IngestOptions::default()).expect("memories");
    let first = &found.chunks[0];
    assert_eq!(
        (
            first.date,
            first.agent.as_deref(),
            first.external_id.as_deref()
        ),
        ("2026-05-06".parse().ok(), Some("iris"), Some("m1"))
    );
    let letta = r#"{"agents": [{"name": "sam", "messages": [
  {"role": "user", "content": [{"type": "text", "text": "Hello"}]},
  {"message_type": "assistant_message", "content": "Good day", "date": "2026-05-06T10:00:00+00:00"},
  {"message_type": "tool_call_message", "tool_call": {"name": "x", "arguments": "{}"}}]}],
 "blocks": [
  {"label": "human", "value": "Name: Bo", "limit": 5000}
 ]}"#;
    assert_eq!(
        texts(letta),
        [
            "2-2 sam > Hello",
            "3-3 sam > Good day",
            "6-6 human > Name: Bo"
        ]
    );
    let letta = super::document(letta, &IngestOptions::default()).expect("messages");
    assert_eq!(letta.windows[2].text, "human\nName: Bo");
}

#[test]
fn exports_of_chats() {
    let chatgpt = r#"[{"title": "Trip  to Lyon", "create_time": 1.0, "mapping": {
  "a": {"id": "a", "message": null, "children": ["b"]},
  "b": {"id": "b", "message": {"id": "b", "author": {"role": "system"}, "content": {"content_type": "text", "parts": [""]}}},
  "c": {"id": "c", "message": {"id": "c", "author": {"role": "user"}, "create_time": 1778025600.5, "content": {"content_type": "text", "parts": ["Which train?"]}}},
  "d": {"id": "d", "message": {"id": "d", "author": {"role": "tool"}, "content": {"content_type": "code", "text": "no"}}}}}]"#;
    assert_eq!(texts(chatgpt), ["4-4 Trip to Lyon > Which train?"]);
    let found = super::document(chatgpt, &IngestOptions::default()).expect("messages");
    assert_eq!(found.chunks[0].date, "2026-05-06".parse().ok());
    let claude = r#"[{"uuid": "u", "name": "Boiler", "chat_messages": [
  {"uuid": "v", "text": "It hums.", "content": [{"type": "text", "text": "It hums."}], "sender": "human", "created_at": "2026-05-06T10:00:00Z"}]}]"#;
    assert_eq!(texts(claude), ["2-2 Boiler > It hums."]);
    let openai = r#"{"object": "list", "data": [{"id": "m", "role": "user", "content": [{"type": "text", "text": {"value": "Hi"}}]}]}"#;
    assert_eq!(texts(openai), ["1-1 Hi"]);
    let completion =
        r#"{"choices": [{"message": {"role": "assistant", "content": "Hello"}}], "usage": {}}"#;
    assert_eq!(texts(completion), ["1-1 Hello"]);
    let response = r#"{"id": "r", "output": [{"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes"}]}], "text": {"format": {"type": "text"}}}"#;
    assert_eq!(texts(response), ["1-1 Yes"]);
    assert_eq!(
        texts(r#"[{"id": 1, "text": "one"}, {"content": "two"}]"#),
        ["1-1 one", "1-1 two"]
    );
}

#[test]
fn other_json_is_not_read_and_says_why() {
    let check = |document: &str, why: &str| {
        let error = super::document(document, &IngestOptions::default()).expect_err(document);
        let message = error.to_string();
        assert!(message.contains(why), "{document}: {message}");
    };
    for document in [
        r#"{"name": "app", "version": "1.0.0", "scripts": {"test": "x"}, "dependencies": {}}"#,
        r#"{"text": "a setting"}"#,
        r#"{"content": "a setting"}"#,
        r#"{"items": {"type": "object", "properties": {"text": {"type": "string"}}}}"#,
        r#"[{"label": "Red", "value": "red"}]"#,
        r#"{"messages": [{"role": "assistant", "content": [{"type": "tool_use"}]}]}"#,
        r#"{"messages": [{"role": "user", "content": " "}]}"#,
        "[1, \"two\"]",
        "\"text\"",
        "7",
    ] {
        check(document, "without memories or messages");
    }
    let deep = format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000));
    check(&deep, "");
    for document in ["", " ", "{", "{\"text\": \"a\"", "words\n{\"text\": \"a\"}"] {
        check(document, "not valid JSON");
    }
    // JSONL with the extension of JSON: one bad line costs only that line.
    let found =
        super::document("{\"text\": \"a\"}\n{\n", &IngestOptions::default()).expect("lines");
    assert_eq!((found.chunks.len(), found.problems[0].line), (1, Some(2)));
}
