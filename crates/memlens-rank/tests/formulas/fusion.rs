//! The lines of the fusion: identifiers, and chunks in another language than the question.

use std::sync::Arc;

use memlens_params::StageId;
use memlens_rank::{Age, CandidateSet, DateSource, NATIVE, Names, rank};

use super::{SAME, params_of, saying, sentence, three};

/// Returns the formulas of the fusion of a row.
fn fusion_lines(set: &CandidateSet, slot: u32, settings: &[&str]) -> Vec<String> {
    let journey = rank(set, &params_of(settings), &NATIVE).journey(slot);
    let of_fusion = journey.formula.into_iter();
    of_fusion
        .filter(|line| line.stage == StageId::FUSION)
        .map(|line| format!("{} = {:.4}", line.expression, line.value))
        .collect()
}

/// Returns the formulas of the fusion of the first row.
fn fusion_formulas(settings: &[&str]) -> Vec<String> {
    fusion_lines(&three(), 0, settings)
}

#[test]
fn a_formula_holds_the_very_numbers_that_it_computes_with() {
    // 0.5 * 0.5 + 0.3 * 4/5. RRF is divided by the weights even if the method is not.
    let weighted = ["fusion=weighted", "vector_weight=0.5", "text_weight=0.3"];
    let said = |settings: &[&str]| sentence(&three(), settings, StageId::FUSION, 0);
    assert_eq!(said(&weighted), "weighted 0.490; by RRF 0.990, rank 1");
    assert_eq!(said(&["fusion=rrf"]), "by RRF 0.990, rank 1");
    assert_eq!(
        fusion_formulas(&weighted),
        [
            "0.50 · 0.5000 + 0.30 · 0.8000 = 0.4900",
            "RRF: (0.50 · 61/(60+2) + 0.30 · 61/(60+1)) / 0.80 = 0.9899",
        ]
    );
    // A quarter of the question is identifiers: 0.6 * 0.25 moves from the vector to the text.
    let mut with_names = CandidateSet {
        names: Arc::new(Names {
            typed: ["#1701", "v1.2", "a_b", "c_d", "e_f"]
                .map(str::to_owned)
                .to_vec(),
            held: 2.5,
            all: 10.0,
            share: 0.25,
        }),
        ..three()
    };
    assert_eq!(
        fusion_lines(&with_names, 0, &[])[..3],
        [
            "text = 4.00 / 10.00 = 0.4000",
            "identifiers (#1701, v1.2, a_b, 2 more) = 0.60 · 2.50 / 10.00 = 0.1500",
            "(0.60 \u{2212} 0.1500) · 0.5000 + (0.40 + 0.1500) · 0.4000 = 0.4450",
        ]
    );
    // A text side without weight stays without, and other methods know no identifiers.
    for settings in [
        ["text_weight=0", "vector_weight=0.6"],
        ["fusion=rrf", "text_weight=0.4"],
        ["fusion=weighted", "text_weight=0.4"],
    ] {
        let lines = fusion_lines(&with_names, 0, &settings);
        assert!(
            lines.iter().all(|line| !line.contains("identifiers")),
            "{lines:?}"
        );
    }
    // Identifiers are the same in every language: only the other words of a chunk in another language are replaced.
    with_names.candidates[1].is_other_language = true;
    assert_eq!(
        fusion_lines(&with_names, 1, &[])[0],
        "text, in another language = (1 \u{2212} 0.2500) · 0.6000 · 0.4000 / 0.5000 = 0.3600"
    );
    let fine = ["fusion=rrf", "vector_weight=0.125", "text_weight=0.3"];
    assert_eq!(
        fusion_formulas(&fine),
        ["(0.125 · 61/(60+2) + 0.30 · 61/(60+1)) / 0.425 = 0.9953"]
    );
    let mut set = saying(&[SAME]);
    set.candidates[0].age = Age::Days {
        days: 1.0,
        from: DateSource::Written,
    };
    let trace = rank(&set, &params_of(&["half_life_days=0.5"]), &NATIVE);
    let formula = trace.journey(0).formula;
    let age = formula.iter().find(|line| line.stage == StageId::DECAY);
    assert_eq!(
        age.unwrap().expression,
        "age = e^(\u{2212}ln 2 · 1.000 / 0.5)"
    );
}

/// Lines of the fusion of a slot, where the chunks of `foreign` are in another language than the question.
fn foreign_formulas(foreign: &[usize], slot: u32, settings: &[&str]) -> Vec<String> {
    let mut set = three();
    for at in foreign {
        set.candidates[*at].is_other_language = true;
    }
    fusion_lines(&set, slot, settings)
}

#[test]
fn a_chunk_in_another_language_is_not_lowered_by_words_that_it_cannot_hold() {
    // The others reach 0.5 by their vectors and 0.4 by their words.
    assert_eq!(
        foreign_formulas(&[1], 1, &[])[..2],
        [
            "text, in another language = 0.6000 · 0.4000 / 0.5000 = 0.4800",
            "0.60 · 0.6000 + 0.40 · 0.4800 = 0.5520",
        ]
    );
    // Its own words count for more than 0.5 · 0.2 / 0.6.
    assert_eq!(
        foreign_formulas(&[0], 0, &[]),
        foreign_formulas(&[], 0, &[])
    );
    // Nothing to compare with: the vector counts for both.
    assert_eq!(
        foreign_formulas(&[0, 1, 2], 1, &[])[..2],
        [
            "text, in another language = 0.6000 · 1.0000 / 1.0000 = 0.6000",
            "0.60 · 0.6000 + 0.40 · 0.6000 = 0.6000",
        ]
    );
    // Other chunks, other methods and one list alone are as ever.
    assert_eq!(
        foreign_formulas(&[1], 0, &[]),
        foreign_formulas(&[], 0, &[])
    );
    for setting in [
        "fusion=weighted",
        "fusion=rrf",
        "fusion=relative",
        "bm25_on=false",
    ] {
        assert_eq!(
            foreign_formulas(&[1], 1, &[setting]),
            foreign_formulas(&[], 1, &[setting]),
            "{setting}"
        );
    }
    // A row beyond the depth does not change the others.
    assert_eq!(
        foreign_formulas(&[1], 1, &["vector_depth=1"])[0],
        "text, in another language = 0.6000 · 1.0000 / 1.0000 = 0.6000"
    );
}
