use std::io::{self, Write};
use std::path::PathBuf;

use memlens_engine::{ClusterReport, Said};
use memlens_params::AgreementMeasure;
use memlens_rank::number;
use serde::Serialize;

use crate::arguments::ClustersArgs;
use crate::error::CliError;
use crate::output::{BOLD, DIM, print_json, print_text, shown};
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
    print_text(|out| print(out, &report))
}

fn print(out: &mut dyn Write, report: &ClusterReport) -> io::Result<()> {
    for cluster in &report.clusters {
        let canonical = &cluster.canonical;
        writeln!(
            out,
            "{BOLD}{}{BOLD:#}  {}  {DIM}{}{DIM:#}",
            shown(&canonical.text),
            place(canonical),
            shown(&canonical.source)
        )?;
        for member in &cluster.members {
            writeln!(
                out,
                "  {}  {}  {DIM}{}, {}{DIM:#}",
                shown(&member.text),
                place(member),
                shown(&member.source),
                distance(member)
            )?;
        }
    }
    let clusters = match report.clusters.len() {
        1 => "1 cluster".to_owned(),
        n => format!("{n} clusters"),
    };
    if report.n_boilerplate > 0 {
        let lines = match report.n_boilerplate {
            1 => "1 line is".to_owned(),
            n => format!("{n} lines are"),
        };
        writeln!(
            out,
            "{DIM}{lines} left out as boilerplate: licences, heads of releases, lines in many notes of unlike topics{DIM:#}"
        )?;
    }
    writeln!(
        out,
        "{DIM}{} of {} observations are corroborated, in {clusters}; found in {} ms{DIM:#}",
        report.corroborated_count,
        report.n_observations,
        number(report.elapsed_ms, 0)
    )
}

fn place(said: &Said) -> String {
    format!("{}:{}", shown(&said.path), said.line)
}

fn distance(said: &Said) -> String {
    match said.measure {
        AgreementMeasure::Simhash => {
            format!("{} of 64 bits differ", number(said.distance, 0))
        }
        AgreementMeasure::Words => {
            format!("{} word overlap", memlens_rank::share(1.0 - said.distance))
        }
    }
}
