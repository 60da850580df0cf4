//! Compares the emulated OpenClaw with the results of its published packages for the same notes and vectors.

use std::collections::HashMap;
use std::sync::Arc;

use memlens_emulate::openclaw::{Chunking, Edition, Memory};
use memlens_emulate::{AgentNote, Embed, Vectors};
use memlens_params::{ParameterSet, StageId, Value, Values};
use memlens_rank::{ChunkId, List, ListId, Trace};
use memlens_retrieve::{Question, Retrieved, Retriever, Within};
use memlens_store::FolderId;
use serde::Deserialize;

use crate::given::{self, DIM, TOLERANCE, agreed, lines, note, print_agreement, sha256, vectors};

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
struct Settings {
    max_results: u32,
    min_score: f64,
    /// Only 2026.3 to 2026.7 have the following fields.
    #[serde(default)]
    decay: bool,
    half_life_days: Option<f64>,
    #[serde(default)]
    mmr: bool,
    lambda: Option<f64>,
}

#[derive(Deserialize)]
struct Asked {
    id: String,
    query: String,
    settings: Settings,
    now_ms: i64,
    results: Vec<Returned>,
}

#[derive(Deserialize, Debug)]
struct Returned {
    path: String,
    start_line: u32,
    end_line: u32,
    score: f64,
    #[serde(rename = "vectorScore")]
    vector_score: Option<f64>,
    #[serde(rename = "textScore")]
    text_score: Option<f64>,
}

#[derive(Deserialize)]
struct Chunk {
    path: String,
    start_line: u32,
    end_line: u32,
    sha256: String,
}

/// Returns the notes of agent-memory-57, as OpenClaw had them in `memory/`, with freshly copied files.
fn agent_memory() -> Vec<AgentNote> {
    let notes = given::agent_memory().into_iter().enumerate();
    notes
        .map(|(at, (path, text))| note(at, &path, &text, 1_795_173_600_000))
        .collect()
}

#[derive(Deserialize)]
struct CraftedNote {
    path: String,
    text: String,
    modified_ms: i64,
}

fn crafted(name: &str) -> Vec<AgentNote> {
    let notes: Vec<CraftedNote> = lines(&format!("openclaw/{name}.notes.jsonl"));
    let notes = notes.into_iter().enumerate();
    notes
        .map(|(at, it)| AgentNote {
            is_extra: name == "craft-dated" && !it.path.starts_with("memory/"),
            ..note(at, &it.path, &it.text, it.modified_ms)
        })
        .collect()
}

fn values(edition: Edition, settings: &Settings) -> Values {
    let mut values = vec![
        (
            "openclaw.max_results",
            Value::Number(f64::from(settings.max_results)),
        ),
        ("openclaw.min_score", Value::Number(settings.min_score)),
    ];
    if edition == Edition::V2026_7 {
        values.push(("openclaw.decay_on", Value::Toggle(settings.decay)));
        values.push(("openclaw.mmr_on", Value::Toggle(settings.mmr)));
        let half_life = settings.half_life_days.map(Value::Number);
        values.extend(half_life.map(|it| ("openclaw.half_life_days", it)));
        let lambda = settings.lambda.map(Value::Number);
        values.extend(lambda.map(|it| ("openclaw.mmr_lambda", it)));
    }
    Values::defaults(edition.pipeline().table())
        .with(values)
        .expect("values in range")
}

/// Returns the candidates, including `also`.
fn ask(
    memory: &Memory,
    asked: &Asked,
    vector: Result<&[f32], &str>,
    values: &Values,
    also: &[ChunkId],
) -> Retrieved {
    memory
        .retrieve(&Question {
            text: &asked.query,
            vector,
            params: values,
            within: &Within::default(),
            also,
            true_ranks: true,
        })
        .expect("it can be asked")
}

/// Returns the values of a row that are compared: path, lines and score, and the values of the lists if recorded.
fn rows(trace: &Trace, found: &Retrieved) -> Vec<(String, u32, u32, f64)> {
    trace
        .kept()
        .iter()
        .map(|slot| {
            let row = &found.rows[*slot as usize];
            let score = trace.journey(*slot).score.expect("a kept row has a score");
            (row.note.path.clone(), row.start_line, row.end_line, score)
        })
        .collect()
}

