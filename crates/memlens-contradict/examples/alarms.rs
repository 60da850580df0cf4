//! Counts what the rules report: on labelled pairs, or among all sentences of a folder of notes.
//!
//! ```text
//! cargo run -p memlens-contradict --example alarms -- pairs FILE.tsv     c or n, text, text
//! cargo run -p memlens-contradict --example alarms -- folder DIR [--show]   all pairs of sentences of all notes below
//! cargo run -p memlens-contradict --example alarms -- packages DIR [--show]   the same, within each package only
//! ```

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    reason = "a program that measures; the crate itself is pure"
)]

use std::path::Path;
use std::process::ExitCode;

use memlens_contradict::{Oppositions, Reading, Rules, Verdict};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let rules = Rules::new(&Oppositions::standard());
    match arguments[..] {
        ["pairs", file] => pairs(&rules, file),
        ["folder", folder] => of_folder(&rules, folder, Show::Nothing, false),
        ["folder", folder, "--show"] => of_folder(&rules, folder, Show::All, false),
        ["packages", folder] => of_folder(&rules, folder, Show::Nothing, true),
        ["packages", folder, "--show"] => of_folder(&rules, folder, Show::Sure, true),
        _ => {
            eprintln!("usage: alarms pairs FILE.tsv | alarms (folder | packages) DIR [--show]");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn pairs(rules: &Rules, file: &str) {
    let text = std::fs::read_to_string(file).expect("the file can be read");
    let (mut n_true, mut sure, mut all) = (0, [0, 0], [0, 0]);
    for line in text.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        let [label, a, b] = parts[..] else {
            panic!("not label, text, text: {line}");
        };
        let is_true = label == "c";
        n_true += usize::from(is_true);
        let verdict = rules.compare(&rules.read(a), &rules.read(b));
        if let Some(found) = verdict.contradiction() {
            all[usize::from(is_true)] += 1;
            sure[usize::from(is_true)] += usize::from(found.sure);
        }
        let said = match &verdict {
            Verdict::Contradiction(found) => format!(
                "{:?} sure={} update={:?}",
                found.kind, found.sure, found.update
            ),
            Verdict::Apart(why) => format!("- {why:?}"),
        };
        let mark = match (is_true, verdict.contradiction().map(|found| found.sure)) {
            (true, Some(true)) | (false, None) => "  ",
            (true, _) => "? ",
            (false, _) => "! ",
        };
        println!("{mark}{label} {said:32} {a} / {b}");
    }
    for (name, [n_false, n_right]) in [("sure", sure), ("all", all)] {
        println!(
            "{name}: {n_right} of {n_true}, {n_false} false, precision {:.3}",
            n_right as f64 / (n_right + n_false).max(1) as f64
        );
    }
}

/// So many sentences of a folder or package are compared.
const SENTENCES_MAX: usize = 4_000;

/// Which pairs are printed.
#[derive(Clone, Copy, PartialEq)]
enum Show {
    Nothing,
    Sure,
    All,
}

fn of_folder(rules: &Rules, folder: &str, show: Show, is_by_package: bool) {
    let mut packages: Vec<Vec<String>> = vec![Vec::new()];
    collect(Path::new(folder), is_by_package, 0, &mut packages);
    let (mut n_texts, mut n_sentences, mut n_pairs) = (0, 0, 0);
    let (mut n_sure, mut n_unsure) = (0_u32, 0_u32);
    for texts in &packages {
        let readings: Vec<Reading> = texts.iter().map(|text| rules.read(text)).collect();
        n_texts += texts.len();
        let places = readings
            .iter()
            .enumerate()
            .flat_map(|(at, reading)| (0..reading.n_sentences()).map(move |of| (at, of)));
        let places: Vec<(usize, usize)> = places.take(SENTENCES_MAX).collect();
        let n = places.len();
        n_sentences += n;
        n_pairs += n * n.saturating_sub(1) / 2;
        for (at, (of_a, sentence_a)) in places.iter().enumerate() {
            for (of_b, sentence_b) in &places[..at] {
                if of_a == of_b {
                    continue;
                }
                let (a, b) = (&readings[*of_a], &readings[*of_b]);
                if let Verdict::Contradiction(found) =
                    rules.compare_sentences(a, *sentence_a, b, *sentence_b)
                {
                    n_sure += u32::from(found.sure);
                    n_unsure += u32::from(!found.sure);
                    if show == Show::All || show == Show::Sure && found.sure {
                        let kind = found.kind;
                        println!(
                            "{} {kind:?}\n  {}\n  {}",
                            if found.sure { "SURE" } else { "may" },
                            &a.text()[found.a.sentence],
                            &b.text()[found.b.sentence]
                        );
                    }
                }
            }
        }
    }
    println!("{n_texts} texts, {n_sentences} sentences, {n_pairs} pairs");
    for (name, n) in [("sure", n_sure), ("unsure", n_unsure)] {
        println!(
            "{name}: {n}, {:.2} of 100,000 pairs",
            f64::from(n) * 1e5 / (n_pairs as f64).max(1.0)
        );
    }
}

/// Reads each line of every text file as a text of its own. A folder with a manifest begins a package, if they are kept apart.
fn collect(path: &Path, is_by_package: bool, package: usize, packages: &mut Vec<Vec<String>>) {
    if path.is_dir() {
        let mut entries: Vec<_> = std::fs::read_dir(path)
            .expect("the folder can be read")
            .flatten()
            .map(|entry| entry.path())
            .collect();
        entries.sort();
        let is_package = is_by_package
            && ["package.json", "Cargo.toml"]
                .iter()
                .any(|manifest| path.join(manifest).is_file());
        let package = if is_package {
            packages.push(Vec::new());
            packages.len() - 1
        } else {
            package
        };
        for entry in entries {
            collect(&entry, is_by_package, package, packages);
        }
    } else if path
        .extension()
        .is_some_and(|end| end == "md" || end == "txt")
        && let Ok(text) = std::fs::read_to_string(path)
    {
        packages[package].extend(
            text.lines()
                .filter(|line| !line.trim().is_empty())
                .map(str::to_owned),
        );
    }
}
