//! Clusters at every level of distance at once: what is joined at a lower level stays together at a higher one.
//!
//! Properties checked: the clusters of a level are the connected groups of the pairs up to it, if nothing contradicts;
//! no cluster holds both sides of a contradiction; counts of members and sources equal those of a naive count.

use std::collections::{BTreeMap, HashSet};

use crate::claims::Claims;
use crate::crowds::Crowds;

const NONE: u32 = u32::MAX;

/// One cluster at one level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cluster {
    /// Identifies the cluster. Two observations have equal ids if and only if they are in one cluster.
    pub id: u32,
    /// Number of observations, at least 2.
    pub n_members: u32,
    /// Number of distinct sources, at least 1.
    pub n_sources: u32,
}

/// The clusters of every level, as a forest: two clusters that are joined at a level have a common parent there.
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
    /// A node of a higher level, or `NONE`.
    parent: u32,
}

impl Clusters {
    /// Returns the number of aggregated observations.
    pub fn n_observations(&self) -> u32 {
        self.smallest.len() as u32
    }

    /// Returns the observation's cluster at a level; `None` if it is alone or unknown.
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

    /// Returns the least level at which the observation is in a cluster; `None` if it is alone at every level or unknown.
    pub fn least_level(&self, observation: u32) -> Option<u8> {
        let smallest = *self.smallest.get(observation as usize)?;
        self.nodes.get(smallest as usize).map(|node| node.level)
    }

    /// Returns all members of the observation's cluster at a level, including itself, ascending; empty if it is alone.
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

    /// Returns the members of every cluster at a level, ascending; clusters are ordered by their first member.
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

/// A pair of near observations, and its level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub(crate) level: u8,
    pub(crate) a: u32,
    pub(crate) b: u32,
}

/// Collects the edges of one search over all pairs without holding many: edges that connect what is already connected
/// are dropped.
///
/// If contradictions separate what was connected when an edge was dropped, a cluster may be smaller than with all
/// edges, never larger. That takes more than [`Edges::MANY`] near pairs of different clusters.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    edges: Vec<Edge>,
    n_needed: usize,
}

impl Edges {
    /// An edge takes 12 bytes.
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

    /// Joins the edges from the nearest to the farthest, ties by the observations' order.
    pub(crate) fn join(mut self, joining: &mut Joining<'_>) {
        self.edges.sort_unstable();
        for edge in self.edges {
            joining.join(edge);
        }
    }
}

/// The facts about every observation that joining needs.
pub(crate) struct Parts<'a> {
    pub(crate) claims: &'a [Claims],
    pub(crate) sources: &'a [u32],
    /// Pairs that contradict each other regardless of their claims.
    pub(crate) contradictions: &'a [(u32, u32)],
}

/// A union-find that refuses to join contradictions. Edges must come by ascending level.
#[derive(Clone)]
pub(crate) struct Joining<'a> {
    parts: &'a Parts<'a>,
    parent: Vec<u32>,
    size: Vec<u32>,
    claims: Vec<Claims>,
    /// Set for roots with several members.
    sources: Vec<Option<HashSet<u32>>>,
    /// The observations that the members of a root contradict.
    opponents: Vec<Vec<u32>>,
    /// The cluster of each root with several members.
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

    /// Returns which of some observations are joined so far.
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

    /// Joins both ends. Returns whether that changed anything.
    fn join(&mut self, edge: Edge) -> bool {
        let (a, b) = (self.root(edge.a), self.root(edge.b));
        // The larger takes the smaller; of equal ones, the lower index takes the other.
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

    /// Returns whether a member of one root contradicts a member of the other. If not, the opponents of both are
    /// merged.
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

    /// Returns the node of both together at this level.
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

    /// Returns the forest; a parent always has a higher level than its children.
    pub(crate) fn finish(self) -> Clusters {
        let Joining {
            mut smallest,
            mut nodes,
            ..
        } = self;
        // Two clusters that were joined at their own level are one: the topmost of that level.
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