/// Returns the score in a list, if the row is among its candidates.
fn list_score(trace: &Trace, list: &'static str, slot: u32) -> Option<f64> {
    let stage = trace.stage(StageId(list))?;
    let entry = stage.entries.iter().find(|entry| entry.slot == slot)?;
    entry.score_after.filter(|_| entry.rank_after.is_some())
}

fn no_model() -> Embed {
    Arc::new(|_| Err("the vectors are given".to_owned()))
}

/// Returns their rows; before 2026.8, rows with equal scores are put in our order, because SQLite's sorter leaves
/// chunks with equal vectors in an arbitrary order.
fn in_order_of_ours<'a>(
    edition: Edition,
    ours: &[(String, u32, u32, f64)],
    theirs: &'a [Returned],
) -> Vec<&'a Returned> {
    let mut sorted: Vec<&Returned> = theirs.iter().collect();
    if edition == Edition::V2026_7 {
        let place = |row: &Returned| {
            let is_it = |(path, start, end, _): &(String, u32, u32, f64)| {
                (path, *start, *end) == (&row.path, row.start_line, row.end_line)
            };
            ours.iter().position(is_it)
        };
        sorted
            .chunk_by_mut(|a, b| a.score == b.score)
            .for_each(|tied| tied.sort_by_key(|row| place(row)));
    }
    sorted
}

fn compare(
    edition: Edition,
    asked: &Asked,
    found: &Retrieved,
    values: &Values,
    tolerance: f64,
) -> Result<(), String> {
    let trace = edition.pipeline().rank(&found.set, values);
    let ours = rows(&trace, found);
    let head = format!(
        "{edition:?} {} {:?} {:?}",
        asked.id, asked.query, asked.settings
    );
    let theirs = in_order_of_ours(edition, &ours, &asked.results);
    for (at, theirs) in theirs.into_iter().enumerate() {
        let Some((path, start, end, score)) = ours.get(at) else {
            return Err(format!(
                "{head}: {} rows, theirs {}; lacks {theirs:?}",
                ours.len(),
                asked.results.len()
            ));
        };
        let is_same = (path, *start, *end) == (&theirs.path, theirs.start_line, theirs.end_line);
        if !is_same || (score - theirs.score).abs() > tolerance {
            return Err(format!(
                "{head}: row {}: ours {:?}, theirs {theirs:?}",
                at + 1,
                ours[at]
            ));
        }
        let slot = found.rows.iter().position(|row| {
            (&row.note.path, row.start_line, row.end_line)
                == (&theirs.path, theirs.start_line, theirs.end_line)
        });
        let slot = slot.expect("a candidate");
        for (list, score) in [
            ("openclaw.vector", theirs.vector_score),
            ("openclaw.text", theirs.text_score),
        ] {
            let own = list_score(&trace, list, slot as u32).unwrap_or(0.0);
            if score.is_some_and(|score| (score - own).abs() > tolerance) {
                return Err(format!(
                    "{head}: row {}: {list} is {own}, theirs {theirs:?}",
                    at + 1
                ));
            }
        }
    }
    if ours.len() > asked.results.len() {
        return Err(format!(
            "{head}: {} rows, theirs {}; too many: {:?}",
            ours.len(),
            asked.results.len(),
            ours[asked.results.len()]
        ));
    }
    Ok(())
}

fn agreement(edition: Edition, version: &str) {
    let notes = agent_memory();
    let chunks: Vec<Chunk> = lines(&format!("openclaw/{version}.chunks.jsonl"));
    let texts = Memory::chunk_texts(edition, Chunking::default(), &notes);
    let given = vectors("openclaw/vectors.jsonl");
    let theirs: Vec<&String> = chunks.iter().map(|chunk| &chunk.sha256).collect();
    let ours: Vec<String> = texts.iter().map(|text| sha256(text)).collect();
    for (at, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
        assert_eq!(
            &ours, theirs,
            "chunk {at} ({} {}-{}): {:?}",
            chunks[at].path, chunks[at].start_line, chunks[at].end_line, texts[at]
        );
    }
    assert_eq!(ours.len(), theirs.len());
    let flat: Vec<f32> = ours.iter().flat_map(|hash| given[hash].clone()).collect();
    let asked: Vec<Asked> = lines(&format!("openclaw/{version}.jsonl"));
    let n = asked.len();
    let mut failed = Vec::new();
    for one in &asked {
        let memory = Memory::new(
            edition,
            Chunking::default(),
            notes.clone(),
            Ok(Vectors::new(DIM, flat.clone())),
            no_model(),
            one.now_ms,
            1,
        );
        let memory = memory.expect("an index");
        let values = values(edition, &one.settings);
        let found = ask(&memory, one, Ok(&given[&one.id]), &values, &[]);
        failed.extend(compare(edition, one, &found, &values, TOLERANCE).err());
    }
    agreed(&format!("OpenClaw {version}"), n, &failed);
}

