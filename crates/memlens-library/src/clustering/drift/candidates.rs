//! Which sentences of the whole memory to compare: those that share at least half of their content words, never all.

use std::cell::Cell;
use std::collections::{HashMap, HashSet};

use memlens_corroborate::near_sets;

use super::read::Read;

/// After how many sets of words, or pairs of them, the search checks whether to stop.
const CHECK_INTERVAL: usize = 64;
/// Threshold of near pairs of subjects; beyond it, pairs that nearer ones connect are not compared.
const NEAR_PAIRS_MANY: usize = 100_000;
/// Maximum number of pairs of statements that are compared; reached only if very many statements are alike.
const PAIRS_MAX: usize = 1_000_000;
/// Maximum number of different statements about one subject that are all compared with each other.
const STATEMENTS_MAX: usize = 24;
/// Minimum number of statements of a template, which differ in numbers and dates alone: "Invoice 17 was paid".
const TEMPLATE_MIN: usize = 4;
/// The same within one note, where such lines are a list.
const TEMPLATE_OF_NOTE_MIN: usize = 3;

/// A statement, and the observations that make it in the same words.
pub(super) struct Statement {
    /// The observations and the sentence in each.
    pub(super) held_by: Vec<(u32, u32)>,
    template: u64,
}

/// The sentences of all observations, grouped by what they are about.
#[derive(Default)]
pub(super) struct Sentences<'a> {
    pub(super) statements: Vec<Statement>,
    by_hash: HashMap<(u64, u64), u32>,
    /// The statements about each distinct set of content words.
    groups: HashMap<&'a [u64], Vec<u32>>,
    documents: Vec<u32>,
}

/// The pairs of statements to compare.
#[derive(Default)]
pub(super) struct Candidates {
    pub(super) pairs: Vec<(u32, u32)>,
    /// How many sentences are not compared because they are of one template.
    pub(super) n_templates: u64,
    /// How many sentences are not compared because too many different statements are about one subject.
    pub(super) n_crowded: u64,
    /// How many pairs are not compared because too many are near.
    pub(super) n_pairs_skipped: u64,
}

impl Candidates {
    /// Returns whether pairs may be added; counts them as skipped if not.
    fn has_room(&mut self, n_pairs: usize, max: usize) -> bool {
        let has_room = self.pairs.len() + n_pairs <= max;
        if !has_room {
            self.n_pairs_skipped += n_pairs as u64;
        }
        has_room
    }
}

impl<'a> Sentences<'a> {
    /// Adds the sentences of the next observation; `document` is the number of its note.
    pub(super) fn add(&mut self, read: &'a Read, document: u32) {
        let observation = self.documents.len() as u32;
        self.documents.push(document);
        for (at, sentence) in (0..).zip(read.sentences()) {
            let key = (sentence.statement, sentence.template);
            let next = self.statements.len() as u32;
            let statement = *self.by_hash.entry(key).or_insert(next);
            if statement == next {
                self.statements.push(Statement {
                    held_by: Vec::new(),
                    template: sentence.template,
                });
                self.groups
                    .entry(&sentence.subject)
                    .or_default()
                    .push(statement);
            }
            self.statements[statement as usize]
                .held_by
                .push((observation, at));
        }
    }

    /// Returns the templates: statements that differ in numbers and dates alone, of which there are many.
    fn templates(&self) -> HashSet<u64> {
        let mut n_of: HashMap<u64, usize> = HashMap::new();
        let mut n_of_note: HashMap<(u64, u32), usize> = HashMap::new();
        for statement in &self.statements {
            *n_of.entry(statement.template).or_default() += 1;
            // Holders of one note are consecutive.
            let mut last = None;
            for (observation, _) in &statement.held_by {
                let document = self.documents[*observation as usize];
                if last != Some(document) {
                    *n_of_note.entry((statement.template, document)).or_default() += 1;
                }
                last = Some(document);
            }
        }
        let of_notes = n_of_note
            .into_iter()
            .filter(|(_, n)| *n >= TEMPLATE_OF_NOTE_MIN);
        let of_all = n_of.into_iter().filter(|(_, n)| *n >= TEMPLATE_MIN);
        of_all
            .map(|(template, _)| template)
            .chain(of_notes.map(|((template, _), _)| template))
            .collect()
    }

