//! What a comparison of two texts finds.

use std::fmt;
use std::ops::Range;

/// How two sentences oppose each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Words of an opposition pair: "allowed" and "forbidden".
    Opposition,
    /// One denies what the other says.
    Negation,
    /// Another number, version or amount in the same place.
    Number,
    /// Another time of day, duration or period.
    Time,
    /// Another date, day of the week, month or year.
    Date,
    /// Another name in a place that holds one.
    Name,
    /// The same number in another unit.
    Unit,
    /// The same two things in exchanged roles: "A reports to B" and "B reports to A".
    Roles,
}

impl Kind {
    /// All kinds, in a fixed order.
    pub const ALL: [Kind; 8] = [
        Kind::Opposition,
        Kind::Negation,
        Kind::Number,
        Kind::Time,
        Kind::Date,
        Kind::Name,
        Kind::Unit,
        Kind::Roles,
    ];
}

/// One of the two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The first text.
    A,
    /// The second text.
    B,
}

impl Side {
    /// Returns the side opposite to this one.
    pub fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }
}

/// Where one text says what the other contradicts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Place {
    /// Bytes of the sentence in its text.
    pub sentence: Range<usize>,
    /// Bytes of the opposing words in the text, ascending; never empty.
    pub words: Vec<Range<usize>>,
}

/// Two texts that contradict each other.
#[derive(Debug, Clone, PartialEq)]
pub struct Contradiction {
    /// How they oppose each other.
    pub kind: Kind,
    /// Whether both say the same but for what opposes. If not, they may contradict each other.
    pub sure: bool,
    /// The share of common content words, 0 to 1.
    pub score: f64,
    /// The side whose words say that it replaces the other: "now", "no longer", "not 35". `None` also if the sentences may
    /// speak of different things.
    pub update: Option<Side>,
    /// The place in the first text.
    pub a: Place,
    /// The place in the second text.
    pub b: Place,
}

impl Contradiction {
    /// Returns the same with the sides exchanged.
    pub(crate) fn swapped(self) -> Contradiction {
        Contradiction {
            update: self.update.map(Side::other),
            a: self.b,
            b: self.a,
            ..self
        }
    }
}

/// Why two texts are not reported as a contradiction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Apart {
    /// They share too few content words.
    Unrelated,
    /// A sentence has too few words.
    Short,
    /// A sentence is too long to compare.
    Long,
    /// A sentence is not English; the rules are for English only.
    Language,
    /// A sentence is a question, which states nothing.
    Question,
    /// A heading names what follows.
    Heading,
    /// A line of a table.
    Table,
    /// A line of code or of a program's output.
    Code,
    /// Something that somebody said in a conversation.
    Speech,
    /// A part of a sentence is struck through.
    Struck,
    /// Both are the same text.
    Same,
    /// They share their words and nothing in them opposes.
    Agree,
    /// The words that differ are quoted.
    Quoted,
    /// They speak of different things.
    Subject,
    /// They speak of different places, occasions or conditions.
    Scope,
    /// One speaks of the past, or of the future.
    Tense,
    /// Records of different days with different figures.
    Log,
    /// A changelog records it, or a sentence about a change of a version.
    Changelog,
}

impl fmt::Display for Apart {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Apart::Unrelated => "they share too few content words",
            Apart::Short => "a sentence has too few words to compare",
            Apart::Long => "a sentence is too long to compare",
            Apart::Language => {
                "the rules are for English only, and a sentence is in another language"
            }
            Apart::Question => "a question states nothing",
            Apart::Heading => "headings are not compared",
            Apart::Table => "lines of a table are not compared",
            Apart::Code => "code and output of programs are not compared",
            Apart::Speech => "what somebody says in a conversation is not compared",
            Apart::Struck => "a part of a sentence is struck through",
            Apart::Quoted => "the words that differ are quoted",
            Apart::Same => "both are the same text",
            Apart::Agree => "nothing in them opposes",
            Apart::Subject => "they speak of different things",
            Apart::Scope => "they speak of different places, occasions or conditions",
            Apart::Tense => "one speaks of the past or of the future",
            Apart::Log => "they are records of different days with different figures",
            Apart::Changelog => "one records what a version changed",
        })
    }
}

/// The result of comparing two texts.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// They contradict each other, surely or perhaps.
    Contradiction(Contradiction),
    /// They are not reported, for this reason.
    Apart(Apart),
}

impl Verdict {
    /// Returns the contradiction, if it is one.
    pub fn contradiction(&self) -> Option<&Contradiction> {
        match self {
            Verdict::Contradiction(found) => Some(found),
            Verdict::Apart(_) => None,
        }
    }
}