#[test]
fn lists_of_2026_2_12_are_met() {
    agreement(Edition::V2026_2, "2026.2.12");
}

#[test]
fn lists_of_2026_7_35_are_met() {
    agreement(Edition::V2026_7, "2026.7.35");
}

#[test]
fn lists_of_2026_9_6_are_met() {
    agreement(Edition::V2026_8, "2026.9.6");
}

/// Vectors of crafted notes are not recorded; their cosines are those that OpenClaw reported in the list of the
/// retriever.
fn put_cosines(found: &mut Retrieved, all: &[Asked], query: &str) {
    let theirs_by_place: HashMap<(&str, u32, u32), f64> = all
        .iter()
        .filter(|asked| asked.query == query)
        .flat_map(|asked| &asked.results)
        .filter_map(|it| {
            // A row beyond the candidates is reported with 0.
            let cosine = it.vector_score.filter(|cosine| *cosine != 0.0)?;
            Some(((it.path.as_str(), it.start_line, it.end_line), cosine))
        })
        .collect();
    let scores: Vec<Option<f64>> = found
        .rows
        .iter()
        .map(|row| {
            let place = (row.note.path.as_str(), row.start_line, row.end_line);
            theirs_by_place.get(&place).copied()
        })
        .collect();
    let list = List::of_scores(ListId("openclaw.vector"), &scores);
    let mut lists = found.set.lists.iter_mut();
    *lists.next().expect("the vector list is first") = list;
}

/// Returns the differences for a crafted workspace. Its questions are asked without a model if it had none.
fn crafted_differences(edition: Edition, version: &str, name: &str) -> Vec<String> {
    let without_model = name.strip_suffix("-words");
    let notes = crafted(without_model.unwrap_or(name));
    let asked: Vec<Asked> = lines(&format!("openclaw/{name}.{version}.jsonl"));
    let has_model = name != "craft-fts" && without_model.is_none();
    let mut failed = Vec::new();
    for one in &asked {
        let n = Memory::chunk_texts(edition, Chunking::default(), &notes).len();
        let vectors = if has_model {
            Ok(Vectors::new(1, vec![1.0; n]))
        } else {
            Err("no model".to_owned())
        };
        let memory = Memory::new(
            edition,
            Chunking::default(),
            notes.clone(),
            vectors,
            no_model(),
            one.now_ms,
            1,
        );
        let memory = memory.expect("an index");
        let values = values(edition, &one.settings);
        // All chunks, because the cosines that decide the candidates are set later.
        let all: Vec<ChunkId> = notes
            .iter()
            .filter_map(|note| memory.chunks_of(FolderId(1), &note.facts.path))
            .flatten()
            .map(|chunk| chunk.chunk)
            .collect();
        let mut found = ask(&memory, one, Ok(&[1.0]), &values, &all);
        if has_model {
            put_cosines(&mut found, &asked, &one.query);
        }
        failed.extend(compare(edition, one, &found, &values, TOLERANCE).err());
    }
    print_agreement(
        &format!("OpenClaw {version}, {name}"),
        asked.len(),
        failed.len(),
    );
    failed
}

