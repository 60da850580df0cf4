//! Graded judgments of documents, collected by question.
//!
//! Metrics are binary: any grade above 0 is relevant. A question without a relevant document is unjudged: some
//! documents that do not answer it do not mean that nothing should be found.

use std::collections::HashMap;

use super::Reading;
use crate::queries::{Place, Query, QuerySet};

/// Questions while their judgments are read.
#[derive(Default)]
pub struct Graded {
    reading: Reading,
    questions: Vec<Question>,
    /// Index of each question by its key.
    known: HashMap<String, usize>,
}

struct Question {
    line: u32,
    id: String,
    query: String,
    relevant: Vec<Place>,
    /// The documents in `relevant`, so that a repeated line needs no search.
    taken: HashMap<String, f64>,
}

impl Graded {
    /// Returns the text and the line of a question that occurred before.
    pub fn text_of(&self, key: &str) -> Option<(&str, u32)> {
        let question = &self.questions[*self.known.get(key)?];
        Some((&question.query, question.line))
    }

    /// Adds a judgment; `key` is the same for all judgments of a question. Without an id the question gets a number.
    pub fn judge(
        &mut self,
        line: u32,
        key: &str,
        id: Option<&str>,
        query: &str,
        document: &str,
        grade: f64,
    ) {
        let document = document.trim();
        if document.is_empty() {
            return self.refuse(line, "it names no document");
        }
        if query.trim().is_empty() {
            return self.refuse(line, "its query is empty");
        }
        let n = self.questions.len();
        let at = *self.known.entry(key.to_owned()).or_insert_with(|| {
            self.questions.push(Question {
                line,
                id: id.map_or_else(|| format!("q{}", n + 1), str::to_owned),
                query: query.trim().to_owned(),
                relevant: Vec::new(),
                taken: HashMap::new(),
            });
            n
        });
        let question = &mut self.questions[at];
        match question.taken.insert(document.to_owned(), grade) {
            Some(before) if (before > 0.0) != (grade > 0.0) => {
                question.taken.insert(document.to_owned(), before);
                let why = format!("{document} was judged otherwise for this query before");
                self.reading.refuse(line, why);
            }
            Some(_) => {}
            None if grade > 0.0 => question.relevant.push(Place::whole(document)),
            None => {}
        }
    }

    /// Reports a line that holds no judgment.
    pub fn refuse(&mut self, line: u32, why: impl Into<String>) {
        self.reading.refuse(line, why.into());
    }

    /// Returns the questions as a query set.
    pub fn into_set(self) -> QuerySet {
        let Graded {
            mut reading,
            questions,
            ..
        } = self;
        for question in questions {
            let relevant = (!question.relevant.is_empty()).then_some(question.relevant);
            let query = Query {
                id: question.id,
                query: question.query,
                relevant,
                category: None,
                scope: None,
            };
            reading.take(question.line, Ok(query));
        }
        QuerySet {
            has_document_ids: true,
            ..reading.set
        }
    }
}

/// Parses a grade of a judgment list.
pub fn grade(written: &str) -> Result<f64, String> {
    let grade = written.trim().parse::<f64>().ok();
    let grade = grade.filter(|it| it.is_finite());
    grade.ok_or_else(|| "a rating is a number".to_owned())
}
