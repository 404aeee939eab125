//! Tokens and money, by any key, with bars.

use std::sync::Arc;

use api::usage::{Group, Report};
use maud::{Markup, html};
use operations::usage::By;
use views::export::PageText as Shown;
use views::human;

use super::frame::{page as framed, session};
use crate::app::App;
use crate::http::ask::Ask;
use crate::http::reply::{Fault, Reply};
use crate::v1::usage::{KEYS, with};

/// `/usage`.
pub(super) fn page(app: &Arc<App>, ask: &Ask) -> Result<Reply, Fault> {
    let named = ask.value("by");
    let by = KEYS.into_iter().find(|by| Some(by.word()) == named).unwrap_or(By::Day);
    with(app, ask, by, &mut |report| Ok(framed(ask, "Usage", &body(ask, by, report))))
}

fn body(ask: &Ask, by: By, report: &Report<'_>) -> Markup {
    let most = report.groups.iter().map(|group| group.total).max().unwrap_or(0);
    html! {
        header {
            h1 { "Usage" }
            p class="ways-of" {
                "By "
                @for key in KEYS {
                    a href=(ask.link(&[("by", Some(key.word()))]))
                        aria-current=[(key == by).then_some("true")] { (key.word()) }
                    " "
                }
            }
        }
        main id="main" tabindex="-1" {
            table {
                thead {
                    tr {
                        th { (by.word()) } th { "answers" } th { "input" } th { "cache read" }
                        th { "cache write" } th { "output" } th { "reasoning" } th { "total" }
                        th { "recorded $" } th { "list price $" } th { "share" }
                    }
                }
                tbody {
                    @for group in report.groups.iter().chain([&report.all]) {
                        (row(by, group, most))
                    }
                }
            }
            (notes(report))
        }
    }
}

/// The lines below the sums.
fn notes(report: &Report<'_>) -> Markup {
    html! {
        @if let Some(prices) = &report.prices {
            p class="when" { "List prices: " (Shown(prices)) }
        }
        @if !report.without_list_price.is_empty() {
            h2 { "Without a list price" }
            ul {
                @for model in &report.without_list_price {
                    li {
                        (Shown(model.model.unwrap_or("unknown"))) ": "
                        (human::count(model.total)) " tokens"
                    }
                }
            }
        }
        @if !report.left_out.is_empty() {
            h2 { "Not counted" }
            ul {
                @for left in &report.left_out {
                    li {
                        (left.why) ": " (human::count(left.total)) " tokens in " (left.numbers)
                    }
                }
            }
        }
        @if !report.not_read.is_empty() {
            h2 { "Could not be read, and in no sum" }
            ul {
                @for file in &report.not_read { li { (Shown(&file.path)) ": " (Shown(file.why)) } }
            }
        }
        @if report.damaged > 0 {
            p { (report.damaged) " damaged places: answers may be in them." }
        }
        @if let Some(older) = &report.older_versions {
            p {
                "In no sum: " (human::count(older.total)) " tokens of " (older.answers)
                " answers that only older versions in the archive hold."
            }
        }
    }
}

/// A number; an unknown one is `-`, and never 0.
fn number(number: Option<u64>) -> String {
    number.map_or_else(|| "-".to_owned(), human::count)
}

fn row(by: By, group: &Group, most: u64) -> Markup {
    let tokens = &group.tokens;
    let money = |money: Option<String>, without: u64| match money {
        None => "-".to_owned(),
        Some(money) if without > 0 => format!("{money} + ?"),
        Some(money) => money,
    };
    let text = |dollars: &Option<api::usage::Dollars>| {
        dollars.as_ref().and_then(|dollars| serde_json::to_string(dollars).ok())
    };
    html! {
        tr {
            th scope="row" {
                @if by == By::Session && group.name.contains(':') {
                    a href=(session(&group.name)) { (Shown(&group.name)) }
                } @else { (Shown(&group.name)) }
            }
            td class="right" { (human::count(group.answers)) }
            td class="right" { (number(tokens.input)) }
            td class="right" { (number(tokens.cache_read)) }
            td class="right" { (number(tokens.cache_write)) }
            td class="right" { (number(tokens.output)) }
            td class="right" { (number(tokens.reasoning)) }
            td class="right" { (human::count(group.total)) }
            td class="right" { (money(text(&group.cost_usd), group.answers_without_cost)) }
            td class="right" {
                (money(text(&group.list_price_usd), group.answers_without_list_price))
            }
            td { progress max=(most.max(1)) value=(group.total.min(most)) aria-hidden="true" {} }
        }
    }
}
