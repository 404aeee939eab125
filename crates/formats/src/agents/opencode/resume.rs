//! Continuing a session: the agent's own import takes an export in (`FORMAT.md`).

use session::{Node, Session, value};

use super::{case, export};
use crate::resume::{Import, ReadSettings, Resume, StoreAccess, words};

pub(super) static RESUME: Resume = Resume {
    entry: StoreAccess::Import(Import {
        import: |file| words(&["opencode", "import", file]),
        remove: |id| words(&["opencode", "session", "delete", id]),
    }),
    takes,
    command: |at| Some(words(&["opencode", "-s", at.id])),
    next,
    ..Resume::PLAIN
};

/// The settings of the project and of the user, those that count first.
const SETTINGS: &[&str] = &[
    "folder/opencode.jsonc",
    "folder/opencode.json",
    "folder/.opencode/opencode.jsonc",
    "folder/.opencode/opencode.json",
    "config/opencode/opencode.jsonc",
    "config/opencode/opencode.json",
    "config/opencode/config.json",
];
/// The models that were used in the terminal, the latest first.
const RECENT: &str = "state/opencode/model.json";

/// The configured model, else the one that was used last, else the first one of a configured
/// provider.
fn next(read: ReadSettings<'_>) -> Option<[String; 2]> {
    let settings: Vec<Vec<u8>> =
        SETTINGS.iter().filter_map(|path| Some(without_comments(&read(path)?))).collect();
    let named = |node: Node<'_>| Some(value::unescape(node.word(&[])?).into_owned());
    let configured = |root: Node<'_>| {
        let model = named(root.at(&["model"])?)?;
        let (provider, model) = model.split_once('/')?;
        Some([provider.to_owned(), model.to_owned()])
    };
    let recent = |root: Node<'_>| {
        let first = root.at(&["recent"])?.elements().next()?;
        Some([named(first.at(&["providerID"])?)?, named(first.at(&["modelID"])?)?])
    };
    let offered = |root: Node<'_>| {
        root.at(&["provider"])?.members().find_map(|provider| {
            let model = provider.value.at(&["models"])?.members().next()?;
            let name = |name: &[u8]| value::unescape(name).into_owned();
            Some([name(provider.name), name(model.name)])
        })
    };
    let of = |found: &dyn Fn(Node<'_>) -> Option<[String; 2]>| {
        settings.iter().find_map(|text| value::look(text, found))
    };
    of(&configured).or_else(|| value::look(&read(RECENT)?, recent)).or_else(|| of(&offered))
}

/// Settings without comments and without commas before an end, which JSON does not have.
fn without_comments(text: &[u8]) -> Vec<u8> {
    let (mut plain, mut at) = (Vec::with_capacity(text.len()), 0);
    let (mut in_text, mut comma) = (false, None);
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        if in_text {
            let used = if byte == b'\\' { 2.min(rest.len()) } else { 1 };
            plain.extend_from_slice(&rest[..used]);
            in_text = byte != b'"';
            at += used;
            continue;
        }
        if rest.starts_with(b"//") {
            at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with(b"/*") {
            at += rest.windows(2).position(|end| end == b"*/").map_or(rest.len(), |end| end + 2);
            continue;
        }
        match byte {
            b',' => comma = Some(plain.len()),
            b'}' | b']' => {
                if let Some(comma) = comma.take() {
                    plain[comma] = b' ';
                }
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => comma = None,
        }
        in_text = byte == b'"';
        plain.push(byte);
        at += 1;
    }
    plain
}

/// Whether it is an export, or rows that are written as one.
fn takes(session: &Session) -> bool {
    session.id.starts_with("ses") && (case::is_export(session) || export::write(session).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_request_goes_to_a_model_that_is_there() {
        let of = |files: &[(&str, &str)]| {
            let read = |path: &str| {
                let (_, text) = files.iter().find(|(known, _)| *known == path)?;
                Some(text.as_bytes().to_vec())
            };
            next(&read).map(|[provider, model]| format!("{provider}/{model}"))
        };
        let own =
            ("config/opencode/opencode.json", r#"{"provider":{"den":{"models":{"a/b":{}}}}}"#);
        let project = (
            "folder/opencode.jsonc",
            "{ // \"model\": \"x/y\",\n \"model\": \"kiln/glaze//2\", /* , */ }",
        );
        let recent = (RECENT, r#"{"recent":[{"providerID":"reed","modelID":"r1"}]}"#);
        assert_eq!(of(&[own, project, recent]).unwrap(), "kiln/glaze//2");
        assert_eq!(of(&[own, recent]).unwrap(), "reed/r1");
        assert_eq!(of(&[own]).unwrap(), "den/a/b");
        assert_eq!(of(&[("config/opencode/opencode.json", "{")]), None);
    }
}
