//! The files of a model, verified by their checksums.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::EmbedError;

/// One file of a model.
pub(crate) struct ModelFile {
    pub(crate) name: &'static str,
    pub(crate) sha256: &'static str,
}

/// Returns whether `folder` has every file, whatever its content.
pub(crate) fn are_there(folder: &Path, files: &[ModelFile]) -> bool {
    files.iter().all(|file| folder.join(file.name).is_file())
}

/// Reads and verifies the files, in their order.
///
/// # Errors
/// [`EmbedError::ReadModel`] or [`EmbedError::OtherModel`].
pub(crate) fn read<const N: usize>(
    folder: &Path,
    files: &[ModelFile; N],
) -> Result<[Vec<u8>; N], EmbedError> {
    let mut read = [const { Vec::new() }; N];
    for (file, bytes) in files.iter().zip(&mut read) {
        let path = folder.join(file.name);
        *bytes = fs::read(&path).map_err(|source| EmbedError::ReadModel {
            path: path.clone(),
            source,
        })?;
        let found: String = Sha256::digest(&*bytes)
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        if found != file.sha256 {
            return Err(EmbedError::OtherModel {
                path,
                found,
                expected: file.sha256,
            });
        }
    }
    Ok(read)
}
