//! One pass over all observations: which contradict each other.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use memlens_contradict::{
    Apart, Contradiction, Kind, Location, Rules, Side, Verdict, is_in_changelog, other_project,
    other_scope,
};

use super::candidates::{Candidates, Sentences};
use super::read::Read;
use super::source::Source;

/// How many of the observations that make one statement are tried as a side of a contradiction.
const COPIES_TRIED: usize = 4;

/// Maximum number of holders of a statement that are all kept apart from those of another, or looked up in their notes.
const HOLDERS_MAX: usize = 64;

/// After how many pairs the pass checks whether to stop.
const CHECK_INTERVAL: usize = 256;

/// What the pass needs to know of an observation.
#[derive(Clone, Copy)]
pub(crate) struct Observed<'a> {
    pub(crate) text: &'a str,
    pub(crate) read: &'a Read,
    /// The number of its note.
    pub(crate) document: u32,
    /// Where it begins in its note.
    pub(crate) start: u32,
    /// Its first and last line.
    pub(crate) lines: [u32; 2],
}

/// Where one side of a contradiction is.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct SentencePlace {
    /// Bytes of the sentence in the observation's text.
    pub(crate) sentence: Range<usize>,
    /// Bytes of its opposing words.
    pub(crate) words: Vec<Range<usize>>,
    /// First and last line of the sentence in the note.
    pub(crate) lines: [u32; 2],
}

/// Two statements that contradict each other, surely or perhaps, each in one of the observations that make it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Opposed {
    /// The observation that comes first.
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) kind: Kind,
    pub(crate) sure: bool,
    pub(crate) score: f64,
    /// The side whose words replace the other's.
    pub(crate) update: Option<Side>,
    /// The heading or project of each side, if they say that both may be true; then the pair is not sure.
    pub(crate) scopes: Option<[String; 2]>,
    pub(crate) places: [SentencePlace; 2],
    /// The other observations that say the same, for each side.
    pub(crate) same: [Repeated; 2],
}

