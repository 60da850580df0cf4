use memlens_engine::pipeline;
use memlens_params::{Parameter, print};

use crate::arguments::ParamsArgs;
use crate::error::CliError;
use crate::output::{print_json, print_text};

pub fn run(arguments: &ParamsArgs) -> Result<(), CliError> {
    let pipeline = pipeline(arguments.pipeline.as_deref().unwrap_or("memlens"))?;
    let parameters = &pipeline.table().parameters;
    if arguments.schema {
        let schema = print::json_schema_of(pipeline.table(), pipeline.label());
        return print_text(|out| write!(out, "{schema}"));
    }
    if arguments.json {
        return print_json(parameters);
    }
    print_text(|out| {
        if arguments.markdown {
            return write!(out, "{}", print::markdown_of(pipeline.table()));
        }
        let table = parameters;
        let width = |text: fn(&Parameter) -> String| {
            let texts = table.iter().map(text);
            texts.map(|text| text.chars().count()).max().unwrap_or(0)
        };
        let id = width(|parameter| parameter.id.to_owned());
        let default = width(|parameter| parameter.default.to_string());
        let range = width(Parameter::range);
        for parameter in table {
            writeln!(
                out,
                "{:<id$}  {:<default$}  {:<range$}  {}",
                parameter.id,
                parameter.default.to_string(),
                parameter.range(),
                parameter.sentence
            )?;
        }
        Ok(())
    })
}
