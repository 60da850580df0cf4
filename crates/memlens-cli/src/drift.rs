//! `memlens drift`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use memlens_document::{Document, Text, dim, strong};
use memlens_engine::view::{
    DriftCompared, DriftKind, DriftReason, DriftReport, DriftSide, Drifted, NewerSide,
    SecondOpinion, SecondOpinions,
};
use memlens_engine::{Library, ask_second_opinion, drift_report};
use memlens_params::Params;
use memlens_rank::number;
use serde::Serialize;

use crate::arguments::{DriftAct, DriftArgs};
use crate::error::CliError;
use crate::output::{plural, print, print_json};
use crate::settings::{day, open, while_comparing_notes};
use crate::{oppositions, second_opinion};

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    contradictions: Vec<Entry<'a>>,
    changed: Vec<Entry<'a>>,
    dismissed: Vec<Entry<'a>>,
    resolved: Vec<Entry<'a>>,
    clusters: u32,
    corroborated_count: u32,
    compared: &'a DriftCompared,
    /// `None` if no model is chosen.
    second_opinions: Option<&'a SecondOpinions>,
    elapsed_ms: f64,
}

#[derive(Serialize)]
struct Entry<'a> {
    a: SideReported<'a>,
    b: SideReported<'a>,
    kind: DriftKind,
    words: &'a [String],
    score: f64,
    sure: bool,
    /// `None` for a sure pair, and if no model was asked.
    second_opinion: Option<&'a SecondOpinion>,
    /// The headings that say that both may be true.
    scopes: Option<&'a [String; 2]>,
    newer: Option<NewerSide>,
}

#[derive(Serialize)]
struct SideReported<'a> {
    folder: &'a str,
    path: &'a str,
    line: u32,
    text: &'a str,
    date: Option<&'a str>,
    agent: &'a str,
    n_same: u32,
}

impl<'a> SideReported<'a> {
    fn new(side: &'a DriftSide, folders: &'a Folders) -> SideReported<'a> {
        SideReported {
            folder: folders.path_of(side),
            path: &side.path,
            line: side.line,
            text: &side.text,
            date: side.date.as_deref(),
            agent: &side.agent,
            n_same: side.n_same,
        }
    }
}

impl<'a> Entry<'a> {
    fn new(drifted: &'a Drifted, folders: &'a Folders) -> Entry<'a> {
        Entry {
            a: SideReported::new(&drifted.a, folders),
            b: SideReported::new(&drifted.b, folders),
            kind: drifted.kind,
            words: &drifted.words,
            score: drifted.score,
            sure: drifted.sure,
            second_opinion: drifted.second_opinion.as_ref(),
            scopes: drifted.scopes.as_ref(),
            newer: drifted.newer,
        }
    }
}

/// The watched folders' paths, by id.
struct Folders(HashMap<String, String>);

impl Folders {
    fn new(library: &Library) -> Folders {
        let lists = library.lists();
        let folders = lists.snapshot.folders.iter();
        Folders(
            folders
                .map(|folder| (folder.id.0.to_string(), folder.path.clone()))
                .collect(),
        )
    }

    fn path_of(&self, side: &DriftSide) -> &str {
        self.0.get(&side.folder).map_or("", String::as_str)
    }

    /// Returns a note's path, with that of its folder if several are watched.
    fn place_of(&self, side: &DriftSide) -> String {
        if self.0.len() < 2 {
            return side.path.clone();
        }
        let path = memlens_files::path_in(Path::new(self.path_of(side)), &side.path);
        path.display().to_string()
    }
}

/// Prints the contradictions among all notes.
pub fn run(library: Option<PathBuf>, arguments: &DriftArgs) -> Result<(), CliError> {
    match &arguments.act {
        Some(DriftAct::Oppositions(arguments)) => return oppositions::run(library, arguments),
        Some(DriftAct::SecondOpinion(arguments)) => return second_opinion::run(library, arguments),
        None => {}
    }
    let since = arguments.since.as_deref().map(day).transpose()?;
    let library = open(library)?;
    if arguments.all || arguments.json {
        while_comparing_notes(&library, || -> Result<(), CliError> {
            library.aggregate()?;
            ask_second_opinion(&library)?;
            Ok(())
        })?;
    }
    let report = drift_report(&library, &Params::default(), since)?;
    let folders = Folders::new(&library);
    if arguments.json {
        return print_json(&Report {
            contradictions: entries(&report.contradictions, &folders),
            changed: entries(&report.changed, &folders),
            dismissed: entries(&report.dismissed, &folders),
            resolved: entries(&report.resolved, &folders),
            clusters: report.clusters,
            corroborated_count: report.corroborated_count,
            compared: &report.compared,
            second_opinions: report.second_opinions.as_ref(),
            elapsed_ms: report.elapsed_ms,
        });
    }
    print(&page(&report, &folders, arguments.all))
}

fn entries<'a>(drifted: &'a [Drifted], folders: &'a Folders) -> Vec<Entry<'a>> {
    let drifted = drifted.iter();
    drifted
        .map(|drifted| Entry::new(drifted, folders))
        .collect()
}

