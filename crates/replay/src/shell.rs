//! Shell commands with a single effect on files: writing a here document into a file, and deleting
//! files. The effect of any other command is not derived.

use super::change::Change;

/// The changes of a command, in order: path and change. Empty if they are uncertain.
#[must_use]
pub fn command(text: &str) -> Vec<(String, Change)> {
    let text = text.trim();
    match text.split_once('\n') {
        Some((head, body)) => here(head, body).into_iter().collect(),
        None => removed(text),
    }
}

/// The write of a here document: `cat > FILE <<'END'` (in either order) or `tee FILE`. The document
/// is written unchanged only if its mark is quoted; otherwise the shell expands it.
fn here(head: &str, body: &str) -> Option<(String, Change)> {
    let (before, behind) = head.split_once("<<")?;
    // `<<-` strips tabs, `<<<` is not a document.
    let behind = behind.trim_start();
    let quote = behind.chars().next().filter(|c| matches!(c, '\'' | '"'))?;
    let (mark, behind) = behind[1..].split_once(quote)?;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    if mark.is_empty() || !mark.chars().all(plain) {
        return None;
    }
    let words: Vec<&str> = before.split_whitespace().chain(behind.split_whitespace()).collect();
    let path = match words.as_slice() {
        ["cat", ">", path] | ["tee", path] | ["tee", path, ">", "/dev/null"] => path,
        ["cat", path] => {
            path.strip_prefix('>').filter(|rest| !rest.starts_with(['>', '|', '&']))?
        }
        _ => return None,
    };
    let path = literal(path)?;
    let mut lines = body.split('\n');
    let mut after = String::new();
    for line in lines.by_ref() {
        if line == mark {
            let alone = lines.next().is_none();
            return alone.then_some((path, Change::Write { before: None, after }));
        }
        after.push_str(line);
        after.push('\n');
    }
    None
}

/// The deletions of `rm FILE…`, with or without `-f`.
fn removed(line: &str) -> Vec<(String, Change)> {
    let mut words = line.split_whitespace().peekable();
    if words.next() != Some("rm") {
        return Vec::new();
    }
    while words.next_if(|word| matches!(*word, "-f" | "--")).is_some() {}
    let paths: Option<Vec<String>> = words.map(literal).collect();
    paths.unwrap_or_default().into_iter().map(|path| (path, Change::Delete)).collect()
}

/// The text of a word that the shell does not expand; `None` for any other word.
fn literal(word: &str) -> Option<String> {
    let inner = ['\'', '"']
        .iter()
        .find_map(|quote| word.strip_prefix(*quote).and_then(|word| word.strip_suffix(*quote)));
    let word = inner.unwrap_or(word);
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '+' | '@' | ',');
    let fine = !word.is_empty() && !word.starts_with('-') && word.chars().all(plain);
    fine.then(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_here_document_is_what_is_written() {
        let body = "one $HOME\n\n  two\n";
        for head in [
            "cat > src/a.rs <<'EOF'",
            "cat <<'EOF' > src/a.rs",
            "cat >src/a.rs << \"EOF\"",
            "tee 'src/a.rs' <<'EOF'",
            "tee src/a.rs <<'EOF' > /dev/null",
        ] {
            let done = command(&format!("{head}\n{body}EOF\n"));
            let after = body.to_owned();
            assert_eq!(done, [("src/a.rs".to_owned(), Change::Write { before: None, after })]);
        }
    }

    #[test]
    fn files_are_removed_by_name() {
        let gone = |path: &str| (path.to_owned(), Change::Delete);
        assert_eq!(command("rm -f a.txt 'b/c.txt'"), [gone("a.txt"), gone("b/c.txt")]);
    }

    #[test]
    fn what_is_not_certain_is_nothing() {
        for text in [
            "cat > a <<EOF\nx\nEOF",
            "cat >> a <<'EOF'\nx\nEOF",
            "cat >| a <<'EOF'\nx\nEOF",
            "cat > a <<-'EOF'\n\tx\nEOF",
            "cat > a <<'EOF'\nx",
            "cat > a <<'EOF'\nx\nEOF\nrm a",
            "cat > a <<'EOF' && make\nx\nEOF",
            "cd b && cat > a <<'EOF'\nx\nEOF",
            "cat > $a <<'EOF'\nx\nEOF",
            "cat > ~/a <<'EOF'\nx\nEOF",
            "cat b > a <<'EOF'\nx\nEOF",
            "tee -a a <<'EOF'\nx\nEOF",
            "rm *.txt",
            "rm -r a",
            "rm a; ls",
            "rm",
            "",
        ] {
            assert_eq!(command(text), [], "{text}");
        }
    }
}
