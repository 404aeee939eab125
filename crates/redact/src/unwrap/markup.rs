//! Edges: what is part of no word, in Markdown, XML, heads of mails, templates and programs.

/// The length of a mark that is no part of any word: emphasis of Markdown, edges of a section of
/// XML.
pub(crate) fn mark(text: &[u8]) -> Option<usize> {
    match text.first()? {
        b'*' => {
            let marks = text.iter().take_while(|&&byte| byte == b'*').count();
            (marks > 1).then_some(marks)
        }
        b']' => text.starts_with(b"]]>").then_some(3),
        b'<' => text.starts_with(b"<![CDATA[").then_some(9),
        b'?' => word_of_mail(text),
        _ => None,
    }
}

/// The length of the end of a quoted word of a mail (RFC 2047) and the head of the next one.
fn word_of_mail(text: &[u8]) -> Option<usize> {
    let behind = text.strip_prefix(b"?=")?;
    let head = behind.trim_ascii_start().strip_prefix(b"=?")?;
    let end = head[..head.len().min(40)].windows(3).position(|of| matches!(of, b"?Q?" | b"?q?"))?;
    Some(text.len() - head.len() + end + 3)
}

/// The length of the beginning or the end of a string within a template: `${"` and `"}`.
pub(crate) fn template(text: &[u8], open: &mut Option<u8>) -> Option<usize> {
    match (text, *open) {
        ([b'$', b'{', quote @ (b'"' | b'\''), ..], None) => {
            *open = Some(*quote);
            Some(3)
        }
        ([quote, b'}', ..], Some(of)) if *quote == of => {
            *open = None;
            Some(2)
        }
        _ => None,
    }
}

/// The end of `; name +=` or `.=`, which adds the next string to the same.
pub(crate) fn added(text: &[u8], at: usize) -> Option<usize> {
    let mut rest = text.get(at..)?.trim_ascii_start();
    rest = rest.strip_prefix(b";").unwrap_or(rest).trim_ascii_start();
    let is_name = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_$.@".contains(byte);
    let name = rest.iter().take(60).take_while(is_name).count();
    let rest = rest.get(name..).filter(|_| name > 0)?.trim_ascii_start();
    let rest = rest.strip_prefix(b"+=").or_else(|| rest.strip_prefix(b".="))?;
    Some(text.len() - rest.trim_ascii_start().len())
}
