//! `memlens queries`.

use std::path::{Path, PathBuf};

use memlens_document::{Document, Text, dim};
use memlens_engine::acts;
use memlens_engine::tuning;
use memlens_engine::view::{QuerySetInfo, SetFormat};

use crate::arguments::{QueriesAct, QueriesArgs};
use crate::error::CliError;
use crate::output::{plural, print, print_json, print_text, tell};
use crate::settings::open;

/// Lists, imports, exports or deletes query sets.
pub fn run(library: Option<PathBuf>, arguments: &QueriesArgs) -> Result<(), CliError> {
    let library = open(library)?;
    match &arguments.act {
        None => {
            let sets = tuning::query_sets(&library)?;
            if arguments.json {
                return print_json(&sets);
            }
            let mut page = Document::new();
            sets.iter().for_each(|set| page.line(line(set)));
            print(&page)
        }
        Some(QueriesAct::Import { file, topics }) => {
            let imported = acts::import_query_set(&library.to_write(), file, topics.as_deref())?;
            for notice in imported.left_out.iter().chain(&imported.notices) {
                tell(notice);
            }
            if arguments.json {
                return print_json(&imported);
            }
            print_text(line(&imported.info))
        }
        Some(QueriesAct::Export { name, file }) => {
            tuning::write_query_set(&library, name, format_of(file), file)?;
            tell(format_args!("wrote {}", file.display()));
            Ok(())
        }
        Some(QueriesAct::Delete { name }) => Ok(acts::delete_query_set(&library.to_write(), name)?),
    }
}

fn format_of(file: &Path) -> SetFormat {
    match file.extension() {
        Some(end) if end.eq_ignore_ascii_case("csv") => SetFormat::Csv,
        Some(end) if end.eq_ignore_ascii_case("json") => SetFormat::Qmd,
        Some(_) | None => SetFormat::Jsonl,
    }
}

fn line(set: &QuerySetInfo) -> Text {
    let counts = &set.counts;
    let mut parts = vec![format!(
        "{} {}",
        counts.n_queries,
        plural(counts.n_queries, "query", "queries")
    )];
    for (n, what) in [
        (counts.n_judged, "judged"),
        (counts.n_nonsense, "nonsense"),
        (counts.n_unjudged, "not judged yet"),
    ] {
        if n > 0 {
            parts.push(format!("{n} {what}"));
        }
    }
    let version = &set.hash[..12];
    Text::from(format!("{}: {} ", set.name, parts.join(", "))) + dim(format!("(version {version})"))
}
