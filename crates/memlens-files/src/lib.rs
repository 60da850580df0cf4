//! Files that something else may stand in the place of: a link, a pipe that nobody serves, a file of another user's.
//!
//! [`read`] and [`write`] take what a person names: files, devices, and pipes that somebody serves. [`open_own`] opens a
//! file of the program's own and nothing in its place, [`map_own`] makes one memory that [`buffer_to_map`] wrote, [`make_folder`] and [`keep_private`]
//! keep other users out of it.
//! [`replace_keeping`] changes a file that another program saves too, and loses nothing of its.
//! [`Scratch`] is a folder for files that are needed for a moment only.
//! [`place_of`], [`place_to_be`] and [`is_within`] tell where a file would truly be written.
//!
//! This crate does not know what any file holds.
//!
//! ```
//! # let dir = tempfile::tempdir()?;
//! let file = dir.path().join("memlens.json");
//! memlens_files::write(&file, b"{}")?;
//! assert_eq!(memlens_files::read(&file, 1024)?, b"{}");
//! assert!(memlens_files::is_within(&memlens_files::place_of(&file)?, dir.path()));
//! # Ok::<(), std::io::Error>(())
//! ```

mod mapped;
mod own;
mod pipes;
mod places;
mod replace;
mod scratch;

pub use mapped::{OwnBytes, buffer_to_map, map_own};
pub use own::{is_odd, keep_private, make_folder, open_own};
pub use pipes::read;
pub use places::{is_linked_into, is_same, is_within, place_of, place_to_be, write};
pub use replace::replace_keeping;
pub use scratch::{Scratch, remove_leftovers};
