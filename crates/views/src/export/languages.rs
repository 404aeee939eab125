//! The languages of code that a page colours: the thirty that people write most behind a fence.
//! Each is a row of a table; one lexer reads them all ([`super::coloured`]).

/// The words and signs of a language.
#[derive(Debug)]
pub(super) struct Language {
    /// Its names behind a fence.
    names: &'static [&'static str],
    /// The signs that begin a comment to the end of the line.
    pub line: &'static [&'static str],
    /// The signs that begin and end a comment.
    pub block: &'static [(&'static str, &'static str)],
    /// The signs that begin and end a text, and whether it may have several lines.
    pub texts: &'static [(&'static str, &'static str, bool)],
    /// Its keywords, in the order of their letters.
    pub words: &'static [&'static str],
    /// Whether case counts in keywords.
    pub case: bool,
}

/// The language with a name.
pub(super) fn named(name: &str) -> Option<&'static Language> {
    let name = name.to_ascii_lowercase();
    LANGUAGES.iter().find(|language| language.names.contains(&&*name))
}

const DOUBLE: (&str, &str, bool) = ("\"", "\"", false);
const SINGLE: (&str, &str, bool) = ("'", "'", false);
const BACK: (&str, &str, bool) = ("`", "`", true);
const SLASHES: &[(&str, &str)] = &[("/*", "*/")];
const TAGS: &[(&str, &str)] = &[("<!--", "-->")];

macro_rules! languages {
    ($($names:tt $line:tt $block:tt $texts:tt $case:literal $words:tt)*) => {
        const LANGUAGES: &[Language] = &[$(Language {
            names: &$names,
            line: &$line,
            block: $block,
            texts: &$texts,
            words: &$words,
            case: $case,
        }),*];
    };
}

