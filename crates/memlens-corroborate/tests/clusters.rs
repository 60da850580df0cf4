//! Properties of clusters for arbitrary texts. At every level they are the connected groups of the near pairs of that
//! level and below, if nothing contradicts. Otherwise they are the result of joining one pair after the other, the
//! nearest first. No cluster holds a contradiction; counts are correct; what is together at one level is together at
//! the next.

use std::collections::BTreeSet;

use memlens_corroborate::{
    Claims, Clusters, Fingerprint, Measure, Observation, aggregate, overlap_level,
};
use proptest::prelude::*;

/// Texts around a few patterns, so that near ones are common.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let word = prop::sample::select(vec![
        "red", "green", "blue", "not", "7", "8", "sun", "moon", "star", "sea",
    ]);
    prop::collection::vec(
        prop::collection::vec(word, 0..9).prop_map(|words| words.join(" ")),
        0..40,
    )
}

fn prints(texts: &[String], are_plain: bool) -> Vec<Fingerprint> {
    texts
        .iter()
        .map(|text| {
            let fingerprint = Fingerprint::of(text);
            if are_plain {
                Fingerprint {
                    claims: Claims::default(),
                    ..fingerprint
                }
            } else {
                fingerprint
            }
        })
        .collect()
}

fn observations(prints: &[Fingerprint]) -> Vec<Observation<'_>> {
    (0..)
        .zip(prints)
        .map(|(at, fingerprint)| Observation {
            fingerprint,
            source: at % 3,
            document: at,
        })
        .collect()
}

/// Computes the level of a pair on its own.
fn level(measure: Measure, a: &Fingerprint, b: &Fingerprint) -> u32 {
    match measure {
        Measure::Simhash => a.distance(b),
        Measure::Words => {
            let a: BTreeSet<&u64> = a.words.iter().collect();
            let b: BTreeSet<&u64> = b.words.iter().collect();
            u32::from(overlap_level(
                a.intersection(&b).count(),
                a.union(&b).count(),
            ))
        }
    }
}

/// Finds the connected groups of at least two by trying every pair repeatedly.
fn naive(prints: &[Fingerprint], measure: Measure, level_max: u32) -> Vec<Vec<u32>> {
    let mut group: Vec<usize> = (0..prints.len()).collect();
    loop {
        let before = group.clone();
        for a in 0..prints.len() {
            for b in 0..a {
                if prints[a].is_telling()
                    && prints[b].is_telling()
                    && level(measure, &prints[a], &prints[b]) <= level_max
                {
                    let least = group[a].min(group[b]);
                    (group[a], group[b]) = (least, least);
                }
            }
        }
        if group == before {
            break;
        }
    }
    (0..prints.len())
        .map(|first| {
            (0..prints.len())
                .filter(|at| group[*at] == first)
                .map(|at| at as u32)
                .collect::<Vec<_>>()
        })
        .filter(|members| members.len() > 1)
        .collect()
}

fn levels(measure: Measure) -> &'static [u8] {
    match measure {
        Measure::Simhash => &[0, 1, 2, 3, 4, 5, 6, 7],
        Measure::Words => &[0, 10, 20, 25, 34, 40, 50],
    }
}

fn check_counts(clusters: &Clusters, level: u8) -> Result<(), TestCaseError> {
    for members in clusters.members(level) {
        let sources: BTreeSet<u32> = members.iter().map(|member| member % 3).collect();
        for member in &members {
            let cluster = clusters.at(*member, level).unwrap();
            prop_assert_eq!(
                (cluster.n_members, cluster.n_sources),
                (members.len() as u32, sources.len() as u32)
            );
        }
    }
    Ok(())
}

/// Finds the groups that result from joining every pair from the nearest to the farthest, ties by the later of both and
/// then the other, if the claims of both groups agree. Tries every member of both.
fn joined_one_by_one(prints: &[Fingerprint], measure: Measure, level_max: u32) -> Vec<Vec<u32>> {
    let mut edges = Vec::new();
    for a in 0..prints.len() {
        for b in 0..a {
            if prints[a].is_telling() && prints[b].is_telling() {
                edges.push((level(measure, &prints[a], &prints[b]), a, b));
            }
        }
    }
    edges.sort_unstable();
    let mut group: Vec<usize> = (0..prints.len()).collect();
    for (_, a, b) in edges.into_iter().filter(|(level, ..)| *level <= level_max) {
        let members = |group: &[usize], one: usize| -> Vec<usize> {
            (0..prints.len())
                .filter(|at| group[*at] == group[one])
                .collect()
        };
        let (of_a, of_b) = (members(&group, a), members(&group, b));
        let agree = of_a.iter().all(|a| {
            of_b.iter()
                .all(|b| prints[*a].claims.agree(prints[*b].claims))
        });
        if agree {
            let name = group[a];
            for member in of_b {
                group[member] = name;
            }
        }
    }
    let mut members: Vec<Vec<u32>> = (0..prints.len())
        .map(|name| {
            (0..prints.len())
                .filter(|at| group[*at] == name)
                .map(|at| at as u32)
                .collect::<Vec<u32>>()
        })
        .filter(|members| members.len() > 1)
        .collect();
    members.sort_unstable();
    members
}

proptest! {
    #[test]
    fn what_contradicts_is_parted_as_by_joining_one_pair_after_the_other(texts in texts()) {
        let prints = prints(&texts, false);
        let found = aggregate(&observations(&prints), &[]);
        for measure in Measure::ALL {
            for level in levels(measure) {
                prop_assert_eq!(found.of(measure).members(*level), joined_one_by_one(&prints, measure, u32::from(*level)), "{:?} {}", measure, level);
            }
        }
    }

    #[test]
    fn where_nothing_contradicts_clusters_are_the_connected_groups(texts in texts()) {
        let prints = prints(&texts, true);
        let found = aggregate(&observations(&prints), &[]);
        for measure in Measure::ALL {
            for level in levels(measure) {
                prop_assert_eq!(found.of(measure).members(*level), naive(&prints, measure, u32::from(*level)), "{:?} {}", measure, level);
                check_counts(found.of(measure), *level)?;
            }
        }
    }

    #[test]
    fn no_cluster_holds_a_contradiction_and_levels_are_nested(
        texts in texts(),
        pairs in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..12),
    ) {
        let prints = prints(&texts, false);
        let contradictions: Vec<(u32, u32)> = if texts.is_empty() {
            Vec::new()
        } else {
            pairs.iter().map(|(a, b)| (a.index(texts.len()) as u32, b.index(texts.len()) as u32)).filter(|(a, b)| a != b).collect()
        };
        let found = aggregate(&observations(&prints), &contradictions);
        for measure in Measure::ALL {
            let clusters = found.of(measure);
            for level in levels(measure) {
                check_counts(clusters, *level)?;
                for members in clusters.members(*level) {
                    for a in &members {
                        for b in &members {
                            prop_assert!(prints[*a as usize].claims.agree(prints[*b as usize].claims));
                            prop_assert!(!contradictions.contains(&(*a, *b)));
                        }
                        let first = clusters.at(members[0], 50).unwrap().id;
                        prop_assert_eq!(clusters.at(*a, 50).unwrap().id, first);
                    }
                }
            }
        }
    }
}

#[test]
fn an_unknown_observation_is_in_no_cluster() {
    let clusters = Clusters::default();
    assert_eq!((clusters.at(0, 7), clusters.n_observations()), (None, 0));
}
