//! Injected text: the marks by which an agent's own text in a person's place begins.

use memchr::memmem;

/// Whether a text (as written, escapes unresolved) begins with a mark. If the mark begins a tag,
/// the tag is closed in the text: an agent closes its own, so an open one was typed by a person.
pub(crate) fn begins(text: &[u8], mark: &[u8]) -> bool {
    if !text.starts_with(mark) {
        return false;
    }
    let (Some(tag), true) = (text.get(1..), mark.starts_with(b"<")) else { return true };
    let ends = |byte: &u8| matches!(byte, b'>' | b' ' | b'\\' | b'\n');
    let length = match mark.ends_with(b">") {
        true => mark.len() - 2,
        false => tag.iter().position(ends).unwrap_or(tag.len()),
    };
    // Some programs write the slash as an escape.
    let close = [b"/", &tag[..length], b">"].concat();
    memmem::find(&tag[length..], &close).is_some()
}

#[cfg(test)]
mod tests {
    use super::begins;

    #[test]
    fn a_tag_is_a_mark_if_it_is_closed() {
        assert!(begins(b"<rules>be kind</rules> now", b"<rules>"));
        assert!(begins(br"<rules>be kind<\/rules>", b"<rules>"));
        assert!(begins(b"<two words>x</two words>", b"<two words>"));
        assert!(begins(b"<hook_prompt id=\\\"1\\\">x</hook_prompt>", b"<hook_prompt"));
        assert!(begins(b"<external_file>x</external_file>", b"<external_"));
        assert!(begins(b"# AGENTS.md instructions", b"# AGENTS.md"));
        assert!(!begins(b"<rules> is the tag that I want to read", b"<rules>"));
        assert!(!begins(b"<hook_prompt id=\\\"1\\\"> why?", b"<hook_prompt"));
        assert!(!begins(b"the <rules></rules>", b"<rules>"));
    }
}