#[rustfmt::skip]
languages! {
    ["bash", "sh", "shell", "zsh", "console", "fish"] ["#"] (&[]) [("\"", "\"", true), ("'", "'",
     true)] true ["case", "cd", "do", "done", "echo", "elif", "else", "esac", "exit", "export",
     "fi", "for", "function", "if", "in", "local", "read", "return", "set", "shift", "source",
     "then", "trap", "unset", "until", "while"]

    ["python", "py", "python3", "pycon"] ["#"] (&[]) [("\"\"\"", "\"\"\"", true), ("'''", "'''",
     true), DOUBLE, SINGLE] true ["False", "None", "True", "and", "as", "assert", "async",
     "await", "break", "class", "continue", "def", "del", "elif", "else", "except", "finally",
     "for", "from", "global", "if", "import", "in", "is", "lambda", "match", "nonlocal", "not",
     "or", "pass", "raise", "return", "self", "try", "while", "with", "yield"]

    ["javascript", "js", "jsx", "mjs", "cjs", "node"] ["//"] (SLASHES) [DOUBLE, SINGLE, BACK] true
     ["async", "await", "break", "case", "catch", "class", "const", "continue", "default",
     "delete", "do", "else", "export", "extends", "false", "finally", "for", "from", "function",
     "if", "import", "in", "instanceof", "let", "new", "null", "of", "return", "static", "super",
     "switch", "this", "throw", "true", "try", "typeof", "undefined", "var", "void", "while",
     "yield"]

    ["typescript", "ts", "tsx", "mts", "cts"] ["//"] (SLASHES) [DOUBLE, SINGLE, BACK] true
     ["abstract", "any", "as", "async", "await", "boolean", "break", "case", "catch", "class",
     "const", "continue", "declare", "default", "delete", "do", "else", "enum", "export",
     "extends", "false", "finally", "for", "from", "function", "if", "implements", "import", "in",
     "instanceof", "interface", "keyof", "let", "namespace", "never", "new", "null", "number",
     "of", "private", "protected", "public", "readonly", "return", "static", "string", "super",
     "switch", "this", "throw", "true", "try", "type", "typeof", "undefined", "unknown", "var",
     "void", "while", "yield"]

    ["json", "jsonc", "json5", "jsonl"] ["//"] (SLASHES) [DOUBLE] true ["false", "null", "true"]

    ["html", "xml", "svg", "vue", "svelte", "xhtml"] [] (TAGS) [("\"", "\"", true), ("'", "'",
     true)] false ["a", "body", "button", "div", "form", "head", "html", "img", "input", "li",
     "link", "main", "meta", "nav", "ol", "option", "p", "script", "section", "select", "span",
     "style", "table", "td", "template", "th", "title", "tr", "ul"]

    ["css", "scss", "sass", "less"] ["//"] (SLASHES) [DOUBLE, SINGLE] true ["auto", "block",
     "flex", "grid", "hover", "import", "important", "include", "inherit", "initial", "media",
     "mixin", "none", "root", "var"]

    ["rust", "rs"] ["//"] (SLASHES) [("r#\"", "\"#", true), ("\"", "\"", true)] true ["Self",
     "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum",
     "extern", "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move",
     "mut", "pub", "ref", "return", "self", "static", "struct", "super", "trait", "true", "type",
     "unsafe", "use", "where", "while"]

    ["go", "golang"] ["//"] (SLASHES) [DOUBLE, SINGLE, BACK] true ["break", "case", "chan",
     "const", "continue", "default", "defer", "else", "fallthrough", "false", "for", "func", "go",
     "goto", "if", "import", "interface", "map", "nil", "package", "range", "return", "select",
     "struct", "switch", "true", "type", "var"]

    ["java"] ["//"] (SLASHES) [("\"\"\"", "\"\"\"", true), DOUBLE, SINGLE] true ["abstract",
     "assert", "boolean", "break", "byte", "case", "catch", "char", "class", "continue",
     "default", "do", "double", "else", "enum", "extends", "false", "final", "finally", "float",
     "for", "if", "implements", "import", "instanceof", "int", "interface", "long", "new", "null",
     "package", "private", "protected", "public", "record", "return", "short", "static", "super",
     "switch", "synchronized", "this", "throw", "throws", "true", "try", "var", "void", "while"]

    ["c", "h", "objc", "objective-c"] ["//"] (SLASHES) [DOUBLE, SINGLE] true ["NULL", "break",
     "case", "char", "const", "continue", "default", "define", "do", "double", "else", "endif",
     "enum", "extern", "float", "for", "goto", "if", "ifdef", "ifndef", "include", "inline",
     "int", "long", "register", "return", "short", "signed", "sizeof", "static", "struct",
     "switch", "typedef", "union", "unsigned", "void", "volatile", "while"]

    ["cpp", "c++", "cc", "cxx", "hpp"] ["//"] (SLASHES) [DOUBLE, SINGLE] true ["auto", "bool",
     "break", "case", "catch", "char", "class", "const", "constexpr", "continue", "default",
     "define", "delete", "do", "double", "else", "endif", "enum", "explicit", "false", "float",
     "for", "friend", "if", "ifdef", "ifndef", "include", "inline", "int", "long", "namespace",
     "new", "noexcept", "nullptr", "operator", "override", "private", "protected", "public",
     "return", "short", "sizeof", "static", "struct", "switch", "template", "this", "throw",
     "true", "try", "typedef", "typename", "union", "unsigned", "using", "virtual", "void",
     "while"]

    ["csharp", "cs", "c#"] ["//"] (SLASHES) [DOUBLE, SINGLE] true ["abstract", "as", "async",
     "await", "base", "bool", "break", "case", "catch", "class", "const", "continue", "decimal",
     "default", "do", "double", "else", "enum", "event", "false", "finally", "float", "for",
     "foreach", "get", "if", "in", "int", "interface", "internal", "is", "long", "namespace",
     "new", "null", "object", "out", "override", "private", "protected", "public", "readonly",
     "record", "ref", "return", "sealed", "set", "static", "string", "struct", "switch", "this",
     "throw", "true", "try", "typeof", "using", "var", "virtual", "void", "while"]

    ["ruby", "rb"] ["#"] (&[("=begin", "=end")]) [DOUBLE, SINGLE] true ["alias", "and", "begin",
     "break", "case", "class", "def", "do", "else", "elsif", "end", "ensure", "false", "for",
     "if", "in", "include", "module", "next", "nil", "not", "or", "require", "rescue", "return",
     "self", "super", "then", "true", "unless", "until", "when", "while", "yield"]

    ["php"] ["//", "#"] (SLASHES) [DOUBLE, SINGLE] true ["abstract", "array", "as", "break",
     "case", "catch", "class", "const", "continue", "default", "echo", "else", "elseif",
     "extends", "false", "final", "fn", "for", "foreach", "function", "if", "implements",
     "interface", "match", "namespace", "new", "null", "private", "protected", "public",
     "readonly", "return", "static", "switch", "this", "throw", "trait", "true", "try", "use",
     "while"]

    ["swift"] ["//"] (SLASHES) [("\"\"\"", "\"\"\"", true), DOUBLE] true ["as", "async", "await",
     "break", "case", "catch", "class", "continue", "default", "defer", "do", "else", "enum",
     "extension", "false", "for", "func", "guard", "if", "import", "in", "init", "is", "let",
     "nil", "override", "private", "protocol", "public", "return", "self", "static", "struct",
     "switch", "throw", "throws", "true", "try", "var", "where", "while"]

    ["kotlin", "kt", "kts"] ["//"] (SLASHES) [("\"\"\"", "\"\"\"", true), DOUBLE, SINGLE] true
     ["abstract", "as", "break", "by", "catch", "class", "companion", "continue", "data", "do",
     "else", "enum", "false", "finally", "for", "fun", "if", "import", "in", "interface",
     "internal", "is", "lateinit", "null", "object", "open", "override", "package", "private",
     "public", "return", "sealed", "super", "suspend", "this", "throw", "true", "try", "val",
     "var", "when", "while"]

    ["scala"] ["//"] (SLASHES) [("\"\"\"", "\"\"\"", true), DOUBLE] true ["abstract", "case",
     "catch", "class", "def", "do", "else", "enum", "extends", "false", "final", "finally", "for",
     "given", "if", "implicit", "import", "lazy", "match", "new", "null", "object", "override",
     "package", "private", "protected", "return", "sealed", "super", "then", "this", "throw",
     "trait", "true", "try", "type", "using", "val", "var", "while", "with", "yield"]

    ["sql", "postgresql", "postgres", "mysql", "sqlite", "psql"] ["--"] (SLASHES) [("'", "'",
     true), DOUBLE] false ["alter", "and", "as", "asc", "begin", "between", "by", "case",
     "commit", "create", "default", "delete", "desc", "distinct", "drop", "else", "end", "exists",
     "foreign", "from", "group", "having", "if", "in", "index", "inner", "insert", "into", "is",
     "join", "key", "left", "like", "limit", "not", "null", "offset", "on", "or", "order",
     "outer", "primary", "references", "returning", "right", "rollback", "select", "set", "table",
     "then", "union", "unique", "update", "values", "view", "when", "where", "with"]

    ["yaml", "yml"] ["#"] (&[]) [DOUBLE, SINGLE] true ["false", "no", "null", "off", "on", "true",
     "yes"]

    ["toml", "ini", "cfg", "conf", "properties", "env", "dotenv"] ["#", ";"] (&[]) [("\"\"\"",
     "\"\"\"", true), ("'''", "'''", true), DOUBLE, SINGLE] true ["false", "true"]

    ["dockerfile", "docker", "containerfile"] ["#"] (&[]) [DOUBLE, SINGLE] false ["add", "arg",
     "as", "cmd", "copy", "entrypoint", "env", "expose", "from", "healthcheck", "label", "run",
     "shell", "stopsignal", "user", "volume", "workdir"]

    ["makefile", "make", "mk"] ["#"] (&[]) [DOUBLE, SINGLE] true ["define", "else", "endef",
     "endif", "export", "ifdef", "ifeq", "ifndef", "ifneq", "include", "override"]

    ["lua"] ["--"] (&[("--[[", "]]")]) [("[[", "]]", true), DOUBLE, SINGLE] true ["and", "break",
     "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local",
     "nil", "not", "or", "repeat", "return", "then", "true", "until", "while"]

    ["r"] ["#"] (&[]) [DOUBLE, SINGLE] true ["FALSE", "NA", "NULL", "TRUE", "break", "else",
     "for", "function", "if", "in", "library", "next", "repeat", "return", "while"]

    ["perl", "pl"] ["#"] (&[]) [DOUBLE, SINGLE] true ["and", "else", "elsif", "for", "foreach",
     "if", "last", "local", "my", "next", "not", "or", "our", "package", "print", "require",
     "return", "sub", "unless", "until", "use", "while"]

    ["haskell", "hs"] ["--"] (&[("{-", "-}")]) [DOUBLE] true ["case", "class", "data", "deriving",
     "do", "else", "if", "import", "in", "infix", "instance", "let", "module", "newtype", "of",
     "qualified", "then", "type", "where"]

    ["elixir", "ex", "exs"] ["#"] (&[]) [("\"\"\"", "\"\"\"", true), DOUBLE, SINGLE] true
     ["alias", "and", "case", "cond", "def", "defmodule", "defp", "defstruct", "do", "else",
     "end", "false", "fn", "for", "if", "import", "in", "nil", "not", "or", "raise", "require",
     "rescue", "true", "try", "unless", "use", "when", "with"]

    ["dart"] ["//"] (SLASHES) [("\"\"\"", "\"\"\"", true), ("'''", "'''", true), DOUBLE, SINGLE]
     true ["abstract", "as", "async", "await", "break", "case", "catch", "class", "const",
     "continue", "default", "do", "else", "enum", "extends", "false", "final", "for", "if",
     "implements", "import", "in", "is", "late", "mixin", "new", "null", "override", "required",
     "return", "static", "super", "switch", "this", "throw", "true", "try", "var", "void",
     "while", "with", "yield"]

    ["powershell", "ps1", "pwsh"] ["#"] (&[("<#", "#>")]) [("\"", "\"", true), ("'", "'", true)]
     false ["begin", "break", "catch", "continue", "else", "elseif", "end", "exit", "finally",
     "for", "foreach", "function", "if", "in", "param", "process", "return", "switch", "throw",
     "trap", "try", "until", "while"]

    ["hcl", "terraform", "tf", "nix"] ["#", "//"] (SLASHES) [DOUBLE] true ["assert", "data",
     "else", "false", "for", "if", "in", "inherit", "let", "locals", "module", "null", "output",
     "provider", "rec", "resource", "terraform", "then", "true", "variable", "with"]

    ["graphql", "gql", "protobuf", "proto"] ["#", "//"] (SLASHES) [("\"\"\"", "\"\"\"", true),
     DOUBLE] true ["enum", "extend", "false", "fragment", "implements", "import", "input",
     "interface", "message", "mutation", "null", "on", "oneof", "option", "optional", "package",
     "query", "repeated", "required", "returns", "rpc", "scalar", "schema", "service",
     "subscription", "syntax", "true", "type", "union"]

    ["zig"] ["//"] (&[]) [DOUBLE, SINGLE] true ["and", "break", "catch", "const", "continue",
     "defer", "else", "enum", "errdefer", "error", "export", "extern", "false", "fn", "for", "if",
     "null", "or", "orelse", "pub", "return", "struct", "switch", "test", "true", "try",
     "undefined", "union", "unreachable", "var", "while"]
}

#[cfg(test)]
mod tests {
    use super::{LANGUAGES, named};

    #[test]
    fn the_table_is_in_order() {
        assert!(LANGUAGES.len() >= 30, "{}", LANGUAGES.len());
        let mut names: Vec<&str> = LANGUAGES.iter().flat_map(|row| row.names).copied().collect();
        for language in LANGUAGES {
            assert!(language.words.is_sorted(), "{:?}", language.names);
            let small = |word: &&str| word.chars().all(|letter| !letter.is_uppercase());
            assert!(language.case || language.words.iter().all(small), "{:?}", language.names);
        }
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "each name is of one language");
        assert!(named("Rust").is_some() && named("text").is_none());
    }
}
