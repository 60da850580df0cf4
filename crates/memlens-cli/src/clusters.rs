use std::path::PathBuf;

use memlens_document::{Document, Text, dim, strong};
use memlens_engine::{ClusterReport, Said, SaidCluster};
use memlens_params::AgreementMeasure;
use memlens_rank::number;
use serde::Serialize;

use crate::arguments::ClustersArgs;
use crate::error::CliError;
use crate::output::{plural, print, print_json};
use crate::settings::{open, params};

#[derive(Serialize)]
struct ClustersReport<'a> {
    clusters: Vec<ClusterReported<'a>>,
    corroborated_count: u32,
    n_boilerplate: u32,
    elapsed_ms: f64,
}

#[derive(Serialize)]
struct ClusterReported<'a> {
    canonical: CanonicalReported<'a>,
    members: Vec<MemberReported<'a>>,
    n_observations: u32,
    sources: &'a [String],
    first_date: Option<&'a str>,
    last_date: Option<&'a str>,
    n_undated: u32,
}

#[derive(Serialize)]
struct CanonicalReported<'a> {
    path: &'a str,
    line: u32,
    text: &'a str,
    source: &'a str,
}

#[derive(Serialize)]
struct MemberReported<'a> {
    path: &'a str,
    line: u32,
    text: &'a str,
    source: &'a str,
    /// The distance from the canonical observation: differing bits, or 1 minus the share of common words.
    distance: f64,
    measure: AgreementMeasure,
}

impl<'a> ClustersReport<'a> {
    fn of(report: &'a ClusterReport) -> ClustersReport<'a> {
        let clusters = report.clusters.iter().map(|cluster| ClusterReported {
            canonical: CanonicalReported {
                path: &cluster.canonical.path,
                line: cluster.canonical.line,
                text: &cluster.canonical.text,
                source: &cluster.canonical.source,
            },
            members: cluster
                .members
                .iter()
                .map(|member| MemberReported {
                    path: &member.path,
                    line: member.line,
                    text: &member.text,
                    source: &member.source,
                    distance: member.distance,
                    measure: member.measure,
                })
                .collect(),
            n_observations: cluster.n_members + 1,
            sources: &cluster.sources,
            first_date: cluster.first_date.as_deref(),
            last_date: cluster.last_date.as_deref(),
            n_undated: cluster.n_undated,
        });
        ClustersReport {
            clusters: clusters.collect(),
            corroborated_count: report.corroborated_count,
            n_boilerplate: report.n_boilerplate,
            elapsed_ms: report.elapsed_ms,
        }
    }
}

/// Compares all observations and prints those that are stated more than once.
pub fn run(library: Option<PathBuf>, arguments: &ClustersArgs) -> Result<(), CliError> {
    let params = params(&arguments.settings)?;
    let library = open(library)?;
    library.aggregate()?;
    let scope = arguments.scope.as_deref().map(|typed| library.scope(typed));
    let scope = scope.transpose()?;
    let Some(report) = library
        .clustering()
        .map(|clustering| clustering.report(&params, scope.as_ref()))
    else {
        return Ok(());
    };
    if arguments.json {
        return print_json(&ClustersReport::of(&report));
    }
    print(&page(&report))
}

fn page(report: &ClusterReport) -> Document {
    let mut page = Document::new();
    for cluster in &report.clusters {
        let canonical = &cluster.canonical;
        page.line(
            strong(&canonical.text) + format!("  {}  ", place(canonical)) + dim(&canonical.source),
        );
        page.item(2, dim(said_when(cluster)));
        for member in &cluster.members {
            page.item(
                2,
                Text::from(format!("{}  {}  ", member.text, place(member)))
                    + dim(format!("{}, {}", member.source, distance(member))),
            );
        }
    }
    let n = report.clusters.len();
    let clusters = plural(n, "cluster", "clusters");
    if report.n_boilerplate > 0 {
        page.line(dim(format!(
            "{} {} left out as boilerplate: licences, heads of releases, lines in many notes of unlike topics",
            report.n_boilerplate,
            plural(report.n_boilerplate, "line is", "lines are")
        )));
    }
    page.line(dim(format!(
        "{} of {} observations are corroborated, in {n} {clusters}; found in {} ms",
        report.corroborated_count,
        report.n_observations,
        number(report.elapsed_ms, 0)
    )));
    page
}

/// How often, when and by whom it is said.
fn said_when(cluster: &SaidCluster) -> String {
    let mut parts = vec![format!("{} times", cluster.n_members + 1)];
    match (&cluster.first_date, &cluster.last_date) {
        (Some(first), Some(last)) if first == last => parts.push(first.clone()),
        (Some(first), Some(last)) => parts.push(format!("{first} to {last}")),
        (Some(_) | None, Some(_) | None) => {}
    }
    if cluster.n_undated > 0 {
        parts.push(format!("{} without a date", cluster.n_undated));
    }
    parts.push(cluster.sources.join(", "));
    parts.join(", ")
}

fn place(said: &Said) -> String {
    format!("{}:{}", said.path, said.line)
}

fn distance(said: &Said) -> String {
    match said.measure {
        // The number of bits is in the JSON.
        AgreementMeasure::Simhash => match said.distance as u32 {
            0 => "equal word fingerprints".to_owned(),
            bits => format!("word fingerprints {} alike", memlens_rank::alike(bits)),
        },
        AgreementMeasure::Words => {
            format!("{} word overlap", memlens_rank::share(1.0 - said.distance))
        }
    }
}
