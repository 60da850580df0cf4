//! Shows a file in the system's file manager, selected in its folder.

use std::io;
use std::path::Path;

use crate::editors;

/// Shows a file or folder in its parent folder. If no file manager can select it, opens that folder.
///
/// # Errors
/// `NotFound` if it does not exist or no program opens folders; otherwise the system's error.
pub fn show(path: &Path) -> io::Result<()> {
    // A program that is started reports no missing file.
    path.symlink_metadata()?;
    let Err(cause) = select(path) else {
        return Ok(());
    };
    editors::open_by_system(path.parent().unwrap_or(path)).map_err(|second| {
        let message =
            format!("no file manager answered ({cause}), and no program opens folders ({second})");
        io::Error::new(second.kind(), message)
    })
}

/// By the D-Bus interface that file managers share.
#[cfg(any(target_os = "linux", target_os = "freebsd"))]
fn select(path: &Path) -> io::Result<()> {
    use webkit2gtk::gio::{BusType, Cancellable, DBusCallFlags, bus_get_sync};
    use webkit2gtk::glib::{VariantTy, filename_to_uri, variant::ToVariant};

    /// A file manager that is not running yet is started.
    const TIMEOUT_MS: i32 = 10_000;
    const NAME: &str = "org.freedesktop.FileManager1";

    let address = filename_to_uri(path, None).map_err(io::Error::other)?;
    let not_cancellable = Cancellable::NONE;
    let bus = bus_get_sync(BusType::Session, not_cancellable).map_err(io::Error::other)?;
    bus.call_sync(
        Some(NAME),
        "/org/freedesktop/FileManager1",
        NAME,
        "ShowItems",
        Some(&(vec![address.as_str()], "").to_variant()),
        Some(VariantTy::UNIT),
        DBusCallFlags::NONE,
        TIMEOUT_MS,
        not_cancellable,
    )
    .map(drop)
    .map_err(io::Error::other)
}

#[cfg(target_os = "macos")]
fn select(path: &Path) -> io::Result<()> {
    editors::start(std::process::Command::new("open").arg("-R").arg(path))
}

#[cfg(windows)]
fn select(path: &Path) -> io::Result<()> {
    use std::os::windows::process::CommandExt;
    // Explorer reads its own quotes. A file's name contains none.
    let argument = format!("/select,\"{}\"", path.display());
    editors::start(std::process::Command::new("explorer").raw_arg(argument))
}

#[cfg(not(any(
    target_os = "linux",
    target_os = "freebsd",
    target_os = "macos",
    windows
)))]
fn select(_: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
