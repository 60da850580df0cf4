//! Boilerplate: text that many notes repeat without agreeing, such as licences, headings of changelogs, and lines that
//! occur word for word in many notes of unlike topics.
//!
//! Properties checked: a line in many unlike notes is boilerplate, in few notes or in notes of one topic it is not; the
//! order of the notes does not matter.

use std::collections::{HashMap, HashSet};

use crate::aggregation::Observation;

/// Least number of notes that hold a text before it can be boilerplate.
pub const NOTES_MIN: usize = 10;

/// Notes that share a smaller part of their words are of unlike topics.
///
/// Measured: two READMEs of unlike packages share 0.09 of their words at the median and 0.12 at the third quartile. Two
/// notes of one agent, two chats of the same people and two meetings of one committee share 0.18 to 0.23 at the median,
/// and 0.13 or more in 95 of 100 pairs.
const LIKE_MIN: f64 = 0.13;

/// Least number of words of a note whose topic can be compared.
const WORDS_MIN: usize = 20;

/// Maximum number of notes that are compared, in pairs, for one text.
const NOTES_COMPARED: usize = 12;

/// Prefixes of lines that only grant, restrict or name a licence.
const NOTICES: [&str; 20] = [
    "licensed under",
    "license:",
    "mit license",
    "the mit license (mit)",
    "mit or apache",
    "apache license",
    "dual licensed",
    "dual-licensed",
    "this project is licensed",
    "this crate is licensed",
    "this library is licensed",
    "this software is licensed",
    "spdx-license-identifier",
    "copyright (c)",
    "copyright \u{a9}",
    "permission is hereby granted",
    "the software is provided",
    "redistribution and use in source",
    "unless required by applicable law",
    "unless you explicitly state otherwise",
];

/// Words that occur beside numbers in the heading of a release.
const OF_RELEASES: [&str; 8] = [
    "v",
    "version",
    "release",
    "released",
    "unreleased",
    "yanked",
    "on",
    "changelog",
];

/// Returns whether a text says nothing that a note could agree with: a notice of a licence, or the heading of a
/// release.
pub(crate) fn is_formula(text: &str, words: &[String]) -> bool {
    let start = text.trim_start_matches(|char: char| !char.is_alphanumeric());
    let begins = |notice: &str| {
        let head = start.char_indices().nth(notice.chars().count());
        let head = &start[..head.map_or(start.len(), |(at, _)| at)];
        head.to_lowercase() == notice
    };
    let is_of_release = |word: &String| {
        let number = word.strip_prefix('v').unwrap_or(word);
        number.starts_with(|char: char| char.is_ascii_digit())
            || OF_RELEASES.contains(&word.as_str())
    };
    NOTICES.iter().any(|notice| begins(notice))
        || (!words.is_empty() && words.iter().all(is_of_release))
}

