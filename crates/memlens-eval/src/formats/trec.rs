//! TREC's qrels (`topic iteration document grade`), including those of BEIR (`query-id corpus-id score` below a
//! header), and the topics files with their questions: the tagged ones of TREC, `id<tab>query` or `id:query` lines, and
//! JSON lines.

use std::collections::{BTreeSet, HashMap};

use serde::Deserialize;

use super::graded::{Graded, grade};
use super::text;
use crate::queries::QuerySet;

/// Returns topic, document and grade of a line.
fn split(line: &str) -> Option<[&str; 3]> {
    let fields: Vec<&str> = line.split_whitespace().collect();
    match fields[..] {
        [topic, _, document, grade] | [topic, document, grade] => Some([topic, document, grade]),
        _ => None,
    }
}

fn is_header(line: &str) -> bool {
    let names = line.to_ascii_lowercase();
    split(&names).is_some_and(|[topic, _, grade]| {
        topic.contains("query") && matches!(grade, "score" | "relevance" | "grade" | "rel")
    })
}

/// Returns whether the first line is a line of qrels, or their header.
pub fn is_qrels(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty());
    first.and_then(|line| text(line).ok()).is_some_and(|line| {
        let n_fields = line.split_whitespace().count();
        let is_line = || split(line).is_some_and(|[.., grade]| grade.parse::<i32>().is_ok());
        is_header(line) || (n_fields == 4 && is_line())
    })
}

pub fn read(bytes: &[u8], topics: Option<&[u8]>) -> QuerySet {
    let mut graded = Graded::default();
    let Some(topics) = topics else {
        graded.refuse(1, "its questions are in a topics file, which is not given");
        return graded.into_set();
    };
    let topics = match text(topics) {
        Ok(topics) => topics_of(topics),
        Err(why) => {
            graded.refuse(1, format!("the topics file: {why}"));
            return graded.into_set();
        }
    };
    let mut unknown = BTreeSet::new();
    for (line, bytes) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let words = match text(bytes) {
            Ok(words) => words.trim(),
            Err(why) => {
                graded.refuse(line, why);
                continue;
            }
        };
        if words.is_empty() || (line == 1 && is_header(words)) {
            continue;
        }
        let Some([topic, document, written]) = split(words) else {
            graded.refuse(line, "it is not topic, iteration, document and grade");
            continue;
        };
        match (topics.get(topic), grade(written)) {
            (Some(query), Ok(number)) => {
                graded.judge(line, topic, Some(topic), query, document, number);
            }
            (None, Ok(_)) => {
                // Reported once for all lines of a topic.
                if unknown.insert(topic.to_owned()) {
                    graded.refuse(line, format!("topic {topic} is not in the topics file"));
                }
            }
            (_, Err(why)) => graded.refuse(line, why),
        }
    }
    graded.into_set()
}

/// Returns the questions of a topics file by their ids.
fn topics_of(text: &str) -> HashMap<String, String> {
    let lower = text.to_ascii_lowercase();
    if lower.contains("<top>") || lower.contains("<topic") {
        return tagged(text, &lower);
    }
    text.lines().filter_map(topic_of_line).collect()
}

#[derive(Deserialize)]
struct JsonTopic {
    #[serde(alias = "_id", alias = "qid", alias = "query_id")]
    id: serde_json::Value,
    #[serde(alias = "query", alias = "title")]
    text: String,
}

fn topic_of_line(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    if line.starts_with('{') {
        let topic: JsonTopic = serde_json::from_str(line).ok()?;
        let id = topic.id.as_str().map(str::to_owned);
        return Some((id.unwrap_or_else(|| topic.id.to_string()), topic.text));
    }
    let (id, query) = line.split_once('\t').or_else(|| line.split_once(':'))?;
    let (id, query) = (id.trim(), query.trim());
    let is_topic = !id.is_empty() && !id.contains(char::is_whitespace) && !query.is_empty();
    is_topic.then(|| (id.to_owned(), query.to_owned()))
}

/// Returns the topics of a tagged file, whose tags TREC does not close; `lower` is the same text in lower case.
fn tagged(text: &str, lower: &str) -> HashMap<String, String> {
    let starts: Vec<usize> = lower.match_indices("<top").map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    let topics = starts.iter().zip(ends).filter_map(|(start, end)| {
        let (text, lower) = (&text[*start..end], &lower[*start..end]);
        let id = attribute(text, lower, "number").or_else(|| {
            let number = tag(text, lower, "num")?;
            let number = number.strip_prefix("Number:").unwrap_or(number);
            Some(number.trim())
        })?;
        let query = tag(text, lower, "title").or_else(|| tag(text, lower, "query"))?;
        let query = query.strip_prefix("Topic:").unwrap_or(query);
        let query = query.split_whitespace().collect::<Vec<_>>().join(" ");
        (!query.is_empty()).then(|| (id.to_owned(), unescaped(&query)))
    });
    topics.collect()
}

/// Returns the text between an opening tag and the next tag.
fn tag<'t>(text: &'t str, lower: &str, name: &str) -> Option<&'t str> {
    let start = lower.find(&format!("<{name}>"))? + name.len() + 2;
    let end = text[start..].find('<').unwrap_or(text.len() - start);
    Some(text[start..start + end].trim())
}

fn attribute<'t>(text: &'t str, lower: &str, name: &str) -> Option<&'t str> {
    let head = &text[..text.find('>')?];
    let start = lower[..head.len()].find(&format!("{name}=\""))? + name.len() + 2;
    let end = head[start..].find('"')?;
    Some(head[start..start + end].trim())
}

fn unescaped(text: &str) -> String {
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
    ];
    let plain = entities
        .iter()
        .fold(text.to_owned(), |text, (entity, sign)| {
            text.replace(entity, sign)
        });
    // Last, so that &amp;lt; becomes &lt;.
    plain.replace("&amp;", "&")
}
