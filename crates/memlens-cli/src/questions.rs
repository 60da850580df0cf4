use std::path::PathBuf;

use memlens_document::Document;
use memlens_engine::{acts, saved_questions};
use serde::Serialize;

use crate::arguments::{QuestionsAct, QuestionsArgs};
use crate::error::CliError;
use crate::output::{print, print_json};
use crate::settings::open;

#[derive(Serialize)]
struct QuestionsReport {
    schema_version: u32,
    questions: Vec<String>,
}

/// Saves or forgets a question if asked to, and lists the saved questions.
pub fn run(library: Option<PathBuf>, arguments: &QuestionsArgs) -> Result<(), CliError> {
    let library = open(library)?;
    let questions = match &arguments.act {
        Some(QuestionsAct::Add { question }) => {
            acts::save_question(&library.to_write(), question, true)?
        }
        Some(QuestionsAct::Remove { question }) => {
            acts::save_question(&library.to_write(), question, false)?
        }
        None => saved_questions(&library)?,
    };
    if arguments.json {
        return print_json(&QuestionsReport {
            schema_version: 1,
            questions,
        });
    }
    let mut page = Document::new();
    questions.iter().for_each(|question| page.line(question));
    print(&page)
}
