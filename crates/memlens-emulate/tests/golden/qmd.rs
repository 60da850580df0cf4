//! Compares the emulated qmd with the results of its published package for the same notes and vectors.

use std::sync::Arc;

use memlens_emulate::qmd::{AskOptions, Kind, Line, Memory, V2_8, expansion};
use memlens_emulate::{AgentNote, Embed, Vectors};
use memlens_params::{ParameterSet, StageId, Value, Values};
use memlens_rank::{AnyPipeline, Trace};
use memlens_retrieve::{Question, RetrieveError, Retrieved, Retriever, Within};
use serde::Deserialize;

use crate::given::{DIM, TOLERANCE, agent_memory, agreed, lines, note, sha256, share, vectors};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Settings {
    command: String,
    limit: u32,
    min_score: f64,
    candidate_limit: Option<u32>,
    rerank: Option<bool>,
    expansion: Option<serde_json::Value>,
    intent: Option<String>,
    searches: Option<Vec<Typed>>,
    collections: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Typed {
    #[serde(rename = "type")]
    kind: String,
    query: String,
}

#[derive(Deserialize)]
struct Asked {
    id: String,
    query: String,
    settings: Settings,
    expanded: Option<Vec<Typed>>,
    strong_signal: Option<f64>,
    error: Option<String>,
    results: Vec<Returned>,
}

#[derive(Deserialize, Debug)]
struct Returned {
    path: String,
    start_line: u32,
    end_line: u32,
    line: u32,
    score: f64,
    chunk_pos: Option<u32>,
    chunk_len: Option<u32>,
    rank: Option<u32>,
    base: Option<f64>,
    bonus: Option<f64>,
    weight: Option<f64>,
    rerank: Option<f64>,
    #[serde(default)]
    lists: Vec<(u32, u32, f64)>,
}

fn notes(name: &str) -> Vec<AgentNote> {
    #[derive(Deserialize)]
    struct Given {
        path: String,
        text: String,
    }
    let given = |file: &str| -> Vec<(String, String)> {
        let given: Vec<Given> = lines(file);
        given.into_iter().map(|it| (it.path, it.text)).collect()
    };
    let mut found = match name {
        "agent-memory-57" => agent_memory().into_iter().collect(),
        "craft-big" => given("openclaw/craft-big.notes.jsonl"),
        _ => given(&format!("qmd/{name}.files.jsonl")),
    };
    // In a different order than that of the index.
    found.sort_by(|a, b| a.0.chars().rev().cmp(b.0.chars().rev()));
    found.sort_by_key(|(path, _)| path.split('/').next().map(str::to_owned));
    let found = found.iter().enumerate();
    found
        .map(|(at, (path, text))| note(at, path, text, 0))
        .collect()
}

fn memory(name: &str) -> Memory {
    let notes = notes(name);
    let given = Arc::new(vectors(&format!("qmd/{name}.vectors.jsonl")));
    // In large sets, chunks that no list reaches have no vector in the file.
    let is_thinned = ["starve", "cut", "strong", "big"]
        .iter()
        .any(|it| name.ends_with(it));
    let beyond = vec![0.0; DIM];
    let flat: Vec<f32> = Memory::chunk_texts(&notes)
        .iter()
        .flat_map(|text| match given.get(&sha256(text)) {
            Some(vector) => vector,
            None if is_thinned => &beyond,
            None => panic!("{name}: no vector is given for {text:?}"),
        })
        .copied()
        .collect();
    let embed: Embed = Arc::new(move |text| {
        let vector = given.get(&sha256(text));
        vector.cloned().ok_or_else(|| "not given".to_owned())
    });
    Memory::new(notes, Ok(Vectors::new(DIM, flat)), embed, 1).expect("an index")
}

fn line(typed: &Typed) -> Line {
    Line {
        kind: match typed.kind.as_str() {
            "lex" => Kind::Lex,
            "vec" => Kind::Vec,
            _ => Kind::Hyde,
        },
        text: typed.query.clone(),
    }
}

/// Returns the searches that qmd made from its model's answer; `None` if the model was not to be called.
fn added(asked: &Asked) -> Option<Vec<Line>> {
    let lines_given: Vec<Line> = asked.expanded.iter().flatten().map(line).collect();
    let answer = match asked.settings.expansion.as_ref()? {
        // The model failed.
        serde_json::Value::String(how) if how == "throw" => return Some(Vec::new()),
        serde_json::Value::String(how) if how == "empty" => String::new(),
        serde_json::Value::Array(lines) => {
            let lines = lines.iter().filter_map(|it| it.as_str());
            lines.collect::<Vec<_>>().join("\n")
        }
        // The model's answer after a strong match must have no effect.
        _ if asked.strong_signal.is_some() => String::new(),
        serde_json::Value::String(_) => {
            let lines = lines_given
                .iter()
                .map(|it| format!("{}: {}\n", it.kind.as_str(), it.text));
            format!("no line\nlex: ~\n{}", lines.collect::<String>())
        }
        other @ (serde_json::Value::Null
        | serde_json::Value::Bool(_)
        | serde_json::Value::Number(_)
        | serde_json::Value::Object(_)) => panic!("{}: {other}", asked.id),
    };
    let mut lines = expansion(&asked.query, &answer);
    let shown: Vec<Line> = match asked.settings.command.as_str() {
        "vsearch" => lines
            .iter()
            .filter(|it| it.kind != Kind::Lex)
            .cloned()
            .collect(),
        _ => lines.clone(),
    };
    if asked.strong_signal.is_some() {
        lines.push(Line {
            kind: Kind::Lex,
            text: "the".to_owned(),
        });
    } else {
        assert_eq!(shown, lines_given, "{} {:?}", asked.id, asked.query);
    }
    Some(lines)
}

fn options(asked: &Asked) -> AskOptions {
    let settings = &asked.settings;
    let collections = settings.collections.clone();
    AskOptions {
        typed: settings
            .searches
            .as_ref()
            .map(|it| it.iter().map(line).collect()),
        intent: settings.intent.clone(),
        added: added(asked),
        collections: Some(collections.unwrap_or_else(|| vec!["memory".to_owned()])),
    }
}

fn values(settings: &Settings) -> Values {
    let command = match settings.command.as_str() {
        "structured" => "query",
        command => command,
    };
    let number = |id, it: f64| (id, Value::Number(it));
    // The rows were recorded below the command line, which replaces 0 by 0.3.
    let min_score = match command {
        "vsearch" => settings.min_score.max(f64::MIN_POSITIVE),
        _ => settings.min_score,
    };
    Values::defaults(V2_8.table())
        .with([
            ("qmd.command", Value::Choice(command.to_owned())),
            number("qmd.limit", f64::from(settings.limit)),
            number("qmd.min_score", min_score),
            number(
                "qmd.candidate_limit",
                f64::from(settings.candidate_limit.unwrap_or(40)),
            ),
            ("qmd.rerank", Value::Toggle(settings.rerank.unwrap_or(true))),
        ])
        .expect("values in range")
}

fn ask(memory: &Memory, asked: &Asked, options: &AskOptions) -> Result<Retrieved, RetrieveError> {
    let vector = memory.embed(&asked.query);
    let found = memory.ask(
        &Question {
            text: &asked.query,
            vector: vector.as_deref().map_err(String::as_str),
            params: &values(&asked.settings),
            within: &Within::default(),
            also: &[],
            true_ranks: false,
        },
        options,
    )?;
    Ok(memory.reranked(&asked.query, options, found, share))
}

/// Returns the terms of a stage's reason for a row, by name, in order.
fn terms(trace: &Trace, stage: &'static str, slot: u32) -> Vec<(&'static str, f64)> {
    let stage = trace.stage(StageId(stage)).expect("a stage");
    let entry = stage.entries.iter().find(|entry| entry.slot == slot);
    entry.map_or_else(Vec::new, |it| it.detail.terms())
}

/// Returns the difference between two rows, in the terms that both have.
fn difference(trace: &Trace, found: &Retrieved, slot: u32, theirs: &Returned) -> Option<String> {
    let path = &found.rows[slot as usize].note.path;
    if path != &theirs.path {
        return Some(format!("{path}, not {}", theirs.path));
    }
    let score = trace.journey(slot).score.expect("a kept row has a score");
    let texts = [
        terms(trace, "qmd.fusion", slot),
        terms(trace, "qmd.rerank", slot),
        terms(trace, "qmd.snippet", slot),
    ]
    .concat();
    let of = |name: &'static str| texts.iter().filter(move |it| it.0 == name).map(|it| it.1);
    let expected = [
        ("first_line", Some(f64::from(theirs.start_line))),
        ("last_line", Some(f64::from(theirs.end_line))),
        ("line", Some(f64::from(theirs.line))),
        ("chunk_start", theirs.chunk_pos.map(f64::from)),
        ("chunk_units", theirs.chunk_len.map(f64::from)),
        ("rank", theirs.rank.map(f64::from)),
        ("base", theirs.base),
        ("bonus", theirs.bonus),
        // Without a reranker it reports a weight of 1 for the place.
        ("weight", theirs.weight.filter(|it| *it < 1.0)),
        (
            "rerank",
            theirs.rerank.filter(|_| theirs.weight < Some(1.0)),
        ),
    ];
    let is_off = |own: f64, their: f64| (own - their).abs() > TOLERANCE;
    let mut off: Vec<String> = expected
        .into_iter()
        .filter_map(|(name, their)| {
            let (their, own) = (their?, of(name).next());
            let is_same = own.is_some_and(|own| !is_off(own, their));
            (!is_same).then(|| format!("{name} {own:?}, theirs {their}"))
        })
        .collect();
    if is_off(score, theirs.score) {
        off.push(format!("score {score}, theirs {}", theirs.score));
    }
    if theirs.rank.is_some() {
        let ranks = of("list").zip(of("list_rank")).zip(of("list_score"));
        let own: Vec<((f64, f64), f64)> = ranks.collect();
        let is_same = own.len() == theirs.lists.len()
            && own.iter().zip(&theirs.lists).all(|(own, their)| {
                own.0 == (f64::from(their.0), f64::from(their.1)) && !is_off(own.1, their.2)
            });
        if !is_same {
            off.push(format!("lists {own:?}, theirs {:?}", theirs.lists));
        }
    }
    (!off.is_empty()).then(|| format!("{path}: {}", off.join("; ")))
}

fn compare(memory: &Memory, asked: &Asked) -> Result<(), String> {
    let options = options(asked);
    let found = match (ask(memory, asked, &options), &asked.error) {
        (Ok(found), None) => found,
        (Err(_), Some(_)) => return Ok(()),
        (Ok(_), Some(error)) => return Err(format!("taken, theirs: {error}")),
        (Err(error), None) => return Err(error.to_string()),
    };
    let trace = V2_8.rank(&found.set, &values(&asked.settings));
    let strong = trace.stage(StageId("qmd.lines")).expect("a stage");
    let is_strong = format!("{:?}", strong.status).contains("strong");
    if is_strong != asked.strong_signal.is_some() {
        return Err(format!(
            "strong: {is_strong}, theirs {:?}",
            asked.strong_signal
        ));
    }
    let ours = trace.kept();
    for (at, (slot, theirs)) in ours.iter().zip(&asked.results).enumerate() {
        if let Some(why) = difference(&trace, &found, *slot, theirs) {
            return Err(format!("row {}: {why}", at + 1));
        }
    }
    if ours.len() != asked.results.len() {
        return Err(format!(
            "{} rows, theirs {}",
            ours.len(),
            asked.results.len()
        ));
    }
    Ok(())
}

fn agreement(name: &str) {
    let memory = memory(name);
    let asked: Vec<Asked> = lines(&format!("qmd/{name}.jsonl"));
    let failed: Vec<String> = asked
        .iter()
        .filter_map(|asked| {
            let why = compare(&memory, asked).err()?;
            let settings = &asked.settings;
            Some(format!(
                "{} {:?} {} {}/{} {:?}: {why}",
                asked.id,
                asked.query,
                settings.command,
                settings.limit,
                settings.min_score,
                settings.collections
            ))
        })
        .collect();
    let n = asked.len();
    agreed(&format!("qmd 2.8.3, {name}"), n, &failed);
}

#[test]
fn lists_of_the_sample_notes_are_met() {
    agreement("agent-memory-57");
}

#[test]
fn words_are_searched_as_it_does() {
    agreement("craft-fts");
}

#[test]
fn chunks_are_chosen_as_it_does() {
    agreement("craft-chunk");
}

#[test]
fn equal_notes_share_their_vectors() {
    agreement("craft-dup");
}

#[test]
fn several_collections_are_put_together_as_it_does() {
    agreement("craft-multi");
}

#[test]
fn long_notes_starve_the_vector_list() {
    agreement("craft-starve");
}

#[test]
fn other_collections_cut_the_list_of_words() {
    agreement("craft-cut");
}

#[test]
fn a_strong_match_ends_the_search_early() {
    agreement("craft-strong");
}

#[test]
fn many_notes_are_cut_and_blended_as_it_does() {
    agreement("craft-big");
}

/// The best chunk of a second note comes after `n_chunks` chunks of a long one. Returns the results for a limit of two,
/// and the sentence about the second note.
fn behind_chunks_of_a_long_note(n_chunks: usize) -> (Vec<String>, String) {
    let mut long = "far away ".repeat(10);
    let notes = |long: &str| {
        vec![
            note(0, "notes/long.md", long, 0),
            note(1, "notes/short.md", "Near.\n", 0),
        ]
    };
    while Memory::chunk_texts(&notes(&long)).len() < n_chunks + 1 {
        long.push_str("far away ");
    }
    let notes = notes(&long);
    let near = |text: &String| text.contains("Near.");
    let vectors = Memory::chunk_texts(&notes);
    let vectors = vectors.iter().flat_map(|text| {
        let off = if near(text) { 0.5 } else { 0.1 };
        [1.0, off]
    });
    let vectors = Vectors::new(2, vectors.collect());
    let embed: Embed = Arc::new(|_| Ok(vec![1.0, 0.0]));
    let memory = Memory::new(notes, Ok(vectors), embed, 1).expect("an index");
    let values = Values::defaults(V2_8.table())
        .with([
            ("qmd.command", Value::Choice("vsearch".to_owned())),
            ("qmd.limit", Value::Number(2.0)),
        ])
        .expect("values in range");
    let found = memory.retrieve(&Question {
        text: "where",
        vector: Ok(&[1.0, 0.0]),
        params: &values,
        within: &Within::default(),
        also: &[],
        true_ranks: false,
    });
    let found = found.expect("it can be asked");
    let trace = V2_8.rank(&found.set, &values);
    let path = |slot: &u32| found.rows[*slot as usize].note.path.clone();
    let stage = trace.stage(StageId("qmd.vector")).expect("a stage");
    let entry = stage
        .entries
        .iter()
        .find(|it| path(&it.slot).contains("short"));
    let said = entry.map_or_else(String::new, |it| it.detail.sentence());
    (trace.kept().iter().map(path).collect(), said)
}

#[test]
fn three_chunks_are_looked_at_for_every_result() {
    let (kept, said) = behind_chunks_of_a_long_note(5);
    assert_eq!(kept, ["notes/long.md", "notes/short.md"]);
    assert_eq!(said, "rank 2: cosine 0.8944");
    let (kept, said) = behind_chunks_of_a_long_note(6);
    assert_eq!(kept, ["notes/long.md"]);
    assert_eq!(
        said,
        "cosine 0.8944: its best chunk is number 7, and qmd looks at the best 6"
    );
}
