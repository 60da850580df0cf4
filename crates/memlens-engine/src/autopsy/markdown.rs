//! An autopsy as Markdown, to paste into a report; without the notes' text if that is left out.

use crate::markdown::{place, plain};
use crate::view::{Autopsy, AutopsyStep, Prose, StepOutcome};

impl Autopsy {
    /// The autopsy as Markdown. Without text, everything quoted from notes is left out, including the fact; places,
    /// questions and numbers stay.
    pub fn markdown(&self, with_text: bool) -> String {
        let mut out = String::new();
        let fact = if with_text {
            format!("“{}”", plain(&self.fact))
        } else {
            "a fact".to_owned()
        };
        let mut line = |text: String| {
            out.push_str(&text);
            out.push('\n');
        };
        line(format!("# Why was {fact} forgotten?"));
        line(String::new());
        line(format!(
            "**{}** {}",
            plain(&self.headline),
            shown(&self.summary, with_text)
        ));
        line(String::new());
        if let Some(found) = &self.place {
            let at = place(&found.path, Some(found.line), Some(found.line));
            line(format!("- Place: {at}"));
            if with_text && !found.text.is_empty() {
                line(format!("- Line: {}", plain(&found.text)));
            }
        }
        line(format!("- Ranked by: {}", plain(&self.label)));
        line(String::new());
        line("| Step | Outcome | Proof |".to_owned());
        line("| --- | --- | --- |".to_owned());
        for step in &self.steps {
            line(format!(
                "| {} | {} | {} |",
                name(step.step),
                outcome(step.outcome),
                shown(&step.proof, with_text)
            ));
        }
        let asked: Vec<_> = self
            .steps
            .iter()
            .filter(|it| it.step == AutopsyStep::Asked)
            .collect();
        for asked in asked.into_iter().flat_map(|it| &it.questions) {
            line(String::new());
            line(format!(
                "- “{}”: {}",
                plain(&asked.question),
                plain(&asked.came)
            ));
        }
        if !self.advice.is_empty() {
            line(String::new());
            line("What to do:".to_owned());
            line(String::new());
            for advice in &self.advice {
                line(format!("- {}", shown(advice, with_text)));
            }
        }
        out
    }
}

fn shown(sentence: &Prose, with_text: bool) -> String {
    if with_text {
        plain(sentence)
    } else {
        plain(&sentence.without_words())
    }
}

fn name(step: AutopsyStep) -> &'static str {
    match step {
        AutopsyStep::Written => "Written",
        AutopsyStep::LoadCap => "Load cap",
        AutopsyStep::Indexed => "Indexed",
        AutopsyStep::Asked => "Asked",
        AutopsyStep::Ranked => "Ranked",
        AutopsyStep::Given => "Given",
        AutopsyStep::Used => "Used",
    }
}

fn outcome(outcome: StepOutcome) -> &'static str {
    match outcome {
        StepOutcome::Passed => "passed",
        StepOutcome::Failed => "failed",
        StepOutcome::Unknown => "unknown",
    }
}
