//! Types that describe one agent.

use std::path::PathBuf;

use crate::home::Home;
use crate::looking::Look;

/// An agent, or a program in which people keep notes.
#[derive(Debug)]
pub struct Agent {
    /// Its id on the command line and in files.
    pub id: &'static str,
    /// Name of the agent on screen.
    pub name: &'static str,
    /// Version and source that its places were checked with.
    pub source: Source,
    /// How the agent retrieves its notes, for the user.
    pub recall: &'static str,
    /// What the agent loads when a session begins, for the user.
    pub loads: &'static str,
    /// Names of its instruction files, which are read once the user watches the agent.
    pub instructions: &'static [&'static str],
    /// Scans the agent's usual places.
    pub(crate) look: fn(&mut Look<'_>),
    /// Files and folders that belong to the agent with all their contents: its configs, state and logs, whether or not
    /// they exist.
    pub(crate) own_places: fn(&Home) -> Vec<PathBuf>,
}

/// Where a fact about an agent comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Source {
    /// The agent's version, as it names its versions; empty if a fact was not checked with a certain one.
    pub version: &'static str,
    /// Documentation or source that was read.
    pub from: &'static str,
}

/// How an agent loads one file when a session begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cap {
    /// What is removed before anything is counted; removed text is never loaded.
    pub removed: &'static [Removed],
    /// Applied in order, each to the result of the previous one. Empty: the file is loaded whole.
    pub limits: Vec<Limit>,
    /// Which part of a longer file is kept.
    pub keeps: Keeps,
    /// The line that separates the file's entries, for agents that keep entries.
    pub entries_split_by: Option<&'static str>,
    /// Where the rule comes from.
    pub source: Source,
}

impl Cap {
    /// A file that is loaded whole, with nothing removed.
    pub const fn whole(source: Source) -> Cap {
        Cap {
            removed: &[],
            limits: Vec::new(),
            keeps: Keeps::Beginning,
            entries_split_by: None,
            source,
        }
    }
}

/// Text that an agent removes from a file before it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Removed {
    /// YAML front matter at the start.
    FrontMatter,
    /// HTML comments that are blocks of their own.
    BlockComments,
    /// White space at the beginning.
    BlankStart,
    /// White space at the end.
    BlankEnd,
}

/// Which part of a file that is over its limit is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// The beginning, up to a line break if there is one.
    Beginning,
    /// The beginning, cut at the limit exactly.
    BeginningExactly,
    /// Given percentages of the limit from each end. The marker between them is not counted.
    Ends {
        /// Percent of the limit for the beginning.
        head: u64,
        /// Percent of the limit for the end.
        tail: u64,
    },
    /// All entries of the file, equal ones once, without those that Hermes classifies as a threat. No limit cuts.
    Entries,
    /// As `Ends`, with OpenClaw's marker counted. `AGENTS.md` also gets a digest of its policy lines between the ends.
    OpenClaw,
}

/// A maximum size in some unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Unit in which the size is counted.
    pub unit: Unit,
    /// The maximum in that unit.
    pub most: u64,
    /// Whether text over the limit is left out. False: the agent only refuses to add more.
    pub cuts: bool,
}

impl Limit {
    /// A limit over which text is left out.
    pub const fn of(unit: Unit, most: u64) -> Limit {
        Limit {
            unit,
            most,
            cuts: true,
        }
    }
}

/// Unit in which an agent counts text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Unicode characters, as Python counts them.
    Characters,
    /// UTF-16 units, which JavaScript counts as characters: most emoji are two.
    Utf16,
    /// Bytes of the UTF-8 encoding.
    Bytes,
    /// Lines, split at every line feed.
    Lines,
}

impl Unit {
    /// Its name for the user.
    pub fn name(self) -> &'static str {
        match self {
            Unit::Characters | Unit::Utf16 => "characters",
            Unit::Bytes => "bytes",
            Unit::Lines => "lines",
        }
    }

    /// The number of units in a text. A last line without a line break counts, an empty one after a line break does too.
    pub fn size(self, text: &str) -> u64 {
        let n = match self {
            Unit::Characters => text.chars().count(),
            Unit::Utf16 => text.chars().map(char::len_utf16).sum(),
            Unit::Bytes => text.len(),
            Unit::Lines if text.is_empty() => 0,
            Unit::Lines => text.split('\n').count(),
        };
        n as u64
    }
}
