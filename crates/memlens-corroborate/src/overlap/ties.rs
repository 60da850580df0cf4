//! Which sets the pairs found so far connect, at every level.

use super::LEVEL_MAX;

/// A union-find per level: which sets are connected by the pairs of that level and below.
pub(super) struct Ties {
    /// For each level and set another set of its component, or the set itself if it is the root.
    pub(super) parents: Vec<Vec<u32>>,
}

impl Ties {
    pub(super) fn of(n_sets: u32) -> Ties {
        let alone: Vec<u32> = (0..n_sets).collect();
        Ties {
            parents: vec![alone; usize::from(LEVEL_MAX) + 1],
        }
    }

    pub(super) fn tie(&mut self, a: u32, b: u32, level: u8) {
        for parents in &mut self.parents[usize::from(level)..] {
            let (root_a, root_b) = (root(parents, a), root(parents, b));
            // What is connected at one level is connected at all higher ones.
            if root_a == root_b {
                return;
            }
            parents[root_a.max(root_b) as usize] = root_a.min(root_b);
        }
    }

    /// Returns the lowest level from `level_min` on at which both are connected, or `None` if they are not.
    pub(super) fn lowest(&mut self, a: u32, b: u32, level_min: u8) -> Option<u8> {
        if self.are_tied(a, b, level_min) {
            return Some(level_min);
        }
        if !self.are_tied(a, b, LEVEL_MAX) {
            return None;
        }
        let (mut apart, mut tied) = (level_min, LEVEL_MAX);
        while tied - apart > 1 {
            let middle = (apart + tied) / 2;
            if self.are_tied(a, b, middle) {
                tied = middle;
            } else {
                apart = middle;
            }
        }
        Some(tied)
    }

    fn are_tied(&mut self, a: u32, b: u32, level: u8) -> bool {
        let parents = &mut self.parents[usize::from(level)];
        parents[a as usize] == parents[b as usize] || root(parents, a) == root(parents, b)
    }
}

pub(super) fn root(parents: &mut [u32], mut at: u32) -> u32 {
    while parents[at as usize] != at {
        let above = parents[parents[at as usize] as usize];
        parents[at as usize] = above;
        at = above;
    }
    at
}
