//! Notes whose text is odd: several scripts in turn, romanised Chinese, code in right-to-left text, emoji alone, a language without a
//! stemmer. Each is found by a word of it as a user would type it.

use memlens_tests::Notes;
use serde_json::Value;

use crate::memlens::{Memlens, list, paths, text};

/// Notes, each with the words that find it, and it alone.
const NOTES: [(&str, &str, &[&str]); 5] = [
    (
        "scripts.md",
        "The spare key is under the pot.\nЗапасной ключ лежит под горшком.\n备用钥匙在花盆下面。\nالمفتاح الاحتياطي تحت الأصيص.\n\
         מפתח הרזרבה מתחת לעציץ.\nกุญแจสำรองอยู่ใต้กระถาง\nअतिरिक्त चाबी गमले के नीचे है।\n",
        &[
            "spare key",
            "ЗАПАСНОЙ",
            "钥匙",
            "الاحتياطي",
            "הרזרבה",
            "สำรอง",
            "चाबी",
        ],
    ),
    (
        "pinyin.md",
        "Wo men jueding ba beifen fang zai gelou de guizi li. Wǒmen měi yuè jiǎnchá bèifèn.\n",
        &["beifen", "bèifèn", "jiancha", "gelou de guizi"],
    ),
    (
        "right-to-left.md",
        "כדי להפעיל מחדש את השרת מריצים `systemctl restart relay-push` כל שבוע.\nالأمر `getDepotById(17)` يعيد المستودع.\n",
        &[
            "מריצים",
            "relay push",
            "get_depot_by_id",
            "getDepotById",
            "المستودع",
        ],
    ),
    // Swahili has no stemmer.
    (
        "swahili.md",
        "Ufunguo wa akiba uko chini ya sufuria ya maua kwenye ukumbi.\n",
        &["sufuria", "UFUNGUO wa akiba"],
    ),
    ("emoji.md", "🎉🎉 👩‍👩‍👧 ❤️\n", &[]),
];

fn by_words(memlens: &Memlens, question: &str) -> Value {
    memlens.json(&["search", question, "--json", "--set", "vector_on=false"])
}

#[test]
fn odd_texts_are_found_by_a_word_of_them() {
    let files: Vec<(&str, &str)> = NOTES.iter().map(|note| (note.0, note.1)).collect();
    let notes = Notes::new(&files);
    let memlens = Memlens::new();
    let run = memlens.run(&["index", text(notes.path()), "--model", "static", "--json"]);
    let report: Value = serde_json::from_str(&run.out).expect("it is JSON");
    assert_eq!(
        (&report["n_files"], &report["n_unreadable"]),
        (&5.into(), &0.into())
    );
    assert_eq!(list(&report["problems"]).len(), 0, "{report}");
    for (path, _, questions) in NOTES {
        for question in questions {
            let found = by_words(&memlens, question);
            assert_eq!(paths(&found["results"]), [path], "{question}");
        }
    }
    // A note without a word is listed, and no word finds it.
    let status = memlens.json(&["status", "--json"]);
    assert_eq!(list(&status["problems"]).len(), 0, "{status}");
    let found = memlens.json(&["search", "🎉", "--json", "--set", "vector_on=false"]);
    assert_eq!(list(&found["results"]).len(), 0);
    let notices = list(&found["notices"]);
    assert!(
        notices.iter().any(|notice| notice
            .as_str()
            .is_some_and(|notice| notice.contains("no letters or digits"))),
        "{notices:?}"
    );
}
