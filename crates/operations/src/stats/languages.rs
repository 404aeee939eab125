//! Languages by the names of files.

/// Endings of names, with the language of each.
const ENDINGS: &[(&[&str], &str)] = &[
    (&["c", "h"], "C"),
    (&["cc", "cpp", "cxx", "hh", "hpp", "hxx"], "C++"),
    (&["cs"], "C#"),
    (&["clj", "cljs", "cljc", "edn"], "Clojure"),
    (&["css", "scss", "sass", "less"], "CSS"),
    (&["dart"], "Dart"),
    (&["ex", "exs", "heex"], "Elixir"),
    (&["erl", "hrl"], "Erlang"),
    (&["fs", "fsi", "fsx"], "F#"),
    (&["go"], "Go"),
    (&["graphql", "gql"], "GraphQL"),
    (&["hs", "lhs"], "Haskell"),
    (&["html", "htm"], "HTML"),
    (&["java"], "Java"),
    (&["js", "jsx", "mjs", "cjs"], "JavaScript"),
    (&["json", "jsonc", "json5", "jsonl"], "JSON"),
    (&["jl"], "Julia"),
    (&["kt", "kts"], "Kotlin"),
    (&["lua"], "Lua"),
    (&["md", "mdx", "rst", "adoc"], "Prose"),
    (&["ml", "mli"], "OCaml"),
    (&["nix"], "Nix"),
    (&["php"], "PHP"),
    (&["pl", "pm"], "Perl"),
    (&["proto"], "Protocol Buffers"),
    (&["ps1", "psm1"], "PowerShell"),
    (&["py", "pyi", "ipynb"], "Python"),
    (&["r", "rmd"], "R"),
    (&["rb", "erb", "rake"], "Ruby"),
    (&["rs"], "Rust"),
    (&["scala", "sc"], "Scala"),
    (&["sh", "bash", "zsh", "fish"], "Shell"),
    (&["sol"], "Solidity"),
    (&["sql"], "SQL"),
    (&["svelte"], "Svelte"),
    (&["swift"], "Swift"),
    (&["tf", "hcl"], "Terraform"),
    (&["toml"], "TOML"),
    (&["ts", "tsx", "mts", "cts"], "TypeScript"),
    (&["txt"], "Text"),
    (&["vue"], "Vue"),
    (&["xml", "xsd", "svg", "plist"], "XML"),
    (&["yaml", "yml"], "YAML"),
    (&["zig"], "Zig"),
];

/// Whole names, with the language of each.
const NAMES: &[(&str, &str)] = &[
    ("dockerfile", "Dockerfile"),
    ("containerfile", "Dockerfile"),
    ("makefile", "Makefile"),
    ("justfile", "Makefile"),
    ("rakefile", "Ruby"),
    ("gemfile", "Ruby"),
];

/// The language of a file; `None` if its name tells none.
pub(super) fn of(path: &str) -> Option<&'static str> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path).to_lowercase();
    let whole = NAMES.iter().find(|(known, _)| *known == name).map(|(_, language)| *language);
    let of_ending = || {
        let (_, ending) = name.rsplit_once('.')?;
        let row = ENDINGS.iter().find(|(endings, _)| endings.contains(&ending));
        row.map(|(_, language)| *language)
    };
    whole.or_else(of_ending)
}

#[cfg(test)]
mod tests {
    use super::of;

    #[test]
    fn a_name_tells_a_language() {
        assert_eq!(of("/srv/shop/src/Main.RS"), Some("Rust"));
        assert_eq!(of("C:\\shop\\cart.test.tsx"), Some("TypeScript"));
        assert_eq!(of("build/Dockerfile"), Some("Dockerfile"));
        assert_eq!(of("LICENSE"), None);
        assert_eq!(of("a.rs/notes"), None);
    }
}
