//! The cards of the overview. A card counts the list behind it; what is not known has no figure and a reason.

use memlens_library::{EngineError, Library, clusters, drift};
use memlens_params::Params;
use memlens_wire::{
    CardId, CardItem, DriftAnswer, Drifted, LanguageCount, News, NoteRow, Overview, OverviewCard,
};

use crate::list::seen_ms;
use crate::table::Table;

/// How many entries a card shows.
const FIRST: usize = 3;

/// What a figure was read from, or why there is none.
type Basis = Result<String, String>;

pub(crate) fn overview(
    library: &Library,
    table: &Table,
    params: &Params,
) -> Result<Overview, EngineError> {
    let languages = table.languages();
    Ok(Overview {
        n_notes: table.n_notes() as u32,
        n_not_read: (table.rows.len() - table.n_notes()) as u32,
        n_unread: table.n_unread,
        since_ms: table.since_ms.map(|ms| ms as f64),
        cards: vec![
            of_notes(
                table,
                CardId::New,
                "New and changed since your last visit",
                basis_of_new(table),
            ),
            of_notes(
                table,
                CardId::NotLoaded,
                "Not loaded when a session begins",
                basis_of_mark(
                    table,
                    |row| row.loaded,
                    "By the rules of each folder's agent and its files as they are now. An agent may still open these notes itself.",
                    "whether a session of its agent loads it",
                ),
            ),
            of_notes(
                table,
                CardId::NotSearched,
                "Never searched by their agent",
                basis_of_mark(
                    table,
                    |row| row.searched,
                    "By the rules and settings by which each folder's agent indexes notes now.",
                    "what its agent indexes",
                ),
            ),
            of_notes(
                table,
                CardId::NeverFound,
                "Found by no imported past question then",
                basis_of_found(table),
            ),
            of_notes(table, CardId::Largest, "Largest", basis_of_largest(table)),
            of_notes(table, CardId::Oldest, "Oldest", basis_of_oldest(table)),
            said_again(library, params)?,
            contradictions(library, params)?,
            of_notes(
                table,
                CardId::Problems,
                "Files with problems",
                Ok(
                    "Files that were not read, or only in part, or not quite as they are written."
                        .to_owned(),
                ),
            ),
            languages_card(table, &languages),
        ],
        languages: languages
            .into_iter()
            .map(|(language, n)| LanguageCount { language, n })
            .collect(),
    })
}

/// A card whose list is one of notes.
fn of_notes(table: &Table, id: CardId, title: &str, basis: Basis) -> OverviewCard {
    let rows = table.rows_of(id);
    let is_known = basis.is_ok();
    let first = rows.iter().take(FIRST).filter(|_| is_known);
    let unit = match id {
        CardId::Problems => plural(rows.len(), "file", "files"),
        CardId::Oldest => plural(
            rows.len(),
            "note with a date of its own",
            "notes with a date of their own",
        ),
        CardId::Largest => plural(rows.len(), "note by its size", "notes by their size"),
        CardId::New
        | CardId::NotLoaded
        | CardId::NotSearched
        | CardId::NeverFound
        | CardId::SaidAgain
        | CardId::Contradictions
        | CardId::Languages => plural(rows.len(), "note", "notes"),
    };
    OverviewCard {
        id,
        title: title.to_owned(),
        n: is_known.then_some(rows.len() as u32),
        n_listed: if is_known { rows.len() as u32 } else { 0 },
        unit: unit.to_owned(),
        basis: basis.unwrap_or_else(|why| why),
        first: first.map(|row| item(row, detail(row, id))).collect(),
    }
}

fn item(row: &NoteRow, detail: String) -> CardItem {
    CardItem {
        folder: row.folder.clone(),
        path: row.path.clone(),
        line: None,
        title: row.title.clone(),
        detail,
    }
}

/// What a card says of one of its notes.
fn detail(row: &NoteRow, id: CardId) -> String {
    match id {
        CardId::New => {
            let news = match row.news {
                Some(News::New) | None => "new",
                Some(News::Changed) => "changed",
            };
            let day = seen_ms(row).and_then(day_of).unwrap_or_default();
            format!("{news}, seen {day}; {}", dated(row))
        }
        CardId::Largest => row.n_bytes.map(bytes).unwrap_or_default(),
        CardId::Oldest => dated(row),
        CardId::NeverFound => match row.n_opened {
            // The logs of its agent may not be read.
            Some(0) | None => "no imported opening".to_owned(),
            Some(n) => format!("opened {n} {}", plural(n as usize, "time", "times")),
        },
        CardId::Problems => row.problem.clone().unwrap_or_default(),
        CardId::NotLoaded | CardId::NotSearched => row.agent_name.clone().unwrap_or_default(),
        CardId::SaidAgain | CardId::Contradictions | CardId::Languages => String::new(),
    }
}

