//! Changes settings in a config's text and leaves everything else unchanged.
//!
//! Properties checked: comments, quotes, order, line endings and the byte-order mark stay; what a reader of the new text finds is
//! what the old one held, with the settings in their places; what cannot be changed safely is refused.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{
    CstContainerNode, CstInputValue, CstLeafNode, CstNode, CstObject, CstRootNode,
};
use serde_json::{Map, Value};
use similar::TextDiff;

use crate::config::parse_text;

/// A value with the keys that lead to it, from the top.
pub type Put = (Vec<String>, Value);

/// Why a text is refused that is not what was expected once it is changed.
pub(crate) const UNSAFE: &str =
    "it is written in a way that cannot be changed safely; copy the settings instead";

/// Lines around a change that a diff shows.
const DIFF_CONTEXT: usize = 3;

/// An object in one line with more properties than this stays in one line, and a new property is inserted as text: the parser would
/// give each property a line of its own, in a time that grows with the square of their number.
const SPREAD_MAX: usize = 100;

/// JSON5, except extensions that only this parser accepts.
const OPTIONS: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_loose_object_property_names: true,
    allow_trailing_commas: true,
    allow_missing_commas: false,
    allow_single_quoted_strings: true,
    allow_hexadecimal_numbers: true,
    allow_unary_plus_numbers: true,
    allow_bare_decimal_point_numbers: true,
    allow_non_finite_numbers: true,
    allow_extended_string_escapes: true,
};

/// The text of a JSON or JSON5 config with these values set. An equal value stays as it is written.
///
/// # Errors
/// The problem of the text, for the user: broken syntax, a duplicate key, or another value where an object is expected.
pub fn edited(text: &str, puts: &[Put]) -> Result<String, String> {
    let before = parse_text(text)?;
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let mut root = parse(body)?;
    let mut expected = before;
    for (path, value) in puts {
        let top = root.object_value().ok_or("it holds no settings by name")?;
        if let Some(Insertion { at, text }) = put(&top, path, value)? {
            let mut body = root.to_string();
            body.insert_str(at, &text);
            root = parse(&body)?;
        }
        put_value(&mut expected, path, value);
    }
    let text = format!("{mark}{root}");
    // A text that two parsers read differently must not result in a config with another meaning.
    if parse_text(&text).is_ok_and(|after| after == expected) {
        Ok(text)
    } else {
        Err(UNSAFE.to_owned())
    }
}

/// The text of a JSON or JSON5 config without the value at `path`, and without the objects above it that hold nothing else.
///
/// # Errors
/// The problem of the text, for the user: as [`edited`], and a `path` at which there is no value.
pub(crate) fn removed(text: &str, path: &[String]) -> Result<String, String> {
    let mut expected = parse_text(text)?;
    let path = only_holder(&expected, path)?;
    let (mark, body) = match text.strip_prefix('\u{feff}') {
        Some(body) => ("\u{feff}", body),
        None => ("", text),
    };
    let root = parse(body)?;
    let (last, above) = path.split_last().ok_or(UNSAFE)?;
    let mut object = root.object_value().ok_or("it holds no settings by name")?;
    for (n, key) in above.iter().enumerate() {
        is_once(&object, key, &path[..=n].join("."))?;
        object = object.object_value(key).ok_or(UNSAFE)?;
    }
    is_once(&object, last, &path.join("."))?;
    object.get(last).ok_or(UNSAFE)?.remove();
    let holder = above
        .iter()
        .fold(&mut expected, |at, key| &mut at[key.as_str()]);
    holder.as_object_mut().ok_or(UNSAFE)?.remove(last);
    let text = format!("{mark}{root}");
    if parse_text(&text).is_ok_and(|after| after == expected) {
        Ok(text)
    } else {
        Err(UNSAFE.to_owned())
    }
}

/// The shortest beginning of `path` whose value holds nothing but the value at `path`.
fn only_holder<'a>(all: &Value, path: &'a [String]) -> Result<&'a [String], String> {
    let mut at = all;
    let mut n_keys = path.len();
    for (n, key) in path.iter().enumerate() {
        let fields = at.as_object().filter(|fields| fields.contains_key(key));
        let fields = fields.ok_or_else(|| format!("it has no {}", path.join(".")))?;
        if fields.len() > 1 || n == 0 {
            n_keys = n + 1;
        }
        at = &fields[key];
    }
    Ok(&path[..n_keys])
}

