//! Query sets in files.
//!
//! Properties checked: every format can be written and read back; a bad line costs only itself and is reported; of two
//! queries with one id the first is kept; the format is detected by the content; a set has one hash in every format.

use memlens_eval::{
    Format, Judgment, Place, Query, QuerySet, query_set_hash, to_csv, to_jsonl, to_qmd,
};
use proptest::prelude::*;

fn query(id: &str, query: &str, relevant: Option<Vec<Place>>) -> Query {
    Query {
        id: id.to_owned(),
        query: query.to_owned(),
        relevant,
        category: None,
        scope: None,
    }
}

fn bad(set: &QuerySet) -> Vec<(u32, &str)> {
    let bad = set.bad_lines.iter();
    bad.map(|bad| (bad.line, bad.why.as_str())).collect()
}

fn ids(set: &QuerySet) -> Vec<&str> {
    set.queries.iter().map(|query| &*query.id).collect()
}

#[test]
fn bad_json_lines_are_named_and_the_first_of_an_id_stays() {
    let lines = [
        r#"{"id":"a","query":"x","relevant":[{"path":"n.md","start_line":3,"end_line":2}]}"#,
        r#"{"id":"b","query":"first"}"#,
        "",
        r#"{"id":"b","query":"second"}"#,
        r#"{"id":"c","query":"x","relevant":[{"path":"n.md","start_line":0,"end_line":2}]}"#,
        r#"{"id":"","query":"x"}"#,
        "{",
        r#"{"id":"d","query":"x","relevant":[]}"#,
        r#"{"id":"e","query":"x","relevant":null}"#,
    ];
    let text = format!("\u{feff}{}", lines.join("\r\n"));
    let set = QuerySet::read("q.jsonl", text.as_bytes());
    assert_eq!(ids(&set), ["b", "d", "e"]);
    assert_eq!(set.queries[0].query, "first");
    assert_eq!(set.queries[1].judgment(), Judgment::Nonsense);
    assert_eq!(set.queries[2].judgment(), Judgment::Unjudged);
    assert_eq!(
        bad(&set),
        [
            (1, "lines 3 to 2 are no range"),
            (4, "line 2 has the id b too"),
            (5, "lines 0 to 2 are no range"),
            (6, "it has no id"),
            (
                7,
                r#"it is not JSON: EOF while parsing an object; a query is written like {"id":"q1","query":"where is the key","relevant":[{"path":"home.md","start_line":3,"end_line":5}]}"#
            ),
        ]
    );
}

#[test]
fn all_that_is_wrong_with_a_line_is_named_at_once_and_one_example_is_given() {
    let lines = [
        r#"{"id":"a","relevant":[{"path":"n.md"},{"path":7,"start_line":"1","end_line":-2}]}"#,
        r#"{"id":"b","query":"x","relevant":["n.md"]}"#,
        r#"{"id":"c","query":"x","relevant":"n.md","category":true}"#,
        r#"{"id":4}"#,
        "7",
        r#"{"id":" ","query":" ","relevant":[{"path":"","start_line":2,"end_line":1}]}"#,
    ];
    let set = QuerySet::read("q.jsonl", lines.join("\n").as_bytes());
    assert_eq!(ids(&set), [] as [&str; 0]);
    assert_eq!(
        bad(&set),
        [
            (
                1,
                r#"query a has no query; relevant 1 of query a has no start_line, no end_line; path of relevant 2 of query a is a number, not text; start_line of relevant 2 of query a is text, not the number of a line; end_line of relevant 2 of query a is a number, not the number of a line; a query is written like {"id":"q1","query":"where is the key","relevant":[{"path":"home.md","start_line":3,"end_line":5}]}"#
            ),
            (
                2,
                "relevant 1 of query b is text, not an object with path, start_line, end_line"
            ),
            (
                3,
                "relevant of query c is text, not a list; category of query c is true or false, not text"
            ),
            (4, "it has no query; its id is a number, not text"),
            (5, "it is a number, not an object with id, query"),
            (
                6,
                "it has no id; its query is empty; a range has no path; lines 2 to 1 are no range"
            ),
        ]
    );
}

#[test]
fn a_csv_has_a_line_for_each_range_in_columns_of_any_order() {
    let text = "\u{feff}path;query;id;end_line;start_line;nonsense;mine\r\n\
        a.md;\"where is\nthe relay\";q1;5;3;;x\r\n\
        \r\n\
        b.md;\"where is\nthe relay\";q1;;;;\r\n\
        ;what is x;q2;;;TRUE;\r\n\
        ;what is y;q3\r\n\
        c.md;what is z;q4;;7;no;\r\n";
    let set = QuerySet::read("q.txt", text.as_bytes());
    assert_eq!(bad(&set), []);
    let both = vec![Place::new("a.md", 3, 5), Place::whole("b.md")];
    assert_eq!(
        set.queries,
        [
            query("q1", "where is\nthe relay", Some(both)),
            query("q2", "what is x", Some(Vec::new())),
            query("q3", "what is y", None),
            query("q4", "what is z", Some(vec![Place::new("c.md", 7, 7)])),
        ]
    );
}

