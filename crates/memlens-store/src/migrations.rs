//! The schema, in versions; a version that was released never changes.

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use rusqlite_migration::{M, Migrations};

/// Every version of the schema, oldest first.
pub static MIGRATIONS: LazyLock<Migrations<'static>> =
    LazyLock::new(|| Migrations::new(STEPS.into_iter().map(M::up).collect()));

/// The version that this program writes.
pub const LATEST: NonZeroUsize = NonZeroUsize::new(STEPS.len()).expect("there is a first version");

const STEPS: [&str; 20] = [
    FIRST,
    SECOND,
    THIRD,
    FOURTH,
    FIFTH,
    SIXTH,
    SEVENTH,
    EIGHTH,
    NINTH,
    TENTH,
    ELEVENTH,
    TWELFTH,
    THIRTEENTH,
    FOURTEENTH,
    FIFTEENTH,
    SIXTEENTH,
    SEVENTEENTH,
    EIGHTEENTH,
    NINETEENTH,
    TWENTIETH,
];

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

// No file has the value 0, so each document is checked once more. The mount point of a folder's disk is learnt by
// walks.
const SECOND: &str = "
ALTER TABLE documents ADD COLUMN changed_ns INTEGER NOT NULL DEFAULT 0;
ALTER TABLE folders ADD COLUMN mount TEXT;
";

// Observations of existing documents are found when they are read again, because their recipe has changed.
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

// What the user chose for this library; this crate does not interpret the values.
const FIFTH: &str = "
CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
";

// Checksums of the present rows as they are: nothing is read or embedded again. A text that does not match its
// embedding is still detected by its hash; other damage that happened before cannot be detected any more.
const SIXTH: &str = "
ALTER TABLE chunks ADD COLUMN hash BLOB NOT NULL DEFAULT x'';
ALTER TABLE embeddings ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN observations_checksum INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;

UPDATE chunks SET hash = coalesce((SELECT e.hash FROM embeddings e WHERE e.id = chunks.embedding), x'');
UPDATE embeddings SET checksum = crc32(model, hash, vector);
UPDATE documents SET observations_checksum = coalesce((
    SELECT sum(crc32(document, start_byte, end_byte, start_line, end_line, text, agent, date, weight))
    FROM observations WHERE document = documents.id
), 0);
UPDATE documents SET checksum =
    crc32(id, folder, path, hash, size, modified_ms, changed_ns, kind, encoding, agent, date, tags, weight, observations_checksum)
    + coalesce((
        SELECT sum(crc32(id, document, hash, start_line, end_line, start_byte, end_byte, heading, agent, date, weight, external_id, tokens, embedding))
        FROM chunks WHERE document = documents.id
    ), 0)
    + coalesce((
        SELECT sum(crc32(w.chunk, w.position, w.start_line, w.end_line, w.embedding))
        FROM windows w JOIN chunks c ON c.id = w.chunk WHERE c.document = documents.id
    ), 0);
";

// Which documents were added, removed or touched, in that order, so that a reader of an earlier state reads only these.
// `database` distinguishes the log of one database from that of another at the same path.
const SEVENTH: &str = "
CREATE TABLE changed (at INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL);
INSERT INTO meta VALUES ('database', hex(randomblob(16)));

CREATE TRIGGER documents_inserted AFTER INSERT ON documents BEGIN
    INSERT INTO changed (document) VALUES (new.id);
END;
CREATE TRIGGER documents_updated AFTER UPDATE ON documents BEGIN
    INSERT INTO changed (document) VALUES (new.id);
END;
CREATE TRIGGER documents_deleted AFTER DELETE ON documents BEGIN
    INSERT INTO changed (document) VALUES (old.id);
END;
";

// The agent of a folder is set again by the next program that scans for agents.
const EIGHTH: &str = "
ALTER TABLE folders ADD COLUMN agent TEXT;
";

// What agents asked, as read from their logs, and how far each log is read. A judgment belongs to a text, as a thumb
// does.
const NINTH: &str = "
CREATE TABLE recall_logs (
    path TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    cursor TEXT,
    n_bytes INTEGER NOT NULL,
    stamp TEXT NOT NULL,
    problem TEXT
) WITHOUT ROWID;

CREATE TABLE past_questions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    log TEXT NOT NULL REFERENCES recall_logs (path) ON DELETE CASCADE,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    call TEXT NOT NULL,
    at_ms INTEGER,
    question TEXT NOT NULL,
    settings TEXT NOT NULL,
    returned TEXT,
    opened TEXT NOT NULL,
    cited TEXT NOT NULL,
    UNIQUE (agent, session, call)
);
CREATE INDEX past_questions_by_time ON past_questions (at_ms, id);
CREATE INDEX past_questions_of_log ON past_questions (log);
CREATE INDEX past_questions_by_words ON past_questions (agent, question);

