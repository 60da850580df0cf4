//! Selects which items to compare by their claims, so that a thousand lines of one pattern with different numbers are
//! not compared with each other.

use std::collections::{BTreeMap, BTreeSet};

use crate::claims::Claims;

/// For each item, the groups that it is listed in and the groups that it searches.
///
/// Two items whose claims [agree](Claims::agree) find each other, in one group only.
pub(crate) struct Groups {
    /// The number of each item's claims.
    of_item: Vec<u32>,
    /// Indexed by the number of the claims.
    found_under: Vec<[Option<u32>; 2]>,
    looks_in: Vec<[Option<u32>; 2]>,
}

impl Groups {
    pub(crate) fn of(claims: impl Iterator<Item = Claims> + Clone) -> Groups {
        let distinct: BTreeSet<Claims> = claims.clone().collect();
        let number_of: BTreeMap<Claims, u32> = distinct.iter().copied().zip(0..).collect();
        let of_item: Vec<u32> = claims.map(|claims| number_of[&claims]).collect();
        let mut n_items = vec![0_u32; number_of.len()];
        for number in &of_item {
            n_items[*number as usize] += 1;
        }
        // For each count of negations, a group of the claims that have numbers, if any. Its number follows those of all
        // claims.
        let with_numbers: BTreeMap<u32, u32> = distinct
            .iter()
            .filter(|claims| claims.numbers != 0)
            .map(|claims| claims.n_negations)
            .collect::<BTreeSet<u32>>()
            .into_iter()
            .zip(number_of.len() as u32..)
            .collect();
        let mut groups = Groups {
            of_item,
            found_under: Vec::new(),
            looks_in: Vec::new(),
        };
        for (claims, number) in &number_of {
            let numbered = with_numbers.get(&claims.n_negations).copied();
            let plain = Claims {
                numbers: 0,
                ..*claims
            };
            let is_plain = plain == *claims;
            groups
                .found_under
                .push([Some(*number), numbered.filter(|_| !is_plain)]);
            groups.looks_in.push([
                Some(*number).filter(|_| n_items[*number as usize] > 1),
                if is_plain {
                    numbered
                } else {
                    number_of.get(&plain).copied()
                },
            ]);
        }
        groups
    }

    /// Returns the groups in which others find the item.
    pub(crate) fn found_under(&self, item: u32) -> impl Iterator<Item = u32> {
        let number = self.of_item[item as usize] as usize;
        self.found_under[number].into_iter().flatten()
    }

    /// Returns the groups in which the item searches for others.
    pub(crate) fn looks_in(&self, item: u32) -> impl Iterator<Item = u32> {
        let number = self.of_item[item as usize] as usize;
        self.looks_in[number].into_iter().flatten()
    }
}
