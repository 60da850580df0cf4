use memlens_document::{Document, Table, left};
use memlens_engine::pipeline;
use memlens_params::print as printed;

use crate::arguments::ParamsArgs;
use crate::error::CliError;
use crate::output::{print, print_bytes, print_json};

pub fn run(arguments: &ParamsArgs) -> Result<(), CliError> {
    let pipeline = pipeline(arguments.pipeline.as_deref().unwrap_or("memlens"))?;
    let parameters = &pipeline.table().parameters;
    if arguments.schema {
        let schema = printed::json_schema_of(pipeline.table(), pipeline.label());
        return print_bytes(schema.as_bytes());
    }
    if arguments.json {
        return print_json(parameters);
    }
    if arguments.markdown {
        return print_bytes(printed::markdown_of(pipeline.table()).as_bytes());
    }
    let mut table = Table::new([left(""), left(""), left(""), left("")]);
    for parameter in parameters {
        table.row(vec![
            parameter.id.into(),
            parameter.default.to_string().into(),
            parameter.range().into(),
            parameter.sentence.into(),
        ]);
    }
    let mut page = Document::new();
    page.table(table);
    print(&page)
}
