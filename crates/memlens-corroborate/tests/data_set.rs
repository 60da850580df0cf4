//! The data set of 39 observations by five agents (CC0, `tests/fixtures`): SimHash equals its vectors bit for bit,
//! rewordings are joined, contradicting numbers are not.

use std::collections::BTreeMap;

use memlens_corroborate::{Fingerprint, Measure, Observation, aggregate, fnv1a, simhash, words};
use serde::Deserialize;

#[derive(Deserialize)]
struct Vectors {
    fnv1a_hello: String,
    vectors: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    text: String,
    tokens: Option<Vec<String>>,
    simhash: String,
}

#[derive(Deserialize)]
struct Said {
    id: String,
    agent: String,
    text: String,
    group: String,
    kind: String,
}

#[test]
fn simhash_is_exactly_as_specified() {
    let Vectors {
        fnv1a_hello,
        vectors,
    } = serde_json::from_str(include_str!("fixtures/simhash_vectors.json")).unwrap();
    assert_eq!(format!("{:016x}", fnv1a("hello")), fnv1a_hello);
    assert_eq!(vectors.len(), 47);
    for Vector {
        text,
        tokens,
        simhash: expected,
    } in vectors
    {
        let found = words(&text);
        if let Some(tokens) = tokens {
            assert_eq!(found, tokens, "{text:?}");
        }
        let hash = simhash(found.iter().map(|word| fnv1a(word)));
        assert_eq!(format!("{hash:016x}"), expected, "{text:?}");
        assert_eq!(Fingerprint::of(&text).simhash, hash);
    }
}

fn data_set() -> Vec<Said> {
    include_str!("fixtures/observations.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Returns the ids that are joined by a measure at a level.
fn joined(measure: Measure, level: u8) -> Vec<Vec<String>> {
    let said = data_set();
    let fingerprints: Vec<Fingerprint> = said
        .iter()
        .map(|said| Fingerprint::of(&said.text))
        .collect();
    let mut sources = BTreeMap::new();
    let observations: Vec<Observation<'_>> = said
        .iter()
        .zip(&fingerprints)
        .map(|(said, fingerprint)| {
            let next = sources.len() as u32;
            Observation {
                fingerprint,
                source: *sources.entry(&said.agent).or_insert(next),
                document: 0,
            }
        })
        .collect();
    aggregate(&observations, &[])
        .of(measure)
        .members(level)
        .into_iter()
        .map(|members| {
            members
                .into_iter()
                .map(|member| said[member as usize].id.clone())
                .collect()
        })
        .collect()
}

#[test]
fn words_join_every_rewording_and_nothing_of_another_group() {
    let clusters = joined(Measure::Words, 40);
    let cluster_of = |id: &str| {
        clusters
            .iter()
            .position(|cluster| cluster.iter().any(|member| member == id))
    };
    for said in data_set() {
        let base = format!("{}-base", said.group);
        match said.kind.as_str() {
            "case-punct" | "one-word" | "insert" | "order" => {
                let cluster = cluster_of(&said.id);
                assert!(
                    cluster.is_some() && cluster == cluster_of(&base),
                    "{}",
                    said.id
                );
            }
            "contra-value"
                if said.text.contains(|char: char| char.is_ascii_digit())
                    && said.group != "g08" =>
            {
                assert!(
                    cluster_of(&said.id).is_none_or(|cluster| Some(cluster) != cluster_of(&base)),
                    "{}",
                    said.id
                );
            }
            _ => {}
        }
    }
    for cluster in &clusters {
        assert!(
            cluster.iter().all(|id| id[..3] == cluster[0][..3]),
            "{cluster:?}"
        );
    }
}

#[test]
fn simhash_joins_case_punctuation_and_order_and_little_else() {
    let groups: Vec<String> = joined(Measure::Simhash, 3)
        .iter()
        .map(|cluster| cluster.join(" "))
        .collect();
    assert_eq!(
        groups,
        [
            "g00-base g00-case-punct g00-order",
            "g02-base g02-case-punct",
            "g04-base g04-case-punct g04-one-word",
            "g06-base g06-case-punct g06-one-word g06-order",
            // One negation in 87 words has distance 0; only the negation differs.
            "g08-base g08-case-punct g08-one-word g08-insert",
            "g10-base g10-case-punct g10-order",
        ]
    );
}
