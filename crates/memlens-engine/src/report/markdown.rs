//! A search stage by stage as Markdown, to paste into a report.

use std::fmt::{self, Write as _};

use memlens_params::ParameterSet;
use memlens_rank::number;

use super::{RowReport, SearchReport, StageReport, StepReport};
use crate::markdown::{code, place, plain, texts};
use crate::search::Search;
use crate::staleness::OnDisk;
use crate::{EngineError, Library, Ranking};

/// Number of dropped rows listed, nearest to the results first.
const DROPPED_NAMED: usize = 15;

impl Library {
    /// A search with a ranking, stage by stage; with the texts of its best results, or without any text of a note.
    /// `preset` is the user's name for the ranking.
    ///
    /// # Errors
    /// As [`Library::report`].
    pub(super) fn trace_markdown(
        &self,
        search: &Search,
        ranking: &Ranking,
        preset: Option<&str>,
        with_text: bool,
    ) -> Result<String, EngineError> {
        let report = self.report(search, &ranking.values)?;
        let home = self
            .home
            .as_ref()
            .map(|home| home.folder().display().to_string());
        let page = Page {
            out: String::new(),
            // A home folder at the root would match every separator.
            home: home.filter(|home| home.len() > 1),
        };
        let texts = match with_text && !report.results.is_empty() {
            true => texts(search, search.rank(&ranking.values).kept())?,
            false => String::new(),
        };
        Ok(page.written(&report, ranking, preset, &texts))
    }
}

/// The Markdown page of a search.
struct Page {
    out: String,
    /// The user's home folder, which is replaced in paths.
    home: Option<String>,
}

impl Page {
    fn written(
        mut self,
        report: &SearchReport,
        ranking: &Ranking,
        preset: Option<&str>,
        texts: &str,
    ) -> String {
        // Writing to a string cannot fail.
        let _ = self
            .head(report, ranking, preset)
            .and_then(|()| self.stages(&report.stages))
            .and_then(|()| self.results(report))
            .and_then(|()| self.dropped(&report.dropped));
        if !texts.is_empty() {
            let texts = self.homeless(texts);
            self.out.push_str("\n## Texts\n");
            self.out.push_str(&texts);
        }
        self.out
    }

    fn head(
        &mut self,
        report: &SearchReport,
        ranking: &Ranking,
        preset: Option<&str>,
    ) -> fmt::Result {
        let question = self.said(&report.query);
        writeln!(self.out, "# Search: {question}\n")?;
        let pipeline = ranking.pipeline;
        let preset = preset.map_or_else(String::new, |name| format!(", preset “{}”", plain(name)));
        writeln!(
            self.out,
            "- Ranked by: {} ({}){preset}",
            plain(pipeline.label()),
            code(pipeline.id().0)
        )?;
        let changed = ranking.values.changed();
        let changed: Vec<String> = changed
            .iter()
            .map(|(id, value)| format!("{} {}", code(id), code(&value.to_string())))
            .collect();
        let changed = match changed.is_empty() {
            true => "nothing".to_owned(),
            false => changed.join(", "),
        };
        writeln!(self.out, "- Changed from its defaults: {changed}")?;
        if let Some(emulated) = &report.emulated {
            let why = self.said(&emulated.why);
            writeln!(self.out, "- Emulated: {}. {why}", plain(&emulated.label))?;
        }
        writeln!(self.out, "- Memlens {}\n", env!("CARGO_PKG_VERSION"))?;
        for notice in &report.notices {
            let notice = self.said(notice);
            writeln!(self.out, "> {notice}\n")?;
        }
        Ok(())
    }

