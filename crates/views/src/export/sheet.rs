//! The text of a turn on a page while it is made, and how high it will be; pictures.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use maud::{Markup, html as make};

use super::changed::ChangedFiles;
use super::coloured::Colours;
use super::run::run;
use super::safe::Words;
use crate::human;
use crate::transcript::{Media, Picture};

/// The largest picture, and the most of all together, in bytes.
const PICTURE: usize = 2 << 20;
const PICTURES: usize = 20 << 20;
/// The height in pixels from which on a run of items ends.
const RUN: f64 = 2000.0;

/// The items of a turn, and how high they will be.
#[derive(Default)]
pub(super) struct Bodies {
    pub(super) text: String,
    height: f64,
    /// The runs of items before these, each with its height.
    runs: Vec<(String, f64)>,
    /// Whether each call around the current item is closed.
    pub(super) closed: Vec<bool>,
    /// The bytes of the pictures so far.
    pictures: usize,
    /// The record that was named last.
    pub(super) record: Option<u32>,
    /// The heading of the turn, which its prompt shows.
    pub(super) head: Option<Markup>,
    /// Whether the bytes of each record are shown.
    pub(super) bytes: bool,
    /// The code that is coloured so far.
    pub(super) colours: Colours,
    /// The changes of files so far; `None` if nobody asks for them.
    pub(super) changed: Option<ChangedFiles>,
}

impl Bodies {
    /// The items so far, and their height in pixels.
    pub(super) fn take(&mut self) -> (String, f64) {
        let last = (std::mem::take(&mut self.text), std::mem::take(&mut self.height));
        let mut runs = std::mem::take(&mut self.runs);
        if runs.is_empty() {
            return (last.0, last.1 + 100.0);
        }
        runs.push(last);
        let text = runs.iter().filter(|(text, _)| !text.is_empty());
        let height: f64 = runs.iter().map(|(_, height)| height).sum();
        (text.map(|(text, height)| run(text, *height)).collect(), height + 100.0)
    }

    /// Ends a run of items if it is high, and no call is open.
    pub(super) fn rest(&mut self) {
        if self.closed.is_empty() && self.height >= RUN {
            self.runs.push((std::mem::take(&mut self.text), std::mem::take(&mut self.height)));
        }
    }

    pub(super) fn put(&mut self, html: Markup, height: f64) {
        self.text.push_str(&html.0);
        if !self.closed.contains(&true) {
            self.height += height;
        }
    }

    pub(super) fn media(&mut self, media: &[Media]) {
        for (at, one) in media.iter().enumerate() {
            let picture = one.picture().filter(|picture| {
                let fits = picture.bytes.len() <= PICTURE;
                fits && self.pictures + picture.bytes.len() <= PICTURES
            });
            match picture {
                Some(picture) => {
                    self.pictures += picture.bytes.len();
                    self.picture(&picture, at + 1, media.len());
                }
                None => self.put(make! { p class="media" { (Words(&one.to_string())) } }, 30.0),
            }
        }
    }

    fn picture(&mut self, picture: &Picture, number: usize, count: usize) {
        let address = format!("data:{};base64,{}", picture.kind, STANDARD.encode(&picture.bytes));
        let kind = picture.kind.trim_start_matches("image/");
        let words = format!(
            "picture {number} of {count}, {kind}, {}",
            human::size(picture.bytes.len() as u64)
        );
        let (width, height) = picture.size.unzip();
        let html = make! {
            figure {
                img src=(address) alt=(words) width=[width] height=[height] loading="lazy";
                figcaption { (words) }
            }
        };
        let (width, high) = picture.size.unwrap_or((300, 300));
        let drawn = f64::from(high) * (800.0 / f64::from(width.max(1))).min(1.0);
        self.put(html, 60.0 + drawn.min(600.0));
    }
}
