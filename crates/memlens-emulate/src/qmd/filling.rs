//! qmd's reranker, filled in by one of the person's own: what it is asked, and what its scores count for.

use memlens_params::{ParameterSet, RerankMode, Value, Values};
use memlens_rank::{CandidateSet, RerankScale, RerankScores};

use super::facts::Facts;
use super::params::Qmd;
use super::question::{Typed, primary};

/// Who stands in for qmd's reranker; none where nobody does, or it is not asked.
pub fn filled_in_by(values: &Values) -> Option<RerankMode> {
    // Values of another program's table have neither.
    let is_on = values.get("qmd.rerank") == Some(Value::Toggle(true));
    let Some(Value::Choice(chosen)) = values.get("qmd.rerank_by") else {
        return None;
    };
    [RerankMode::Late, RerankMode::Model, RerankMode::Http]
        .into_iter()
        .find(|mode| is_on && mode.as_str() == chosen)
}

/// The question as qmd puts it to its reranker.
pub fn asked(question: &str) -> String {
    let Some(typed) = Typed::of(question) else {
        return question.to_owned();
    };
    let sought = primary(&typed.lines);
    match &typed.intent {
        Some(intent) => format!("{intent}\n\n{sought}"),
        None => sought.to_owned(),
    }
}

/// The chunk of a note that qmd's reranker reads, from the text of the note; none of a note that is no candidate.
pub fn chunk_read(set: &CandidateSet, slot: u32, note: &str) -> Option<String> {
    let chunk = Facts::of(set)?.rows.get(slot as usize)?.chunk;
    let units = note.encode_utf16().skip(chunk.start as usize);
    let units: Vec<u16> = units.take(chunk.units as usize).collect();
    Some(String::from_utf16_lossy(&units))
}

/// What is known of the scores that fill in.
pub(super) fn table<'a>(set: &'a CandidateSet, params: &Qmd) -> Option<&'a RerankScores> {
    let is_asked = params.rerank && params.rerank_by != RerankMode::Off;
    let mut tables = set.rerank.iter();
    tables.find(|table| is_asked && table.mode == params.rerank_by)
}

/// Who filled in, for a person.
pub(super) fn name(table: &RerankScores) -> String {
    match table.mode {
        RerankMode::Late => "late interaction".to_owned(),
        RerankMode::Model | RerankMode::Http | RerankMode::Off => {
            format!("your reranker, {}", table.model)
        }
    }
}

/// A score as a share, which is what qmd blends: 0 to 1.
pub(super) fn share(scale: RerankScale, score: f64) -> f64 {
    match scale {
        RerankScale::Unit => score.clamp(0.0, 1.0),
        RerankScale::Logit => 1.0 / (1.0 + (-score).exp()),
        RerankScale::MaxSim => f64::midpoint(score, 1.0).clamp(0.0, 1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_of_every_scale_become_shares() {
        for (scale, score, expected) in [
            (RerankScale::Unit, 0.25, 0.25),
            (RerankScale::Unit, 1.5, 1.0),
            (RerankScale::Logit, 0.0, 0.5),
            (RerankScale::Logit, -1e9, 0.0),
            (RerankScale::MaxSim, -1.0, 0.0),
            (RerankScale::MaxSim, 0.5, 0.75),
        ] {
            assert!(
                (share(scale, score) - expected).abs() < 1e-9,
                "{scale:?} {score}"
            );
        }
    }

    #[test]
    fn typed_lines_are_put_as_qmd_puts_them() {
        for (question, expected) in [
            ("red relay", "red relay"),
            ("vec: where is it\nlex: relay", "relay"),
            ("intent: repairs\nlex: relay", "repairs\n\nrelay"),
        ] {
            assert_eq!(asked(question), expected);
        }
    }
}
