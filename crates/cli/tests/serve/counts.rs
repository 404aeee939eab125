//! Every number on every screen is that of a command. It is read from the page as a person
//! reads it: from its text, without its elements.

use super::*;
use crate::common::OTHER;

/// The text of a page, with one space between its pieces.
fn text(page: &str) -> String {
    let mut text = String::new();
    for piece in page.split('<') {
        let said = piece.split_once('>').map_or(piece, |(_, said)| said);
        text.push(' ');
        text.push_str(said);
    }
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The cells of the rows of the tables of a page.
fn rows(page: &str) -> Vec<Vec<String>> {
    let rows = page.split("<tr>").skip(1).map(|row| row.split("</tr>").next().unwrap());
    let cells = |row: &str| {
        let cells = row.split("<t").skip(1).map(|cell| format!("<t{cell}"));
        cells.map(|cell| text(&cell).replace(',', "")).collect()
    };
    rows.map(cells).collect()
}

/// Asserts that the text of a page has these words.
fn says(page: &str, words: &str) {
    let text = text(page);
    assert!(text.contains(words), "`{words}` is not in: {text}");
}

fn counted(count: usize, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

fn number(value: &Value) -> String {
    if value.is_null() { "-".into() } else { value.to_string() }
}

struct Both<'p>(&'p Place, Served<'p>);

impl Both<'_> {
    fn page(&self, path: &str) -> String {
        let (status, page) = self.1.get(path);
        assert_eq!(status, 200, "{path}: {page}");
        page
    }

    fn command(&self, args: &[&str]) -> Value {
        let ran = self.0.run(args);
        serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{args:?}: {}", ran.err))
    }
}

fn place() -> Place {
    let place = Place::with_sessions();
    let projects = place.path().join("home/.claude/projects/-home-ana-mill");
    let id = "1c6d7b63-a1b2-4d74-8e1f-7c8b7a6a0003";
    // A token that no service gave out, and a file that was written.
    let token = format!("ghp_{}", "Zq4T9vLx2".repeat(4));
    let write = talk(id, &format!("Oil the wheel with {token}"), "2026-03-04T10:0");
    let write = write.replace(
        "\"name\":\"Bash\",\"input\":{\"command\":\"ls doors\"}",
        "\"name\":\"Write\",\"input\":{\"file_path\":\"/home/ana/shop/oil.txt\",\
         \"content\":\"oil\\n\"}",
    );
    put(&projects.join(format!("{id}.jsonl")), &write);
    put(&projects.join("notes.jsonl"), "{\"this\":\"is no session\"}\n");
    place
}

#[test]
fn every_number_on_every_screen_is_that_of_a_command() {
    let place = place();
    assert_eq!(place.run(&["sync"]).code, 0);
    let both = Both(&place, Served::start(&place, &[]));
    sessions(&both);
    usage(&both);
    search(&both);
    files(&both);
    findings(&both);
    books(&both);
    one(&both);
}

fn sessions(both: &Both<'_>) {
    let list = both.command(&["list", "--json", "--all-projects"]);
    let sessions = list["sessions"].as_array().unwrap();
    let page = both.page("/");
    says(&page, &counted(sessions.len(), "session"));
    assert_eq!(page.matches("<li class=\"row\"").count(), sessions.len());
    says(&both.page("/proof"), &counted(sessions.len(), "session"));
    let spent = both.command(&["usage", "--json", "--by", "session"]);
    for group in spent["groups"].as_array().unwrap() {
        let uid = group["name"].as_str().unwrap();
        let row = page.split("data-uid=").find(|row| row.contains(uid)).unwrap();
        let row = row.split("</li>").next().unwrap().replace(',', "");
        says(&row, &format!("{} tokens", group["total"]));
        if let Some(price) = group["list_price_usd"].as_f64() {
            says(&row, &format!("${price:.2}"));
        }
    }
    let aside = list["aside"].as_array().unwrap().len();
    let page = text(&both.page("/not-seen"));
    let number = |name: &str| -> usize {
        let rest = page.split(&format!("{name} (")).nth(1).unwrap();
        rest.split(')').next().unwrap().parse().unwrap()
    };
    assert_eq!(number("Could not be read") + number("No sessions"), aside);
}

fn usage(both: &Both<'_>) {
    let keys = ["day", "week", "month", "block", "project", "branch", "session", "model"];
    for key in keys.into_iter().chain(["agent"]) {
        let usage = both.command(&["usage", "--json", "--by", key]);
        let shown = rows(&both.page(&format!("/usage?by={key}")));
        let groups = usage["groups"].as_array().unwrap();
        for group in groups.iter().chain([&usage["all"]]) {
            let tokens = &group["tokens"];
            let names = ["input", "cache_read", "cache_write", "output", "reasoning"];
            let mut wanted = vec![number(&group["answers"])];
            wanted.extend(names.map(|name| number(&tokens[name])));
            wanted.push(number(&group["total"]));
            let has = |row: &&Vec<String>| row.get(1..8) == Some(&wanted);
            assert!(shown.iter().any(|row| has(&row)), "{key}: {wanted:?} in {shown:?}");
        }
        assert_eq!(shown.len(), groups.len() + 2, "a head and a sum: {key}");
    }
}

fn search(both: &Both<'_>) {
    for word in ["door", "paint", "nothingofthis"] {
        // A search without a match says so by its code too.
        let ran = both.0.run(&["search", "--json", "--all-projects", word]);
        let found: Value = serde_json::from_str(&ran.out).unwrap();
        let found = found["sessions"].as_array().unwrap();
        let hits: usize = found.iter().map(|of| of["hits"].as_array().unwrap().len()).sum();
        let matches = if hits == 1 { "1 match".into() } else { format!("{hits} matches") };
        let words = format!("{matches} in {}", counted(found.len(), "session"));
        says(&both.page(&format!("/search?q={word}")), &words);
    }
}

fn files(both: &Both<'_>) {
    let list = both.command(&["list", "--json", "--all-projects"]);
    let mut paths = std::collections::BTreeSet::new();
    for session in list["sessions"].as_array().unwrap() {
        let lines = both.command(&["attribution", "--json", session["uid"].as_str().unwrap()]);
        // Files whose lines can't be derived were changed too.
        let files = ["files", "unknown"].map(|key| lines[key].as_array().unwrap().iter());
        paths.extend(
            files.into_iter().flatten().map(|file| file["path"].as_str().unwrap().to_owned()),
        );
    }
    assert!(!paths.is_empty());
    says(&both.page("/files"), &counted(paths.len(), "file"));
}

fn findings(both: &Both<'_>) {
    let scan = both.command(&["scan", "--json", "--profile", "share"]);
    let count = scan["findings"].as_u64().unwrap() as usize;
    assert!(count > 0);
    let page = both.page("/findings");
    says(&page, &counted(count, "finding"));
    let listed = text(&page);
    for source in scan["sources"].as_array().unwrap() {
        let mut classes = std::collections::BTreeMap::new();
        for finding in source["findings"].as_array().unwrap() {
            *classes.entry(finding["class"].as_str().unwrap()).or_insert(0) += 1;
        }
        for (class, count) in classes {
            assert!(listed.contains(&format!("{class}: {count}")), "{class}: {listed}");
        }
    }
}

fn books(both: &Both<'_>) {
    let books = both.command(&["fidelity", "--json"]);
    let shown = rows(&both.page("/books"));
    let pairs = books["pairs"].as_array().unwrap();
    assert_eq!(shown.len(), pairs.len() + 1);
    for pair in pairs {
        let mut wanted = vec![number(&pair["sessions"])];
        wanted
            .extend(["carried", "mapped", "in_part", "dropped", "made"].map(|n| number(&pair[n])));
        let is_it = |row: &&Vec<String>| row[0] == pair["from"] && row[1] == pair["to"];
        let row = shown.iter().find(is_it).unwrap();
        let cells = [&row[2..3], &row[4..]].concat();
        assert_eq!(cells, wanted, "{pair}");
    }
}

/// The screens of one session.
fn one(both: &Both<'_>) {
    for id in [ID, OTHER] {
        let uid = format!("claude-code:{id}");
        let check = both.command(&["check", "--json", &uid]);
        let shown = rows(&both.page(&format!("/s/{uid}/proof")));
        let names = [
            ("bytes", "bytes"),
            ("records", "records"),
            ("events", "events"),
            ("values in the JSON", "leaves"),
            ("values that no event has", "missing_leaves"),
            ("places where the proof fails", "lost_places"),
            ("damaged places kept as they are", "damaged"),
            ("names that no table knows", "unknown"),
        ];
        for (name, key) in names {
            let row = [name.to_owned(), number(&check["summary"][key])];
            assert!(shown.iter().any(|shown| *shown == row), "{row:?} in {shown:?}");
        }
        let list = both.command(&["list", "--json", "--all-projects", "--turns"]);
        let rows = list["sessions"].as_array().unwrap();
        let listed = rows.iter().find(|row| row["uid"] == *uid).unwrap();
        let page = both.page(&format!("/s/{uid}"));
        says(&page, &format!("turns {}", listed["turns"]));
        let show = both.command(&["show", "--json", &uid]);
        let events = show["events"].as_array().unwrap();
        let calls = events.iter().filter(|event| event["kind"] == "tool-call").count();
        says(&page, &format!("calls {calls}"));
        let records = check["summary"]["records"].as_u64().unwrap();
        let bytes = both.page(&format!("/s/{uid}/bytes"));
        says(&bytes, &format!("of {records} records"));
    }
}

#[test]
fn the_reading_of_pages_can_fail() {
    let page = "<p class=\"facts\">2 sessions \u{b7} <b>1,204</b> tokens</p>";
    says(page, "2 sessions");
    assert!(std::panic::catch_unwind(|| says(page, "3 sessions")).is_err());
    let table = "<table><tr><th>day</th><td class=\"right\">1,204</td></tr></table>";
    assert_eq!(rows(table), [["day", "1204"]]);
}