/// The note's own date, and where it comes from.
fn dated(row: &NoteRow) -> String {
    use memlens_wire::DateFrom::{Note, Path, Records};
    let Some(date) = &row.date else {
        return "no date of its own".to_owned();
    };
    let from = match row.date_from {
        Some(Note) | None => "by the note",
        Some(Path) => "by its path",
        Some(Records) => "by its newest record",
    };
    format!("dated {date} {from}")
}

fn basis_of_new(table: &Table) -> Basis {
    if table.since_ms.is_none() {
        return Err(
            "Not known before your second visit in the window. From then on, this card lists the notes that are new or changed \
             since the visit before."
                .to_owned(),
        );
    }
    let mut basis =
        "By when Memlens first read the note, or read other bytes, and not by the file's time."
            .to_owned();
    let mut rows = table.notes();
    if rows.any(|row| row.first_seen_ms.is_none()) {
        basis += " Notes that a former version of Memlens indexed count from their next change.";
    }
    Ok(basis)
}

/// The basis of a mark that is known of some notes only.
fn basis_of_mark(
    table: &Table,
    mark: fn(&NoteRow) -> Option<bool>,
    basis: &str,
    what: &str,
) -> Basis {
    let n_unknown = table.notes().filter(|row| mark(row).is_none()).count();
    if n_unknown == table.n_notes() {
        return Err(match table.n_notes() == 0 {
            true => "There are no notes.".to_owned(),
            false => format!("It is not known for any folder {what}."),
        });
    }
    Ok(match n_unknown {
        0 => basis.to_owned(),
        n => format!(
            "{basis} {n} {} left out, because it is not known {what}.",
            plural(n, "note is", "notes are")
        ),
    })
}

fn basis_of_found(table: &Table) -> Basis {
    let found = match &table.found {
        Ok(found) => found,
        Err(why) => return Err(why.clone()),
    };
    let agents: Vec<&str> = found.agents.iter().map(String::as_str).collect();
    let n = found.n_answered;
    let mut basis = format!(
        "Over the {n} past {} whose results are logged, of {} imported, asked by {}. Notes are matched by the path that they have now.",
        plural(n as usize, "question", "questions"),
        found.n_searches,
        agents.join(", "),
    );
    basis += " Questions that were not imported may have found these notes.";
    let is_of_others = |row: &&&NoteRow| {
        let agent = row.agent_name.as_ref();
        agent.is_some_and(|agent| !found.agents.contains(agent))
    };
    let never_found = table.rows_of(CardId::NeverFound);
    let n_of_others = never_found.iter().filter(is_of_others).count();
    if n_of_others > 0 {
        basis += &format!(
            " {n_of_others} of them {} in folders of agents without such a question.",
            plural(n_of_others, "is", "are"),
        );
    }
    let n_unclear = table.notes().filter(|row| row.n_found.is_none()).count();
    if n_unclear > 0 {
        basis += &format!(
            " {n_unclear} {} left out: a result may be {} or another.",
            plural(n_unclear, "note is", "notes are"),
            plural(n_unclear, "it", "one of them"),
        );
    }
    Ok(basis)
}

fn basis_of_oldest(table: &Table) -> Basis {
    let n_undated = table.notes().filter(|row| row.date.is_none()).count();
    let n_odd = table.notes().filter(|row| row.is_date_odd).count();
    if n_undated + n_odd == table.n_notes() {
        return Err("Not known: no note has a date of its own that can be right.".to_owned());
    }
    let mut basis = "By each note's own date.".to_owned();
    if n_undated > 0 {
        basis += &format!(
            " {n_undated} {} no date.",
            plural(n_undated, "note has", "notes have")
        );
    }
    if n_odd > 0 {
        basis += &format!(
            " {n_odd} {} left out, dated in the future or before 1971.",
            plural(n_odd, "note is", "notes are")
        );
    }
    Ok(basis)
}

fn basis_of_largest(table: &Table) -> Basis {
    if table.n_notes() == 0 {
        return Err(match table.rows.is_empty() {
            true => "There are no notes.".to_owned(),
            false => "Not known: no file was read.".to_owned(),
        });
    }
    Ok(match table.rows.len() - table.n_notes() {
        0 => "By the size of the file.".to_owned(),
        n => format!(
            "By the size of the file. {n} {} left out.",
            plural(
                n,
                "file or link that was not read is",
                "files and links that were not read are"
            )
        ),
    })
}

