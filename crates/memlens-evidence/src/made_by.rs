//! The embedding models that figures were measured with.

/// Id of the model that embedded the notes of all searches; several, in their order, are joined by "and". `None` if no search
/// knows.
pub fn models<'a>(of_searches: impl IntoIterator<Item = Option<&'a str>>) -> Option<String> {
    let mut distinct: Vec<&str> = Vec::new();
    for model in of_searches.into_iter().flatten() {
        if !distinct.contains(&model) {
            distinct.push(model);
        }
    }
    (!distinct.is_empty()).then(|| distinct.join(" and "))
}

/// A notice if the notes were embedded by different models before and now, or if one of the two is not known.
pub(crate) fn difference(before: Option<&str>, now: Option<&str>) -> Option<String> {
    let named = |model: Option<&str>| model.unwrap_or("a model that was not recorded").to_owned();
    (before != now).then(|| {
        format!(
            "the notes were embedded by different models in the two runs: by {} in the first, by {} in the second",
            named(before),
            named(now)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_models_of_one_run_are_all_named() {
        assert_eq!(models([None, None]), None);
        assert_eq!(models([None, Some("a"), Some("a")]).as_deref(), Some("a"));
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
        let said = difference(None, Some("b")).expect("one is not known");
        assert!(
            said.contains("by a model that was not recorded in the first"),
            "{said}"
        );
    }
}
