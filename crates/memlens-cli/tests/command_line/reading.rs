//! What is read from notes and exports: dates, front matter, and the place of each text.

use std::collections::BTreeMap;

use memlens_tests::Notes;
use serde_json::Value;

use crate::memlens::{Memlens, list, text};

/// Returns the problems of indexing, as `path:line: message`.
fn problems(memlens: &Memlens, notes: &Notes) -> Vec<String> {
    let report = memlens.json(&["index", text(notes.path()), "--json"]);
    let problems = list(&report["problems"]).iter().map(|problem| {
        let line = problem["line"].as_u64();
        let line = line.map_or(String::new(), |line| format!(":{line}"));
        let path = problem["path"].as_str().expect("it is text");
        format!(
            "{path}{line}: {}",
            problem["message"].as_str().expect("it is text")
        )
    });
    problems.collect()
}

/// Returns the results of a search by words alone.
fn found(memlens: &Memlens, query: &str) -> Value {
    let words = ["--set", "vector_on=false", "--set", "min_score=0"];
    let decay = ["--set", "half_life_days=30", "--set", "copies=keep"];
    memlens.json(&[&["search", query, "--json"][..], &words, &decay].concat())["results"].take()
}

/// Returns the sentence of a row's decay step, which says where its date comes from.
fn dated_by(row: &Value) -> &str {
    let mut steps = list(&row["journey"]).iter();
    let decay = steps.find(|step| step["stage"] == "decay").expect("a step");
    let sentence = decay["sentence"].as_str().expect("it is text");
    let by = sentence
        .split(" old by ")
        .nth(1)
        .and_then(|by| by.split(':').next());
    by.expect("a source")
}

#[test]
fn dates_are_read_in_each_form() {
    let said = |front: &str| format!("{front}Standup about the copper kettle.\n");
    let notes = Notes::new(&[
        ("fm-created.md", &said("---\ncreated: 2026-05-06\n---\n")),
        ("fm-link.md", &said("---\ndate: \"[[2026-05-06]]\"\n---\n")),
        ("2026-W19.md", &said("")),
        ("06.05.2026.md", &said("")),
        ("2026_05_06.md", &said("")),
        ("20260506.md", &said("")),
        ("2026/05/06.md", &said("")),
    ]);
    let memlens = Memlens::new();
    let problems = problems(&memlens, &notes);
    let [doubtful] = problems.as_slice() else {
        panic!("{problems:?}")
    };
    assert!(
        doubtful.starts_with("06.05.2026.md: 06.05.2026 in the name may be a date"),
        "{doubtful}"
    );
    let rows = found(&memlens, "copper kettle");
    let mut dated: BTreeMap<&str, &str> = BTreeMap::new();
    for row in list(&rows) {
        dated.insert(row["path"].as_str().expect("it is text"), dated_by(row));
    }
    assert_eq!(
        dated,
        BTreeMap::from([
            ("06.05.2026.md", "the file's last change"),
            ("2026-W19.md", "the date in its path"),
            ("2026/05/06.md", "the date in its path"),
            ("20260506.md", "the date in its path"),
            ("2026_05_06.md", "the date in its path"),
            ("fm-created.md", "its own date"),
            ("fm-link.md", "its own date"),
        ])
    );
}

#[test]
fn a_bad_line_of_front_matter_costs_that_line_alone() {
    let notes = Notes::new(&[
        (
            "gov.md",
            "---\ntitle: Governance: Who Signs What\ndate: 2026-02-11\nagent: iris\ntags: [signing, policy]\n---\n# Who signs\n\nContracts above 5,000 need two signatures.\n",
        ),
        (
            "obs.md",
            "---\ncreated: [[2026-05-06]]\nrelated: [[Boiler]], [[Pump]]\ndate: 2026-05-06\ntags: #heating\n---\n# Pump\n\nThe pump was swapped for a quieter one.\n",
        ),
    ]);
    let memlens = Memlens::new();
    let problems = problems(&memlens, &notes);
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(
        problems[0].starts_with("gov.md:2: title is not valid YAML ("),
        "{problems:?}"
    );
    assert!(
        problems[1].starts_with("obs.md:3: related is not valid YAML ("),
        "{problems:?}"
    );
    for (query, path) in [("two signatures", "gov.md"), ("quieter pump", "obs.md")] {
        let rows = found(&memlens, query);
        assert_eq!(
            (&rows[0]["path"], dated_by(&rows[0])),
            (&path.into(), "its own date")
        );
    }
}

