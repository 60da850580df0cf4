//! An autopsy as a document, to paste into a report.

use memlens_document::{Document, Table, Text, left, note, note_or, place, strong};
use memlens_wire::{Autopsy, AutopsyStep, StepOutcome};

/// The autopsy as Markdown. Without text, everything quoted from notes is left out, including the fact; places,
/// questions and numbers stay.
pub fn autopsy_text(autopsy: &Autopsy, with_text: bool) -> String {
    document(autopsy).markdown(with_text)
}

fn document(autopsy: &Autopsy) -> Document {
    let mut document = Document::new();
    let fact = note_or(format!("“{}”", autopsy.fact), "a fact");
    document.heading(1, Text::from("Why was ") + fact + " forgotten?");
    document.line(strong(&autopsy.headline) + " " + &autopsy.summary);
    if let Some(found) = &autopsy.place {
        let at = place(&found.path, Some((found.line, found.line)));
        document.item(0, Text::from("Place: ") + at);
        if !found.text.is_empty() {
            document.item(0, note(format!("Line: {}", found.text)));
        }
    }
    document.item(0, format!("Ranked by: {}", autopsy.label));
    let mut steps = Table::new([left("Step"), left("Outcome"), left("Proof")]);
    for step in &autopsy.steps {
        steps.row(vec![
            step.step.label().into(),
            outcome(step.outcome).into(),
            step.proof.clone(),
        ]);
    }
    document.table(steps);
    let asked = autopsy.steps.iter();
    let asked = asked.filter(|it| it.step == AutopsyStep::Asked);
    for asked in asked.flat_map(|it| &it.questions) {
        document.item(0, format!("“{}”: {}", asked.question, asked.came));
    }
    if !autopsy.advice.is_empty() {
        document.line("What to do:");
    }
    for advice in &autopsy.advice {
        document.item(0, advice);
    }
    document
}

fn outcome(outcome: StepOutcome) -> &'static str {
    match outcome {
        StepOutcome::Passed => "passed",
        StepOutcome::Failed => "failed",
        StepOutcome::Unknown => "unknown",
    }
}