/// Values as a config of their own, with nothing else.
pub fn fragment(puts: &[Put]) -> String {
    let mut all = Value::Object(Map::new());
    for (path, value) in puts {
        put_value(&mut all, path, value);
    }
    serde_json::to_string_pretty(&all).expect("plain data can always be written as JSON") + "\n"
}

/// Changes from one config to another, as a unified diff. Texts and comments are left out, because they may be secrets,
/// except the `words` that are set.
pub fn diff(before: &str, after: &str, words: &[&str]) -> String {
    unified(&without_texts(before, words), &without_texts(after, words))
}

/// A unified diff without a head of file names.
pub(crate) fn unified(before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    diff.unified_diff().context_radius(DIFF_CONTEXT).to_string()
}

fn parse(body: &str) -> Result<CstRootNode, String> {
    CstRootNode::parse(body, &OPTIONS).map_err(|error| {
        format!(
            "line {}, column {}: {}",
            error.line_display(),
            error.column_display(),
            error.kind()
        )
    })
}

/// A text to insert into a config, and where, in bytes.
struct Insertion {
    at: usize,
    text: String,
}

/// Sets a value in the tree, or returns the text to insert instead.
fn put(top: &CstObject, path: &[String], value: &Value) -> Result<Option<Insertion>, String> {
    let Some((last, above)) = path.split_last() else {
        return Ok(None);
    };
    let mut object = top.clone();
    for (n, key) in above.iter().enumerate() {
        let named = || path[..=n].join(".");
        is_once(&object, key, &named())?;
        if let Some(inserted) = inserted_in_line(&object, &path[n..], value) {
            return Ok(Some(inserted));
        }
        object = object.object_value_or_create(key).ok_or_else(|| {
            format!(
                "{} is not an object, so nothing can be set below it",
                named()
            )
        })?;
    }
    is_once(&object, last, &path.join("."))?;
    if let Some(inserted) = inserted_in_line(&object, &path[above.len()..], value) {
        return Ok(Some(inserted));
    }
    match object.get(last) {
        None => {
            object.append(last, input(value));
        }
        Some(found) => {
            let is_same = found.value().and_then(|node| literal(&node)).as_ref() == Some(value);
            if !is_same {
                found.set_value(input(value));
            }
        }
    }
    Ok(None)
}

/// How a value is inserted into an object that does not have its first key, is in one line and has many properties; `None` for every other object.
fn inserted_in_line(object: &CstObject, path: &[String], value: &Value) -> Option<Insertion> {
    let children = object.children();
    let properties = children.iter().filter(|it| is_property(it)).count();
    if properties <= SPREAD_MAX
        || children.iter().any(CstNode::is_newline)
        || object.get(&path[0]).is_some()
    {
        return None;
    }
    let mut nested = Value::Null;
    put_value(&mut nested, path, value);
    let nested = nested.to_string();
    // Without the braces of the object that holds it.
    let property = &nested[1..nested.len() - 1];
    let last = children.iter().rposition(is_property)?;
    let comma = children[last..]
        .iter()
        .position(|it| it.token_char() == Some(','));
    let (n_before, text) = match comma {
        Some(comma) => (last + comma + 1, format!(" {property},")),
        None => (last + 1, format!(", {property}")),
    };
    let at = start_of(&object.clone().into()) + n_bytes(&children[..n_before]);
    Some(Insertion { at, text })
}

fn is_property(node: &CstNode) -> bool {
    matches!(node, CstNode::Container(CstContainerNode::ObjectProp(_)))
}

/// Where a node begins in the text of its root, in bytes.
fn start_of(node: &CstNode) -> usize {
    let mut node = node.clone();
    let mut start = 0;
    while let Some(parent) = node.parent() {
        start += n_bytes(&parent.children()[..node.child_index()]);
        node = parent.into();
    }
    start
}

fn n_bytes(nodes: &[CstNode]) -> usize {
    nodes.iter().map(|node| node.to_string().len()).sum()
}