    /// Returns the pairs to compare, in an order that depends only on the observations; `None` if `goes_on` returns false.
    pub(super) fn candidates(&self, goes_on: impl Fn() -> bool) -> Option<Candidates> {
        self.candidates_up_to(PAIRS_MAX, goes_on)
    }

    /// The same with at most `max` pairs.
    pub(super) fn candidates_up_to(
        &self,
        max: usize,
        goes_on: impl Fn() -> bool,
    ) -> Option<Candidates> {
        let templates = self.templates();
        let mut found = Candidates::default();
        let mut groups: Vec<(&[u64], &[u32])> = self
            .groups
            .iter()
            .map(|(words, statements)| (*words, statements.as_slice()))
            .collect();
        groups.sort_unstable_by_key(|(_, statements)| statements[0]);
        // Of a template one statement stands for all when it is compared with others.
        let chosen: Vec<Vec<u32>> = groups
            .iter()
            .map(|(_, statements)| self.chosen(statements, &templates, &mut found))
            .collect();
        let n_checks = Cell::new(0_usize);
        let goes_on = || {
            n_checks.set(n_checks.get() + 1);
            !n_checks.get().is_multiple_of(CHECK_INTERVAL) || goes_on()
        };
        for statements in &chosen {
            if !goes_on() {
                return None;
            }
            let n_pairs = statements.len() * statements.len().saturating_sub(1) / 2;
            if !found.has_room(n_pairs, max) {
                continue;
            }
            for (at, one) in statements.iter().enumerate() {
                let others = &statements[at + 1..];
                found
                    .pairs
                    .extend(others.iter().map(|other| (*one, *other)));
            }
        }
        let sets: Vec<&[u64]> = groups.iter().map(|(words, _)| *words).collect();
        let mut near: Vec<(u32, u32)> = Vec::new();
        found.n_pairs_skipped +=
            near_sets(&sets, NEAR_PAIRS_MANY, goes_on, |a, b| near.push((a, b)))?;
        near.sort_unstable();
        for (a, b) in near {
            if !goes_on() {
                return None;
            }
            let (of_a, of_b) = (&chosen[a as usize], &chosen[b as usize]);
            if !found.has_room(of_a.len() * of_b.len(), max) {
                continue;
            }
            for one in of_a {
                for other in of_b {
                    found.pairs.push((*one.min(other), *one.max(other)));
                }
            }
        }
        Some(found)
    }

    /// Returns the statements of one group that are compared.
    fn chosen(
        &self,
        statements: &[u32],
        templates: &HashSet<u64>,
        found: &mut Candidates,
    ) -> Vec<u32> {
        let mut seen: HashSet<u64> = HashSet::new();
        let mut chosen = Vec::new();
        for at in statements {
            let statement = &self.statements[*at as usize];
            let n_sentences = statement.held_by.len() as u64;
            if templates.contains(&statement.template) && !seen.insert(statement.template) {
                found.n_templates += n_sentences;
            } else if chosen.len() == STATEMENTS_MAX {
                found.n_crowded += n_sentences;
            } else {
                chosen.push(*at);
            }
        }
        chosen
    }
}

#[cfg(test)]
mod tests {
    use memlens_contradict::{Oppositions, Rules};

    use super::*;

    #[test]
    fn pairs_are_bounded_and_the_rest_is_counted() {
        let read = Read::new(
            &Rules::new(&Oppositions::standard()),
            "The push relay of the harbour is grey. The push relay of the harbour is encrypted. \
            The push relay of the harbour is loud.",
        );
        let mut sentences = Sentences::default();
        sentences.add(&read, 0);
        let all = sentences.candidates(|| true).expect("nothing stops it");
        assert!(all.pairs.len() >= 2, "{:?}", all.pairs);
        let some = sentences
            .candidates_up_to(1, || true)
            .expect("nothing stops it");
        assert!(some.pairs.len() <= 1);
        assert_eq!(
            some.pairs.len() as u64 + some.n_pairs_skipped,
            all.pairs.len() as u64 + all.n_pairs_skipped
        );
    }
}
