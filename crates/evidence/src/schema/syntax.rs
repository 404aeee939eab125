//! CDDL parser: the part of RFC 8610 (appendix B, as amended by RFC 9682) that our schemas use. Any
//! other syntax is an error, never a silent difference in meaning.

use super::TextError;

/// `name = type`, or `name = (group)`.
#[derive(Debug)]
pub(super) struct Rule<'t> {
    pub(super) name: &'t str,
    pub(super) body: Entry<'t>,
}

/// Alternatives, in order.
pub(super) type Type<'t> = Vec<Type1<'t>>;

/// A type with its control, if any.
#[derive(Debug)]
pub(super) struct Type1<'t> {
    pub(super) target: Type2<'t>,
    /// The name of the operator, without its dot, and the controller.
    pub(super) control: Option<(&'t str, Type2<'t>)>,
    /// Its text in the schema.
    pub(super) text: &'t str,
}

#[derive(Debug)]
pub(super) enum Type2<'t> {
    Text(String),
    Integer(i128),
    Name(&'t str),
    Choice(Type<'t>),
    Map(Vec<Entry<'t>>),
    Array(Vec<Entry<'t>>),
    /// `&(name: value, …)`.
    Enumeration(Vec<Entry<'t>>),
    /// `#6.n(type)`.
    Tagged(u64, Type<'t>),
    /// `#major.argument`.
    Major(u8, Option<u64>),
    /// `#`.
    Any,
}

/// A group entry.
#[derive(Debug)]
pub(super) struct Entry<'t> {
    pub(super) least: u32,
    /// `u32::MAX` for no upper bound.
    pub(super) most: u32,
    pub(super) key: Option<Type1<'t>>,
    /// Whether it cuts: no later entry may take a member whose key it matches (section 3.5.4).
    pub(super) cut: bool,
    pub(super) body: Body<'t>,
    /// Its text in the schema.
    pub(super) text: &'t str,
}

#[derive(Debug)]
pub(super) enum Body<'t> {
    Type(Type<'t>),
    Group(Vec<Entry<'t>>),
}

/// Parses a schema.
pub(super) fn parse(text: &str) -> Result<Vec<Rule<'_>>, TextError> {
    let mut parser = Parser { text, at: 0 };
    let mut rules = Vec::new();
    parser.space();
    while parser.at < text.len() {
        let name = parser.name().ok_or_else(|| parser.error("the name of a rule"))?;
        parser.space();
        parser.expect("=")?;
        rules.push(Rule { name, body: parser.entry()? });
    }
    Ok(rules)
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Parser<'t> {
    fn error(&self, expected: &'static str) -> TextError {
        let line = self.text[..self.at].matches('\n').count() + 1;
        TextError::Syntax { line, expected }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches([' ', '\n', '\r', '\t']);
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with(';') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    /// Consumes `token` and the space after it, if the token is next.
    fn take(&mut self, token: &str) -> bool {
        let found = self.rest().starts_with(token);
        if found {
            self.at += token.len();
            self.space();
        }
        found
    }

    fn expect(&mut self, token: &'static str) -> Result<(), TextError> {
        if self.take(token) { Ok(()) } else { Err(self.error(token)) }
    }

    /// An identifier. The space after it is not consumed.
    fn name(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let first = |c: char| c.is_ascii_alphabetic() || matches!(c, '@' | '_' | '$');
        if !rest.starts_with(first) {
            return None;
        }
        let inner = |c: char| first(c) || c.is_ascii_digit() || matches!(c, '-' | '.');
        let name = &rest[..rest.find(|c| !inner(c)).unwrap_or(rest.len())];
        let name = name.trim_end_matches(['-', '.']);
        self.at += name.len();
        Some(name)
    }

    fn digits(&mut self) -> Option<&'t str> {
        let rest = self.rest();
        let digits = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
        self.at += digits.len();
        (!digits.is_empty()).then_some(digits)
    }

    fn number<N: std::str::FromStr>(&mut self) -> Result<N, TextError> {
        let digits = self.digits().and_then(|digits| digits.parse().ok());
        digits.ok_or_else(|| self.error("a number that fits"))
    }

    fn entries(&mut self, end: &'static str) -> Result<Vec<Entry<'t>>, TextError> {
        let mut entries = Vec::new();
        while !self.take(end) {
            if self.at == self.text.len() || self.rest().starts_with("//") {
                return Err(self
                    .error("an entry or the end of the group (group choices are not supported)"));
            }
            entries.push(self.entry()?);
            self.take(",");
        }
        Ok(entries)
    }

    fn entry(&mut self) -> Result<Entry<'t>, TextError> {
        let from = self.at;
        let (least, most) = self.occurrence()?;
        let (key, cut) = self.key()?.map_or((None, false), |(key, cut)| (Some(key), cut));
        let start = self.at;
        let body = match self.types() {
            Ok(types) => Body::Type(types),
            Err(_) if key.is_none() && self.text[start..].starts_with('(') => {
                self.at = start;
                self.expect("(")?;
                Body::Group(self.entries(")")?)
            }
            Err(error) => return Err(error),
        };
        Ok(Entry { least, most, key, cut, body, text: self.written(from) })
    }

    /// The text since `from`, without comments and trailing space.
    fn written(&self, from: usize) -> &'t str {
        let text = &self.text[from..self.at];
        text.lines().next().unwrap_or("").split(" ;").next().unwrap_or("").trim_end()
    }

    fn occurrence(&mut self) -> Result<(u32, u32), TextError> {
        let from = self.at;
        for (sign, bounds) in [("?", (0, 1)), ("+", (1, u32::MAX))] {
            if self.take(sign) {
                return Ok(bounds);
            }
        }
        let least = self.digits();
        if !self.rest().starts_with('*') {
            self.at = from;
            return Ok((1, 1));
        }
        self.at += 1;
        let most = self.digits();
        self.space();
        let bound = |digits: Option<&str>, open| match digits {
            Some(digits) => digits.parse().map_err(|_| self.error("an occurrence that fits")),
            None => Ok(open),
        };
        Ok((bound(least, 0)?, bound(most, u32::MAX)?))
    }

    /// A member key, and whether it cuts. Without a key, nothing is consumed.
    fn key(&mut self) -> Result<Option<(Type1<'t>, bool)>, TextError> {
        let from = self.at;
        if let Some(name) = self.name() {
            self.space();
            if self.take(":") {
                let target = Type2::Text(name.to_owned());
                return Ok(Some((Type1 { target, control: None, text: name }, true)));
            }
            self.at = from;
        }
        if let Ok(key) = self.type1() {
            if matches!(key.target, Type2::Text(_) | Type2::Integer(_)) && self.take(":") {
                return Ok(Some((key, true)));
            }
            let cut = self.take("^");
            if self.take("=>") {
                return Ok(Some((key, cut)));
            }
        }
        self.at = from;
        Ok(None)
    }

    fn types(&mut self) -> Result<Type<'t>, TextError> {
        let mut types = vec![self.type1()?];
        while !self.rest().starts_with("//") && self.take("/") {
            types.push(self.type1()?);
        }
        Ok(types)
    }

    fn type1(&mut self) -> Result<Type1<'t>, TextError> {
        let from = self.at;
        let target = self.type2()?;
        let mut control = None;
        if self.rest().starts_with('.') {
            self.at += 1;
            let operator = self.name().ok_or_else(|| self.error("a control operator"))?;
            self.space();
            control = Some((operator, self.type2()?));
        }
        Ok(Type1 { target, control, text: self.written(from) })
    }

    fn type2(&mut self) -> Result<Type2<'t>, TextError> {
        if self.take("{") {
            return Ok(Type2::Map(self.entries("}")?));
        }
        if self.take("[") {
            return Ok(Type2::Array(self.entries("]")?));
        }
        if self.take("(") {
            let types = self.types()?;
            self.expect(")")?;
            return Ok(Type2::Choice(types));
        }
        if self.take("&") {
            self.expect("(")?;
            return Ok(Type2::Enumeration(self.entries(")")?));
        }
        if self.rest().starts_with('"') {
            return self.text_value();
        }
        if self.rest().starts_with('#') {
            return self.major();
        }
        if let Some(name) = self.name() {
            self.space();
            return Ok(Type2::Name(name));
        }
        let negative = self.rest().starts_with('-');
        self.at += usize::from(negative);
        let value: i128 = self.number().map_err(|_| self.error("a type"))?;
        if self.rest().starts_with(['x', 'b', '.', 'e']) {
            return Err(self.error("a decimal integer"));
        }
        self.space();
        Ok(Type2::Integer(if negative { -value } else { value }))
    }

    fn major(&mut self) -> Result<Type2<'t>, TextError> {
        self.at += 1;
        if !self.rest().starts_with(|c: char| c.is_ascii_digit()) {
            self.space();
            return Ok(Type2::Any);
        }
        let major: u8 = self.rest()[..1].parse().map_err(|_| self.error("a major type"))?;
        self.at += 1;
        let mut argument = None;
        if self.rest().starts_with('.') {
            self.at += 1;
            argument = Some(self.number()?);
        }
        match argument {
            Some(tag) if major == 6 => {
                self.expect("(")?;
                let types = self.types()?;
                self.expect(")")?;
                Ok(Type2::Tagged(tag, types))
            }
            _ => {
                self.space();
                Ok(Type2::Major(major, argument))
            }
        }
    }

    fn text_value(&mut self) -> Result<Type2<'t>, TextError> {
        let content = &self.rest()[1..];
        let mut escaped = false;
        let end = content.find(|c: char| {
            let end = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            end
        });
        let end = end.ok_or_else(|| self.error("the end of a text"))?;
        let raw = &content[..end];
        self.at += end + 2;
        self.space();
        Ok(Type2::Text(session::value::unescape(raw.as_bytes()).into_owned()))
    }
}
