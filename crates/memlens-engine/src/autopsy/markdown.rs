//! An autopsy as a document, to paste into a report.

use memlens_document::{Document, Table, Text, left, note, note_or, place, strong};

use crate::view::{Autopsy, AutopsyStep, StepOutcome};

impl Autopsy {
    /// The autopsy as Markdown. Without text, everything quoted from notes is left out, including the fact; places,
    /// questions and numbers stay.
    pub fn markdown(&self, with_text: bool) -> String {
        self.document().markdown(with_text)
    }

    fn document(&self) -> Document {
        let mut document = Document::new();
        let fact = note_or(format!("“{}”", self.fact), "a fact");
        document.heading(1, Text::from("Why was ") + fact + " forgotten?");
        document.line(strong(&self.headline) + " " + &self.summary);
        if let Some(found) = &self.place {
            let at = place(&found.path, Some((found.line, found.line)));
            document.item(0, Text::from("Place: ") + at);
            if !found.text.is_empty() {
                document.item(0, note(format!("Line: {}", found.text)));
            }
        }
        document.item(0, format!("Ranked by: {}", self.label));
        let mut steps = Table::new([left("Step"), left("Outcome"), left("Proof")]);
        for step in &self.steps {
            steps.row(vec![
                step.step.label().into(),
                outcome(step.outcome).into(),
                step.proof.clone(),
            ]);
        }
        document.table(steps);
        let asked = self.steps.iter();
        let asked = asked.filter(|it| it.step == AutopsyStep::Asked);
        for asked in asked.flat_map(|it| &it.questions) {
            document.item(0, format!("“{}”: {}", asked.question, asked.came));
        }
        if !self.advice.is_empty() {
            document.line("What to do:");
        }
        for advice in &self.advice {
            document.item(0, advice);
        }
        document
    }
}

fn outcome(outcome: StepOutcome) -> &'static str {
    match outcome {
        StepOutcome::Passed => "passed",
        StepOutcome::Failed => "failed",
        StepOutcome::Unknown => "unknown",
    }
}