CREATE TABLE judgments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    origin TEXT NOT NULL,
    question TEXT NOT NULL,
    hash BLOB NOT NULL,
    text TEXT NOT NULL,
    path TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    UNIQUE (origin, question, hash)
);
";

// A question without a time in its log ages from when it was first stored. Duplicates in two logs are found by their
// time.
const TENTH: &str = "
ALTER TABLE past_questions ADD COLUMN kept_ms INTEGER NOT NULL DEFAULT 0;
UPDATE past_questions SET kept_ms = CAST(unixepoch('subsec') * 1000 AS INTEGER);
DROP INDEX past_questions_by_words;
CREATE INDEX past_questions_by_words ON past_questions (agent, question, at_ms);
CREATE INDEX past_questions_timeless ON past_questions (kept_ms) WHERE at_ms IS NULL;
CREATE INDEX judgments_by_time ON judgments (origin, at_ms);
";

// A thumb is a judgment that the user gave. Query sets and runs are JSON Lines and JSON; this crate does not interpret
// them.
const ELEVENTH: &str = "
ALTER TABLE judgments ADD COLUMN thumb INTEGER NOT NULL DEFAULT 1;
INSERT INTO judgments (origin, question, hash, text, path, at_ms, thumb)
    SELECT 'given', query, hash, text, path, at_ms, thumb FROM feedback ORDER BY id;
DROP TABLE feedback;

CREATE TABLE query_sets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    hash TEXT NOT NULL,
    changed_ms INTEGER NOT NULL,
    summary TEXT NOT NULL,
    content TEXT NOT NULL
);

CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    content TEXT NOT NULL
);
";

// In which generation each document changed, so that lists that are behind can be given the changes they miss. Changes
// logged before may have happened in any generation up to the present one.
const TWELFTH: &str = "
DROP TRIGGER documents_inserted;
DROP TRIGGER documents_updated;
DROP TRIGGER documents_deleted;
ALTER TABLE changed ADD COLUMN generation INTEGER NOT NULL DEFAULT 0;
UPDATE changed SET generation = (SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'generation');

CREATE TRIGGER documents_inserted AFTER INSERT ON documents BEGIN
    INSERT INTO changed (document, generation)
    SELECT new.id, CAST(value AS INTEGER) FROM meta WHERE key = 'generation';
END;
CREATE TRIGGER documents_updated AFTER UPDATE ON documents BEGIN
    INSERT INTO changed (document, generation)
    SELECT new.id, CAST(value AS INTEGER) FROM meta WHERE key = 'generation';
END;
CREATE TRIGGER documents_deleted AFTER DELETE ON documents BEGIN
    INSERT INTO changed (document, generation)
    SELECT old.id, CAST(value AS INTEGER) FROM meta WHERE key = 'generation';
END;
";

// An opening is kept beside the searches, without words. Logs that were read before are read again by their cursor's version.
const THIRTEENTH: &str = "
ALTER TABLE past_questions ADD COLUMN is_opening INTEGER NOT NULL DEFAULT 0;
ALTER TABLE past_questions ADD COLUMN has_failed INTEGER NOT NULL DEFAULT 0;
DROP INDEX past_questions_by_words;
CREATE INDEX past_questions_by_words ON past_questions (agent, question, at_ms) WHERE is_opening = 0;
DROP INDEX past_questions_of_log;
CREATE INDEX past_questions_of_log ON past_questions (log, is_opening);
";

// Logs that were read before are read again by their cursor's version. `saved_ms` is when the bytes of a document were saved that was
// touched since; `NULL` if that is `modified_ms`.
const FOURTEENTH: &str = "
ALTER TABLE past_questions ADD COLUMN is_pattern INTEGER NOT NULL DEFAULT 0;
ALTER TABLE documents ADD COLUMN saved_ms INTEGER;
CREATE INDEX documents_touched ON documents (folder, path, saved_ms) WHERE saved_ms IS NOT NULL;
";

// Counters of what the user made, which is kept in a file beside the database, and of what is forgotten, which is removed from the
// disk at rest. A past question gets the checksum that documents have.
const FIFTEENTH: &str = "
ALTER TABLE past_questions ADD COLUMN checksum INTEGER NOT NULL DEFAULT 0;
UPDATE past_questions SET checksum =
    crc32(log, agent, session, call, at_ms, question, settings, returned, opened, cited, is_opening, has_failed, is_pattern, kept_ms);

INSERT INTO meta VALUES ('made', '0');
INSERT INTO meta VALUES ('forgotten', '0');