#[test]
fn bad_lines_of_a_csv_are_named() {
    let lines = [
        "id,query,path,start_line,end_line,nonsense",
        "q1,x,a.md,1,2,",
        "q1,another,a.md,4,5,",
        "q1,x,a.md,8,9,",
        "",
        "q1,x,,,,",
        "q2,,a.md,1,2,",
        "q3,x,a.md,one,2,",
        "q4,x,a.md,5,2,",
        "q5,x,a.md,1,2,true",
        "q6,x,,1,2,",
        "q7,x,,,,perhaps",
        "q8,caf*,,,,",
        "q9,x,\"a.md",
        "q10,x",
    ];
    let text = lines.join("\n").into_bytes();
    let text: Vec<u8> = text
        .into_iter()
        .map(|byte| if byte == b'*' { 0xe9 } else { byte })
        .collect();
    let set = QuerySet::read("q.csv", &text);
    let ranges = vec![Place::new("a.md", 1, 2), Place::new("a.md", 8, 9)];
    assert_eq!(set.queries, [query("q1", "x", Some(ranges))]);
    assert_eq!(
        bad(&set),
        [
            (3, "line 2 has the id q1 too"),
            (6, "line 2 has the id q1 too"),
            (7, "its query is empty"),
            (8, "a line is a whole number"),
            (9, "lines 5 to 2 are no range"),
            (10, "it is nonsense, and has a range with its answer"),
            (11, "a range has no path"),
            (12, "nonsense is true or false"),
            (13, "it is not UTF-8"),
            (14, "a quoted field is not closed"),
        ]
    );
    let no_header = QuerySet::read("q.csv", b"q1,x,a.md,1,2");
    assert_eq!(
        bad(&no_header),
        [(
            1,
            "the first line must name the columns id,query,category,scope,path,start_line,end_line,nonsense"
        )]
    );
}

#[test]
fn a_bench_of_qmd_names_whole_notes() {
    let text = r#"{
  "description": "d", "version": 1, "collection": "c",
  "queries": [
    {"id": "a", "query": "x", "type": "exact", "description": "", "expected_files": ["/n/1.md", "qmd://c/n/2.md", "n/1.md"], "expected_in_top_k": 1},
    {"id": "b", "query": "x", "type": "alias", "expected_files": []},
    {"id": "c", "query": 3},

    {"id": "a", "query": "again", "expected_files": ["n/1.md"]},
    {"id": "e", "query": "x"}
  ]
}"#;
    let set = QuerySet::read("bench.json", text.as_bytes());
    assert_eq!(ids(&set), ["a", "b", "e"]);
    let notes = [Place::whole("n/1.md"), Place::whole("n/2.md")];
    assert_eq!(set.queries[0].gold(), Some(&notes[..]));
    assert_eq!(set.queries[0].category.as_deref(), Some("exact"));
    assert_eq!(set.queries[1].judgment(), Judgment::Nonsense);
    assert_eq!(set.queries[2].judgment(), Judgment::Unjudged);
    assert_eq!(
        bad(&set),
        [
            (
                6,
                r#"query of query c is a number, not text; a query is written like {"id":"q1","query":"where is the key","expected_files":["home.md"]}"#
            ),
            (8, "line 4 has the id a too"),
        ]
    );
    // A whole note matches any of its lines.
    assert!(notes[0].overlaps(&Place::new("n/1.md", 900, 910)));

    let broken = QuerySet::read("bench.json", b"{\n \"queries\": [\n  {\"id\"\n]}");
    assert_eq!(bad(&broken), [(4, "expected `:`")]);
}

#[test]
fn files_are_known_by_what_stands_in_them() {
    let jsonl = br#"{"id":"q","query":"x"}"#;
    let csv = b"Query,ID\nx,q\n";
    let qmd = br#"{"queries":[]}"#;
    for name in ["queries", "q.jsonl", "q.csv", "q.json"] {
        assert_eq!(Format::of(name, csv), Format::Csv, "{name}");
        assert_eq!(Format::of(name, qmd), Format::Qmd, "{name}");
        if name != "q.json" {
            assert_eq!(Format::of(name, jsonl), Format::Jsonl, "{name}");
        }
    }
    assert_eq!(Format::of("q.csv", b"x,y\n"), Format::Csv);
    assert_eq!(Format::of("q.json", b"{\n"), Format::Qmd);
    assert_eq!(Format::of("q", b""), Format::Jsonl);
    for name in ["q.csv", "q.jsonl", "q"] {
        let empty = QuerySet::read(name, b"\xef\xbb\xbf \r\n");
        assert_eq!(empty, QuerySet::default(), "{name}");
    }
}