fn said_again(library: &Library, params: &Params) -> Result<OverviewCard, EngineError> {
    // As the window lists them.
    let answer = clusters(library, params, None)?;
    let report = answer.report.as_ref();
    let n = report.map(|report| report.n_clusters);
    let listed = report.map_or(&[][..], |report| &report.clusters);
    Ok(OverviewCard {
        id: CardId::SaidAgain,
        title: "Said more than once".to_owned(),
        n,
        n_listed: listed.len() as u32,
        unit: plural(n.unwrap_or(0) as usize, "statement", "statements").to_owned(),
        basis: compared(
            n.is_some(),
            answer.is_stale,
            "Statements in equal or nearly equal words.",
        ),
        first: listed
            .iter()
            .take(FIRST)
            .map(|cluster| CardItem {
                folder: cluster.canonical.folder.clone(),
                path: cluster.canonical.path.clone(),
                line: Some(cluster.canonical.line),
                title: cluster.canonical.text.clone(),
                detail: format!("{} times", cluster.n_members + 1),
            })
            .collect(),
    })
}

fn contradictions(library: &Library, params: &Params) -> Result<OverviewCard, EngineError> {
    Ok(contradictions_card(drift(library, params)?))
}

/// Sure contradictions, then what changed.
fn contradictions_card(answer: DriftAnswer) -> OverviewCard {
    let totals = answer.totals;
    let n = answer
        .report
        .is_some()
        .then_some(totals.n_sure + totals.n_changed);
    let report = answer.report.unwrap_or_default();
    let sure = report.contradictions.iter().filter(|one| one.sure);
    let listed: Vec<(&Drifted, &str)> = sure
        .map(|one| (one, "but"))
        .chain(report.changed.iter().map(|one| (one, "changed")))
        .collect();
    OverviewCard {
        id: CardId::Contradictions,
        title: "Contradictions".to_owned(),
        n,
        n_listed: listed.len() as u32,
        unit: format!(
            "{}: {} {}, {} changed",
            plural(n.unwrap_or(0) as usize, "pair", "pairs"),
            totals.n_sure,
            plural(totals.n_sure as usize, "contradicts", "contradict"),
            totals.n_changed,
        ),
        basis: compared(
            n.is_some(),
            answer.is_stale,
            "Sure ones, and facts that a newer note changed, by rules for English; pairs that may contradict each other are listed apart.",
        ),
        first: listed
            .into_iter()
            .take(FIRST)
            .map(|(one, how)| CardItem {
                folder: one.a.folder.clone(),
                path: one.a.path.clone(),
                line: Some(one.a.line),
                title: one.a.text.clone(),
                detail: format!("{how}: {}", one.b.text),
            })
            .collect(),
    }
}

/// What the last comparison of all notes is worth now.
fn compared(is_known: bool, is_stale: bool, basis: &str) -> String {
    match (is_known, is_stale) {
        (false, _) => "Not compared yet.".to_owned(),
        (true, true) => format!("{basis} As of the last comparison; notes have changed since."),
        (true, false) => basis.to_owned(),
    }
}

fn languages_card(table: &Table, languages: &[(String, u32)]) -> OverviewCard {
    let is_known = table.n_unread == 0;
    let n_texts = table.documents.iter().flatten().count() - table.n_unread as usize;
    let n_unclear = table
        .rows
        .iter()
        .zip(&table.documents)
        .filter(|(row, document)| document.is_some() && row.language.is_none())
        .count();
    let basis = match (is_known, n_unclear) {
        (false, _) => format!(
            "Not known yet: {n_texts} of {} notes were read.",
            n_texts + table.n_unread as usize
        ),
        (true, 0) => "By the beginning of each note.".to_owned(),
        (true, n) => format!(
            "By the beginning of each note. {n} {} too short or too mixed to tell.",
            plural(n, "note is", "notes are")
        ),
    };
    OverviewCard {
        id: CardId::Languages,
        title: "Languages".to_owned(),
        n: is_known.then_some(languages.len() as u32),
        n_listed: if is_known { languages.len() as u32 } else { 0 },
        unit: plural(languages.len(), "language", "languages").to_owned(),
        basis,
        first: languages
            .iter()
            .take(FIRST)
            .filter(|_| is_known)
            .map(|(language, n)| CardItem {
                folder: String::new(),
                path: String::new(),
                line: None,
                title: language.clone(),
                detail: format!("{n} {}", plural(*n as usize, "note", "notes")),
            })
            .collect(),
    }
}

fn day_of(ms: f64) -> Option<String> {
    let moment = jiff::Timestamp::from_millisecond(ms as i64).ok()?;
    let here = moment.to_zoned(jiff::tz::TimeZone::system());
    Some(here.date().to_string())
}

fn bytes(n: f64) -> String {
    const UNITS: [&str; 3] = ["kB", "MB", "GB"];
    if n < 1000.0 {
        return format!("{n} bytes");
    }
    let (mut n, mut at) = (n / 1000.0, 0);
    while n >= 999.95 && at + 1 < UNITS.len() {
        n /= 1000.0;
        at += 1;
    }
    format!("{n:.1} {}", UNITS[at])
}

fn plural<'w>(n: usize, one: &'w str, many: &'w str) -> &'w str {
    match n {
        1 => one,
        _ => many,
    }
}
