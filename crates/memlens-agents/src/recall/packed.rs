//! Packed texts: rows of a database, and logs that an agent will not add to any more.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::ops::ControlFlow;

use super::lines::LINE_MAX;

/// Maximum window of zstd, as a power of two: it limits the memory.
const WINDOW_LOG: u32 = 25;
/// Maximum size of an unpacked log.
const BYTES_MAX: u64 = 2 << 30;
/// Transcripts shrink to a tenth or a twentieth; what unpacks to more than this many times its size is not one.
const RATIO_MAX: u64 = 250;
/// Unpacked size that is allowed whatever the ratio is.
const BYTES_FREE: u64 = 16 << 20;
/// Number of bytes unpacked between two checks whether to continue.
const PIECE: u64 = 4 << 20;

/// Size that something packed may unpack to.
fn limit(packed: u64, most: u64) -> u64 {
    packed.saturating_mul(RATIO_MAX).max(BYTES_FREE).min(most)
}

/// Unpacks a row.
///
/// # Errors
/// If it is damaged, longer than the longest line, or unpacks to more than a text can.
pub(super) fn unpack_row(blob: &[u8], into: &mut Vec<u8>) -> io::Result<()> {
    let most = limit(blob.len() as u64, LINE_MAX as u64);
    let mut decoder = zstd::Decoder::with_buffer(blob)?;
    decoder.window_log_max(WINDOW_LOG)?;
    decoder.take(most + 1).read_to_end(into)?;
    if into.len() as u64 > most {
        return Err(io::Error::other("it unpacks to too much"));
    }
    Ok(())
}

/// Lines of a log, unpacked into an unnamed file, so that they are read and continued as any others; `None` if it was
/// stopped.
pub(super) fn unpacked(
    log: File,
    go_on: &mut dyn FnMut() -> ControlFlow<()>,
) -> Result<Option<File>, String> {
    let explained = |error: io::Error| format!("it cannot be unpacked: {error}");
    let packed = log.metadata().map_err(explained)?.len();
    let mut decoder = zstd::Decoder::with_buffer(BufReader::new(log)).map_err(explained)?;
    decoder.window_log_max(WINDOW_LOG).map_err(explained)?;
    let most = limit(packed, BYTES_MAX);
    let mut into = tempfile::tempfile().map_err(explained)?;
    let mut n_bytes = 0;
    loop {
        if go_on().is_break() {
            return Ok(None);
        }
        let n = io::copy(&mut decoder.by_ref().take(PIECE), &mut into).map_err(explained)?;
        n_bytes += n;
        if n_bytes > most {
            return Err(if most == BYTES_MAX {
                format!("it holds more than {} GiB", BYTES_MAX >> 30)
            } else {
                format!(
                    "its {packed} bytes unpack to more than {} MiB, as no text does",
                    most >> 20
                )
            });
        }
        if n < PIECE {
            break;
        }
    }
    // The end of its last line will not be written any more.
    into.write_all(b"\n").map_err(explained)?;
    Ok(Some(into))
}
