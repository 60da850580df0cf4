//! Safe file access where the path may hold something unexpected: a link, a pipe without a reader or writer, another
//! user's file.
//!
//! [`read`] and [`write`] handle paths that the user names: files, devices and pipes. [`open_own`] opens a file of the
//! program's own and nothing else in its place. [`map_own`] maps a file that was written with [`buffer_to_map`], and
//! [`n_faults`] counts reads of what another program cut off. [`make_folder`] and [`keep_private`] deny access to other
//! users, and [`start_private`] does so for all that a process makes. [`other_owner`] and [`is_open_to_others`] say who
//! else can use a file. [`replace_keeping`] changes a file that another program also saves, without losing what it saves.
//! [`canonical`] and [`with_slashes`] give the one form of a path that is stored, shown and compared, and [`spelled`] the
//! name that a folder lists where a path spells it in another way; [`System`] holds the rules of each system for both.
//! [`Appended`] is a file of lines that many processes append to and one takes. [`program`] finds the file of a program by its name. [`Scratch`] is a temporary folder. [`place_of`], [`place_to_be`] and
//! [`is_within`] say where a file would be written,
//! with links resolved. [`Identity`] shows that a file was replaced.
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

mod appended;
#[cfg(unix)]
mod faults;
mod held_open;
mod mapped;
mod own;
mod paths;
mod pipes;
mod places;
mod programs;
mod replace;
mod scratch;
mod spelling;
mod system;
mod trust;
mod umask;

pub use appended::{Appended, Appending};
#[cfg(unix)]
pub use faults::n_faults;
pub use held_open::{rename, retry_held};
#[cfg(not(unix))]
pub use mapped::n_faults;
pub use mapped::{OwnBytes, buffer_to_map, map_own};
pub use own::{is_odd, keep_private, make_folder, open_own};
pub use paths::{canonical, name_from, name_in, path_in, with_slashes};
pub use pipes::read;
pub use places::{
    Identity, create_private, folder_of, is_linked_into, is_same, is_within, place_of, place_to_be,
    write,
};
pub use programs::program;
pub use replace::replace_keeping;
pub use scratch::{Scratch, remove_leftovers};
pub use spelling::{Disk, SystemDisk, composed, only_composed, spelled};
pub use system::System;
pub use trust::{is_open_to_others, is_writable_by_others, keeps_modes, other_owner, owner_of_new};
pub use umask::{start_private, with_users_umask};