/// Refuses a duplicate key, of which different readers take different values.
fn is_once(object: &CstObject, key: &str, named: &str) -> Result<(), String> {
    let found = object.properties();
    let named_so = found
        .iter()
        .filter(|it| it.decoded_name().as_deref() == Some(key));
    if named_so.count() > 1 {
        return Err(format!("{named} appears twice; remove one of them first"));
    }
    Ok(())
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(is) => CstInputValue::Bool(*is),
        Value::Number(number) => CstInputValue::Number(number.to_string()),
        Value::String(text) => CstInputValue::String(text.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(fields) => {
            let fields = fields.iter();
            CstInputValue::Object(
                fields
                    .map(|(key, value)| (key.clone(), input(value)))
                    .collect(),
            )
        }
    }
}

fn literal(node: &CstNode) -> Option<Value> {
    parse_text(&format!("{{v: {node}}}"))
        .ok()
        .map(|mut it| it["v"].take())
}

fn put_value(all: &mut Value, path: &[String], value: &Value) {
    let Some((last, above)) = path.split_last() else {
        return;
    };
    let mut at = all;
    for key in above {
        at = &mut at[key.as_str()];
        if at.is_null() {
            *at = Value::Object(Map::new());
        }
    }
    at[last.as_str()] = value.clone();
}

