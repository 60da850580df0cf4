//! Checks the user's own command.

use std::path::Path;

use super::refused;
use crate::RerankError;

/// Returns a command that can be run: its program is a name on the search path or an absolute path, so that it does not
/// depend on where Memlens was started.
pub(super) fn checked(command: Vec<String>) -> Result<Vec<String>, RerankError> {
    let program = command.first().map_or("", |program| program.trim());
    if program.is_empty() {
        return Err(refused("the hook", "give a program"));
    }
    if command.iter().any(|word| word.contains('\0')) {
        return Err(refused("the hook", "it must not contain a NUL character"));
    }
    let path = Path::new(program);
    if path.components().count() > 1 && !path.is_absolute() {
        return Err(refused(
            format!("the hook {program}"),
            "give its full path, or a name that is found on the search path",
        ));
    }
    if path.is_absolute() && !path.is_file() {
        return Err(refused(
            format!("the hook {program}"),
            "there is no such file",
        ));
    }
    Ok(command)
}
