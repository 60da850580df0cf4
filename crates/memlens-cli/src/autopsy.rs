use std::path::PathBuf;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use memlens_document::{Document, Text, dim, note, strong};
use memlens_engine::view::{Autopsy, AutopsyQuestion, StepOutcome};
use memlens_engine::{autopsy, autopsy_text};

use crate::arguments::AutopsyArgs;
use crate::error::CliError;
use crate::output::{print, print_json, print_verbatim};
use crate::settings::open;

/// Prints why an agent forgot a fact.
pub fn run(library: Option<PathBuf>, arguments: &AutopsyArgs) -> Result<(), CliError> {
    let library = open(library)?;
    let question = AutopsyQuestion {
        fact: arguments.fact.clone(),
        agent: arguments.agent.clone(),
        session: arguments.session.clone(),
        at_ms: arguments.at.as_deref().map(until).transpose()?,
    };
    let here = std::env::current_dir().ok();
    let autopsy = autopsy(&library, &question, here.as_deref())?;
    if arguments.json {
        print_json(&autopsy)
    } else if arguments.markdown {
        print_verbatim(autopsy_text(&autopsy, !arguments.no_text))
    } else {
        print(&page(&autopsy))
    }
}

/// Parses a moment, or a day, which means its last millisecond in local time; returns Unix milliseconds.
fn until(typed: &str) -> Result<f64, CliError> {
    let end_of_day = || {
        let day = typed.parse::<Date>().ok()?.tomorrow().ok()?;
        let next = day.to_zoned(TimeZone::system()).ok()?;
        Some(next.timestamp().as_millisecond() - 1)
    };
    // A timestamp also parses as a day, so it is tried first.
    let moment = typed.parse::<Timestamp>().ok();
    moment
        .map(Timestamp::as_millisecond)
        .or_else(end_of_day)
        .map(|at_ms| at_ms as f64)
        .ok_or_else(|| CliError::NoMoment {
            given: typed.to_owned(),
        })
}

/// Width of a step's name, the longest of which is "Loading at start".
const STEP_WIDTH: usize = 16;

fn page(autopsy: &Autopsy) -> Document {
    let mut page = Document::new();
    page.line(strong(&autopsy.headline));
    page.line(&autopsy.summary);
    if let Some(place) = &autopsy.place {
        let at = format!("{}:{}", place.path, place.line);
        page.line(dim(match place.text.as_str() {
            // An ignore rule or a dot leaves the note out.
            "" => Text::from(at + "  (its text is not shown)"),
            text => Text::from(at + "  ") + note(text),
        }));
    }
    page.gap();
    for step in &autopsy.steps {
        let mark = match step.outcome {
            StepOutcome::Passed => "✓",
            StepOutcome::Failed => "✗",
            StepOutcome::Unknown => "?",
        };
        let name = step.step.label();
        page.line(Text::from(format!("{mark} {name:<STEP_WIDTH$} ")) + &step.proof);
        for asked in &step.questions {
            page.item(
                STEP_WIDTH + 3,
                dim(format!("“{}” {}", asked.question, asked.came)),
            );
        }
    }
    if !autopsy.advice.is_empty() {
        page.gap();
    }
    for advice in &autopsy.advice {
        page.line(advice);
    }
    page
}
