//! The calls of a page: a line each, with what they changed and got behind it.

use maud::{Markup, PreEscaped, html as make};
use meaning::Timing;

use super::changed::diff_lines;
use super::named::{first, is_bad};
use super::parts::shows;
use super::safe::{Words, middle};
use super::sheet::Bodies;
use crate::human::{self, counted};
use crate::transcript::{AgentSum, Answered, Call, CallGroup, FileDiff, Item, counts};

/// The number of lines, and of bytes, of an output that is shown; the rest is folded.
const SHOWN: (usize, usize) = (200, 16 << 10);
/// The largest number of bytes of an output that the page has.
const HELD: usize = 256 << 10;
/// The number of lines of a diff that are shown; the rest is folded.
const DIFF: usize = 12;
/// The longest target, in characters.
const TARGET: usize = 90;

impl Bodies {
    pub(super) fn call(&mut self, call: &Call<'_>, item: &Item<'_>) {
        let name = match &call.served {
            Some((server, tool)) => (&**tool, Some(&**server)),
            None => (call.name.as_deref().unwrap_or("tool"), None),
        };
        let target = call.target.as_deref().unwrap_or_default();
        let facts = CallFacts {
            files: &call.files,
            timing: call.timing,
            agent: call.agent.as_deref(),
            reports: call.report.is_some(),
        };
        self.begin(name, target, call.answered.as_ref(), &facts);
        if let Some(text) = &call.report {
            self.prose(text);
        }
        if call.files.is_empty() {
            let input = call.arguments();
            if !is_told(&input, target) {
                self.block(&input);
            }
        }
        self.diffs(&call.files, target);
        if let Some(answered) = &call.answered {
            self.told(answered, &call.files, item);
        }
        match call.starts {
            true => {
                self.put(make! { p class="when" { "what the sub-agent did" } }, 40.0);
                self.put(PreEscaped("<div class=\"within\">\n".to_owned()), 0.0);
            }
            false => self.end_call(),
        }
    }