#[test]
fn crafted_workspaces_are_met() {
    let mut failed = Vec::new();
    for name in ["fts", "decay", "imp", "mmr", "path", "big"] {
        let name = format!("craft-{name}");
        failed.extend(crafted_differences(Edition::V2026_7, "2026.7.35", &name));
        failed.extend(crafted_differences(Edition::V2026_8, "2026.9.6", &name));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn decay_and_mmr_of_2026_7_35_are_met() {
    let (edition, version) = (Edition::V2026_7, "2026.7.35");
    let mut failed = crafted_differences(edition, version, "craft-dated");
    // If only keywords are searched, notes decay too, and MMR is not applied.
    failed.extend(crafted_differences(edition, version, "craft-dated-words"));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn single_words_are_searched_when_each_edition_does() {
    let mut failed = Vec::new();
    for (edition, version, name) in [
        (Edition::V2026_7, "2026.7.35", "craft-probe"),
        (Edition::V2026_7, "2026.7.35", "craft-probe-words"),
        (Edition::V2026_8, "2026.9.6", "craft-probe-words"),
    ] {
        failed.extend(crafted_differences(edition, version, name));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Dense scripts, emoji, long lines, headings and comments in MEMORY.md.
#[test]
fn chunks_are_cut_as_each_edition_cuts() {
    let mut failed = Vec::new();
    for (edition, version) in [
        (Edition::V2026_7, "2026.7.35"),
        (Edition::V2026_8, "2026.9.6"),
    ] {
        let theirs: Vec<Chunk> = lines(&format!("openclaw/craft-cut.{version}.chunks.jsonl"));
        for mut note in crafted("craft-cut") {
            note.is_extra = true;
            let path = note.path.clone();
            let ours = Memory::chunk_texts(edition, Chunking::default(), &[note]);
            let mut ours: Vec<String> = ours.iter().map(|text| sha256(text)).collect();
            let mut theirs: Vec<String> = theirs
                .iter()
                .filter(|chunk| chunk.path == path)
                .map(|chunk| chunk.sha256.clone())
                .collect();
            // Which of two equal pieces is stored last does not matter.
            ours.sort();
            theirs.sort();
            if ours != theirs {
                failed.push(format!(
                    "{version} {path}: {} chunks, theirs {}",
                    ours.len(),
                    theirs.len()
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// The window has one column for each list and each stage that changes anything, and only uses these.
#[test]
fn columns_tell_raw_scores_and_what_moved_rows() {
    let edition = Edition::V2026_8;
    let given = vectors("openclaw/vectors.jsonl");
    let flat: Vec<f32> = Memory::chunk_texts(edition, Chunking::default(), &agent_memory())
        .iter()
        .flat_map(|text| given[&sha256(text)].clone())
        .collect();
    let one = lines::<Asked>("openclaw/2026.9.6.jsonl").remove(0);
    let memory = Memory::new(
        edition,
        Chunking::default(),
        agent_memory(),
        Ok(Vectors::new(DIM, flat)),
        no_model(),
        one.now_ms,
        1,
    )
    .expect("an index");
    let values = values(edition, &one.settings);
    let found = ask(&memory, &one, Ok(&given[&one.id]), &values, &[]);
    let trace = edition.pipeline().rank(&found.set, &values);
    let columns = trace.columns(&found.set, |_| None);
    let (lists, own): (Vec<_>, Vec<_>) = columns.cells.iter().partition(|cells| cells.is_list);
    let stages: Vec<&str> = lists.iter().map(|list| list.stage.0).collect();
    assert_eq!(stages, ["openclaw.vector", "openclaw.text"]);
    for list in &lists {
        for slot in 0..found.set.candidates.len() as u32 {
            let raw = found.set.value(ListId(list.stage.0), slot).score;
            assert_eq!(list.value[slot as usize], raw, "{} {slot}", list.stage.0);
        }
        assert!(list.value.iter().any(Option::is_some));
    }
    // MMR changes places but no score.
    let own: Vec<&str> = own.iter().map(|own| own.stage.0).collect();
    assert!(own.contains(&"openclaw.fusion"), "{own:?}");
    assert!(own.contains(&"openclaw.mmr"), "{own:?}");
    // Rows after dropped ones move up, which does not change the order.
    assert!(!own.contains(&"openclaw.limit"), "{own:?}");
}

#[test]
fn versions_belong_to_editions() {
    let cases = [
        ("2026.2.12", Some(Edition::V2026_2)),
        ("2025.12", Some(Edition::V2026_2)),
        ("2026.3.1", Some(Edition::V2026_7)),
        ("v2026.7.35", Some(Edition::V2026_7)),
        ("2026.8.1", Some(Edition::V2026_8)),
        ("2026.9.6-beta.1", Some(Edition::V2026_8)),
        ("2027.1", Some(Edition::V2026_8)),
        ("2026", Some(Edition::V2026_8)),
        ("latest", None),
        ("", None),
        ("2026.x", None),
    ];
    for (version, edition) in cases {
        assert_eq!(Edition::of(version), edition, "{version}");
    }
}
