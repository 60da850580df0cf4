//! Which notes decay in each edition of OpenClaw.

use memlens_tests::Notes;

use crate::memlens::{Memlens, list};

#[test]
fn each_edition_decays_by_its_own_pattern() {
    let day = |level: u32| {
        format!("# Day\n\nHoldings: the violet lighthouse fund stood at level {level} today.\n")
    };
    let dream = |level: u32| {
        format!("# Light dream\n\nHoldings: the violet lighthouse fund is at level {level}.\n")
    };
    let notes = Notes::new(&[
        ("memory/2026-01-11.md", &day(11)),
        ("memory/2026-11-20.md", &day(20)),
        ("memory/dreaming/light/2026-01-11.md", &dream(11)),
        ("memory/dreaming/light/2026-11-20.md", &dream(20)),
    ]);
    let memlens = Memlens::of(&[&notes]);
    let decaying = |agent: &str, settings: &[&str]| {
        let question = "violet lighthouse holdings";
        let asked = ["emulate", question, "--agent", agent, "--json"];
        let report = memlens.run(&[&asked[..], settings].concat());
        let report: serde_json::Value =
            serde_json::from_str(&report.out).unwrap_or_else(|error| panic!("{error}: {report:?}"));
        assert_eq!(list(&report["results"]).len(), 4, "{report}");
        let mut decaying: Vec<String> = list(&report["results"])
            .iter()
            .filter(|row| {
                let mut steps = list(&row["journey"]).iter();
                let decay = steps
                    .find(|step| step["stage"] == "openclaw.decay")
                    .expect("a step");
                decay["sentence"] != "it never decays"
            })
            .map(|row| row["path"].as_str().expect("it is text").to_owned())
            .collect();
        decaying.sort_unstable();
        decaying
    };
    let zero = ["--set", "openclaw.min_score=0"];
    let switched_on = [&zero[..], &["--set", "openclaw.decay_on=true"]].concat();
    assert_eq!(
        decaying("openclaw@2026.7", &switched_on),
        ["memory/2026-01-11.md", "memory/2026-11-20.md"]
    );
    assert_eq!(
        decaying("openclaw@2026.9", &zero),
        [
            "memory/2026-01-11.md",
            "memory/2026-11-20.md",
            "memory/dreaming/light/2026-01-11.md",
            "memory/dreaming/light/2026-11-20.md"
        ]
    );
}
