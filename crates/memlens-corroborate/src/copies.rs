//! Copies: texts that are equal except for case and white space, or near-duplicates with the same claims.
//!
//! One word changes the SimHash of a short text by more bits than near-duplicates may differ in. So a text with one
//! more word is recognised by the sums of its words' hashes and of their squares: they differ by x and x².
//!
//! Properties checked: equal to comparing every pair; the order of the texts does not matter; a text that is not firm
//! never connects two groups.

use crate::claims::Claims;
use crate::fingerprint::WORDS_MIN;
use crate::near::spread;
use crate::words::{fnv1a, simhash, words};

/// The greatest distance of the SimHashes of copies.
pub const COPY_DISTANCE_MAX: u32 = 3;
/// At a distance of at most [`COPY_DISTANCE_MAX`], one of this many parts of a hash is equal (pigeonhole).
const PARTS: u32 = COPY_DISTANCE_MAX + 1;
const PART_BITS: u32 = u64::BITS / PARTS;

/// Least number of words of a text whose copy may have one more word, a tenth of it.
const WORDS_FOR_ONE_MORE: u32 = 10;

/// Compact form of a text that decides whether it is a copy of another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CopyPrint {
    /// A hash of the text in lower case with folded white space; 0 for a text without words, which has no copies.
    pub folded: u64,
    /// The SimHash of its words.
    pub simhash: u64,
    /// A hash of its numbers and its count of negations; 0 if it has too few words for the SimHash to be meaningful.
    pub claims: u64,
    /// Number of its words, counting every occurrence.
    pub n_words: u32,
    /// The sum of its words' hashes, modulo 2^64.
    pub sum: u64,
    /// The sum of the squares of those hashes, modulo 2^64.
    pub sum_of_squares: u64,
}

impl CopyPrint {
    /// Returns the print of a text of any length. Texts with the same `folded` have the same print.
    pub fn of(text: &str) -> CopyPrint {
        let lower = text.to_lowercase();
        let folded = lower.split_whitespace().collect::<Vec<_>>().join(" ");
        if folded.is_empty() {
            return CopyPrint::default();
        }
        let words = words(&folded);
        let Claims {
            n_negations,
            numbers,
        } = Claims::of(&folded, &words);
        let claims = if words.len() < WORDS_MIN {
            0
        } else {
            fnv1a(&format!("{n_negations} {numbers}")).max(1)
        };
        let hashes: Vec<u64> = words.iter().map(|word| fnv1a(word)).collect();
        let sum = |of: fn(u64) -> u64| {
            let numbers = hashes.iter().map(|hash| of(*hash));
            numbers.fold(0_u64, u64::wrapping_add)
        };
        CopyPrint {
            folded: fnv1a(&folded).max(1),
            simhash: simhash(hashes.iter().copied()),
            claims,
            n_words: hashes.len() as u32,
            sum: sum(|hash| hash),
            sum_of_squares: sum(|hash| hash.wrapping_mul(hash)),
        }
    }

    /// Returns whether one text is a copy of the other: equal except for case and white space, or a near-duplicate with
    /// the same numbers and equally many negations. Near-duplicates have a SimHash distance of at most
    /// [`COPY_DISTANCE_MAX`], or at least ten words of which one text has one more, in any order.
    pub fn is_copy_of(self, other: CopyPrint) -> bool {
        if self.folded == 0 || other.folded == 0 {
            return false;
        }
        let is_near = || {
            (self.simhash ^ other.simhash).count_ones() <= COPY_DISTANCE_MAX
                || self.has_one_word_less_than(other)
                || other.has_one_word_less_than(self)
        };
        self.folded == other.folded || self.claims != 0 && self.claims == other.claims && is_near()
    }

    fn has_one_word_less_than(self, other: CopyPrint) -> bool {
        let word = other.sum.wrapping_sub(self.sum);
        self.n_words >= WORDS_FOR_ONE_MORE
            && self.n_words + 1 == other.n_words
            && other.sum_of_squares.wrapping_sub(self.sum_of_squares) == word.wrapping_mul(word)
    }
}

