//! Notes by the thousand, made of the words of the fixture's notes in another order.

use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::random::Random;

/// The fixture whose words and questions are used.
pub const FIXTURE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../tests/fixtures/agent-memory-57"
);

const NOTE_CHARS: usize = 11_600;
const NOTES_PER_FOLDER: usize = 50;
/// Characters below one heading, about.
const SECTION_CHARS: usize = 1500;
/// One in this many paragraphs is a list.
const PARAGRAPHS_PER_LIST: usize = 4;

/// The words that notes are made of, the most frequent first.
pub struct Notes {
    words: Vec<String>,
    /// For each word the sum of `1 / rank` so far: Zipf's law.
    sums: Vec<f64>,
}

impl Notes {
    /// Learns the words of the fixture's notes.
    pub fn of_fixture() -> Notes {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for file in Notes::files(Path::new(FIXTURE)) {
            let text = fs::read_to_string(file).expect("the fixture is there");
            let words = text.split(|c: char| !c.is_alphanumeric());
            for word in words.filter(|word| !word.is_empty()) {
                *counts.entry(word.to_lowercase()).or_default() += 1;
            }
        }
        let mut counts: Vec<(usize, String)> = counts
            .into_iter()
            .map(|(word, count)| (count, word))
            .collect();
        counts.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let sums = (1..=counts.len())
            .scan(0.0, |sum, rank| {
                *sum += 1.0 / rank as f64;
                Some(*sum)
            })
            .collect();
        Notes {
            words: counts.into_iter().map(|(_, word)| word).collect(),
            sums,
        }
    }

    /// Writes the notes of these numbers into `folder`; those of one number are the same at every run.
    pub fn write(&self, folder: &Path, numbers: Range<usize>) {
        for note in numbers {
            let folder = folder.join(format!("part-{:02}", note / NOTES_PER_FOLDER));
            fs::create_dir_all(&folder).expect("a folder can be made");
            let mut random = Random::new((note as u64).wrapping_mul(1_000_003));
            let name = self.pick(&mut random).to_owned();
            let path = folder.join(format!("{name}-{note:04}.md"));
            fs::write(path, self.note(&mut random)).expect("a note can be written");
        }
    }

    /// The notes below a folder, by path.
    pub fn files(folder: &Path) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("the folder can be read").path();
            if path.is_dir() {
                files.extend(Notes::files(&path));
            } else if path.extension().is_some_and(|ending| ending == "md") {
                files.push(path);
            }
        }
        files.sort();
        files
    }

    fn note(&self, random: &mut Random) -> String {
        let mut text = format!("# {}\n", self.phrase(random, 3));
        let mut section_end = 0;
        while text.len() < NOTE_CHARS {
            if text.len() >= section_end {
                text += &format!("\n## {}\n", self.phrase(random, 4));
                section_end = text.len() + SECTION_CHARS;
            }
            text.push('\n');
            let is_list = random.below(PARAGRAPHS_PER_LIST) == 0;
            for _ in 0..2 + random.below(3) {
                let mark = if is_list { "- " } else { "" };
                text += &format!("{mark}{}\n", self.sentence(random));
            }
        }
        text
    }

    fn sentence(&self, random: &mut Random) -> String {
        let n_words = 8 + random.below(20);
        self.phrase(random, n_words) + "."
    }

    fn phrase(&self, random: &mut Random, n_words: usize) -> String {
        let words: Vec<&str> = (0..n_words).map(|_| self.pick(random)).collect();
        words.join(" ")
    }

    fn pick(&self, random: &mut Random) -> &str {
        let all = self.sums.last().copied().unwrap_or_default();
        let at = random.share() * all;
        &self.words[self.sums.partition_point(|sum| *sum <= at)]
    }
}

pub fn questions() -> Vec<String> {
    let path = Path::new(FIXTURE).join("queries.jsonl");
    let text = fs::read_to_string(path).expect("the fixture is there");
    text.lines()
        .map(|line| {
            let line: Value = serde_json::from_str(line).expect("the fixture is JSON");
            line["query"].as_str().expect("it has a query").to_owned()
        })
        .collect()
}
