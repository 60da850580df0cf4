//! Why a file or folder of a watched folder is not read.

use std::fmt;

use crate::error::IngestError;

/// The rule that leaves out a file or folder. `Display` formats it for the user: lower case, without a full stop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// A pattern of an ignore file matches.
    Ignored {
        /// The pattern as the file writes it.
        pattern: String,
        /// The ignore file, relative to the watched folder.
        file: String,
    },
    /// The name begins with a dot.
    Hidden {
        /// Name of the hidden file or folder.
        name: String,
    },
    /// It is a link; links are not followed.
    Link,
    /// The name is not UTF-8.
    Name,
    /// A kind of file that is not read.
    Kind,
    /// It is a pipe, a socket or a device.
    NotRegular,
    /// The file is larger than [`MAX_FILE_BYTES`](crate::MAX_FILE_BYTES).
    TooLarge,
    /// The system denies access, with this error.
    Unseen(String),
    /// The path is not inside the watched folder.
    Outside,
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ignored { pattern, file } => write!(out, "ignored by {pattern} in {file}"),
            Self::Hidden { name } => write!(
                out,
                "hidden; the line !{name} in a file named .ignore beside it includes it"
            ),
            Self::Link => out.write_str("a link; links are not followed"),
            Self::Name => out.write_str("its name is not UTF-8"),
            Self::Kind => out.write_str("not a kind of file that is read"),
            Self::NotRegular => out.write_str("not a regular file"),
            Self::TooLarge => write!(out, "{}", IngestError::TooLarge),
            Self::Unseen(why) => write!(out, "cannot be looked at: {why}"),
            Self::Outside => out.write_str("not a path inside the watched folder"),
        }
    }
}