/// Returns for each text the position of the first of its group of copies, or `None` if it has no copy.
///
/// Groups are connected: a copy of a copy belongs to them. Texts from `n_firm` on connect no others; each joins the
/// first group that it matches.
pub fn copy_groups(prints: &[CopyPrint], n_firm: usize) -> Vec<Option<u32>> {
    let mut pairs = Pairs {
        prints,
        n_firm,
        groups: Joined::new(prints.len()),
        late: Vec::new(),
    };
    // Of equal texts only the first is compared with others.
    let mut by_text: Vec<(u64, u32)> = prints.iter().map(|print| print.folded).zip(0..).collect();
    by_text.retain(|(folded, _)| *folded != 0);
    by_text.sort_unstable();
    let mut firsts: Vec<u32> = Vec::new();
    let mut late_equals: Vec<(u32, u32)> = Vec::new();
    for equals in by_text.chunk_by(|a, b| a.0 == b.0) {
        let first = equals[0].1;
        firsts.push(first);
        for (_, at) in &equals[1..] {
            if (*at as usize) < n_firm {
                pairs.groups.join(first, *at);
            } else {
                late_equals.push((first, *at));
            }
        }
    }
    let mut keyed: Vec<(u64, u64, u32)> = Vec::with_capacity(firsts.len());
    for part in 0..PARTS {
        keyed.clear();
        keyed.extend(firsts.iter().filter_map(|at| {
            let CopyPrint {
                simhash, claims, ..
            } = prints[*at as usize];
            let value = spread(simhash) >> (part * PART_BITS) & ((1 << PART_BITS) - 1);
            (claims != 0).then_some((claims, value, *at))
        }));
        keyed.sort_unstable();
        for alike in keyed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            for (n_before, (.., at)) in alike.iter().enumerate() {
                for (.., other) in &alike[..n_before] {
                    pairs.meet(*other, *at);
                }
            }
        }
    }
    keyed.clear();
    keyed.extend(firsts.iter().filter_map(|at| {
        let print = &prints[*at as usize];
        let is_compared = print.claims != 0 && print.n_words >= WORDS_FOR_ONE_MORE;
        is_compared.then_some((print.claims, u64::from(print.n_words), *at))
    }));
    keyed.sort_unstable();
    let by_length: Vec<&[(u64, u64, u32)]> =
        keyed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)).collect();
    for two in by_length.windows(2) {
        let [shorter, longer] = [two[0], two[1]];
        if (shorter[0].0, shorter[0].1 + 1) != (longer[0].0, longer[0].1) {
            continue;
        }
        for (.., a) in shorter {
            for (.., b) in longer {
                pairs.meet((*a).min(*b), (*a).max(*b));
            }
        }
    }
    let Pairs {
        mut groups,
        mut late,
        ..
    } = pairs;
    late.sort_unstable();
    for (at, other) in late {
        if groups.root(at) == at {
            groups.join(other, at);
        }
    }
    for (first, at) in late_equals {
        groups.join(first, at);
    }
    groups.firsts()
}

/// State of the pairwise comparison of texts.
struct Pairs<'a> {
    prints: &'a [CopyPrint],
    n_firm: usize,
    groups: Joined,
    /// Pairs of a text that connects no others, and an earlier text of which it is a copy.
    late: Vec<(u32, u32)>,
}

impl Pairs<'_> {
    /// Compares a text with an earlier one, which must be firm if the later one is.
    fn meet(&mut self, before: u32, at: u32) {
        if !self.prints[before as usize].is_copy_of(self.prints[at as usize]) {
            return;
        }
        if (at as usize) < self.n_firm {
            self.groups.join(before, at);
        } else {
            self.late.push((at, before));
        }
    }
}

/// A union-find in which the root of a group is its first member.
struct Joined {
    parents: Vec<u32>,
    has_members: Vec<bool>,
}

impl Joined {
    fn new(n: usize) -> Joined {
        Joined {
            parents: (0..n as u32).collect(),
            has_members: vec![false; n],
        }
    }

    fn root(&mut self, mut at: u32) -> u32 {
        while self.parents[at as usize] != at {
            let parent = self.parents[at as usize];
            self.parents[at as usize] = self.parents[parent as usize];
            at = parent;
        }
        at
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        let (first, second) = (a.min(b), a.max(b));
        if first != second {
            self.parents[second as usize] = first;
            self.has_members[first as usize] = true;
        }
    }

