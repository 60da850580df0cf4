//! Values stored by name: presets, settings, and the library's own notes.
//!
//! Property checked: a name has the value that was stored last, and none of it raises the generation.

use memlens_store::StoredPreset;

use super::{open, scratch};

#[test]
fn presets_and_settings_are_replaced_by_name() {
    let dir = scratch();
    let mut store = open(dir.path());
    let preset = |name: &str, params: &str| StoredPreset {
        name: name.to_owned(),
        params: params.to_owned(),
    };
    for (name, params) in [
        ("notes", "{}"),
        ("Chat", "{\"a\":1}"),
        ("notes", "{\"b\":\"ü\"}"),
    ] {
        store
            .save_preset(&preset(name, params))
            .expect("it can be saved");
    }
    assert_eq!(
        store.presets().expect("they can be read"),
        [
            preset("Chat", "{\"a\":1}"),
            preset("notes", "{\"b\":\"ü\"}")
        ]
    );
    store.delete_preset("Chat").expect("it can be deleted");
    store
        .delete_preset("never saved")
        .expect("that is no error");
    assert_eq!(store.presets().expect("they can be read").len(), 1);

    assert_eq!(store.meta("recipe").expect("it can be read"), None);
    for value in ["one", "two"] {
        store.set_meta("recipe", value).expect("it can be written");
        assert_eq!(
            store.meta("recipe").expect("it can be read").as_deref(),
            Some(value)
        );
    }
    assert_eq!(store.generation().expect("it can be read"), 0);
}
