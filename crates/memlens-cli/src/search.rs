use std::path::{Path, PathBuf};

use memlens_engine::{TraceForm, report, trace_text};

use crate::arguments::SearchArgs;
use crate::error::CliError;
use crate::explain;
use crate::output::{notify, print, print_json, print_verbatim};
use crate::settings::ask;

/// Searches and prints the results, the trace or the whole report.
pub fn run(library: Option<PathBuf>, arguments: &SearchArgs) -> Result<(), CliError> {
    let (library, ranking, search) = ask(
        library,
        &arguments.ranking,
        &arguments.query,
        arguments.scope.as_deref(),
        arguments.agent.as_deref(),
    )?;
    let forms = [
        (arguments.markdown, TraceForm::Markdown),
        (arguments.csv, TraceForm::Csv),
    ];
    if let Some((_, form)) = forms.into_iter().find(|(is_asked, _)| *is_asked) {
        let preset = arguments.ranking.settings.preset.as_deref();
        let preset = preset
            .and_then(Path::file_name)
            .map(|name| name.to_string_lossy());
        let with_text = !arguments.no_text;
        let text = trace_text(
            library,
            &search,
            &ranking,
            preset.as_deref(),
            form,
            with_text,
        )?;
        return print_verbatim(text);
    }
    let report = report(library, &search, &ranking.values)?;
    if arguments.json {
        return print_json(&report);
    }
    for notice in &report.notices {
        notify(notice);
    }
    print(&if arguments.explain {
        explain::trace(&report)
    } else {
        explain::results(&report)
    })
}
