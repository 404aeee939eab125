//! The frame of every page: the rail with the screens, and the style and the script, which are
//! named by their digests.

use std::sync::{Arc, LazyLock};

use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use views::export::PageText as Shown;

use crate::app::App;
use crate::http::ask::{Ask, encoded};
use crate::http::reply::{Fault, HTML, Reply};

/// The style: that of the exported page, and what the screens add.
static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    let (page, screens) = (&*views::export::STYLE, include_str!("../assets/screens.css"));
    let text = format!("{page}{screens}");
    Asset::of(text, "css", "text/css; charset=utf-8")
});

/// The script.
static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    let text = include_str!("../assets/screens.js").to_owned();
    Asset::of(text, "js", "text/javascript; charset=utf-8")
});

struct Asset {
    name: String,
    text: String,
    kind: &'static str,
}

impl Asset {
    fn of(text: String, ending: &str, kind: &'static str) -> Self {
        let digest = Sha256::digest(text.as_bytes());
        let digest: String = digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        Self { name: format!("{digest}.{ending}"), text, kind }
    }
}

/// `/assets/{name}`.
pub(super) fn asset(_: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let all = [&*STYLE, &*SCRIPT];
    let asset = all.into_iter().find(|asset| asset.name == ask.part("name"));
    let asset = asset.ok_or_else(|| Fault::unknown("file"))?;
    let mut reply = Reply::tagged(asset.kind, asset.text.clone().into_bytes());
    // It is named by its digest: this one never changes.
    reply.more.push(("cache-control", "private, max-age=43200, immutable".to_owned()));
    Ok(reply)
}

/// The screens: their paths and names.
const SCREENS: [(&str, &str); 8] = [
    ("/", "Sessions"),
    ("/search", "Search"),
    ("/usage", "Usage"),
    ("/files", "Files"),
    ("/proof", "Proof"),
    ("/findings", "Findings"),
    ("/books", "Books"),
    ("/not-seen", "Not seen"),
];

/// A page with its frame.
pub(super) fn page(ask: &Ask, title: &str, body: &Markup) -> Reply {
    Reply::tagged(HTML, whole(ask, title, body).into_bytes())
}

/// The frame of a page that comes in pieces: what is before its content, with its head, and what is
/// behind it.
pub(super) fn around(ask: &Ask, title: &str, head: &Markup) -> (String, String) {
    // No text of a page has this character.
    const HERE: &str = "\u{0}";
    let whole = whole(ask, title, &html! { (head) (PreEscaped(HERE)) });
    let (before, behind) = whole.split_once(HERE).unwrap_or((&whole, ""));
    (before.to_owned(), behind.to_owned())
}

fn whole(ask: &Ask, title: &str, body: &Markup) -> String {
    let current = |path: &str| (ask.path == path).then_some("page");
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width,initial-scale=1";
                meta name="referrer" content="no-referrer";
                // Actions repeat this word in a header, which no foreign page knows.
                @if let Some(word) = ask.word() { meta name="verbatim-word" content=(word); }
                title { (Shown(title)) " \u{b7} verbatim" }
                link rel="stylesheet" href={ "/assets/" (STYLE.name) };
                link rel="icon" href="data:,";
                script src={ "/assets/" (SCRIPT.name) } defer {}
            }
            body class="screens" {
                a class="skip" href="#main" { "To the content" }
                nav class="rail" aria-label="Screens" {
                    @for (path, name) in SCREENS {
                        a href=(path) aria-current=[current(path)] { (name) }
                    }
                }
                div class="screen" { (body) }
            }
        }
    };
    page.into_string()
}

/// The address of a session's page.
pub(super) fn session(uid: &str) -> String {
    format!("/s/{}", encoded(uid))
}

/// The address of a turn on the page of its session.
pub(super) fn turn(uid: &str, number: u64) -> String {
    format!("{}?turns={number}#turn-{number}", session(uid))
}

/// The ways to the page before and to the next one, and what is shown.
pub(super) fn ways(
    ask: &Ask,
    shown: (usize, usize),
    total: usize,
    what: &str,
    most: usize,
) -> Markup {
    let (from, to) = shown;
    let before = from.saturating_sub(most).to_string();
    let next = to.to_string();
    html! {
        p class="ways-of" {
            @if total == 0 { "No " (what) "." }
            @else {
                (from + 1) "\u{2013}" (to) " of " (views::human::count(total as u64)) " " (what)
            }
            @if from > 0 {
                " " a rel="prev" href=(ask.link(&[("after", Some(&before))])) { "before" }
            }
            @if to < total {
                " " a rel="next" href=(ask.link(&[("after", Some(&next))])) { "next" }
            }
        }
    }
}

/// A number and a noun.
pub(super) fn counted(count: u64, one: &str, many: &str) -> String {
    views::human::counted(count, one, many)
}

#[cfg(test)]
mod tests {
    #[test]
    fn each_colour_is_there_for_both_themes() {
        let css = &*views::export::STYLE;
        let (_, rules) = css.split_once(":root{").unwrap_or_default();
        let rules = rules.split('}').next().unwrap_or_default().split(';').map(str::trim);
        let colours: Vec<_> =
            rules.filter_map(|rule| rule.strip_prefix("--")?.split_once(':')).collect();
        let is_of_both = |(_, value): &(&str, &str)| {
            let both = value.strip_prefix("light-dark(").and_then(|value| value.split_once(','));
            both.is_some_and(|(light, dark)| light.starts_with('#') && dark.starts_with('#'))
        };
        assert!(colours.len() >= 10 && colours.iter().all(is_of_both), "{colours:?}");
        for sheet in [css, include_str!("../assets/screens.css")] {
            for name in
                sheet.split("var(--").skip(1).filter_map(|rest| rest.split([')', ',']).next())
            {
                assert!(name == "h" || colours.iter().any(|(known, _)| *known == name), "{name}");
            }
        }
    }
}
