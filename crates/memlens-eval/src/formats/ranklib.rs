//! RankLib's judgments, as the learning-to-rank plugins of Elasticsearch and OpenSearch write them:
//! `grade qid:1 [1:0.5 …] # docid query`. A comment `# qid:1: query` names a question for all its lines.

use std::collections::HashMap;

use super::graded::{Graded, grade};
use super::text;
use crate::queries::QuerySet;

/// Returns whether the first line that is not a comment is `grade qid:…`.
pub fn is_list(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(b"#"));
    first
        .and_then(|line| text(line).ok())
        .is_some_and(|line| split(line).is_some())
}

/// Returns grade, question's id and comment of a line.
fn split(line: &str) -> Option<(&str, &str, &str)> {
    let (judged, comment) = line.split_once('#').unwrap_or((line, ""));
    let mut fields = judged.split_whitespace();
    let written = fields.next()?;
    let id = fields.next()?.strip_prefix("qid:")?;
    Some((written, id, comment.trim()))
}

/// Returns document and question of a comment, which are separated by a tab or a blank.
fn document(comment: &str) -> (&str, &str) {
    let parts = comment.split_once('\t').or_else(|| comment.split_once(' '));
    let (document, query) = parts.unwrap_or((comment, ""));
    (document.trim(), query.trim())
}

pub fn read(bytes: &[u8]) -> QuerySet {
    let mut graded = Graded::default();
    let mut named: HashMap<String, String> = HashMap::new();
    for (line, bytes) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        let words = match text(bytes) {
            Ok(words) => words.trim(),
            Err(why) => {
                graded.refuse(line, why);
                continue;
            }
        };
        if let Some(comment) = words.strip_prefix('#') {
            let question = comment.trim().strip_prefix("qid:");
            if let Some((id, query)) = question.and_then(|it| it.split_once(':')) {
                named.insert(id.trim().to_owned(), query.trim().to_owned());
            }
        } else if !words.is_empty() {
            take(&mut graded, &named, line, words);
        }
    }
    graded.into_set()
}

fn take(graded: &mut Graded, named: &HashMap<String, String>, line: u32, words: &str) {
    let Some((written, id, comment)) = split(words) else {
        return graded.refuse(line, "it is not grade qid:ID # document query");
    };
    let number = match grade(written) {
        Ok(number) => number,
        Err(why) => return graded.refuse(line, why),
    };
    let (document, text) = document(comment);
    let query = match named.get(id) {
        Some(query) => query.clone(),
        None if text.is_empty() => {
            return graded.refuse(
                line,
                format!(
                    "it does not say what query {id} asks: write it behind the document, or as # qid:{id}: QUERY"
                ),
            );
        }
        None => text.to_owned(),
    };
    if let Some((known, first)) = graded.text_of(id)
        && known != query
    {
        let why = format!("line {first} has another query with the id {id}");
        return graded.refuse(line, why);
    }
    graded.judge(line, id, Some(id), &query, document, number);
}
