//! Text for people as a tree of typed data, and its three forms: Markdown, lines of a terminal, and JSON.
//!
//! Escaping is the work of the renderers: a caller passes text as it is, and no text changes the structure of the
//! result or reaches a terminal as a command. Words of a note are marked where they enter ([`note`], [`quoted_note`]), so that
//! a document can be rendered without them.

mod markdown;
mod table;
mod terminal;
mod text;

use serde::Serialize;

pub use table::{Column, Table, left, right};
pub use terminal::{Shown, shown};
pub use text::{Text, code, dim, note, note_or, place, quoted_note, strong, warn};

/// A document. In JSON it is its list of blocks.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Document {
    blocks: Vec<Block>,
}

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Block {
    /// A heading with its level, 1 to 6.
    Heading(u8, Text),
    Paragraph(Text),
    /// A remark about the document.
    Notice(Text),
    /// A list, in a terminal indented by a number of columns.
    List(usize, Vec<Text>),
    /// A numbered line above what belongs to it.
    Numbered(u32, Text),
    Table(Table),
    /// A text of several lines that is not formatted.
    Verbatim {
        text: String,
        /// Whether it is the text of a note.
        is_note: bool,
    },
    /// An empty line in a terminal; Markdown has one between all blocks.
    Gap,
}

impl Document {
    /// Returns a document without any block.
    pub fn new() -> Document {
        Document::default()
    }

    /// Appends a heading of a level, 1 to 6.
    pub fn heading(&mut self, level: u8, text: impl Into<Text>) {
        self.blocks.push(Block::Heading(level, text.into()));
    }

    /// Appends a paragraph, which is one line in a terminal.
    pub fn line(&mut self, text: impl Into<Text>) {
        self.blocks.push(Block::Paragraph(text.into()));
    }

    /// Appends a remark about the document.
    pub fn notice(&mut self, text: impl Into<Text>) {
        self.blocks.push(Block::Notice(text.into()));
    }

    /// Appends an item of a list, which is indented in a terminal; items with the same indent are one list.
    pub fn item(&mut self, indent: usize, text: impl Into<Text>) {
        match self.blocks.last_mut() {
            Some(Block::List(before, items)) if *before == indent => items.push(text.into()),
            _ => self.blocks.push(Block::List(indent, vec![text.into()])),
        }
    }

    /// Appends a numbered line above what belongs to it.
    pub fn numbered(&mut self, number: u32, text: impl Into<Text>) {
        self.blocks.push(Block::Numbered(number, text.into()));
    }

    /// Appends a table after what the document has.
    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Appends a text of several lines that is not formatted.
    pub fn verbatim(&mut self, text: impl Into<String>) {
        let (text, is_note) = (text.into(), false);
        self.blocks.push(Block::Verbatim { text, is_note });
    }

    /// Appends the text of a note.
    pub fn note_text(&mut self, text: impl Into<String>) {
        let (text, is_note) = (text.into(), true);
        self.blocks.push(Block::Verbatim { text, is_note });
    }

    /// Appends an empty line, which only a terminal needs.
    pub fn gap(&mut self) {
        self.blocks.push(Block::Gap);
    }

    /// Replaces a text wherever it occurs, such as the path of the home folder.
    pub fn replace(&mut self, from: &str, to: &str) {
        let replace = |text: &mut Text| *text = text.replaced(from, to);
        for block in &mut self.blocks {
            match block {
                Block::Heading(_, text)
                | Block::Paragraph(text)
                | Block::Notice(text)
                | Block::Numbered(_, text) => replace(text),
                Block::List(_, items) => items.iter_mut().for_each(replace),
                Block::Table(table) => table.texts().for_each(replace),
                Block::Verbatim { text, .. } => *text = text.replace(from, to),
                Block::Gap => {}
            }
        }
    }

    /// The document without words of notes: inside of a sentence stands an ellipsis for them, and a block that consists of
    /// them is left out.
    #[must_use]
    pub fn without_notes(&self) -> Document {
        let blocks = self.blocks.iter().filter_map(|block| {
            Some(match block {
                Block::Heading(level, text) => Block::Heading(*level, text.without_note()?),
                Block::Paragraph(text) => Block::Paragraph(text.without_note()?),
                Block::Notice(text) => Block::Notice(text.without_note()?),
                Block::Numbered(number, text) => Block::Numbered(*number, text.without_note()?),
                Block::List(indent, items) => {
                    let items: Vec<Text> = items.iter().filter_map(Text::without_note).collect();
                    (!items.is_empty()).then_some(Block::List(*indent, items))?
                }
                Block::Table(table) => {
                    let mut table = table.clone();
                    table
                        .texts()
                        .for_each(|cell| *cell = cell.without_note().unwrap_or_default());
                    Block::Table(table)
                }
                Block::Verbatim { is_note: true, .. } => return None,
                Block::Verbatim { .. } | Block::Gap => block.clone(),
            })
        });
        Document {
            blocks: blocks.collect(),
        }
    }

    /// The document as Markdown. Without `with_text` it holds no words of notes.
    pub fn markdown(&self, with_text: bool) -> String {
        match with_text {
            true => markdown::rendered(&self.blocks),
            false => markdown::rendered(&self.without_notes().blocks),
        }
    }

    /// The document as lines of a terminal, with ANSI styles. Without `with_text` it holds no words of notes.
    pub fn terminal(&self, with_text: bool) -> String {
        match with_text {
            true => terminal::rendered(&self.blocks),
            false => terminal::rendered(&self.without_notes().blocks),
        }
    }
}

#[cfg(test)]
mod tests;
