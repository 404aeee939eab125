//! Prompts of other agents that Gemini CLI would not send. When it resumes a session, it leaves out
//! each message whose text begins with `/` or `?`, as a command to its screen, and the contexts
//! that it adds itself (`FORMAT.md`, resuming). In a tag such a text is sent.

/// Beginnings of texts that the agent does not send again.
const UNSENT: [&str; 4] = ["/", "?", "<session_context>", "<hook_context>"];

/// The tag around a text that the agent would not send.
const TAG: [&str; 2] = ["<user_prompt>", "</user_prompt>"];

/// The name of the tag.
pub(super) const NAME: &str = "user_prompt";

/// A text in the tag, if the agent would not send it as it is.
pub(super) fn quoted(text: &str) -> Option<String> {
    let is_unsent = UNSENT.iter().any(|begin| text.trim_start().starts_with(begin));
    is_unsent.then(|| format!("{}\n{text}\n{}", TAG[0], TAG[1]))
}

/// The text of a prompt without the tag, if that is all around it.
pub(super) fn unquoted(prompt: &str) -> &str {
    let inside = prompt.strip_prefix(TAG[0]).and_then(|rest| rest.strip_prefix('\n'));
    let inside = inside.and_then(|rest| rest.strip_suffix(TAG[1])?.strip_suffix('\n'));
    inside.filter(|text| quoted(text).is_some()).unwrap_or(prompt)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_agent_would_not_send_is_in_a_tag_and_comes_back() {
        for text in ["/review src/tide.rs\nLook at it.", " ? why", "<hook_context>x</hook_context>"]
        {
            let sent = quoted(text).expect("it is not sent");
            assert!(quoted(&sent).is_none());
            assert_eq!(unquoted(&sent), text);
        }
        assert_eq!(quoted("look at /srv"), None);
        // A person may write of the tag.
        let typed = "<user_prompt>\nhello\n</user_prompt>";
        assert_eq!(unquoted(typed), typed);
    }
}