    fn stages(&mut self, stages: &[StageReport]) -> fmt::Result {
        writeln!(
            self.out,
            "## Stages\n\n| stage | rows in | rows out | |\n|---|--:|--:|---|"
        )?;
        for stage in stages {
            let why = stage.why.as_deref().map(|why| match stage.status {
                "fallback" => format!("fell back: {why}"),
                _ => why.to_owned(),
            });
            let told: Vec<String> = why.into_iter().chain(stage.note.clone()).collect();
            let told = self.said(&told.join("; "));
            let label = plain(stage.label);
            match stage.status {
                "skipped" => writeln!(self.out, "| {label} | – | – | skipped: {told} |")?,
                _ => writeln!(
                    self.out,
                    "| {label} | {} | {} | {told} |",
                    stage.n_in, stage.n_out
                )?,
            }
        }
        Ok(())
    }

    /// The results, each with its score after every stage that changed it.
    fn results(&mut self, report: &SearchReport) -> fmt::Result {
        writeln!(self.out, "\n## Results\n")?;
        if report.results.is_empty() {
            return writeln!(self.out, "Nothing was kept.");
        }
        let counts = |stage: &&StageReport| {
            let mut steps = report.results.iter().filter_map(|row| step(row, stage));
            steps.any(|step| {
                step.score_before != step.score_after || step.rank_before != step.rank_after
            })
        };
        let stages: Vec<&StageReport> = report.stages.iter().filter(counts).collect();
        write!(self.out, "| rank | note | score |")?;
        for stage in &stages {
            write!(self.out, " {} |", plain(stage.label))?;
        }
        writeln!(self.out, "\n|--:|---|--:|{}", "--:|".repeat(stages.len()))?;
        for row in &report.results {
            let rank = row.rank.unwrap_or_default();
            write!(self.out, "| {rank} | {} | {} |", at(row), score(row.score))?;
            for stage in &stages {
                write!(self.out, " {} |", cell(step(row, stage)))?;
            }
            writeln!(self.out)?;
        }
        Ok(())
    }

    fn dropped(&mut self, rows: &[RowReport]) -> fmt::Result {
        if rows.is_empty() {
            return Ok(());
        }
        writeln!(self.out, "\n## Dropped\n")?;
        if rows.len() > DROPPED_NAMED {
            writeln!(
                self.out,
                "Of {} rows, the {DROPPED_NAMED} that came nearest to being kept.\n",
                rows.len()
            )?;
        }
        writeln!(
            self.out,
            "| note | score | dropped by | why |\n|---|--:|---|---|"
        )?;
        for row in rows.iter().take(DROPPED_NAMED) {
            let step = row.journey.iter().find(|step| step.dropped);
            let (by, why) = step.map_or(("", ""), |step| (step.label, step.sentence.as_str()));
            let why = self.said(why);
            writeln!(
                self.out,
                "| {} | {} | {} | {why} |",
                at(row),
                score(row.score),
                plain(by)
            )?;
        }
        Ok(())
    }

    /// A sentence written by the program or by the user.
    fn said(&self, text: &str) -> String {
        plain(&self.homeless(text))
    }

    fn homeless(&self, text: &str) -> String {
        match &self.home {
            Some(home) => text.replace(home, "~"),
            None => text.to_owned(),
        }
    }
}

/// Effect of a stage on a row; `None` if the row did not reach it.
fn step<'a>(row: &'a RowReport, stage: &StageReport) -> Option<&'a StepReport> {
    row.journey.iter().find(|step| step.stage == stage.id)
}

/// The score after a stage, and the rank if the stage gave one or changed it.
fn cell(step: Option<&StepReport>) -> String {
    let Some(step) = step else {
        return String::new();
    };
    let rank = match (step.rank_before, step.rank_after) {
        (None, Some(rank)) => format!(" (rank {rank})"),
        (Some(before), Some(after)) if before != after => format!(" ({before} → {after})"),
        _ => String::new(),
    };
    format!("{}{rank}", score(step.score_after))
        .trim()
        .to_owned()
}

fn score(score: Option<f64>) -> String {
    score.map_or_else(String::new, |score| number(score, 3))
}

fn at(row: &RowReport) -> String {
    let place = place(&row.path, Some(row.start_line), Some(row.end_line));
    match row.on_disk.and_then(OnDisk::sentence) {
        Some(stale) => format!("{place} ({stale})"),
        None => place,
    }
}
