//! `memlens queries`.

use std::path::{Path, PathBuf};

use memlens_document::{Document, Text, dim};
use memlens_engine::view::{IfTaken, MadeSet, NewSetFrom, QuerySetInfo, SetFormat};
use memlens_engine::{Library, acts, tuning};

use crate::arguments::{IfTakenArgs, QueriesAct, QueriesArgs};
use crate::error::CliError;
use crate::output::{notify, plural, print, print_json, print_text};
use crate::settings::open;

/// Lists, makes, renames, exports or deletes query sets.
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
        Some(QueriesAct::Import {
            file,
            topics,
            replace,
        }) => {
            let if_taken = if *replace {
                IfTaken::Replace
            } else {
                IfTaken::KeepBoth
            };
            let topics = topics.as_deref();
            let made = acts::import_query_set(&library.to_write(), file, topics, if_taken)?;
            report(&made, arguments.json)
        }
        Some(QueriesAct::Copy { name, copy, taken }) => {
            let set = name.clone();
            make(&library, copy, &NewSetFrom::Set { set }, *taken, arguments)
        }
        Some(QueriesAct::Merge { name, sets, taken }) => {
            let sets = sets.clone();
            make(
                &library,
                name,
                &NewSetFrom::Merged { sets },
                *taken,
                arguments,
            )
        }
        Some(QueriesAct::Nonsense {
            name,
            beside,
            taken,
        }) => {
            let beside = beside.clone();
            let from = NewSetFrom::Nonsense { beside };
            make(&library, name, &from, *taken, arguments)
        }
        Some(QueriesAct::Rename { name, to }) => {
            let info = acts::rename_query_set(&library.to_write(), name, to)?;
            if arguments.json {
                return print_json(&info);
            }
            print_text(line(&info))
        }
        Some(QueriesAct::Export {
            name,
            file,
            replace,
        }) => {
            refuse_present(&library, file, *replace)?;
            tuning::write_query_set(&library, name, format_of(file), file)?;
            notify(format_args!("wrote {}", file.display()));
            Ok(())
        }
        Some(QueriesAct::Delete { name }) => Ok(acts::delete_query_set(&library.to_write(), name)?),
    }
}

/// Refuses to write over a file, which may be a query set that was made by hand.
pub fn refuse_present(library: &Library, file: &Path, is_replaced: bool) -> Result<(), CliError> {
    // A place where nothing is written has a better reason.
    library.refuse_output(file, &[])?;
    if file.is_file() && !is_replaced {
        return Err(CliError::Present {
            path: file.to_owned(),
        });
    }
    Ok(())
}

fn make(
    library: &Library,
    name: &str,
    from: &NewSetFrom,
    taken: IfTakenArgs,
    arguments: &QueriesArgs,
) -> Result<(), CliError> {
    let if_taken = match (taken.replace, taken.keep_both) {
        (true, _) => IfTaken::Replace,
        (false, true) => IfTaken::KeepBoth,
        (false, false) => IfTaken::Refuse,
    };
    let made = acts::new_query_set(&library.to_write(), name, from, if_taken)?;
    report(&made, arguments.json)
}

/// Reports what was left out of a new set, and prints the set.
fn report(made: &MadeSet, is_json: bool) -> Result<(), CliError> {
    for notice in made.left_out.iter().chain(&made.notices) {
        notify(notice);
    }
    if is_json {
        return print_json(made);
    }
    print_text(line(&made.info))
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
