use serde::Serialize;

use crate::Text;

/// A table. A row may have fewer cells than there are columns; in a terminal its last cell then takes the rest of the
/// line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Vec<Text>>,
}

/// A column of a table.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    pub(crate) title: String,
    pub(crate) is_right: bool,
    /// The least width in a terminal.
    pub(crate) width: usize,
    /// The number of blanks before the column in a terminal.
    pub(crate) gap: usize,
}

/// A column whose cells are aligned to the left.
pub fn left(title: impl Into<String>) -> Column {
    Column {
        title: title.into(),
        is_right: false,
        width: 0,
        gap: 2,
    }
}

/// A column whose cells are aligned to the right, as numbers are.
pub fn right(title: impl Into<String>) -> Column {
    Column {
        is_right: true,
        ..left(title)
    }
}

impl Column {
    /// Sets the least width in a terminal; a column is as wide as its widest cell.
    #[must_use]
    pub fn width(mut self, width: usize) -> Column {
        self.width = width;
        self
    }

    /// Sets the number of blanks before the column in a terminal; it is 2, and 0 before the first column.
    #[must_use]
    pub fn gap(mut self, gap: usize) -> Column {
        self.gap = gap;
        self
    }
}

impl Table {
    /// A table without rows. In a terminal, titles are shown unless all are empty.
    pub fn new(columns: impl Into<Vec<Column>>) -> Table {
        Table {
            columns: columns.into(),
            rows: Vec::new(),
        }
    }

    /// Appends a row, one cell per column.
    pub fn row(&mut self, cells: Vec<Text>) {
        self.rows.push(cells);
    }

    pub(crate) fn texts(&mut self) -> impl Iterator<Item = &mut Text> {
        self.rows.iter_mut().flatten()
    }
}
