//! What is known of one agent.

use crate::looking::Look;

/// An agent, or a program in which people keep notes.
#[derive(Debug)]
pub struct Agent {
    /// Its id on the command line and in files.
    pub id: &'static str,
    /// Its name on screen.
    pub name: &'static str,
    /// What its places were checked with.
    pub source: Source,
    /// How it finds its notes again, for a person.
    pub recall: &'static str,
    /// What it loads when a session begins, for a person.
    pub loads: &'static str,
    /// Looks at its places.
    pub(crate) look: fn(&mut Look<'_>),
}

/// Where a fact about an agent comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// The agent's version, as it names its versions; empty where a fact was not checked with a certain one.
    pub version: &'static str,
    /// What was read.
    pub from: &'static str,
    /// Whether its users report it and the agent's makers do not.
    pub is_reported: bool,
}

/// How much of a file an agent loads when a session begins.
#[derive(Debug, PartialEq, Eq)]
pub struct Cap {
    /// Whichever is reached first cuts.
    pub limits: &'static [Limit],
    /// Which part of a longer file is left.
    pub keeps: Keeps,
    /// What parts the file's entries, where the agent has such.
    pub entries_split_by: Option<&'static str>,
    /// Where this comes from.
    pub source: Source,
}

/// Which part of a file that is too long is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// The beginning.
    Beginning,
    /// Both ends; how much of each is not known.
    Ends,
}

/// So much is loaded, and no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// What is counted.
    pub unit: Unit,
    /// How many.
    pub most: u64,
}

/// What an agent counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Unicode characters, as Python counts them.
    Characters,
    /// UTF-16 units, which JavaScript counts as characters: most emoji are two.
    Utf16,
    /// Bytes of UTF-8.
    Bytes,
    /// Lines.
    Lines,
    /// Tokens of the agent's model, which is not ours: a fourth of the characters.
    TokensEstimated,
}

impl Unit {
    /// Its name, for a person.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Characters | Unit::Utf16 => "characters",
            Unit::Bytes => "bytes",
            Unit::Lines => "lines",
            Unit::TokensEstimated => "tokens",
        }
    }
}
