//! Lists of typed prompts, which some agents keep apart from their sessions. Such a list has the
//! prompts of all sessions of a home, also of sessions that were deleted since.

use session::{Node, Scan, UtcTime, closed, value};

/// A file in an agent's home that lists typed prompts: lines of objects, or an array of them.
#[derive(Clone, Copy, Debug)]
pub struct PromptList {
    /// Its path below the agent's home; `*` is any name.
    pub path: &'static str,
    /// The member with the id of the session that a prompt was typed in.
    pub session: &'static [&'static str],
    /// The member with its time.
    pub time: &'static [&'static str],
    /// The member with its text.
    pub text: &'static [&'static str],
    /// The member with the folder of its project, if the entries name one.
    pub folder: &'static [&'static str],
    /// Otherwise a name below the list's folder such as a session of the same project has: the
    /// project's folder is found by that name. Empty if the entries name it, or no file does.
    pub like: &'static str,
    /// The object or array with the texts that were pasted into it, and the member of each that has
    /// the text, if the agent keeps them apart from the text.
    pub pasted: Option<[&'static [&'static str]; 2]>,
}

/// A prompt of such a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypedPrompt {
    /// The id of the session that it was typed in.
    pub session: String,
    /// When it was typed.
    pub time: Option<UtcTime>,
    /// Its text, with the pasted texts below it.
    pub text: String,
    /// The folder of the project.
    pub folder: Option<String>,
}

impl PromptList {
    /// Calls `see` with the prompts that name their session, in the order of the file. A line that
    /// was cut is read as far as it goes. What is no such entry is left out.
    pub fn read(&self, bytes: &[u8], see: &mut dyn FnMut(TypedPrompt)) {
        let mut scan = Scan::new();
        let is_array = bytes.trim_ascii_start().first() == Some(&b'[');
        for text in bytes.split(|byte| *byte == b'\n' && !is_array) {
            let whole = match scan.read(text, 0) {
                Ok(_) => None,
                Err(_) => closed(text),
            };
            let Ok(doc) = scan.read(whole.as_deref().unwrap_or(text), 0) else { continue };
            match is_array {
                true => doc.root().elements().filter_map(|one| self.entry(one)).for_each(&mut *see),
                false => self.entry(doc.root()).into_iter().for_each(&mut *see),
            }
        }
    }

    fn entry(&self, entry: Node<'_>) -> Option<TypedPrompt> {
        let text = |path: &[&str]| value::text_at(entry, path).filter(|text| !text.is_empty());
        let mut prompt = TypedPrompt {
            session: text(self.session)?,
            time: entry.at(self.time).and_then(|time| UtcTime::read(time.raw())),
            text: text(self.text)?,
            folder: if self.folder.is_empty() { None } else { text(self.folder) },
        };
        if let Some([at, member]) = self.pasted
            && let Some(pasted) = entry.at(at)
        {
            let members = pasted.members().map(|member| member.value);
            for one in members.chain(pasted.elements()) {
                if let Some(text) = value::text_at(one, member) {
                    prompt.text.push('\n');
                    prompt.text.push_str(&text);
                }
            }
        }
        Some(prompt)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: PromptList = PromptList {
        path: "typed.jsonl",
        session: &["of"],
        time: &["at"],
        text: &["said"],
        folder: &["in"],
        like: "",
        pasted: Some([&["paste"], &["content"]]),
    };

    #[test]
    fn lines_and_arrays_are_read_and_what_is_no_entry_is_left_out() {
        let lines = "{\"of\":\"a\",\"at\":1789000000,\"said\":\"first\",\"in\":\"/p\"}\n\
             no JSON\n[1]\n{\"said\":\"of no session\"}\n\
             {\"of\":\"b\",\"said\":\"see [1]\",\"paste\":{\"1\":{\"content\":\"a log\"}}}\n\
             {\"of\":\"c\",\"said\":\"cut behind it\",\"paste\":{";
        let read = |bytes: &[u8]| {
            let mut prompts = Vec::new();
            LIST.read(bytes, &mut |prompt| prompts.push(prompt));
            prompts
        };
        let all = read(lines.as_bytes());
        let said: Vec<(&str, &str)> = all.iter().map(|p| (&*p.session, &*p.text)).collect();
        assert_eq!(said, [("a", "first"), ("b", "see [1]\na log"), ("c", "cut behind it")]);
        assert_eq!(all[0].time, Some(UtcTime(1_789_000_000_000_000)));
        assert_eq!(all[0].folder.as_deref(), Some("/p"));
        let array = format!("[{},{{}}]", lines.lines().next().unwrap_or_default());
        assert_eq!(read(array.as_bytes()), all[..1]);
        let cut = format!("[{},\n{{\"of\":\"b\",\"sa", lines.lines().next().unwrap_or_default());
        assert_eq!(read(cut.as_bytes()), all[..1], "an array that was cut");
        assert_eq!(read(b""), []);
    }
}