#[test]
fn many_lines_are_read_at_once() {
    let queries: Vec<Query> = (0..50_000)
        .map(|at| {
            let places = vec![Place::new(format!("notes/{at}.md"), 1, 40); 1];
            query(
                &format!("q{at}"),
                "where does the router stand",
                Some(places),
            )
        })
        .collect();
    for (name, bytes) in [
        ("q.jsonl", to_jsonl(&queries)),
        ("q.csv", to_csv(&queries)),
        ("q.json", to_qmd(&queries)),
    ] {
        let started = std::time::Instant::now();
        let set = QuerySet::read(name, &bytes);
        let took = started.elapsed();
        println!("{name}: {took:?}");
        assert_eq!(set.queries.len(), 50_000, "{name}");
        // A quadratic algorithm would take a minute.
        assert!(took.as_secs() < 5, "{name}: {took:?}");
    }
}

#[test]
fn the_hash_is_of_what_is_asked() {
    let places = || vec![Place::new("a.md", 1, 2), Place::new("b.md", 3, 4)];
    let set = || vec![query("a", "x", Some(places())), query("b", "y", None)];
    let hash = query_set_hash(&set());
    assert_eq!(hash.len(), 64);
    let mut other = set();
    other.reverse();
    other[1].relevant = Some(vec![
        places()[1].clone(),
        places()[0].clone(),
        places()[0].clone(),
    ]);
    assert_eq!(query_set_hash(&other), hash);
    type Change = fn(&mut Vec<Query>);
    let changes: [Change; 6] = [
        |set| set[0].query.push('!'),
        |set| set[0].id.push('!'),
        |set| set[1].relevant = Some(Vec::new()),
        |set| set[0].category = Some("c".to_owned()),
        |set| set[0].scope = Some("s".to_owned()),
        |set| set[0].relevant.as_mut().expect("judged")[0].end_line += 1,
    ];
    for change in changes {
        let mut changed = set();
        change(&mut changed);
        assert_ne!(query_set_hash(&changed), hash, "{changed:?}");
    }
}

prop_compose! {
    fn places()(path in "[a-z,\";é]{1,8}", start in 1..50u32, n in 0..9u32, is_whole in any::<bool>()) -> Place {
        if is_whole { Place::whole(path) } else { Place::new(path, start, start + n) }
    }
}

prop_compose! {
    fn queries()(
        text in "[a-z,\";\\n'é]{0,10}[a-z]",
        relevant in prop::option::of(prop::collection::btree_set(places(), 0..4)),
        category in prop::option::of("[a-z,;\"]{1,6}"),
        scope in prop::option::of("[a-z/]{1,6}"),
    ) -> Query {
        Query { id: String::new(), query: format!("q{text}"), relevant: relevant.map(|it| it.into_iter().collect()), category, scope }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(mut queries in prop::collection::vec(queries(), 0..12)) {
        for (at, query) in queries.iter_mut().enumerate() {
            query.id = format!("q{at}");
        }
        for (name, bytes) in [("x.jsonl", to_jsonl(&queries)), ("x.csv", to_csv(&queries))] {
            let set = QuerySet::read(name, &bytes);
            prop_assert_eq!(&set.bad_lines, &[]);
            prop_assert_eq!(&set.queries, &queries);
            prop_assert_eq!(query_set_hash(&set.queries), query_set_hash(&queries));
        }
        // qmd only has whole notes, and nothing unjudged.
        let bench = to_qmd(&queries);
        let by_qmd = QuerySet::read("x.json", &bench);
        let judged = queries.iter().filter(|query| query.relevant.is_some());
        prop_assert_eq!(ids(&by_qmd), judged.map(|query| &*query.id).collect::<Vec<_>>());
        prop_assert_eq!(to_qmd(&by_qmd.queries), bench);
    }

    #[test]
    fn no_bytes_are_too_strange(bytes in prop::collection::vec(any::<u8>(), 0..200), name in "q\\.(csv|json|jsonl)") {
        let text: Vec<u8> = [b"id,query,path\n", &bytes[..]].concat();
        for bytes in [&bytes, &text] {
            let set = QuerySet::read(&name, bytes);
            let n_lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u32 + 1;
            prop_assert!(set.bad_lines.iter().all(|bad| (1..=n_lines).contains(&bad.line)));
        }
    }
}
