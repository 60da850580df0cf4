//! `memlens params`.

use memlens_params::{print, table};

use crate::arguments::ParamsArgs;
use crate::error::CliError;
use crate::output::{print_json, print_text};

/// Lists every parameter.
pub fn run(arguments: &ParamsArgs) -> Result<(), CliError> {
    if arguments.json {
        return print_json(&table());
    }
    print_text(|out| {
        if arguments.markdown {
            return write!(out, "{}", print::markdown());
        }
        for parameter in table() {
            writeln!(
                out,
                "{:<24}{:<12}{:<32}{}",
                parameter.id,
                parameter.default.to_string(),
                parameter.range(),
                parameter.sentence
            )?;
        }
        Ok(())
    })
}
