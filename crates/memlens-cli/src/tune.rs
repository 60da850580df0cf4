use std::path::{Path, PathBuf};

use memlens_document::{Document, Table, left, right, strong};
use memlens_engine::Ranking;
use memlens_engine::preset;
use memlens_engine::tuning::{self, NamedSet};
use memlens_engine::view::{JobKind, TuneAnswer, TuneKind, TuneRequest};
use memlens_eval::signed;
use memlens_rank::number;
use serde::Serialize;

use crate::arguments::{RankingArgs, SettingArgs, TuneArgs};
use crate::error::CliError;
use crate::evaluate::metric;
use crate::output::{notify, print, print_json};
use crate::settings::{on_stop, open, ranking, while_tuning};

#[derive(Serialize)]
struct TuneReport<'a> {
    schema_version: u32,
    queries: &'a str,
    #[serde(flatten)]
    answer: &'a TuneAnswer,
}

/// Finds the values that maximise a metric, and reports how they do on queries not used to find them.
pub fn run(library: Option<PathBuf>, arguments: &TuneArgs) -> Result<(), CliError> {
    let request = TuneRequest {
        parameters: arguments.params.clone(),
        metric: metric(&arguments.metric)?,
        folds: arguments.folds,
        seed: arguments.seed,
        n_tries: arguments.tries,
        max_rerank_docs: arguments.max_rerank_docs,
        max_ms: arguments.max_ms,
    };
    let ranking = ranking(&RankingArgs {
        pipeline: arguments.agent.clone(),
        defaults: arguments.defaults,
        settings: SettingArgs {
            settings: arguments.settings.settings.clone(),
            preset: arguments.settings.preset.clone(),
        },
    })?;
    let library = std::sync::Arc::new(open(library)?);
    let named = Path::new(&arguments.queries);
    let queries = NamedSet::find(&library, named, arguments.topics.as_deref())?;
    for line in queries.left_out() {
        notify(line);
    }
    let input = queries.input().map(Path::to_owned);
    let set = queries.into_set()?;
    let inputs: Vec<&Path> = arguments
        .settings
        .preset
        .as_deref()
        .into_iter()
        .chain(arguments.topics.as_deref())
        .chain(input.as_deref())
        .collect();
    if let Some(out) = &arguments.out {
        library.refuse_output(out, &inputs)?;
    }
    let stopped = library.clone();
    on_stop(move || stopped.stop(JobKind::Tune))?;
    let answer = while_tuning(&library, || {
        tuning::tune_set(&library, &set, &ranking, &request)
    })?;
    let Some(answer) = answer else {
        return Err(CliError::Stopped);
    };
    for notice in &answer.notices {
        notify(notice);
    }
    if let Some(out) = &arguments.out {
        let best = &answer.rows[0];
        let found = Ranking::given(&best.ranking)?;
        let evidence = tuning::tuned_evidence(&library, &set, &answer)?;
        let text = preset::preset_text(&library, &found.values, evidence.as_ref())?;
        library.write_output(text.as_bytes(), out, &inputs)?;
    }
    if arguments.json {
        print_json(&TuneReport {
            schema_version: 1,
            queries: &arguments.queries,
            answer: &answer,
        })?;
    } else {
        print(&page(&answer))?;
    }
    if let Some(out) = &arguments.out {
        notify(format_args!("wrote {}", out.display()));
    }
    Ok(())
}

fn page(answer: &TuneAnswer) -> Document {
    let TuneAnswer {
        n_queries,
        folds,
        seed,
        n_tried,
        rankings_per_s,
        ..
    } = answer;
    let split = match folds {
        1 => "one half held out".to_owned(),
        folds => format!("{folds} folds"),
    };
    let mut page = Document::new();
    page.line(format!(
        "{} on {n_queries} judged queries, {split}, seed {seed}: {n_tried} rankings tried, {rankings_per_s:.0} queries ranked a second",
        answer.metric.label()
    ));
    if let Some(model) = &answer.model {
        page.line(format!("notes embedded by {model}"));
    }
    page.gap();
    let mut table = Table::new([
        left("").width(16),
        right("chosen on").width(10).gap(1),
        right("held out").width(10).gap(1),
        right("to present").width(11).gap(1),
        left("95 %").gap(3),
    ]);
    for row in &answer.rows {
        let between = row
            .difference
            .filter(|_| row.kind != TuneKind::Present)
            .map(|it| format!("{} to {}", signed(it.low), signed(it.high)));
        table.row(vec![
            (&row.name).into(),
            number(row.chosen_on, 3).into(),
            number(row.held_out, 3).into(),
            signed(row.to_present).into(),
            between.unwrap_or_default().into(),
        ]);
    }
    page.table(table);
    page.gap();
    page.line(strong(&answer.sentence));
    let best = &answer.rows[0];
    let (named, changed) = match &answer.best_try {
        Some(best) => ("Best try", &best.changed),
        None => ("Best found", &best.changed),
    };
    if !changed.is_empty() {
        let set: Vec<String> = changed
            .iter()
            .map(|it| {
                let value = match it.value.as_str() {
                    "on" => "true",
                    "off" => "false",
                    value => value,
                };
                format!("--set {}={value}", it.parameter)
            })
            .collect();
        page.line(format!("{named}: {}", set.join(" ")));
    }
    page
}
