//! The user's own reranker in place of those of other programs.

use memlens_tests::Notes;

use crate::emulating::printed;
use crate::memlens::Memlens;

/// Returns notes about a house, one of them too long to be reranked whole.
fn house() -> Notes {
    let cellar = "The cellar holds jars, shelves and a lamp that flickers.\n\n".repeat(60);
    Notes::new(&[
        (
            "hall.md",
            "The router stands in the hall, beside the coats.\n",
        ),
        (
            "garden.md",
            "The hose of the garden is green and the router is not here.\n",
        ),
        ("kitchen.md", "The kettle is in the kitchen.\n"),
        (
            "cellar.md",
            &format!(
                "# Cellar\n\n{cellar}# Router\n\nThe old router of the hall lies in the cellar.\n"
            ),
        ),
    ])
}

#[test]
fn a_reranker_of_ones_own_stands_in_for_those_of_other_programs() {
    let notes = house();
    let memlens = Memlens::of(&[&notes]);
    for (agent, name, by, switched) in [
        ("qmd", "qmd", "qmd.rerank_by", &[][..]),
        (
            "basic-memory",
            "basic-memory",
            "basic_memory.reranker_by",
            &[
                "basic_memory.reranker=true",
                "basic_memory.semantic_min_similarity=0",
            ],
        ),
        (
            "openviking",
            "OpenViking",
            "openviking.rerank_by",
            &["openviking.rerank=true"],
        ),
        ("octopus", "Octopus", "octopus.rerank_by", &[]),
    ] {
        let asked = |more: &[&str]| {
            let sets = switched.iter().chain(more).flat_map(|it| ["--set", *it]);
            let sets: Vec<&str> = sets.collect();
            let question = "The router stands in the hall, beside the coats.";
            let own = ["emulate", question, "--agent", agent, "--explain"];
            let run = memlens.run(&[&own[..], &sets].concat());
            assert_eq!(run.status, 0, "{agent}: {run:?}");
            run.out
        };
        let before = asked(&[]);
        assert!(!before.contains("filled in"), "{agent}: {before}");
        assert!(before.contains("asks its"), "{agent}: {before}");
        let late = format!("{by}=late");
        let filled = asked(&[&late]);
        let output = format!("filled in by late interaction, in the place of {name}'s model");
        assert!(filled.contains(&output), "{agent}: {filled}");
        // The note that states the answer has a score near the maximum.
        let given = |output: &str| -> Vec<String> {
            let lines = output
                .lines()
                .filter(|it| it.contains("given ") || it.contains(" gave "));
            lines.map(str::to_owned).collect()
        };
        let first = given(&filled).first().cloned().unwrap_or_default();
        assert!(
            ["given 0.9", "given 1", "gave 0.9", "gave 1"]
                .iter()
                .any(|it| first.contains(it)),
            "{agent}: {filled}"
        );
        // Cached scores are the same.
        assert_eq!(given(&filled), given(&asked(&[&late])), "{agent}");
        let failed = asked(&[&format!("{by}=http")]);
        let output = format!("your reranker, in the place of {name}'s model, failed: ");
        assert!(failed.contains(&output), "{agent}: {failed}");
    }
}

#[test]
fn a_reranker_of_ones_own_stands_in_for_that_of_qmd() {
    let notes = Notes::new(&[
        (
            "hall.md",
            "The router stands in the hall, beside the coats.\n",
        ),
        (
            "garden.md",
            "The hose of the garden is green and the router is not here.\n",
        ),
        ("kitchen.md", "The kettle is in the kitchen.\n"),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let asked = |more: &[&str]| {
        let question = "where is the router in the hall";
        printed(
            &memlens,
            &[
                &["emulate", question, "--agent", "qmd", "--explain"][..],
                more,
            ]
            .concat(),
        )
    };
    let before = asked(&[]);
    assert!(
        before.contains("qmd asks its model here how well"),
        "{before}"
    );
    assert!(!before.contains("filled in"), "{before}");
    let filled = asked(&["--set", "qmd.rerank_by=late"]);
    assert!(
        filled.contains("filled in by late interaction, in the place of qmd's model"),
        "{filled}"
    );
    assert!(filled.contains("0.75 × 1/1 + 0.25 × 0."), "{filled}");
    // Cached scores are the same.
    assert_eq!(
        filled.matches("was given").collect::<Vec<_>>(),
        asked(&["--set", "qmd.rerank_by=late"])
            .matches("was given")
            .collect::<Vec<_>>()
    );
    // No reranker is asked where qmd would not ask its own, and a failure is reported.
    let none = asked(&["--set", "qmd.rerank_by=late", "--set", "qmd.rerank=false"]);
    assert!(
        !none.contains("filled in") && !none.contains("was given"),
        "{none}"
    );
    let failed = asked(&["--set", "qmd.rerank_by=http"]);
    assert!(
        failed.contains("your reranker, in the place of qmd's model, failed: "),
        "{failed}"
    );
}
