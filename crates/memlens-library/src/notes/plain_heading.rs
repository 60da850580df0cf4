//! A heading as plain words.

/// HTML tags that headings have, in lower case: `Vec<A>` is no link.
const TAGS: [&str; 40] = [
    "a", "abbr", "b", "big", "br", "center", "code", "del", "details", "div", "em", "font", "h1",
    "h2", "h3", "h4", "h5", "h6", "hr", "i", "img", "ins", "kbd", "mark", "p", "picture", "q", "s",
    "samp", "small", "source", "span", "strong", "sub", "summary", "sup", "svg", "tt", "u", "var",
];

/// A heading without what Markdown and HTML mark in it: pictures are left out, of links their words stay.
pub fn plain_heading(heading: &str) -> String {
    let mut words = String::new();
    let mut rest = heading;
    while let Some(at) = rest.find(['!', '[', '<', '&', '`', '*']) {
        let (before, marked) = rest.split_at(at);
        words.push_str(before);
        let is_picture = marked.starts_with("![");
        if (is_picture || marked.starts_with('['))
            && let Some((label, after)) = link(&marked[usize::from(is_picture)..], is_picture)
        {
            if !is_picture {
                words.push_str(&plain_heading(label));
            }
            rest = after;
        } else if let Some((char, after)) = entity(marked) {
            words.push_str(char);
            rest = after;
        } else if is_tag(marked)
            && let Some(end) = marked.find('>')
        {
            words.push(' ');
            rest = &marked[end + 1..];
        } else {
            // Signs of code and emphasis are none of the title, others are.
            if !marked.starts_with('`') && !marked.starts_with("**") {
                words.push_str(&marked[..1]);
            }
            rest = marked.strip_prefix("**").unwrap_or(&marked[1..]);
        }
    }
    words.push_str(rest);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text begins with an HTML tag. `<T>` of a type's name is none.
fn is_tag(text: &str) -> bool {
    let Some(inside) = text.strip_prefix('<') else {
        return false;
    };
    let inside = inside.strip_prefix('/').unwrap_or(inside);
    let end = inside.find(|char: char| !char.is_ascii_alphanumeric());
    TAGS.contains(&&inside[..end.unwrap_or(inside.len())])
}

/// The words of a link or picture that a text begins with, and what follows its target; `None` for brackets without a
/// target, unless they are of a picture.
fn link(text: &str, is_picture: bool) -> Option<(&str, &str)> {
    let mut depth = 0;
    let end = text.char_indices().find_map(|(at, char)| {
        depth += i32::from(char == '[') - i32::from(char == ']');
        (depth == 0).then_some(at)
    })?;
    let (label, after) = (&text[1..end], &text[end + 1..]);
    let close = match after.as_bytes().first() {
        Some(b'(') => ')',
        Some(b'[') => ']',
        _ => return is_picture.then_some((label, after)),
    };
    let end = after.find(close)?;
    Some((label, &after[end + 1..]))
}

/// The character of an HTML entity that a text begins with, and what follows it; a blank for one that is not known.
fn entity(text: &str) -> Option<(&'static str, &str)> {
    let (name, after) = text.strip_prefix('&')?.split_once(';')?;
    let is_name = !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'#');
    let char = match name {
        "amp" => "&",
        "lt" => "<",
        "gt" => ">",
        "quot" => "\"",
        "apos" | "#39" => "'",
        _ => " ",
    };
    is_name.then_some((char, after))
}

#[cfg(test)]
mod tests {
    use super::plain_heading;

    #[test]
    fn tags_are_left_out_and_names_of_types_stay() {
        assert_eq!(
            plain_heading("A `Vec<T>` of <user> <b>now</b><br/><img src=\"x\">"),
            "A Vec<T> of <user> now"
        );
    }
}