fn page(report: &DriftReport, folders: &Folders, all: bool) -> Document {
    let mut page = Document::new();
    let (sure, unsure): (Vec<&Drifted>, Vec<&Drifted>) = report
        .contradictions
        .iter()
        .partition(|drifted| drifted.sure);
    for drifted in &sure {
        add(&mut page, drifted, folders, "contradicts");
    }
    for drifted in &report.changed {
        add(&mut page, drifted, folders, "changed");
    }
    if all {
        for drifted in &unsure {
            add(&mut page, drifted, folders, "may contradict");
        }
    }
    let mut found = counted(sure.len(), "contradiction", "contradictions");
    if !report.changed.is_empty() {
        found.push_str(&format!(", {} changed", report.changed.len()));
    }
    if !unsure.is_empty() {
        let hint = if all { "" } else { " (--all lists them)" };
        found.push_str(&format!(", {} that may contradict{hint}", unsure.len()));
    }
    if !report.dismissed.is_empty() {
        found.push_str(&format!(
            ", {} that you marked as no contradiction",
            report.dismissed.len()
        ));
    }
    if !report.resolved.is_empty() {
        found.push_str(&format!(
            ", {} that you marked as resolved by the newer note",
            report.resolved.len()
        ));
    }
    page.line(found);
    if let Some(opinions) = report.second_opinions.as_ref().filter(|_| all) {
        add_opinions(&mut page, opinions);
    }
    let compared = &report.compared;
    page.line(dim(format!(
        "{} in {} compared by rules for English, {} ms",
        counted(compared.n_sentences, "sentence", "sentences"),
        counted(compared.n_observations, "observation", "observations"),
        number(report.elapsed_ms, 0),
    )));
    add_reasons(&mut page, "sentences not compared", &compared.left_out);
    add_reasons(
        &mut page,
        "near pairs without contradiction",
        &compared.apart,
    );
    if compared.n_pairs_skipped > 0 {
        page.line(dim(format!(
            "{} not compared, because too many are near each other",
            counted(compared.n_pairs_skipped, "pair", "pairs")
        )));
    }
    page
}

/// Says what is missing of the second opinion.
fn add_opinions(page: &mut Document, opinions: &SecondOpinions) {
    let SecondOpinions {
        model,
        n_without,
        problem,
    } = opinions;
    if let Some(problem) = problem {
        page.line(format!("no second opinion: {problem}"));
    }
    if *n_without > 0 {
        let pairs = counted(*n_without, "pair", "pairs");
        let hint = if problem.is_some() {
            ""
        } else {
            "; run it again"
        };
        page.line(format!(
            "{pairs} without a second opinion of {model} yet{hint}"
        ));
    }
}

/// What a model says of a pair, as a line after it.
fn opinion_of(opinion: &SecondOpinion) -> String {
    let SecondOpinion {
        contradiction,
        model,
        is_cut,
    } = opinion;
    let cut = if *is_cut {
        ", of the beginning of long sentences"
    } else {
        ""
    };
    format!(
        "second opinion: {} contradicts ({model}{cut})",
        number(*contradiction, 2)
    )
}

fn add_reasons(page: &mut Document, what: &str, reasons: &[DriftReason]) {
    if reasons.is_empty() {
        return;
    }
    let listed: Vec<String> = reasons
        .iter()
        .map(|DriftReason { why, n }| format!("{n} {why}"))
        .collect();
    page.line(dim(format!("{what}: {}", listed.join(", "))));
}

fn counted(n: impl TryInto<u64> + Copy + std::fmt::Display, one: &str, many: &str) -> String {
    format!("{n} {}", plural(n, one, many))
}

fn add(page: &mut Document, drifted: &Drifted, folders: &Folders, what: &str) {
    let kind = match drifted.kind {
        DriftKind::Opposition => "opposite words",
        DriftKind::Negation => "a negation on one side",
        DriftKind::Number => "another number",
        DriftKind::Time => "another time or duration",
        DriftKind::Date => "another date",
        DriftKind::Name => "another name",
        DriftKind::Unit => "another unit",
        DriftKind::Roles => "exchanged roles",
    };
    let scopes = match &drifted.scopes {
        Some([of_a, of_b]) => format!(", may be about different things: {of_a} / {of_b}"),
        None => String::new(),
    };
    page.line(format!("{what}: {kind}{scopes}"));
    for (side, newer) in [(&drifted.a, NewerSide::A), (&drifted.b, NewerSide::B)] {
        let mut line = Text::default();
        for part in &side.parts {
            line += if part.is_marked {
                strong(&part.text)
            } else {
                Text::from(&part.text)
            };
        }
        let date = side.date.as_deref().unwrap_or("no date");
        let newer = if drifted.newer == Some(newer) {
            ", newer"
        } else {
            ""
        };
        let same = match side.n_same {
            0 => String::new(),
            n if side.has_more_same => format!(", and at least {n} other places"),
            n => format!(", and {n} other {}", plural(n, "place", "places")),
        };
        let place = format!("  {}:{}  ", folders.place_of(side), side.line);
        let agent = &side.agent;
        page.item(
            2,
            line + place + dim(format!("{date}{newer}, {agent}{same}")),
        );
    }
    if let Some(opinion) = &drifted.second_opinion {
        page.item(2, dim(opinion_of(opinion)));
    }
}
