//! Values of parameters in the form of the file `memlens.json`.

use memlens_params::{ParameterKind, ParameterSet as _, Value, Values};
use serde::{Serialize, Serializer};
use serde_json::json;

/// Serializes values in the form of the file.
pub fn serialize_in_file<S: Serializer>(values: &Values, serializer: S) -> Result<S::Ok, S::Error> {
    in_file(values).serialize(serializer)
}

/// Values in the form of the file: the number of an integer parameter has no decimal point.
pub fn in_file(values: &Values) -> serde_json::Value {
    let written = values.table().parameters.iter().map(|it| {
        let value = match (&it.kind, values.get(it.id)) {
            (ParameterKind::Number { integer: true, .. }, Some(Value::Number(number))) => {
                json!(number as i64)
            }
            (_, value) => json!(value),
        };
        (it.id.to_owned(), value)
    });
    serde_json::Value::Object(written.collect())
}
