//! Crowds: the items that are already joined. Pairs within one crowd change nothing, so the search for pairs skips
//! them.
//!
//! If nearly all items are near each other, the number of pairs is quadratic, and all but a few soon are within one
//! crowd.

use crate::claims::Claims;

/// Assigns each item to its crowd; crowd 0 is the largest.
pub(crate) struct Crowds {
    of_item: Vec<u32>,
    /// The joined claims of each crowd's members.
    claims: Vec<Claims>,
}

impl Crowds {
    /// Numbers the crowds by their size. `named` gives for each item any name of its crowd, and that crowd's claims.
    pub(crate) fn of(named: &[(u32, Claims)]) -> Crowds {
        let n_names = named.iter().map(|(name, _)| name + 1).max().unwrap_or(0);
        let mut sizes = vec![0_u32; n_names as usize];
        for (name, _) in named {
            sizes[*name as usize] += 1;
        }
        let mut names: Vec<(u32, Claims)> = named.to_vec();
        names.sort_unstable_by_key(|(name, _)| (u32::MAX - sizes[*name as usize], *name));
        names.dedup_by_key(|(name, _)| *name);
        let mut crowd_of = vec![0; n_names as usize];
        for (crowd, (name, _)) in (0..).zip(&names) {
            crowd_of[*name as usize] = crowd;
        }
        Crowds {
            of_item: named
                .iter()
                .map(|(name, _)| crowd_of[*name as usize])
                .collect(),
            claims: names.into_iter().map(|(_, claims)| claims).collect(),
        }
    }

    /// Returns the item's crowd; 0 is the largest.
    pub(crate) fn at(&self, item: u32) -> u32 {
        self.of_item[item as usize]
    }

    /// Returns whether two crowds may still be joined.
    pub(crate) fn agree(&self, a: u32, b: u32) -> bool {
        self.claims[a as usize].agree(self.claims[b as usize])
    }

    /// Returns the items by crowd; those of one crowd are ascending.
    pub(crate) fn in_order(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.of_item.len() as u32).collect();
        order.sort_unstable_by_key(|item| (self.at(*item), *item));
        order
    }
}
