//! Clusters at every level of distance at once: what is joined at a lower level stays together at a higher one.
//!
//! Properties checked: the clusters of a level are the connected groups of the pairs up to it, where nothing contradicts;
//! no cluster holds both sides of a contradiction; counts of members and sources are those of a naive count.

use std::collections::{BTreeMap, HashSet};

use crate::claims::Claims;
use crate::crowds::Crowds;

const NONE: u32 = u32::MAX;

/// One cluster at one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    /// Its name; equal for two observations exactly where they are in one cluster.
    pub id: u32,
    /// How many observations it has, at least 2.
    pub n_members: u32,
    /// How many distinct sources say it, at least 1.
    pub n_sources: u32,
}

/// The clusters of every level, as a forest: two clusters that are joined at a level have one parent there.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Clusters {
    /// The smallest cluster of each observation.
    smallest: Vec<u32>,
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Node {
    level: u8,
    n_members: u32,
    n_sources: u32,
    /// Of a higher level.
    parent: u32,
}

impl Clusters {
    /// How many observations were looked at.
    pub fn n_observations(&self) -> u32 {
        self.smallest.len() as u32
    }

    /// The observation's cluster at a level; none where it stands alone or is not known.
    pub fn at(&self, observation: u32, level: u8) -> Option<Cluster> {
        let mut found = None;
        let mut id = *self.smallest.get(observation as usize)?;
        while let Some(node) = self
            .nodes
            .get(id as usize)
            .filter(|node| node.level <= level)
        {
            found = Some(Cluster {
                id,
                n_members: node.n_members,
                n_sources: node.n_sources,
            });
            id = node.parent;
        }
        found
    }

    /// Everyone in the observation's cluster at a level, itself too, ascending; nothing where it stands alone.
    pub fn members_of(&self, observation: u32, level: u8) -> Vec<u32> {
        let Some(Cluster { id, .. }) = self.at(observation, level) else {
            return Vec::new();
        };
        (0..self.n_observations())
            .filter(|other| {
                self.at(*other, level)
                    .is_some_and(|cluster| cluster.id == id)
            })
            .collect()
    }

    /// The members of every cluster at a level, ascending, by their first member.
    pub fn members(&self, level: u8) -> Vec<Vec<u32>> {
        let mut of_cluster: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for observation in 0..self.n_observations() {
            if let Some(cluster) = self.at(observation, level) {
                of_cluster.entry(cluster.id).or_default().push(observation);
            }
        }
        let mut clusters: Vec<Vec<u32>> = of_cluster.into_values().collect();
        clusters.sort_unstable();
        clusters
    }
}

/// Says that two observations are near.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) level: u8,
    pub(crate) a: u32,
    pub(crate) b: u32,
}

/// Gathers the edges of one look at all pairs without ever holding many: of those that only tie together what is tied
/// already, none is needed.
///
/// Where contradictions part what was tied when an edge was let go, a cluster may come out smaller than with all edges,
/// never larger; that takes more than [`Edges::MANY`] near pairs of different clusters.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    edges: Vec<Edge>,
    n_needed: usize,
}

impl Edges {
    /// 12 bytes each.
    pub(crate) const MANY: usize = 1 << 20;

    pub(crate) fn push(&mut self, edge: Edge, joining: &Joining<'_>) {
        self.edges.push(edge);
        if self.edges.len() >= self.n_needed * 2 + Self::MANY {
            self.edges.sort_unstable();
            let mut joining = joining.clone();
            self.edges.retain(|edge| joining.join(*edge));
            self.n_needed = self.edges.len();
        }
    }

    /// Joins from the nearest to the farthest, ties by the observations' order.
    pub(crate) fn join(mut self, joining: &mut Joining<'_>) {
        self.edges.sort_unstable();
        for edge in self.edges {
            joining.join(edge);
        }
    }
}

/// What joining must know of every observation.
pub(crate) struct Parts<'a> {
    pub(crate) claims: &'a [Claims],
    pub(crate) sources: &'a [u32],
    /// Pairs that contradict each other whatever their claims.
    pub(crate) contradictions: &'a [(u32, u32)],
}

/// A union of sets that refuses to bring contradictions together; edges come by ascending level.
#[derive(Clone)]
pub(crate) struct Joining<'a> {
    parts: &'a Parts<'a>,
    parent: Vec<u32>,
    size: Vec<u32>,
    claims: Vec<Claims>,
    /// Of a root with several members.
    sources: Vec<Option<HashSet<u32>>>,
    /// What the members of a root contradict.
    opponents: Vec<Vec<u32>>,
    /// The cluster of a root with several members.
    node: Vec<u32>,
    smallest: Vec<u32>,
    nodes: Vec<Node>,
}

