//! Words of commands as a shell reads them.

/// `text` as one word of a shell, in quotes where it needs them.
pub fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+@%".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_shell_are_quoted() {
        assert_eq!(
            ["my.feat", "CC BY-SA 4.0", "it's $HOME", ""].map(quoted),
            ["my.feat", "'CC BY-SA 4.0'", r"'it'\''s $HOME'", "''"]
        );
    }
}