CREATE TRIGGER settings_insert_made AFTER INSERT ON settings BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER settings_update_made AFTER UPDATE ON settings BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER settings_delete_made AFTER DELETE ON settings BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER presets_insert_made AFTER INSERT ON presets BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER presets_update_made AFTER UPDATE ON presets BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER presets_delete_made AFTER DELETE ON presets BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER query_sets_insert_made AFTER INSERT ON query_sets BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER query_sets_update_made AFTER UPDATE ON query_sets BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER query_sets_delete_made AFTER DELETE ON query_sets BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER runs_insert_made AFTER INSERT ON runs BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER runs_update_made AFTER UPDATE ON runs BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER runs_delete_made AFTER DELETE ON runs BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER folders_insert_made AFTER INSERT ON folders BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER folders_update_made AFTER UPDATE OF path, name, is_paused, agent ON folders BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER folders_delete_made AFTER DELETE ON folders BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER judgments_insert_made AFTER INSERT ON judgments WHEN new.origin = 'given' BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER judgments_update_made AFTER UPDATE ON judgments WHEN old.origin = 'given' OR new.origin = 'given' BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER judgments_delete_made AFTER DELETE ON judgments WHEN old.origin = 'given' BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'made';
END;
CREATE TRIGGER folders_forgotten AFTER DELETE ON folders BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'forgotten';
END;
CREATE TRIGGER presets_forgotten AFTER DELETE ON presets BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'forgotten';
END;
CREATE TRIGGER query_sets_forgotten AFTER DELETE ON query_sets BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'forgotten';
END;
CREATE TRIGGER runs_forgotten AFTER DELETE ON runs BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'forgotten';
END;
CREATE TRIGGER judgments_forgotten AFTER DELETE ON judgments BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'forgotten';
END;
CREATE TRIGGER query_sets_content_forgotten AFTER UPDATE OF content ON query_sets BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'forgotten';
END;
CREATE TRIGGER runs_content_forgotten AFTER UPDATE OF content ON runs BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + 1 WHERE key = 'forgotten';
END;
";

// When versions of notes were seen, and hashes of what they hold. Nothing is known of the documents of before until they change.
const SIXTEENTH: &str = "
CREATE TABLE versions (
    document INTEGER PRIMARY KEY REFERENCES documents (id) ON DELETE CASCADE,
    first_ms INTEGER NOT NULL,
    words BLOB
);

CREATE TABLE former_versions (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    folder INTEGER NOT NULL REFERENCES folders (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    first_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    replaced_ms INTEGER NOT NULL,
    words BLOB,
    lines BLOB NOT NULL
);
CREATE INDEX former_versions_of_note ON former_versions (folder, path);

ALTER TABLE folders ADD COLUMN confirmed_ms INTEGER;
INSERT INTO meta VALUES ('versions_since', CAST(unixepoch('subsec') * 1000 AS INTEGER));
";

// When notes were first seen and last seen changed, kept while their documents are removed to be cut again. Nothing is known of the
// documents of before.
const SEVENTEENTH: &str = "
CREATE TABLE sightings (
    folder INTEGER NOT NULL REFERENCES folders (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    hash BLOB NOT NULL,
    first_ms INTEGER,
    changed_ms INTEGER,
    PRIMARY KEY (folder, path)
) WITHOUT ROWID;
INSERT OR IGNORE INTO sightings (folder, path, hash) SELECT folder, path, hash FROM documents;
";

// How Memlens answered a past question as a server of tools.
const EIGHTEENTH: &str = "
ALTER TABLE past_questions ADD COLUMN served TEXT;
";

// What changes of notes were seen, with their lines. Triggers keep the sum of their sizes.
const NINETEENTH: &str = "
CREATE TABLE note_changes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    folder INTEGER NOT NULL REFERENCES folders (id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    content BLOB,
    checksum INTEGER NOT NULL
);
CREATE INDEX note_changes_of_note ON note_changes (folder, path);
INSERT INTO meta VALUES ('note_changes_bytes', '0');

CREATE TRIGGER note_changes_inserted AFTER INSERT ON note_changes BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) + coalesce(length(new.content), 0) WHERE key = 'note_changes_bytes';
END;
CREATE TRIGGER note_changes_deleted AFTER DELETE ON note_changes BEGIN
    UPDATE meta SET value = CAST(value AS INTEGER) - coalesce(length(old.content), 0) WHERE key = 'note_changes_bytes';
END;
";

// How many tokens the texts of chunks have by models that are not in use; those of the model in use are in `chunks`. Nothing is
// known of the former models of before. Without a reference, as rows are deleted while references are not followed.
const TWENTIETH: &str = "
CREATE TABLE token_counts (
    embedding INTEGER PRIMARY KEY,
    tokens INTEGER NOT NULL,
    checksum INTEGER NOT NULL
);

CREATE TRIGGER embeddings_deleted AFTER DELETE ON embeddings BEGIN
    DELETE FROM token_counts WHERE embedding = old.id;
END;
";
