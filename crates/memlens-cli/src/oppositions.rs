//! `memlens drift oppositions`.

use std::path::PathBuf;

use memlens_document::{Document, dim};
use memlens_engine::view::OppositionPair;
use memlens_engine::{EngineError, acts, oppositions};
use serde::Serialize;

use crate::arguments::{OppositionsAct, OppositionsArgs};
use crate::error::CliError;
use crate::output::{notify, print, print_json};
use crate::settings::open;

#[derive(Serialize)]
struct OppositionsReport {
    schema_version: u32,
    oppositions: Vec<OppositionPair>,
}

/// Lists the pairs of opposite words, or changes the list.
pub fn run(library: Option<PathBuf>, arguments: &OppositionsArgs) -> Result<(), CliError> {
    let library = open(library)?;
    let all = oppositions(&library)?;
    let writes = library.to_write();
    match &arguments.act {
        Some(OppositionsAct::Add { words, opposite }) => {
            let now = acts::add_opposition(&writes, words, opposite)?;
            if let Some(added) = now.first() {
                notify(format_args!("added: {}", words_of(added)));
            }
            return Ok(());
        }
        Some(OppositionsAct::Remove { word }) => {
            let pair = named(&all, word, true)?;
            acts::remove_opposition(&writes, &pair.id)?;
            notify(format_args!("removed: {}", words_of(pair)));
            return Ok(());
        }
        Some(OppositionsAct::Off { word }) => {
            let pair = named(&all, word, false)?;
            acts::switch_opposition(&writes, &pair.id, false)?;
            notify(format_args!("switched off: {}", words_of(pair)));
            return Ok(());
        }
        Some(OppositionsAct::On { word }) => {
            let pair = named(&all, word, false)?;
            acts::switch_opposition(&writes, &pair.id, true)?;
            notify(format_args!("switched on: {}", words_of(pair)));
            return Ok(());
        }
        Some(OppositionsAct::List) | None => {}
    }
    if arguments.json {
        return print_json(&OppositionsReport {
            schema_version: 1,
            oppositions: all,
        });
    }
    let mut page = Document::new();
    for pair in &all {
        let words = words_of(pair);
        match (pair.is_own, pair.is_on) {
            (true, _) => page.line(format!("{words}  (your own)")),
            (false, true) => page.line(words),
            (false, false) => page.line(dim(format!("{words}  (off)"))),
        }
    }
    print(&page)
}

fn words_of(pair: &OppositionPair) -> String {
    format!("{} | {}", pair.words.join(", "), pair.opposite.join(", "))
}

/// Finds a pair by one of its words.
fn named<'a>(
    all: &'a [OppositionPair],
    typed: &str,
    is_own: bool,
) -> Result<&'a OppositionPair, CliError> {
    let words: Vec<&str> = typed.split_whitespace().collect();
    let word = words.join(" ").to_lowercase();
    let has = |pair: &&OppositionPair| {
        pair.is_own == is_own
            && pair
                .words
                .iter()
                .chain(&pair.opposite)
                .any(|own| *own == word)
    };
    let whose = if is_own {
        "of your own"
    } else {
        "of the standard list"
    };
    all.iter().find(has).ok_or_else(|| {
        CliError::Engine(EngineError::Opposition {
            attempt: "change the list",
            why: format!(
                "no pair {whose} has the word {typed:?}; run \"memlens drift oppositions\""
            ),
        })
    })
}
