//! Kinds and reasons, as the window and the command line show them.

use memlens_contradict::{Apart, Kind};
use memlens_wire::{DriftKind, DriftReason};

/// Returns how two notes contradict each other.
pub(super) fn kind_of(kind: Kind) -> DriftKind {
    match kind {
        Kind::Opposition => DriftKind::Opposition,
        Kind::Negation => DriftKind::Negation,
        Kind::Number => DriftKind::Number,
        Kind::Time => DriftKind::Time,
        Kind::Date => DriftKind::Date,
        Kind::Name => DriftKind::Name,
        Kind::Unit => DriftKind::Unit,
        Kind::Roles => DriftKind::Roles,
    }
}

/// Returns a reason and how often it applied.
pub(super) fn counted(why: &str, n: u64) -> DriftReason {
    DriftReason {
        why: why.to_owned(),
        n: u32::try_from(n).unwrap_or(u32::MAX),
    }
}

/// Returns the words for sentences that are left out, or pairs that do not contradict each other.
pub(super) fn reason_of(why: Apart, n: u64) -> DriftReason {
    let why = match why {
        Apart::Unrelated => "with too few words in common",
        Apart::Short => "too short to state much",
        Apart::Long => "too long",
        Apart::Language => "not in English",
        Apart::Question => "a question",
        Apart::Heading => "a heading",
        Apart::Table => "in a table",
        Apart::Code => "code or a program's output",
        Apart::Speech => "part of a conversation",
        Apart::Struck => "struck through or quoted",
        Apart::Same => "with the same text, in one paragraph or on one line",
        Apart::Agree => "with nothing that opposes",
        Apart::Quoted => "quoted",
        Apart::Subject => "about different things",
        Apart::Scope => "about different places, occasions or conditions",
        Apart::Tense => "of which one is about the past or the future",
        Apart::Changelog => "of a changelog, or about a change of a version",
        Apart::Log => "that record different days or times",
    };
    counted(why, n)
}