/// Returns for each observation whether it occurs word for word in [many notes](NOTES_MIN) that share few other words.
///
/// Notes are compared by the words of their observations, without formulas and without those that many notes hold. The
/// value is the mean of Jaccard's index over the pairs of twelve of them, evenly spread.
pub(crate) fn repeated(observations: &[Observation<'_>]) -> Vec<bool> {
    let mut holders: HashMap<&[u64], Vec<u32>> = HashMap::new();
    for Observation {
        fingerprint,
        document,
        ..
    } in observations
    {
        if fingerprint.is_telling() {
            let of_text = holders.entry(&fingerprint.words).or_default();
            // Observations come grouped by note.
            if of_text.last() != Some(document) {
                of_text.push(*document);
            }
        }
    }
    holders.retain(|_, documents| {
        documents.sort_unstable();
        documents.dedup();
        documents.len() >= NOTES_MIN
    });
    if holders.is_empty() {
        return vec![false; observations.len()];
    }
    let chosen: HashMap<&[u64], Vec<u32>> = holders
        .iter()
        .map(|(words, documents)| (*words, spread(documents)))
        .collect();
    let mut said: HashMap<u32, HashSet<u64>> = chosen
        .values()
        .flatten()
        .map(|document| (*document, HashSet::new()))
        .collect();
    for Observation {
        fingerprint,
        document,
        ..
    } in observations
    {
        if let Some(said) = said.get_mut(document)
            && !fingerprint.is_formula
            && !holders.contains_key(&*fingerprint.words)
        {
            said.extend(&fingerprint.words);
        }
    }
    let unlike: HashSet<&[u64]> = chosen
        .into_iter()
        .filter(|(_, documents)| {
            let said: Vec<_> = documents.iter().map(|document| &said[document]).collect();
            are_unlike(&said)
        })
        .map(|(words, _)| words)
        .collect();
    let of_text = observations.iter().map(|it| &*it.fingerprint.words);
    of_text.map(|words| unlike.contains(words)).collect()
}

/// Returns at most twelve of the documents, evenly spread.
fn spread(documents: &[u32]) -> Vec<u32> {
    let n = documents.len().min(NOTES_COMPARED);
    (0..n)
        .map(|at| documents[at * documents.len() / n])
        .collect()
}

/// Returns whether notes share few words; `false` if too few of them have enough words.
fn are_unlike(said: &[&HashSet<u64>]) -> bool {
    let long_enough: Vec<_> = said.iter().filter(|it| it.len() >= WORDS_MIN).collect();
    let (mut sum, mut n_pairs) = (0.0, 0);
    for (at, a) in long_enough.iter().enumerate() {
        for b in &long_enough[..at] {
            let n_common = a.intersection(b).count();
            sum += n_common as f64 / (a.len() + b.len() - n_common) as f64;
            n_pairs += 1;
        }
    }
    n_pairs > 0 && sum / f64::from(n_pairs) < LIKE_MIN
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::words;
    use crate::{Fingerprint, Measure, aggregate};

    const LINE: &str = "Pull requests are welcome, please open an issue first";

    /// Returns `n` notes that hold the line, each with 30 words of its own and `n_shared` words common to all.
    fn notes(n: u32, n_shared: usize) -> Vec<(u32, Fingerprint)> {
        let shared: String = (0..n_shared).map(|at| format!("shared{at} ")).collect();
        let said = (0..n).flat_map(|note| {
            let own: String = (0..30).map(|at| format!("own{note}word{at} ")).collect();
            [(note, LINE.to_owned()), (note, format!("{own}{shared}"))]
        });
        said.map(|(note, text)| (note, Fingerprint::of(&text)))
            .collect()
    }

    fn observations(said: &[(u32, Fingerprint)]) -> Vec<Observation<'_>> {
        said.iter()
            .map(|(document, fingerprint)| Observation {
                fingerprint,
                source: 0,
                document: *document,
            })
            .collect()
    }

    fn n_repeated(said: &[(u32, Fingerprint)]) -> usize {
        let repeated = repeated(&observations(said));
        repeated.into_iter().filter(|it| *it).count()
    }

    #[test]
    fn a_line_in_many_unlike_notes_is_boilerplate() {
        let many = NOTES_MIN as u32;
        assert_eq!(n_repeated(&notes(many, 0)), NOTES_MIN);
        assert_eq!(n_repeated(&notes(54, 0)), 54);
        // In one note fewer the line is agreement.
        assert_eq!(n_repeated(&notes(many - 1, 0)), 0);
        // The same holds in notes of one topic.
        assert_eq!(n_repeated(&notes(many, 30)), 0);
        // Copies of the line within a note count once.
        let mut copies = notes(many - 1, 0);
        copies.extend(notes(many - 1, 0));
        assert_eq!(n_repeated(&copies), 0);
        let mut turned = notes(54, 0);
        turned.reverse();
        assert_eq!(n_repeated(&turned), 54);
        let apart = notes(54, 0);
        let found = aggregate(&observations(&apart), &[]);
        assert_eq!(found.n_boilerplate(), 54);
        assert_eq!(found.of(Measure::Words).members(0), Vec::<Vec<u32>>::new());
        let alike = notes(54, 60);
        let found = aggregate(&observations(&alike), &[]);
        assert_eq!(found.n_boilerplate(), 0);
        assert_eq!(
            found.of(Measure::Words).at(0, 0).map(|it| it.n_members),
            Some(54)
        );
    }

    #[test]
    fn short_notes_are_of_no_topic() {
        let short: Vec<(u32, Fingerprint)> = (0..40)
            .flat_map(|note| {
                [
                    (note, LINE.to_owned()),
                    (note, format!("just note {note} here")),
                ]
            })
            .map(|(note, text)| (note, Fingerprint::of(&text)))
            .collect();
        assert_eq!(n_repeated(&short), 0);
    }

    #[test]
    fn notices_and_heads_of_releases_say_nothing() {
        for (text, expected) in [
            ("Licensed under either of", true),
            ("**Licensed under the MIT license** at your option", true),
            ("Copyright (c) 2024 The Authors, all rights reserved", true),
            ("COPYRIGHT \u{a9} 2019 \u{c4}rzte e. V.", true),
            ("Version 1.2.3 (2024-05-01)", true),
            ("v0.3.0 - 2023-11-02 [YANKED]", true),
            ("Unreleased", true),
            (
                "MIT license (LICENSE-MIT or https://opensource.org/licenses/MIT)",
                true,
            ),
            ("The MIT License (MIT)", true),
            ("The MIT license is what we chose for the plugin", false),
            ("We licensed under the MIT license", false),
            ("Copyright questions go to Anna", false),
            ("The relay listens on port 8093", false),
            ("Pin code 4711", false),
            ("Licensed", false),
            ("\u{fc}ber Lizenzen reden", false),
        ] {
            assert_eq!(is_formula(text, &words(text)), expected, "{text}");
        }
    }
}