    /// A result without its call.
    pub(super) fn result(
        &mut self,
        (answered, target): (&Answered<'_>, &str),
        files: &[FileDiff],
        item: &Item<'_>,
    ) {
        let facts = CallFacts { files, ..CallFacts::default() };
        self.begin(("result", None), target, Some(answered), &facts);
        self.diffs(files, target);
        self.told(answered, files, item);
        self.end_call();
    }

    /// The changes of files by a call with this target.
    fn diffs(&mut self, files: &[FileDiff], target: &str) {
        let told = |file| files.len() == 1 && is_named(file, target);
        files.iter().for_each(|file| self.diff(file, told(file)));
    }

    /// The text of a result. The changes of these files are made if it is good.
    fn told(&mut self, answered: &Answered<'_>, files: &[FileDiff], item: &Item<'_>) {
        match shows(files, answered) {
            true => self.answered(answered),
            false => self.result_of_edit(answered),
        }
        if let Some(changed) = self.changed.as_mut().filter(|_| !is_bad(answered)) {
            files.iter().for_each(|file| changed.add(file, item.turn, item.event));
        }
    }

    /// The result of an edit, which mostly says only that the edit was made. The details that the
    /// agent keeps beside it repeat the diff.
    fn result_of_edit(&mut self, answered: &Answered<'_>) {
        let told = answered.told();
        // Folds are dear to a browser: one line needs none.
        if let [line] = &*told {
            self.put(make! { p class="when" { (Words(line)) } }, 36.0);
        } else if !told.is_empty() {
            let count = counted(told.len() as u64, "line", "lines");
            self.text.push_str("<details>");
            self.put(make! { summary { "result, " (count) } }, 36.0);
            self.closed.push(true);
            self.block(&told);
            self.end_call();
        }
        self.media(&answered.media());
    }

    /// A call on one line; what follows is folded. A failed one is open, and so are an edit and a
    /// call with a text for the person. The name of a server's tool has its server beside it.
    pub(super) fn begin(
        &mut self,
        (name, server): (&str, Option<&str>),
        target: &str,
        answered: Option<&Answered<'_>>,
        facts: &CallFacts<'_>,
    ) {
        let bad = answered.is_some_and(is_bad);
        let mark = match answered {
            None => "\u{2026}",
            Some(_) if bad => "\u{2717}",
            Some(_) => "\u{2713}",
        };
        let change = counts(facts.files);
        let outcome = match answered {
            // A report needs no answer.
            None if facts.reports => String::new(),
            None => "no result".to_owned(),
            Some(_) if change.is_some() && !bad => String::new(),
            Some(answered) => first(&answered.brief),
        };
        let pictures = answered.map_or(0, |answered| answered.media().len());
        let is_open = bad || facts.reports || facts.files.iter().any(|file| !file.lines.is_empty());
        self.text.push_str(if is_open { "<details open>" } else { "<details>" });
        let line = make! {
            summary {
                span class=(if bad { "mark bad" } else { "mark" }) { (mark) } " "
                b class="name" { (Words(name)) } " "
                @if let Some(server) = server { span class="server" { (Words(server)) } " " }
                span class="target" { (Words(&middle(target, TARGET))) } " "
                @if let Some(change) = &change {
                    @if answered.is_some() && !bad { span class="change" { (change) } " " }
                    @else { span class="when" { (change) " not applied" } " " }
                }
                @if pictures > 0 { "\u{25a3} " }
                @if !outcome.is_empty() {
                    span class=(if bad { "outcome bad" } else { "outcome" }) { (Words(&outcome)) }
                }
                @if let Some(agent) = facts.agent {
                    " " span class="within-sum" { "\u{2442} " (agent.words()) }
                }
                (time(facts.timing))
            }
        };
        self.put(line, 36.0);
        self.closed.push(!is_open);
    }

    /// A group of calls on one line; they follow, folded if none of them failed.
    pub(super) fn begin_group(&mut self, group: &CallGroup) {
        let bad = group.failed > 0;
        self.text.push_str("<div class=\"group\">");
        self.text.push_str(if bad { "<details open>" } else { "<details>" });
        let class = if bad { "outcome bad" } else { "outcome" };
        self.put(make! { summary { span class=(class) { (group.words()) } } }, 36.0);
        self.closed.push(!bad);
    }

    pub(super) fn end_group(&mut self) {
        self.end_call();
        self.put(PreEscaped("</div>\n".to_owned()), 0.0);
    }

    pub(super) fn end_call(&mut self) {
        self.closed.pop();
        self.put(PreEscaped("</details>\n".to_owned()), 0.0);
    }

    pub(super) fn answered(&mut self, answered: &Answered<'_>) {
        self.block(&answered.lines());
        self.media(&answered.media());
    }

    /// The change of a file by a call. `told` says whether the line of the call tells the path and
    /// the counts, so that they are not there again.
    fn diff(&mut self, file: &FileDiff, told: bool) {
        let fate = file.fate_words();
        let (shown, rest) = file.lines.split_at(file.lines.len().min(DIFF));
        let html = make! {
            @if !told || fate.is_some() || file.asked {
                p class="file" {
                    @if !told {
                        (Words(&file.path)) " "
                        @if let Some(counts) = counts(std::slice::from_ref(file)) {
                            span class="change" { (counts) } " "
                        }
                    }
                    @if let Some(fate) = &fate { span class="when" { (Words(fate)) } " " }
                    @if file.asked { span class="when" { "as the call asks" } }
                }
            }
            @if !shown.is_empty() { (diff_lines(shown)) }
            @if !rest.is_empty() {
                details {
                    summary { (counted(rest.len() as u64, "more line", "more lines")) }
                    (diff_lines(rest))
                }
            }
        };
        let above = if told { 36.0 } else { 60.0 };
        self.put(html, above + 18.0 * shown.len() as f64);
    }

    /// Lines of an output: the first ones, and the rest folded.
    fn block(&mut self, all: &[String]) {
        let settled: Vec<&str> = all.iter().map(|line| settled(line)).collect();
        let mut size = 0;
        let fits = |limit: usize| {
            move |line: &&&str| {
                size += line.len() + 1;
                size <= limit
            }
        };
        let shown = settled.iter().take(SHOWN.0).take_while(fits(SHOWN.1)).count();
        let (first, rest) = settled.split_at(shown);
        let held = rest.iter().take_while(fits(HELD)).count();
        let left = rest.len() - held;
        let html = make! {
            @if !first.is_empty() { pre { (Words(&first.join("\n"))) } }
            @if held > 0 {
                details {
                    summary { (counted(held as u64, "more line", "more lines")) }
                    pre { (Words(&rest[..held].join("\n"))) }
                }
            }
            @if left > 0 {
                p class="when" {
                    "left out here: " (counted(left as u64, "line", "lines"))
                }
            }
        };
        let height = if first.is_empty() { 0.0 } else { 20.0 + 18.0 * first.len() as f64 };
        self.put(html, height);
    }
}

/// Whether the line of a call shows its whole input: one argument, which is the target.
fn is_told(input: &[String], target: &str) -> bool {
    let [line] = input else { return false };
    is_whole(target) && line.split_once(": ").is_some_and(|(_, value)| value == target)
}

/// Whether the line of a call names a file: it shows the end of its path whole.
fn is_named(file: &FileDiff, target: &str) -> bool {
    let before = file.path.strip_suffix(target).filter(|_| is_whole(target));
    before.is_some_and(|before| before.is_empty() || before.ends_with(['/', '\\']))
}

/// Whether the line of a call shows its whole target.
fn is_whole(target: &str) -> bool {
    target.lines().count() == 1 && target.chars().count() <= TARGET
}

/// Facts of a call that its line has.
#[derive(Default)]
pub(super) struct CallFacts<'c> {
    /// The files that it changed.
    pub(super) files: &'c [FileDiff],
    pub(super) timing: Timing,
    /// The sums of the sub-agents that it started.
    pub(super) agent: Option<&'c AgentSum>,
    /// Whether it shows a text to the person.
    pub(super) reports: bool,
}

/// The duration of a call; else the time at which it began. Its begin is the time of the element.
fn time(timing: Timing) -> Markup {
    let words = timing.took.map(human::span);
    let words = words.or_else(|| Some(timing.began?.rfc3339().get(11..19)?.to_owned()));
    make! {
        @if let Some(words) = words {
            " "
            @match timing.began {
                Some(began) => time class="took" datetime=(began.rfc3339()) { (words) },
                None => span class="took" { (words) },
            }
        }
    }
}

/// The last state of a line that a program drew over.
fn settled(line: &str) -> &str {
    let line = line.trim_end_matches('\r');
    line.rsplit('\r').next().unwrap_or(line)
}
