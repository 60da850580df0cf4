use std::io::{self, Write};
use std::path::PathBuf;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use memlens_engine::view::{Autopsy, AutopsyQuestion, StepOutcome};
use memlens_engine::{autopsy, autopsy_text};

use crate::arguments::AutopsyArgs;
use crate::error::CliError;
use crate::output::{BOLD, DIM, print_json, print_line, print_text, shown};
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
        print_line(autopsy_text(&autopsy, !arguments.no_text).trim_end())
    } else {
        print_text(|out| print(out, &autopsy))
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

fn print(out: &mut dyn Write, autopsy: &Autopsy) -> io::Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}", shown(&autopsy.headline))?;
    writeln!(out, "{}", shown(&autopsy.summary))?;
    if let Some(place) = &autopsy.place {
        let line = place.line;
        writeln!(
            out,
            "{DIM}{}:{line}  {}{DIM:#}",
            shown(&place.path),
            shown(&place.text)
        )?;
    }
    writeln!(out)?;
    for step in &autopsy.steps {
        let mark = match step.outcome {
            StepOutcome::Passed => "✓",
            StepOutcome::Failed => "✗",
            StepOutcome::Unknown => "?",
        };
        writeln!(out, "{mark} {:<9}{}", step.step.label(), shown(&step.proof))?;
        for asked in &step.questions {
            let question = shown(&asked.question);
            writeln!(
                out,
                "{DIM}{:>11}“{question}” {}{DIM:#}",
                "",
                shown(&asked.came)
            )?;
        }
    }
    for (at, advice) in autopsy.advice.iter().enumerate() {
        if at == 0 {
            writeln!(out)?;
        }
        writeln!(out, "{}", shown(advice))?;
    }
    Ok(())
}
