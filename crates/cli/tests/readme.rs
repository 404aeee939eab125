//! What the README shows of the documents is what the commands print. `UPDATE=1 cargo test` writes
//! it anew.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Place, put};

/// The text between the marks of a name, and what stands before and behind it.
fn part<'r>(readme: &'r str, name: &str) -> (&'r str, &'r str, &'r str) {
    let open = format!("<!-- {name}: made by the tests -->\n");
    let start = readme.find(&open).unwrap() + open.len();
    let end = start + readme[start..].find(&format!("<!-- /{name} -->")).unwrap();
    (&readme[..start], &readme[start..end], &readme[end..])
}

/// A place with a sample as `shop`.
fn place() -> Place {
    let place = Place::new();
    let sample = samples::workspace().join("crates/formats/src/claude_code/samples/plain");
    let folder = std::fs::read_dir(sample.join("projects")).unwrap().next().unwrap().unwrap();
    for file in std::fs::read_dir(folder.path()).unwrap() {
        let file = file.unwrap();
        let text = std::fs::read_to_string(file.path()).unwrap();
        put(&place.path().join("shop").join(file.file_name()), &text);
    }
    place
}

/// The beginning of the record: what stands before its second entry.
fn record(place: &Place) -> String {
    let ran = place.run(&["convert", "record.json", "--to", "vac", "--pretty"]);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let wide = ran.out;
    let end = wide.find("\n      },\n").unwrap();
    format!("```json\n{}\n      }},\n```\n", &wide[..end])
}

/// What is said of a session with edits.
fn attribution() -> String {
    let samples = samples::workspace().join("crates/formats/src/claude_code/samples");
    let mut command = Place::new().command(&["attribution", "8d3b6f52", "--in", "edits"]);
    let ran = command.current_dir(samples).output().unwrap();
    let out = String::from_utf8(ran.stdout).unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    format!("```\n$ verbatim attribution 8d3b6f52 --in edits\n{out}```\n")
}

#[test]
fn the_readme_shows_what_the_commands_print() {
    let path = samples::workspace().join("README.md");
    let mut readme = std::fs::read_to_string(&path).unwrap();
    let place = place();
    let (_, shown, _) = part(&readme, "documents");
    let mut printed = String::from("```\n");
    for command in shown.lines().filter(|line| line.starts_with("$ verbatim ")) {
        let args: Vec<&str> = command.split(' ').skip(2).collect();
        if args.contains(&"broken.json") {
            let text = std::fs::read_to_string(place.path().join("record.json")).unwrap();
            let from = text.find("\"token-usage\":{\"input\":").unwrap() + 23;
            put(&place.path().join("broken.json"), &format!("{}-{}", &text[..from], &text[from..]));
        }
        let ran = place.run(&args);
        printed.push_str(&format!("{command}\n{}{}", ran.err, ran.out));
    }
    printed.push_str("```\n");
    let texts =
        [("documents", printed), ("record", record(&place)), ("attribution", attribution())];
    for (name, text) in texts {
        let (before, shown, behind) = part(&readme, name);
        if shown != text {
            assert!(std::env::var_os("UPDATE").is_some(), "{name}: UPDATE=1 renews the README");
            readme = format!("{before}{text}{behind}");
            std::fs::write(&path, &readme).unwrap();
        }
    }
}
