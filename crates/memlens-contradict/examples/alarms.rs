//! Counts what the rules report: on labelled pairs, or among all sentences of a folder of notes.
//!
//! ```text
//! cargo run -p memlens-contradict --example alarms -- pairs FILE.tsv     c or n, text, text
//! cargo run -p memlens-contradict --example alarms -- folder DIR [--show]   all pairs of sentences of all notes below
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
        ["folder", folder] => of_folder(&rules, folder, false),
        ["folder", folder, "--show"] => of_folder(&rules, folder, true),
        _ => {
            eprintln!("usage: alarms pairs FILE.tsv | alarms folder DIR [--show]");
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

fn of_folder(rules: &Rules, folder: &str, show: bool) {
    let mut texts: Vec<String> = Vec::new();
    collect(Path::new(folder), &mut texts);
    let readings: Vec<Reading> = texts.iter().map(|text| rules.read(text)).collect();
    let n: usize = readings.iter().map(Reading::n_sentences).sum();
    let (mut n_sure, mut n_unsure) = (0_u32, 0_u32);
    for (at, a) in readings.iter().enumerate() {
        for b in &readings[..at] {
            for of_a in 0..a.n_sentences() {
                for of_b in 0..b.n_sentences() {
                    if let Verdict::Contradiction(found) = rules.compare_sentences(a, of_a, b, of_b)
                    {
                        n_sure += u32::from(found.sure);
                        n_unsure += u32::from(!found.sure);
                        if show {
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
    }
    let n_pairs = n as f64 * (n as f64 - 1.0) / 2.0;
    println!("{} texts, {n} sentences, {n_pairs} pairs", texts.len());
    for (name, n) in [("sure", n_sure), ("unsure", n_unsure)] {
        println!(
            "{name}: {n}, {:.2} of 100,000 pairs",
            f64::from(n) * 1e5 / n_pairs.max(1.0)
        );
    }
}

/// Reads each line of every text file as a text of its own.
fn collect(path: &Path, texts: &mut Vec<String>) {
    if path.is_dir() {
        let mut entries: Vec<_> = std::fs::read_dir(path)
            .expect("the folder can be read")
            .flatten()
            .map(|entry| entry.path())
            .collect();
        entries.sort();
        for entry in entries {
            collect(&entry, texts);
        }
    } else if path
        .extension()
        .is_some_and(|end| end == "md" || end == "txt")
        && let Ok(text) = std::fs::read_to_string(path)
    {
        texts.extend(
            text.lines()
                .filter(|line| !line.trim().is_empty())
                .map(str::to_owned),
        );
    }
}
