//! `memlens params`.

use memlens_params::{print, table};

use crate::arguments::ParamsArgs;
use crate::error::CliError;
use crate::settings::print_json;

/// Lists every parameter.
pub fn run(arguments: &ParamsArgs) -> Result<(), CliError> {
    if arguments.json {
        print_json(&table())?;
    } else if arguments.markdown {
        anstream::print!("{}", print::markdown());
    } else {
        for parameter in table() {
            anstream::println!(
                "{:<24}{:<12}{:<32}{}",
                parameter.id,
                parameter.default.to_string(),
                parameter.range(),
                parameter.sentence
            );
        }
    }
    Ok(())
}
