//! The help is the reference page: `crates/cli/help.txt`. `UPDATE=1 cargo test` refreshes it.
#![allow(clippy::unwrap_used)]

#[test]
fn the_help_is_the_published_page() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/help.txt");
    let help = verbatim_cli::help();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, &help).unwrap();
    }
    let published = std::fs::read_to_string(path).unwrap_or_default();
    assert!(published == help, "the help has changed; `UPDATE=1 cargo test` refreshes help.txt");
}
