//! Provider of a model, by the model's name: used only if the agent did not write it.

/// Prefixes of model names, with their providers. The table has families, not models. Other names
/// have an unknown provider.
const FAMILIES: &[(&str, &str)] = &[
    ("claude", "anthropic"),
    ("gpt", "openai"),
    ("chatgpt", "openai"),
    ("codex", "openai"),
    ("o1", "openai"),
    ("o3", "openai"),
    ("o4", "openai"),
    ("gemini", "google"),
    ("gemma", "google"),
    ("grok", "xai"),
    ("deepseek", "deepseek"),
    ("qwen", "alibaba"),
    ("qwq", "alibaba"),
    ("kimi", "moonshotai"),
    ("moonshot", "moonshotai"),
    ("glm", "zhipuai"),
    ("minimax", "minimax"),
    ("mistral", "mistral"),
    ("mixtral", "mistral"),
    ("magistral", "mistral"),
    ("ministral", "mistral"),
    ("codestral", "mistral"),
    ("devstral", "mistral"),
    ("llama", "meta"),
    ("command", "cohere"),
    ("nova", "amazon"),
    ("composer", "cursor"),
];

/// The provider and the model in a record if none is known.
pub const UNKNOWN: &str = "unknown";

/// The provider of a model. A name may begin with its route: `openai/gpt-5`.
pub(crate) fn of_model(model: &str) -> &'static str {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let known = FAMILIES.iter().find(|(family, _)| {
        // `o1` is a family, `o1mini` is not: a family ends with its letters and digits, unless a
        // version directly follows its letters (`qwen3`).
        name.strip_prefix(family).is_some_and(|rest| {
            let letters = family.ends_with(|last: char| last.is_ascii_alphabetic());
            rest.chars().next().is_none_or(|next| {
                !next.is_ascii_alphanumeric() || (letters && next.is_ascii_digit())
            })
        })
    });
    known.map_or(UNKNOWN, |(_, provider)| provider)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_known_and_nothing_else() {
        for (model, provider) in [
            ("claude-opus-4-5-20251101", "anthropic"),
            ("gpt-5.2-codex", "openai"),
            ("o1", "openai"),
            ("o3-mini", "openai"),
            ("codex-mini-latest", "openai"),
            ("qwen3-coder", "alibaba"),
            ("openrouter/moonshotai/Kimi-K2", "moonshotai"),
            ("glm-4.6", "zhipuai"),
            ("DeepSeek-V3", "deepseek"),
            ("o1x", "unknown"),
            ("commander", "unknown"),
            ("", "unknown"),
        ] {
            assert_eq!(of_model(model), provider, "{model}");
        }
    }
}