/// The other observations that make a statement in the same words, neither quoted nor struck through.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Repeated {
    pub(crate) others: Vec<u32>,
    /// Whether there are more, which were not looked up.
    pub(crate) has_more: bool,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Pass {
    /// Sure ones first, then by score, then by place.
    pub(crate) opposed: Vec<Opposed>,
    /// Pairs of observations that surely contradict each other, with all that repeat them.
    pub(crate) sure: Vec<(u32, u32)>,
    pub(crate) counts: Counts,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Counts {
    /// Sentences that are compared with those that are near.
    pub(crate) n_sentences: u64,
    /// Why other sentences are not compared, and how many.
    pub(crate) left_out: BTreeMap<Apart, u64>,
    /// Sentences after the first ones of a long observation, which are not read.
    pub(crate) n_skipped: u64,
    /// Pairs of near statements that were compared.
    pub(crate) n_pairs: u64,
    /// Why the pairs that are no contradictions are none, and how many.
    pub(crate) apart: BTreeMap<Apart, u64>,
    /// Sentences that are not compared because they are of one template.
    pub(crate) n_templates: u64,
    /// Sentences that are not compared because too many different statements are about one subject.
    pub(crate) n_crowded: u64,
    /// Pairs that are not compared because too many are near.
    pub(crate) n_pairs_skipped: u64,
}

impl Pass {
    /// Compares the near pairs of all observations, which must come note by note and be read by these rules. `source` returns how the note of an
    /// observation is written, and `location` where it is; they are only called for sides of contradictions. `goes_on` receives
    /// the number of pairs that were compared and of all; if it returns false, the pass ends with `None`.
    ///
    /// # Errors
    /// The first error of `source`.
    pub(crate) fn new<E>(
        rules: &Rules,
        said: &[Observed<'_>],
        mut source: impl FnMut(u32) -> Result<Arc<Source>, E>,
        mut location: impl FnMut(u32) -> Location,
        goes_on: impl Fn(usize, usize) -> bool,
    ) -> Result<Option<Pass>, E> {
        let mut sentences = Sentences::default();
        let mut counts = Counts::default();
        for observation in said {
            sentences.add(observation.read, observation.document);
            counts.n_sentences += observation.read.sentences().len() as u64;
            counts.n_skipped += observation.read.n_skipped() as u64;
            for (why, n) in observation.read.left_out() {
                *counts.left_out.entry(*why).or_default() += *n as u64;
            }
        }
        let Some(candidates) = sentences.candidates(|| goes_on(0, 0)) else {
            return Ok(None);
        };
        let Candidates {
            pairs,
            n_templates,
            n_crowded,
            n_pairs_skipped,
        } = candidates;
        counts.n_sentences -= n_templates + n_crowded;
        counts.n_templates = n_templates;
        counts.n_crowded = n_crowded;
        counts.n_pairs_skipped = n_pairs_skipped;
        // One entry for each pair of statements.
        let mut opposed: Vec<Opposed> = Vec::new();
        let mut sure: Vec<(u32, u32)> = Vec::new();
        let n_pairs = pairs.len();
        for (at, (one, other)) in pairs.into_iter().enumerate() {
            if at % CHECK_INTERVAL == 0 && !goes_on(at, n_pairs) {
                return Ok(None);
            }
            let of = |statement: u32| sentences.statements[statement as usize].held_by.as_slice();
            let (held_a, held_b) = (of(one), of(other));
            counts.n_pairs += 1;
            let found = match compared((rules, said), (held_a, held_b), &mut source, &mut location)?
            {
                Ok(found) => found,
                Err(why) => {
                    *counts.apart.entry(why).or_default() += 1;
                    continue;
                }
            };
            if found.sure {
                sure.extend(against(held_a, held_b, &found));
            }
            opposed.push(found);
        }
        sure.retain(|(a, b)| a != b);
        sure.sort_unstable();
        sure.dedup();
        let place = |opposed: &Opposed| {
            let [a, b] = &opposed.places;
            (opposed.a, opposed.b, a.sentence.start, b.sentence.start)
        };
        opposed.sort_by(|x, y| {
            y.sure
                .cmp(&x.sure)
                .then(y.score.total_cmp(&x.score))
                .then(place(x).cmp(&place(y)))
        });
        Ok(Some(Pass {
            opposed,
            sure,
            counts,
        }))
    }
}

/// Returns the pairs of observations that a sure contradiction of two statements keeps apart: all holders of one from all
/// of the other, of more than [`HOLDERS_MAX`] each from the first of the other side only.
fn against(held_a: &[Held], held_b: &[Held], opposed: &Opposed) -> Vec<(u32, u32)> {
    let is_of_a = held_a
        .iter()
        .any(|(observation, _)| *observation == opposed.a);
    let (a, b) = if is_of_a {
        (opposed.a, opposed.b)
    } else {
        (opposed.b, opposed.a)
    };
    let of_a = held_a.iter().map(|(observation, _)| (*observation, b));
    let of_b = held_b.iter().map(|(observation, _)| (a, *observation));
    let crossed = held_a.iter().take(HOLDERS_MAX).flat_map(|(one, _)| {
        let others = held_b.iter().take(HOLDERS_MAX);
        others.map(move |(other, _)| (*one, *other))
    });
    of_a.chain(of_b).chain(crossed).collect()
}

/// An observation and the sentence in it.
type Held = (u32, u32);

/// Compares two statements by the first observations that make them, that are not on one line, and in which they are
/// neither quoted nor struck through. Two sides under different headings of one note are not sure, because the headings
/// may name what each is about; nor are sides of two notes whose headings or titles name two things, or that are in two
/// projects. What changelogs say of their versions does not contradict each other.
fn compared<E>(
    (rules, said): (&Rules, &[Observed<'_>]),
    (held_a, held_b): (&[Held], &[Held]),
    source: &mut impl FnMut(u32) -> Result<Arc<Source>, E>,
    location: &mut impl FnMut(u32) -> Location,
) -> Result<Result<Opposed, Apart>, E> {
    let mut why_not = Apart::Same;
    let mut unsure: Option<Opposed> = None;
    for a in held_a.iter().take(COPIES_TRIED) {
        for b in held_b.iter().take(COPIES_TRIED) {
            let [of_a, of_b] = [a, b].map(|held| said[held.0 as usize]);
            let is_one_line = of_a.document == of_b.document && of_a.lines[0] == of_b.lines[0];
            if a.0 == b.0 || is_one_line {
                continue;
            }
            let [read_a, read_b] = [of_a, of_b].map(|said| said.read.whole(rules, said.text));
            let verdict = rules.compare_sentences(read_a, a.1 as usize, read_b, b.1 as usize);
            let found = match verdict {
                Verdict::Contradiction(found) => found,
                Verdict::Apart(Apart::Same) => continue,
                Verdict::Apart(why) => return Ok(unsure.ok_or(why)),
            };
            let sources = [source(a.0)?, source(b.0)?];
            let sides = [(of_a, &found.a, &sources[0]), (of_b, &found.b, &sources[1])];
            if sides
                .iter()
                .any(|(said, place, source)| source.is_withdrawn(said.start, &place.sentence))
            {
                why_not = Apart::Struck;
                continue;
            }
            let above = sides.map(|(said, _, source)| source.above(said.start));
            let words = sides.map(|(said, place, _)| &said.text[place.sentence.clone()]);
            if [0, 1]
                .iter()
                .any(|side| is_in_changelog(&above[*side], words[*side]))
            {
                why_not = Apart::Changelog;
                continue;
            }
            let places = sides.map(|(said, place, source)| SentencePlace {
                sentence: place.sentence.clone(),
                words: place.words.clone(),
                lines: source
                    .lines(said.start, &place.sentence)
                    .unwrap_or(said.lines),
            });
            let same = [
                repeated(rules, said, held_a, a.0, source)?,
                repeated(rules, said, held_b, b.0, source)?,
            ];
            let mut opposed = Opposed::new(a.0, b.0, &found, places, same);
            let is_other_section = of_a.document == of_b.document
                && sources[0].n_headings_above(of_a.start)
                    != sources[1].n_headings_above(of_b.start);
            let scopes = if is_other_section {
                Some(above.map(|above| above.nearest().to_owned()))
            } else {
                let locations = [location(a.0), location(b.0)];
                other_scope([&above[0], &above[1]], words)
                    .or_else(|| other_project([&locations[0], &locations[1]]))
            };
            if scopes.is_none() {
                return Ok(Ok(opposed));
            }
            opposed.sure = false;
            opposed.scopes = match scopes {
                Some([of_a, of_b]) if opposed.a == b.0 => Some([of_b, of_a]),
                scopes => scopes,
            };
            unsure.get_or_insert(opposed);
        }
    }
    Ok(unsure.ok_or(why_not))
}

/// Returns the other observations that make a statement, of the first [`HOLDERS_MAX`] that hold it.
fn repeated<E>(
    rules: &Rules,
    said: &[Observed<'_>],
    held: &[Held],
    chosen: u32,
    source: &mut impl FnMut(u32) -> Result<Arc<Source>, E>,
) -> Result<Repeated, E> {
    let mut others: BTreeSet<u32> = BTreeSet::new();
    for (observation, sentence) in held.iter().take(HOLDERS_MAX) {
        if *observation == chosen || others.contains(observation) {
            continue;
        }
        let holder = said[*observation as usize];
        let read = holder.read.whole(rules, holder.text);
        let place = read.place(*sentence as usize);
        if !source(*observation)?.is_withdrawn(holder.start, &place) {
            others.insert(*observation);
        }
    }
    Ok(Repeated {
        others: others.into_iter().collect(),
        has_more: held.len() > HOLDERS_MAX,
    })
}

impl Opposed {
    fn new(
        a: u32,
        b: u32,
        found: &Contradiction,
        places: [SentencePlace; 2],
        same: [Repeated; 2],
    ) -> Opposed {
        let opposed = Opposed {
            a,
            b,
            kind: found.kind,
            sure: found.sure,
            score: found.score,
            update: found.update,
            scopes: None,
            places,
            same,
        };
        if a <= b {
            return opposed;
        }
        let [place_a, place_b] = opposed.places;
        let [same_a, same_b] = opposed.same;
        Opposed {
            a: b,
            b: a,
            update: opposed.update.map(Side::other),
            places: [place_b, place_a],
            same: [same_b, same_a],
            ..opposed
        }
    }
}

#[cfg(test)]
mod tests {
    use memlens_contradict::Oppositions;

    use super::*;

    /// Passes over texts, each with the number of its note and its line.
    fn pass_over(texts: &[&str], place: impl Fn(u32) -> (u32, u32)) -> Pass {
        pass_in(texts, place, &Arc::default())
    }

    /// The same with how all notes are written. Each observation begins at the byte of its number.
    fn pass_in(texts: &[&str], place: impl Fn(u32) -> (u32, u32), source: &Arc<Source>) -> Pass {
        let rules = Rules::new(&Oppositions::standard());
        let reads: Vec<Read> = texts.iter().map(|text| Read::new(&rules, text)).collect();
        let said: Vec<Observed<'_>> = (0..)
            .zip(texts.iter().zip(&reads))
            .map(|(at, (text, read))| {
                let (document, line) = place(at);
                Observed {
                    text,
                    read,
                    document,
                    start: at,
                    lines: [line, line],
                }
            })
            .collect();
        let source = |_| Ok::<Arc<Source>, std::convert::Infallible>(source.clone());
        let location = |_| Location::default();
        match Pass::new(&rules, &said, source, location, |_, _| true) {
            Ok(pass) => pass.expect("nothing stops it"),
        }
    }

    fn pass(texts: &[&str]) -> Pass {
        pass_over(texts, |at| (at, 1))
    }

    fn n_same(opposed: &Opposed) -> [usize; 2] {
        [0, 1].map(|at| opposed.same[at].others.len())
    }

    fn places(pass: &Pass) -> Vec<(u32, u32, bool)> {
        pass.opposed
            .iter()
            .map(|opposed| (opposed.a, opposed.b, opposed.sure))
            .collect()
    }

    #[test]
    fn near_statements_are_compared_and_copies_counted() {
        let found = pass(&[
            "The push relay listens on port 8093.",
            "The boat is lifted out in October.",
            "The relay is grey. The push relay listens on port 8443.",
            "the push relay listens on port 8093",
        ]);
        assert_eq!(places(&found), [(0, 2, true)]);
        assert_eq!(n_same(&found.opposed[0]), [1, 0]);
        assert_eq!(found.sure, [(0, 2), (3, 2)]);
        let found = pass(&[
            "Deploys are allowed on Fridays.",
            "Deploys are forbidden on Fridays.",
            "deploys are allowed on Fridays",
            "deploys are forbidden on Fridays",
        ]);
        assert_eq!(found.sure, [(0, 1), (0, 3), (2, 1), (2, 3)]);
    }

    #[test]
    fn a_template_is_no_contradiction() {
        let many: Vec<String> = (0..5_000)
            .map(|at| format!("The invoice of the harbour was paid with {at} euros."))
            .collect();
        let texts: Vec<&str> = many.iter().map(String::as_str).collect();
        let found = pass(&texts);
        assert_eq!(places(&found), []);
        assert_eq!(found.counts.n_templates, 4_999);
        // Three different values are no template, except in one note.
        let found = pass(&texts[..3]);
        assert_eq!(places(&found).len(), 3);
        assert_eq!(places(&pass_over(&texts[..3], |at| (0, at + 1))), []);
        // Also if another note repeats one of them.
        let repeated = [texts[0], texts[0], texts[1], texts[2]];
        let found = pass_over(&repeated, |at| (u32::from(at > 0), at + 1));
        assert_eq!(places(&found), []);
    }

    #[test]
    fn one_line_does_not_contradict_itself() {
        let texts = ["The relay is encrypted.", "The relay is not encrypted."];
        let on = |lines: [u32; 2], documents: [u32; 2]| {
            let found = pass_over(&texts, |at| (documents[at as usize], lines[at as usize]));
            places(&found).len()
        };
        assert_eq!(on([7, 7], [0, 0]), 0);
        assert_eq!(on([7, 8], [0, 0]), 1);
        assert_eq!(on([7, 7], [0, 1]), 1);
        assert_eq!(
            places(&pass(&[
                "The relay is encrypted. The relay is not encrypted."
            ])),
            []
        );
    }

    #[test]
    fn each_pair_of_statements_is_an_entry() {
        let found = pass(&[
            "The push relay listens on port 8093. The office opens at 8:00.",
            "The push relay listens on port 8443. The office opens at 10:15.",
        ]);
        assert_eq!(places(&found), [(0, 1, true), (0, 1, true)]);
        let counts = &found.counts;
        let n_apart: u64 = counts.apart.values().sum();
        assert_eq!(counts.n_pairs, n_apart + 2);
    }

    #[test]
    fn an_observation_counts_once_for_a_statement() {
        let found = pass(&[
            "The push relay listens on port 8093. It hums. The push relay listens on port 8093.",
            "The push relay listens on port 8443.",
            "The push relay listens on port 8443. It is old. The push relay listens on port 8443.",
        ]);
        assert_eq!(n_same(&found.opposed[0]), [0, 1]);
    }

    #[test]
    fn sides_under_different_headings_of_a_note_are_not_sure() {
        let texts = [
            "The relay listens on port 8093.",
            "The relay listens on port 8443.",
        ];
        let under = |headings: &[(u32, &str)], documents: [u32; 2]| {
            let source = Arc::new(Source::with_headings("a.md", headings));
            let found = pass_in(&texts, |at| (documents[at as usize], at + 1), &source);
            (places(&found), found.sure.len())
        };
        assert_eq!(under(&[(0, "One")], [0, 0]), (vec![(0, 1, true)], 1));
        let two = [(0, "Relay"), (1, "Notes")];
        assert_eq!(under(&two, [0, 0]), (vec![(0, 1, false)], 0));
        assert_eq!(under(&two, [0, 1]), (vec![(0, 1, true)], 1));
        // Another note repeats one side.
        let texts = [texts[0], texts[1], texts[1]];
        let source = Arc::new(Source::with_headings("a.md", &two));
        let found = pass_in(&texts, |at| (at / 2, at + 1), &source);
        assert_eq!(places(&found), [(0, 2, true)]);
    }

    #[test]
    fn sides_under_headings_of_two_things_are_not_sure() {
        let texts = [
            "The relay listens on port 8093.",
            "The relay listens on port 8443.",
        ];
        let headings = [(0, "Staging environment"), (1, "Production environment")];
        let source = Arc::new(Source::with_headings("a.md", &headings));
        let found = pass_in(&texts, |at| (at, 1), &source);
        assert_eq!(places(&found), [(0, 1, false)]);
        assert!(found.sure.is_empty(), "no veto of agreement");
        let scopes = found.opposed[0].scopes.clone();
        let expected = ["Staging environment", "Production environment"].map(str::to_owned);
        assert_eq!(scopes, Some(expected));
        // The sides are named in the order of the notes.
        let swapped = pass_in(&[texts[1], texts[0]], |at| (at, 1), &source);
        assert_eq!(swapped.opposed[0].scopes, found.opposed[0].scopes);
    }

    #[test]
    fn what_changelogs_say_is_counted_and_not_listed() {
        let texts = [
            "The minimum Rust version is raised to 1.31.0.",
            "The minimum Rust version is raised to 1.42.0.",
        ];
        let listed = |path: &str, headings: &[(u32, &str)]| {
            let source = Arc::new(Source::with_headings(path, headings));
            let found = pass_in(&texts, |at| (at, 1), &source);
            let n_logs = found.counts.apart.get(&Apart::Changelog).copied();
            (found.opposed.len(), n_logs)
        };
        assert_eq!(listed("CHANGELOG.md", &[]), (0, Some(1)));
        assert_eq!(
            listed("a.md", &[(0, "1.31.0"), (1, "[1.42.0] - 2024-01-01")]),
            (0, Some(1))
        );
        assert_eq!(listed("a.md", &[(0, "Rust")]), (1, None));
    }

    #[test]
    fn a_pass_is_stopped() {
        let texts = ["The relay is encrypted.", "The relay is not encrypted."];
        let rules = Rules::new(&Oppositions::standard());
        let reads: Vec<Read> = texts.iter().map(|text| Read::new(&rules, text)).collect();
        let said: Vec<Observed<'_>> = (0..)
            .zip(texts.iter().zip(&reads))
            .map(|(document, (text, read))| Observed {
                text,
                read,
                document,
                start: 0,
                lines: [1, 1],
            })
            .collect();
        let source = |_| Ok::<Arc<Source>, std::convert::Infallible>(Arc::default());
        assert!(matches!(
            Pass::new(&rules, &said, source, |_| Location::default(), |_, _| false),
            Ok(None)
        ));
    }

    #[test]
    fn other_languages_are_left_out() {
        let found = pass(&[
            "Das B\u{fc}ro ist am Montag geschlossen und nicht besetzt.",
            "Das B\u{fc}ro ist am Montag offen und nicht besetzt.",
            "The office is closed on Mondays.",
            "The office is open on Mondays.",
        ]);
        assert_eq!(places(&found), [(2, 3, true)]);
    }

    #[test]
    fn what_is_not_compared_is_counted_by_its_reason() {
        let found = pass(&[
            "The push relay listens on port 8093. Does it? It does.",
            "Das B\u{fc}ro ist am Montag geschlossen und nicht besetzt.",
            "The push relay listens on port 8093 in Berlin.",
            "The boat is lifted out in October.",
        ]);
        assert_eq!(places(&found), []);
        let counts = found.counts;
        assert_eq!(
            counts.left_out,
            BTreeMap::from([
                (Apart::Short, 1),
                (Apart::Language, 1),
                (Apart::Question, 1)
            ])
        );
        assert_eq!(
            (counts.n_sentences, counts.n_pairs, counts.apart),
            (3, 1, BTreeMap::from([(Apart::Agree, 1)]))
        );
    }
}
