//! The schema, in versions; a version that was released never changes.

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use rusqlite_migration::{M, Migrations};

/// Every version of the schema, oldest first.
pub static MIGRATIONS: LazyLock<Migrations<'static>> =
    LazyLock::new(|| Migrations::new(STEPS.into_iter().map(M::up).collect()));

/// The version that this program writes.
pub const LATEST: NonZeroUsize = NonZeroUsize::new(STEPS.len()).expect("there is a first version");

const STEPS: [&str; 5] = [FIRST, SECOND, THIRD, FOURTH, FIFTH];

const FIRST: &str = "
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('generation', '0');

CREATE TABLE folders (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    is_paused INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    folder INTEGER NOT NULL REFERENCES folders (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    hash BLOB NOT NULL,
    size INTEGER NOT NULL,
    modified_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    encoding TEXT NOT NULL,
    agent TEXT,
    date TEXT,
    tags TEXT NOT NULL,
    weight REAL,
    UNIQUE (folder, path)
);

-- Ids are never used twice, so that a derived index can never mistake one chunk for another.
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    text TEXT NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    start_byte INTEGER NOT NULL,
    end_byte INTEGER NOT NULL,
    heading TEXT NOT NULL,
    agent TEXT,
    date TEXT,
    weight REAL,
    external_id TEXT,
    tokens INTEGER NOT NULL,
    embedding INTEGER NOT NULL REFERENCES embeddings (id)
);
CREATE INDEX chunks_of_document ON chunks (document);

CREATE TABLE windows (
    chunk INTEGER NOT NULL REFERENCES chunks (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    embedding INTEGER NOT NULL REFERENCES embeddings (id),
    PRIMARY KEY (chunk, position)
) WITHOUT ROWID;

CREATE TABLE embeddings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    model TEXT NOT NULL,
    hash BLOB NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (model, hash)
);

CREATE TABLE problems (
    folder INTEGER NOT NULL REFERENCES folders (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    line INTEGER,
    message TEXT NOT NULL,
    severity TEXT NOT NULL
);
CREATE INDEX problems_of_file ON problems (folder, path);

CREATE TABLE presets (name TEXT PRIMARY KEY, params TEXT NOT NULL) WITHOUT ROWID;
";

// With 0, which no file has, each document is looked at once more. Where a folder's disk is mounted is learnt by walks.
const SECOND: &str = "
ALTER TABLE documents ADD COLUMN changed_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE folders ADD COLUMN mount TEXT;
";

// What the documents of before observe is learnt when they are read anew, as their recipe is another.
const THIRD: &str = "
CREATE TABLE observations (
    document INTEGER NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    start_byte INTEGER NOT NULL,
    end_byte INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    text TEXT NOT NULL,
    agent TEXT,
    date TEXT,
    weight REAL,
    PRIMARY KEY (document, start_byte)
) WITHOUT ROWID;
";

// Of a text and not of a chunk, and so without a reference: it outlives both chunk and embedding.
const FOURTH: &str = "
CREATE TABLE feedback (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    query TEXT NOT NULL,
    hash BLOB NOT NULL,
    text TEXT NOT NULL,
    path TEXT NOT NULL,
    thumb INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    UNIQUE (query, hash)
);
";

// What a person chose for this library; what a value means is not the store's matter.
const FIFTH: &str = "
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
";