/// Returns the place of the best result of a search, as `path:line`.
fn best(memlens: &Memlens, query: &str) -> String {
    let rows = found(memlens, query);
    let row = &list(&rows)[0];
    format!(
        "{}:{}",
        row["path"].as_str().expect("it is text"),
        row["start_line"]
    )
}

#[test]
fn messages_and_memories_are_read_where_programs_keep_them() {
    let chat = r#"{"role": "user", "content": "Where did we put the tent pegs?"}
{"role": "assistant", "content": [{"type": "text", "text": "The tent pegs are in the orange crate under the stairs."}]}
{"type": "user", "message": {"role": "user", "content": "And the camping stove?"}}
{"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "The camping stove was lent to the neighbour from number nine."}]}}
"#;
    let memory_json = r#"{"type": "entity", "name": "Marta_Quill", "entityType": "person", "observations": ["Teaches pottery on Tuesdays", "Is allergic to walnuts", "[CORRECTION] Moved to Lyon in May"]}
{"type": "entity", "name": "Kiln_Project", "entityType": "project", "observations": ["Fires at 1240 degrees", "Runs on night tariff"]}
{"type": "relation", "from": "Marta_Quill", "to": "Kiln_Project", "relationType": "leads"}
"#;
    let memory_jsonl = r#"{"type": "entity", "name": "Otto_Brenner", "entityType": "person", "observations": ["Repairs accordions", "Has the spare van key"]}
{"type": "relation", "from": "Otto_Brenner", "to": "Van", "relationType": "drives"}
"#;
    let mem0 =
        "{\"results\": [\n  {\"id\": \"m1\", \"memory\": \"Prefers oolong after lunch\"}\n]}\n";
    let notes = Notes::new(&[
        ("chat.jsonl", chat),
        ("memory.json", memory_json),
        ("memory.jsonl", memory_jsonl),
        ("mem0.json", mem0),
        (
            "handbook.adoc",
            "= Handbook\n\nThe boathouse closes at dusk.\n",
        ),
        ("package.json", "{\"name\": \"app\", \"scripts\": {}}\n"),
        (
            "queries.jsonl",
            "{\"query\": \"a\"}\n{\"query\": \"b\"}\n{\"query\": \"c\"}\n",
        ),
    ]);
    let memlens = Memlens::new();
    let named = problems(&memlens, &notes);
    assert_eq!(
        named,
        ["queries.jsonl:1: lines 1 to 3: no text or content; skipped"]
    );
    for (query, place) in [
        ("tent pegs in the crate", "chat.jsonl:2"),
        ("camping stove lent", "chat.jsonl:4"),
        ("who repairs accordions", "memory.jsonl:1"),
        ("allergic to walnuts", "memory.json:1"),
        ("oolong lunch", "mem0.json:2"),
        ("boathouse dusk", "handbook.adoc:1"),
    ] {
        assert_eq!(best(&memlens, query), place, "{query}");
    }
    // JSON without any of these is neither a note nor a problem; `why` gives the reason.
    let status = memlens.json(&["status", "--json"]);
    assert_eq!(list(&status["problems"]).len(), 1, "{status}");
    let why = memlens.print(&["why", "accordions", "package.json"]);
    assert!(
        why.contains("JSON without memories or messages of a form that is read"),
        "{why}"
    );
    // Any line within a group of problems finds the group.
    for line in 1..=3 {
        let why = memlens.print(&["why", "accordions", &format!("queries.jsonl:{line}")]);
        assert!(why.contains("lines 1 to 3: no text or content"), "{why}");
    }
    // Indexing again reports the same problems.
    assert_eq!(problems(&memlens, &notes), named);
}