/// The same text with every value that is a text, and every comment, replaced by `…`; lines stay lines.
fn without_texts(text: &str, words: &[&str]) -> String {
    let body = text.trim_start_matches('\u{feff}');
    let Ok(root) = parse(body) else {
        return String::new();
    };
    let mut nodes: Vec<CstNode> = root.children();
    while let Some(node) = nodes.pop() {
        match &node {
            CstNode::Container(CstContainerNode::ObjectProp(prop)) => {
                nodes.extend(prop.children().into_iter().skip(1));
            }
            CstNode::Container(container) => nodes.extend(container.children()),
            CstNode::Leaf(CstLeafNode::StringLit(text))
                if text
                    .decoded_value()
                    .is_ok_and(|it| words.contains(&it.as_str())) => {}
            CstNode::Leaf(CstLeafNode::StringLit(text)) => {
                let lines = "\n".repeat(text.raw_value().matches('\n').count());
                text.set_raw_value(format!("\"…{lines}\""));
            }
            CstNode::Leaf(CstLeafNode::Comment(comment)) => {
                let raw = comment.raw_value();
                let lines = "\n".repeat(raw.matches('\n').count());
                let left_out = if comment.is_line_comment() {
                    "// …".to_owned()
                } else {
                    format!("/* …{lines} */")
                };
                comment.set_raw_value(left_out);
            }
            CstNode::Leaf(_) => {}
        }
    }
    root.to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn at(path: &str, value: Value) -> Put {
        (path.split('.').map(str::to_owned).collect(), value)
    }

    #[test]
    fn everything_else_stays() {
        let cases = [
            (
                "// mine\n{\n  memory: {\n    // how many\n    search: { query: { maxResults: 6, /* best */ 'minScore': .35, }, },\n  },\n  'key': 'sk-1',\n}\n",
                "// mine\n{\n  memory: {\n    // how many\n    search: { query: { maxResults: 8, /* best */ 'minScore': 0.2, }, },\n  },\n  'key': 'sk-1',\n}\n",
            ),
            (
                "\u{feff}{\r\n  \"memory\": {\"search\": {\"query\": {\"maxResults\": 8}}},\r\n  \"a\": 1\r\n}\r\n",
                "\u{feff}{\r\n  \"memory\": {\"search\": {\"query\": {\r\n        \"maxResults\": 8,\r\n        \"minScore\": 0.2\r\n      }}},\r\n  \"a\": 1\r\n}\r\n",
            ),
            (
                "{}",
                "{\n  \"memory\": {\n    \"search\": {\n      \"query\": {\n        \"maxResults\": 8,\n        \"minScore\": 0.2\n      }\n    }\n  }\n}",
            ),
            // An equal value stays as the user wrote it.
            (
                "{memory: {search: {query: {maxResults: 0x8, minScore: +.20}}}}",
                "{memory: {search: {query: {maxResults: 0x8, minScore: +.20}}}}",
            ),
        ];
        for (text, expected) in cases {
            let puts = [
                at("memory.search.query.maxResults", json!(8)),
                at("memory.search.query.minScore", json!(0.2)),
            ];
            assert_eq!(edited(text, &puts).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn a_value_is_removed_and_everything_else_stays() {
        let path: Vec<String> = ["mcp", "servers", "mine"].map(str::to_owned).to_vec();
        for (text, expected) in [
            (
                "{\n  // a\n  a: 1,\n  mcp: {\n    servers: {\n      mine: {command: 'x'},\n      theirs: {}, // b\n    },\n  },\n}\n",
                "{\n  // a\n  a: 1,\n  mcp: {\n    servers: {\n      theirs: {}, // b\n    },\n  },\n}\n",
            ),
            (
                "{\"a\": 1, \"mcp\": {\"servers\": {\"mine\": {}}, \"b\": 2}}",
                "{\"a\": 1, \"mcp\": { \"b\": 2}}",
            ),
        ] {
            assert_eq!(removed(text, &path).as_deref(), Ok(expected));
        }
        for text in ["{}", "{mcp: {servers: {}}}", "{mcp: 1}"] {
            let refused = removed(text, &path).expect_err(text);
            assert!(refused.contains("it has no mcp.servers.mine"), "{refused}");
        }
        let twice = removed("{mcp: {servers: {mine: 1, mine: 2, x: 1}}}", &path);
        assert!(twice.is_err_and(|why| why.contains("appears twice")));
    }

    #[test]
    fn what_is_added_and_removed_again_leaves_the_text_as_it_was() {
        let path: Vec<String> = ["mcp", "servers", "mine"].map(str::to_owned).to_vec();
        let command = path.iter().cloned().chain(["command".to_owned()]).collect();
        let args = path.iter().cloned().chain(["args".to_owned()]).collect();
        let puts = [(command, json!("/bin/x")), (args, json!(["a", "b c"]))];
        for text in [
            "{\n  \"a\": 1\n}\n",
            "{\r\n  \"a\": 1\r\n}",
            "{\n\t// a\n\t'a': 1,\n}\n",
            "\u{feff}{\n  \"mcp\": {\n    \"servers\": {\n      \"theirs\": {}\n    }\n  }\n}\n",
            "{}\n",
        ] {
            let with = edited(text, &puts).expect("it can be changed");
            assert_ne!(with, text);
            assert_eq!(removed(&with, &path).as_deref(), Ok(text));
        }
    }

    /// `many` properties in one line, followed by `end`.
    fn one_line(many: usize, end: &str) -> String {
        let properties: Vec<String> = (0..many).map(|n| format!("k{n}: '{n}é'")).collect();
        properties.join(", ") + end
    }

    #[test]
    fn many_properties_in_one_line_stay_there() {
        let query = [
            at("memory.search.query.maxResults", json!(8)),
            at("memory.search.query.minScore", json!(0.2)),
        ];
        let added = r#""search":{"query":{"maxResults":8}}"#;
        for (end, expected) in [
            ("", format!(", {added}")),
            (", ", format!(", {added}, ")),
            (
                " /* last */ , /* } */ ",
                format!(" /* last */ , {added}, /* }} */ "),
            ),
            (" /* , } */ ", format!(", {added} /* , }} */ ")),
        ] {
            let many = one_line(SPREAD_MAX + 1, "");
            let text = format!("// é\n{{\n  memory: {{ {many}{end}}},\n}}\n");
            let after = edited(&text, &query[..1]).expect("it can be changed");
            assert_eq!(
                after,
                format!("// é\n{{\n  memory: {{ {many}{expected}}},\n}}\n")
            );
            let again = edited(&after, &query[..1]);
            assert_eq!(again.as_deref(), Ok(&*after), "it is there already");
            // The second one goes into the small object that the first one created.
            let both = edited(&text, &query).expect("it can be changed");
            assert_eq!(
                both,
                edited(&after, &query[1..]).expect("it can be changed")
            );
        }
        // Few enough properties to be spread over lines.
        let few = format!("{{{}}}", one_line(SPREAD_MAX, ""));
        let after = edited(&few, &[at("z", json!(1))]).expect("it can be changed");
        assert_eq!(after.lines().count(), SPREAD_MAX + 3);
    }

    /// The parser's work on a tree grows with the square of the properties that it spreads, so none are spread: the text grows by what is
    /// inserted alone, and the diff by one line.
    #[test]
    fn a_property_of_many_costs_no_more_than_its_own_text() {
        for many in [1_000, 60_000] {
            let text = format!("{{{}}}\n", one_line(many, ""));
            let puts = [
                at("memory.search.query.minScore", json!(0.2)),
                at("z", json!(true)),
            ];
            let after = edited(&text, &puts).expect("it can be changed");
            let inserted = r#", "memory":{"search":{"query":{"minScore":0.2}}}, "z":true"#;
            assert_eq!(after.len(), text.len() + inserted.len(), "{many}");
            assert!(after.ends_with(&format!("{inserted}}}\n")), "{many}");
            let changed = diff(&text, &after, &[]);
            let n_changed = changed.lines().filter(|line| line.starts_with(['+', '-']));
            assert_eq!(n_changed.count(), 2, "{many}");
        }
    }

    #[test]
    fn what_cannot_be_changed_is_reported() {
        for (text, message) in [
            ("{memory: 1}", "memory is not an object"),
            (
                "{memory: {search: {query: [], query: {}}}}",
                "memory.search.query appears twice",
            ),
            (
                "{memory: {search: {query: {minScore: 1, 'minScore': 2}}}}",
                "memory.search.query.minScore appears twice",
            ),
            ("{memory: {}, \"m\\u0065mory\": {}}", "memory appears twice"),
            ("{a: 1,\n  b 2}", "line 2, column 5"),
            ("{a: 1 b: 2}", "line 1, column"),
            ("", "it is empty"),
            ("[]", "it holds no settings by name"),
        ] {
            let refused = edited(text, &[at("memory.search.query.minScore", json!(0.2))]);
            let refused = refused.expect_err(message);
            assert!(refused.contains(message), "{text}: {refused}");
        }
    }

    #[test]
    fn a_diff_shows_no_secrets() {
        let before = "{\n  // token: sk-2\n  env: {KEY: 'sk-1'}, /* a\n sk-3 */\n  memory: {search: {query: {minScore: 0.35}}},\n  \"last\": \"sk\\\n4\",\n}\n";
        let after = edited(before, &[at("memory.search.query.minScore", json!(0.2))]).unwrap();
        let diff = diff(before, &after, &[]);
        assert!(!diff.contains("sk"), "{diff}");
        assert!(
            diff.contains("-  memory: {search: {query: {minScore: 0.35}}},\n"),
            "{diff}"
        );
        assert!(
            diff.contains("+  memory: {search: {query: {minScore: 0.2}}},\n"),
            "{diff}"
        );
        assert!(diff.contains("KEY: \"…\""), "{diff}");
        assert!(diff.contains("@@ -2,7 +2,7 @@"), "{diff}");
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            "[ -~é日]{0,8}".prop_map(Value::from),
            Just(Value::Null),
        ];
        leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[a-cA-C_]{1,2}", inner, 0..4)
                    .prop_map(|it| Value::Object(it.into_iter().collect())),
            ]
        })
    }

    /// Whether a parent key exists and is null, so that nothing can be set below it.
    fn text_holds_null(value: &Value, path: &[String]) -> bool {
        let mut at = value;
        for key in &path[..path.len() - 1] {
            match at.get(key) {
                None => return false,
                Some(Value::Null) => return true,
                Some(inner) => at = inner,
            }
        }
        false
    }

    proptest! {
        #[test]
        fn a_config_says_the_same_but_for_what_was_put(
            fields in prop::collection::btree_map("[a-c]{1,2}", any_value(), 0..5),
            path in prop::collection::vec("[a-c]{1,2}", 1..4),
            number in -1000_i32..1000,
            pretty in any::<bool>(),
        ) {
            let before = Value::Object(fields.into_iter().collect());
            let text = if pretty { serde_json::to_string_pretty(&before) } else { serde_json::to_string(&before) }.unwrap();
            let mut at = &before;
            let mut is_free = true;
            for key in &path[..path.len() - 1] {
                at = &at[key.as_str()];
                is_free &= at.is_object() || (at.is_null() && !text_holds_null(&before, &path));
            }
            let after = edited(&text, &[(path.clone(), json!(number))]);
            prop_assert_eq!(after.is_ok(), is_free, "{:?}", after);
            if let Ok(after) = after {
                // Everything else is where it was: the value taken out again, nothing is left of the change.
                let found = path.iter().fold(parse_text(&after).unwrap(), |mut at, key| at[key.as_str()].take());
                prop_assert_eq!(found, json!(number));
                let others = |value: &Value| {
                    let mut value = value.clone();
                    value.as_object_mut().map(|it| it.remove(&path[0]));
                    value
                };
                prop_assert_eq!(others(&parse_text(&after).unwrap()), others(&before));
            }
        }
    }
}
