//! Cases that no golden row covers: unusual notes, unusual questions, and every parameter at its limits.

use std::sync::Arc;

use memlens_emulate::{AgentNote, Embed, MadeOf, Program, Vectors};
use memlens_params::{ParameterKind, ParameterSet, Value, Values};
use memlens_rank::{AnyPipeline, CandidateSet, Trace};
use memlens_retrieve::{Question, RetrieveError, Retrieved, Retriever, Within};

use crate::given::note;

/// The dimension of vectors in these tests.
const DIM: usize = 4;

fn notes() -> Vec<AgentNote> {
    let texts = [
        String::new(),
        " \r\n\t\n".to_owned(),
        "# Router\r\n\r\nThe router stands in the hall.\r\n".to_owned(),
        "\u{6771}\u{4eac}\u{306e}\u{6771}".repeat(700),
        "\u{1f980}".repeat(3000),
        "router ".repeat(4000),
        format!("# {}\n\n```\nrouter", "x".repeat(5000)),
        "a\0b \"quoted' -- AND OR NOT ( router".to_owned(),
    ];
    let paths = [
        "p/empty.md",
        "p/blank.md",
        "p/a.md",
        "p/\u{6771}\u{4eac}.md",
        "q/crab.md",
    ];
    let more = ["q/d/e/long.md", "q/\"odd' name*.md", "q/no ending.md"];
    let paths = paths.into_iter().chain(more);
    (0..)
        .zip(paths.zip(texts))
        .map(|(at, (path, text))| note(at, path, &text, 0))
        .collect()
}

const QUESTIONS: [&str; 12] = [
    "router",
    "where is the router in the hall",
    "?!",
    "\"",
    "\"\"\"",
    "router AND (",
    "NOT router",
    "* - ^ : { } NEAR(a b)",
    "q/no ending.md",
    "\u{6771}\u{4eac}",
    "a\0b c\0 d",
    "column:router OR c0:router",
];

/// Returns the default values, and for each parameter its limits or all its options.
fn settings(pipeline: &dyn AnyPipeline) -> Vec<Values> {
    let usual = Values::defaults(pipeline.table());
    let mut found = vec![usual.clone()];
    for parameter in &pipeline.table().parameters {
        let ends = match &parameter.kind {
            ParameterKind::Number { min, max, .. } => {
                vec![Value::Number(*min), Value::Number(*max)]
            }
            ParameterKind::Choice { options } => options
                .iter()
                .map(|it| Value::Choice((*it).to_owned()))
                .collect(),
            ParameterKind::Toggle => vec![Value::Toggle(false), Value::Toggle(true)],
        };
        for end in ends {
            // A combination that the rules forbid is no setting.
            found.extend(usual.clone().with([(parameter.id, end)]).ok());
        }
    }
    found
}

/// Checks that every row is kept or dropped once, with a finite score and a sentence.
fn check(trace: &Trace, found: &Retrieved, head: &str) {
    let n_rows = trace.kept().len() + trace.dropped().len();
    assert_eq!(n_rows, found.rows.len(), "{head}");
    for slot in 0..found.rows.len() as u32 {
        let score = trace.journey(slot).score;
        assert!(score.is_none_or(f64::is_finite), "{head}: {score:?}");
    }
    for stage in &trace.stages {
        for entry in &stage.entries {
            let reason = &entry.detail;
            assert!(!reason.sentence().is_empty(), "{head}: {}", stage.label);
            let numbers = reason.terms().into_iter().map(|(_, it)| it);
            let results = reason.formulas().into_iter().map(|(_, it)| it);
            assert!(
                numbers.chain(results).all(f64::is_finite),
                "{head}: {} {reason:?}",
                stage.label
            );
        }
    }
}

/// Returns what a trace keeps, with the scores that the window shows.
fn kept_with_scores(trace: &Trace, set: &CandidateSet) -> Vec<(u32, f64)> {
    let columns = trace.columns(set, |_| None);
    let kept = trace.kept().iter();
    kept.map(|slot| (*slot, columns.score[*slot as usize].unwrap_or_default()))
        .collect()
}

/// Returns a memory of the notes; one vector in three is a zero vector.
fn memory(program: Program, values: &Values, has_model: bool) -> Arc<dyn Retriever> {
    let n = program.chunk_texts(&notes(), values).len();
    let vector = |at: usize| [1.0, (at % 3) as f32, -0.5, 0.0].map(|it| it * (at % 3) as f32);
    let embed: Embed = Arc::new(|_| Ok(vec![0.5; DIM]));
    let memory = program.memory(MadeOf {
        notes: notes(),
        params: values.clone(),
        vectors: if has_model {
            Ok(Vectors::new(DIM, (0..n).flat_map(vector).collect()))
        } else {
            Err("no model".to_owned())
        },
        embed,
        now_ms: 0,
        generation: 1,
        remarks: Vec::new(),
    });
    memory.expect("a memory")
}

fn strange_questions_are_answered(has_model: bool) {
    let mut n_answered = 0;
    for program in Program::ALL {
        let pipeline = program.pipeline();
        for values in settings(pipeline) {
            let memory = memory(program, &values, has_model);
            for text in QUESTIONS {
                let vector = memory.embed(text);
                let asked = memory.retrieve(&Question {
                    text,
                    vector: vector.as_deref().map_err(String::as_str),
                    params: &values,
                    within: &Within::default(),
                    also: &[],
                    true_ranks: false,
                });
                let head = format!("{} {text:?}", pipeline.label());
                match asked {
                    Ok(found) => {
                        let trace = pipeline.rank(&found.set, &values);
                        check(&trace, &found, &head);
                        let order = pipeline.order(&found.set, &values);
                        assert_eq!(order, kept_with_scores(&trace, &found.set), "{head}");
                        n_answered += 1;
                    }
                    // A program may reject a question with a message.
                    Err(RetrieveError::Outside { why, .. }) => assert!(!why.is_empty(), "{head}"),
                    Err(error) => panic!("{head}: {error}"),
                }
            }
        }
    }
    assert!(n_answered > 500, "{n_answered}");
}

#[test]
fn strange_questions_are_answered_with_a_model() {
    strange_questions_are_answered(true);
}

#[test]
fn strange_questions_are_answered_without_a_model() {
    strange_questions_are_answered(false);
}
