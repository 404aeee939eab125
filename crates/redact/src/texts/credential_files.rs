//! Files of credentials, by their names.

/// Names of files in which each assigned value is a credential.
const NAMES: &[&str] = &[
    ".env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".pgpass",
    ".my.cnf",
    ".npmrc",
    ".pypirc",
    ".s3cfg",
    ".boto",
    ".git-credentials",
    "credentials.ini",
    "secrets.env",
    "secrets.toml",
    "secrets.ini",
    "secret.env",
];

/// Names that say so in a folder of such files only.
const WITHIN: &[(&str, &str)] =
    &[(".aws", "credentials"), (".cargo", "credentials"), (".cargo", "credentials.toml")];

/// Endings of `.env.NAME` which are examples.
const EXAMPLES: &[&str] =
    &["example", "sample", "template", "dist", "tpl", "ts", "js", "go", "rs", "py", "md"];

/// Whether a path is that of a file of credentials, by its last name.
pub(crate) fn is_credentials(path: &[u8]) -> bool {
    let Ok(path) = std::str::from_utf8(path) else { return false };
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let folder = folder.rsplit('/').next().unwrap_or_default();
    let env = name.strip_prefix(".env.").map(|end| end.rsplit('.').next().unwrap_or_default());
    NAMES.contains(&name)
        || WITHIN.contains(&(folder, name))
        || env.is_some_and(|end| !end.is_empty() && !EXAMPLES.contains(&end))
        || (name.len() > 4 && name.ends_with(".env") && !name.starts_with("process."))
            && !name.ends_with("example.env")
            && !["import.meta", "meta", "os", "deno", "bun", "this", "self"]
                .contains(&name.trim_end_matches(".env").to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::is_credentials;

    #[test]
    fn a_file_of_credentials_is_known_by_its_name() {
        for path in [".env", "/a/.env", "a/.env.local", "prod.env", "~/.aws/credentials", ".pgpass"]
        {
            assert!(is_credentials(path.as_bytes()), "{path}");
        }
        for path in [
            "process.env",
            ".env.example",
            "src/credentials",
            "credentials",
            "src/service-accounts.ts",
            "import.meta.env",
            "env",
            "a/.environment",
        ] {
            assert!(!is_credentials(path.as_bytes()), "{path}");
        }
    }
}