impl<'a> Joining<'a> {
    pub(crate) fn of(parts: &'a Parts<'a>) -> Joining<'a> {
        let n = parts.claims.len();
        let mut opponents = Vec::new();
        if !parts.contradictions.is_empty() {
            opponents = vec![Vec::new(); n];
            for (a, b) in parts.contradictions {
                opponents[*a as usize].push(*b);
                opponents[*b as usize].push(*a);
            }
        }
        Joining {
            parts,
            parent: (0..n as u32).collect(),
            size: vec![1; n],
            claims: parts.claims.to_vec(),
            sources: vec![None; n],
            opponents,
            node: vec![NONE; n],
            smallest: vec![NONE; n],
            nodes: Vec::new(),
        }
    }

    /// Which of some observations are together by now.
    pub(crate) fn crowds(&mut self, observations: &[u32]) -> Crowds {
        let named: Vec<(u32, Claims)> = observations
            .iter()
            .map(|observation| {
                let root = self.root(*observation);
                (root, self.claims[root as usize])
            })
            .collect();
        Crowds::of(&named)
    }

    fn root(&mut self, mut at: u32) -> u32 {
        while self.parent[at as usize] != at {
            let above = self.parent[at as usize];
            self.parent[at as usize] = self.parent[above as usize];
            at = above;
        }
        at
    }

    /// Joins both ends; tells whether that changed anything.
    fn join(&mut self, edge: Edge) -> bool {
        let (a, b) = (self.root(edge.a), self.root(edge.b));
        // The larger takes up the smaller; the lower index where they are alike.
        let (large, small) = if (self.size[b as usize], a) > (self.size[a as usize], b) {
            (b, a)
        } else {
            (a, b)
        };
        if a == b
            || !self.claims[a as usize].agree(self.claims[b as usize])
            || self.oppose(large, small)
        {
            return false;
        }
        let node = self.cluster(large, small, edge.level);
        self.parent[small as usize] = large;
        self.size[large as usize] += self.size[small as usize];
        self.claims[large as usize] =
            self.claims[large as usize].joined(self.claims[small as usize]);
        self.node[large as usize] = node;
        let n_sources = self.take_up_sources(large, small);
        self.nodes[node as usize].n_members = self.size[large as usize];
        self.nodes[node as usize].n_sources = n_sources;
        true
    }

    /// Whether a member of one root contradicts a member of the other; if not, both are one from here on.
    fn oppose(&mut self, large: u32, small: u32) -> bool {
        if self.opponents.is_empty() {
            return false;
        }
        let opponents = std::mem::take(&mut self.opponents[small as usize]);
        let oppose = opponents
            .iter()
            .any(|opponent| self.root(*opponent) == large);
        if oppose {
            self.opponents[small as usize] = opponents;
        } else {
            self.opponents[large as usize].extend(opponents);
        }
        oppose
    }

    /// The node of both together at this level.
    fn cluster(&mut self, large: u32, small: u32, level: u8) -> u32 {
        let present = [large, small].map(|root| self.node[root as usize]);
        let of_level = present.into_iter().find(|node| {
            self.nodes
                .get(*node as usize)
                .is_some_and(|node| node.level == level)
        });
        let together = of_level.unwrap_or(self.nodes.len() as u32);
        if of_level.is_none() {
            self.nodes.push(Node {
                level,
                n_members: 0,
                n_sources: 0,
                parent: NONE,
            });
        }
        for (root, node) in [large, small].into_iter().zip(present) {
            match self.nodes.get_mut(node as usize) {
                None => self.smallest[root as usize] = together,
                Some(_) if node == together => {}
                Some(below) => below.parent = together,
            }
        }
        together
    }

    fn take_up_sources(&mut self, large: u32, small: u32) -> u32 {
        let taken = self.sources[small as usize].take();
        let first = self.parts.sources[large as usize];
        let sources = self.sources[large as usize].get_or_insert_with(|| HashSet::from([first]));
        match taken {
            Some(taken) => sources.extend(taken),
            None => {
                sources.insert(self.parts.sources[small as usize]);
            }
        }
        sources.len() as u32
    }

    /// The forest, in which a parent is always of a higher level.
    pub(crate) fn finish(self) -> Clusters {
        let Joining {
            mut smallest,
            mut nodes,
            ..
        } = self;
        // Two clusters of one level that were joined at that level are one: its top.
        let top = |nodes: &[Node], mut id: u32| {
            while let Some(node) = nodes.get(id as usize) {
                match nodes.get(node.parent as usize) {
                    Some(parent) if parent.level == node.level => id = node.parent,
                    Some(_) | None => break,
                }
            }
            id
        };
        for id in 0..nodes.len() {
            nodes[id].parent = top(&nodes, nodes[id].parent);
        }
        for id in &mut smallest {
            *id = top(&nodes, *id);
        }
        Clusters { smallest, nodes }
    }
}
