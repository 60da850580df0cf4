//! The embedding models that figures were measured with.

/// Named among the models of several searches if one does not know its model.
const UNKNOWN: &str = "a model that is not known";

/// Id of the model that embedded the notes of all searches; several, in their order, are joined by "and", with [`UNKNOWN`] last if a
/// search does not know. `None` if no search knows.
pub fn models<'a>(of_searches: impl IntoIterator<Item = Option<&'a str>>) -> Option<String> {
    let mut distinct: Vec<&str> = Vec::new();
    let mut is_any_unknown = false;
    for model in of_searches {
        match model {
            Some(model) if !distinct.contains(&model) => distinct.push(model),
            Some(_) => {}
            None => is_any_unknown = true,
        }
    }
    if distinct.is_empty() {
        return None;
    }
    distinct.extend(is_any_unknown.then_some(UNKNOWN));
    Some(distinct.join(" and "))
}

/// A notice if the notes were embedded by different models before and now, or if only one of the two is known.
pub(crate) fn difference(before: Option<&str>, now: Option<&str>) -> Option<String> {
    let unknown = |unknown: &str, known: &str, model: &str| {
        format!(
            "it is not known which model embedded the notes of the {unknown} run; {model} embedded those of the {known}, so the figures may not be comparable"
        )
    };
    match (before, now) {
        (Some(before), Some(now)) => (before != now).then(|| {
            format!(
                "the notes were embedded by different models in the two runs: by {before} in the first, by {now} in the second"
            )
        }),
        (None, Some(now)) => Some(unknown("first", "second", now)),
        (Some(before), None) => Some(unknown("second", "first", before)),
        (None, None) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_models_of_one_run_are_all_named() {
        assert_eq!(models([None, None]), None);
        assert_eq!(models([Some("a"), Some("a")]).as_deref(), Some("a"));
        for partly in [[None, Some("a"), Some("a")], [Some("a"), None, Some("a")]] {
            assert_eq!(
                models(partly).as_deref(),
                Some("a and a model that is not known")
            );
        }
        let changed = models([Some("a"), Some("b"), Some("a")]);
        assert_eq!(changed.as_deref(), Some("a and b"));
    }

    #[test]
    fn only_a_difference_is_a_notice() {
        assert_eq!(difference(Some("a"), Some("a")), None);
        assert_eq!(difference(None, None), None);
        let said = difference(Some("a"), Some("b")).expect("they differ");
        assert!(
            said.ends_with("by a in the first, by b in the second"),
            "{said}"
        );
        for (one, other, unknown) in [(None, Some("b"), "first"), (Some("b"), None, "second")] {
            let said = difference(one, other).expect("one is not known");
            assert!(
                said.contains(&format!(
                    "not known which model embedded the notes of the {unknown} run; b"
                )),
                "{said}"
            );
            assert!(!said.contains("different models"), "{said}");
        }
    }
}