    fn firsts(mut self) -> Vec<Option<u32>> {
        let items = 0..self.parents.len() as u32;
        items
            .map(|at| {
                let root = self.root(at);
                self.has_members[root as usize].then_some(root)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(a: &str, b: &str, is_copy: bool) {
        let (x, y) = (CopyPrint::of(a), CopyPrint::of(b));
        assert_eq!(
            (x.is_copy_of(y), y.is_copy_of(x)),
            (is_copy, is_copy),
            "{a:?} {b:?}"
        );
    }

    #[test]
    fn a_copy_says_the_same() {
        check(
            "The key lives\nin the vault.",
            "the key  lives in the VAULT.\n",
            true,
        );
        check("Done", " done ", true);
        check("Done", "Done!", false);
        check("", "", false);
        check(" \n", "", false);
        // One of many words differs: too little for the SimHash, but another number or a negation is another claim.
        let long = |port: &str, verb: &str| {
            let filler =
                "every night the relay copies the notes of the day to the store behind the hall ";
            format!(
                "{}The relay {verb} listen on port {port}.",
                filler.repeat(12)
            )
        };
        check(
            &long("8093", "does"),
            &long("8093", "does").to_uppercase(),
            true,
        );
        check(
            &long("8093", "does"),
            &format!("{} ok", long("8093", "does")),
            true,
        );
        check(&long("8093", "does"), &long("8094", "does"), false);
        check(&long("8093", "does"), &long("8093", "does not"), false);
        check(&long("8093", "does"), &long("", "does"), false);
        // One more word in a short text counts, at any position; a replaced word or two more do not.
        let key = "The deploy key of the shop lives in the vault, ask Nora to rotate it.";
        check(key, &format!("{key} ok"), true);
        check(key, &key.replace("vault", "old vault"), true);
        check(key, &key.replace("Nora", "Idris"), false);
        check(key, &format!("{key} ok then"), false);
        check(key, &format!("{key} 2"), false);
        check("ask Nora to rotate it", "ask Nora Lind to rotate it", false);
    }

    /// Compares every pair of firm items, then every other one with those before it.
    fn naive(prints: &[CopyPrint], n_firm: usize) -> Vec<Option<u32>> {
        let mut groups = Joined::new(prints.len());
        for b in 0..n_firm {
            for a in 0..b {
                if prints[a].is_copy_of(prints[b]) {
                    groups.join(a as u32, b as u32);
                }
            }
        }
        for b in n_firm..prints.len() {
            if let Some(a) = (0..b).find(|a| prints[*a].is_copy_of(prints[b])) {
                groups.join(a as u32, b as u32);
            }
        }
        groups.firsts()
    }

    fn prints() -> impl Strategy<Value = Vec<CopyPrint>> {
        let near = |bits: Vec<u32>| {
            bits.into_iter()
                .fold(0x9e37_79b9_7f4a_7c15_u64, |hash, bit| hash ^ 1 << bit)
        };
        let bits = prop::collection::vec(0..64_u32, 0..9);
        let words = prop::collection::vec(
            prop::sample::select(vec![7_u64, 1 << 40, 999_999_937]),
            0..4,
        );
        let print = (bits, 0..3_u64, words).prop_map(move |(bits, claims, words)| CopyPrint {
            folded: 0,
            simhash: near(bits),
            claims,
            n_words: WORDS_FOR_ONE_MORE - 1 + words.len() as u32,
            sum: words.iter().sum(),
            sum_of_squares: words
                .iter()
                .map(|word| word.wrapping_mul(*word))
                .fold(0, u64::wrapping_add),
        });
        // Some texts occur more than once; the first has no words.
        let texts = prop::collection::vec(print, 16);
        let order = prop::collection::vec(0..16_usize, 0..24);
        (texts, order).prop_map(|(mut texts, order)| {
            for (folded, text) in (0..).zip(&mut texts) {
                text.folded = folded;
            }
            texts[0] = CopyPrint::default();
            order.into_iter().map(|at| texts[at]).collect()
        })
    }

    proptest! {
        #[test]
        fn groups_are_those_of_comparing_every_pair(prints in prints()) {
            let n = prints.len();
            prop_assert_eq!(copy_groups(&prints, n), naive(&prints, n));
        }

        #[test]
        fn a_late_text_brings_no_groups_together(prints in prints(), at in any::<prop::sample::Index>()) {
            let n_firm = at.index(prints.len() + 1);
            let alone = copy_groups(&prints[..n_firm], n_firm);
            let with = copy_groups(&prints, n_firm);
            prop_assert_eq!(&with, &naive(&prints, n_firm));
            for a in 0..n_firm {
                for b in 0..a {
                    let together = |groups: &[Option<u32>]| groups[a].is_some() && groups[a] == groups[b];
                    prop_assert_eq!(together(&alone), together(&with));
                }
            }
        }
    }
}
