//! Token list of a Rust file, each token with its line and whether it belongs to a test.
//!
//! Tokens separate code from comments and strings, which plain text does not. A syntax tree is not
//! needed, because rules compare neighbouring tokens only. Documentation comments are left out.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

/// Type of a token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or keyword.
    Ident(String),
    /// A string or byte string literal as written, quotes included.
    Text(String),
    /// Any other literal.
    Number,
    /// One character of an operator or separator.
    Mark(char),
    /// The start of a group: `(`, `[` or `{`.
    Open(char),
    /// The end of a group.
    Close,
}

/// One token.
#[derive(Clone, Debug)]
pub struct Token {
    /// Its type.
    pub kind: Kind,
    /// Its line, from 1.
    pub line: usize,
    /// Whether it is under `#[cfg(test)]` or `#[test]`.
    pub test: bool,
}

impl Token {
    /// The name, if it is one.
    pub fn ident(&self) -> Option<&str> {
        match &self.kind {
            Kind::Ident(name) => Some(name),
            _ => None,
        }
    }

    /// Whether it is this character.
    pub fn is(&self, mark: char) -> bool {
        self.kind == Kind::Mark(mark) || self.kind == Kind::Open(mark)
    }
}

/// A function with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// The line of the word `fn`, from 1.
    pub line: usize,
    /// The number of lines from there to the closing brace.
    pub lines: usize,
}

/// The facts about a Rust file that the rules need.
#[derive(Debug, Default)]
pub struct Syntax {
    /// All tokens except documentation.
    pub tokens: Vec<Token>,
    /// All functions, including nested ones and those of tests.
    pub functions: Vec<Function>,
    /// The names of modules declared under `#[cfg(test)]` in another file.
    pub test_modules: Vec<String>,
}

impl Syntax {
    /// Parses a file; `None` if it is not Rust.
    pub fn read(text: &str) -> Option<Syntax> {
        let stream: TokenStream = text.parse().ok()?;
        let mut syntax = Syntax::default();
        syntax.take(stream, false);
        Some(syntax)
    }

    /// Adds the tokens of one group. An attribute that marks a test applies up to the end of the
    /// next body or to the next semicolon.
    fn take(&mut self, stream: TokenStream, inherited: bool) {
        let trees: Vec<TokenTree> = stream.into_iter().collect();
        let mut test = inherited;
        let mut at = 0;
        while let Some(tree) = trees.get(at) {
            if let Some((width, attribute)) = attribute(&trees[at..]) {
                test |= marks_test(attribute);
                if !is_documentation(attribute) {
                    self.take_group(attribute, test);
                }
                at += width;
                continue;
            }
            if is_ident(tree, "fn") {
                self.functions.extend(function(&trees[at..]));
            }
            if test && !inherited && is_ident(tree, "mod") {
                self.test_modules.extend(module_elsewhere(&trees[at..]));
            }
            self.take_tree(tree, test);
            if ends_item(tree) {
                test = inherited;
            }
            at += 1;
        }
    }

    fn take_tree(&mut self, tree: &TokenTree, test: bool) {
        let kind = match tree {
            TokenTree::Group(group) => return self.take_group(group, test),
            TokenTree::Ident(name) => Kind::Ident(name.to_string()),
            TokenTree::Punct(mark) => Kind::Mark(mark.as_char()),
            TokenTree::Literal(literal) => match literal.to_string() {
                text if text.ends_with(['"', '#']) => Kind::Text(text),
                _ => Kind::Number,
            },
        };
        self.tokens.push(Token { kind, line: tree.span().start().line, test });
    }

    fn take_group(&mut self, group: &Group, test: bool) {
        let open = match group.delimiter() {
            Delimiter::Parenthesis => '(',
            Delimiter::Bracket => '[',
            Delimiter::Brace | Delimiter::None => '{',
        };
        let line = |span: proc_macro2::Span| span.start().line;
        self.tokens.push(Token { kind: Kind::Open(open), line: line(group.span_open()), test });
        self.take(group.stream(), test);
        self.tokens.push(Token { kind: Kind::Close, line: line(group.span_close()), test });
    }
}

fn is_ident(tree: &TokenTree, name: &str) -> bool {
    matches!(tree, TokenTree::Ident(ident) if ident == name)
}

fn is_mark(tree: Option<&TokenTree>, mark: char) -> bool {
    matches!(tree, Some(TokenTree::Punct(punct)) if punct.as_char() == mark)
}

fn is_body(tree: &TokenTree) -> bool {
    matches!(tree, TokenTree::Group(group) if group.delimiter() == Delimiter::Brace)
}

fn ends_item(tree: &TokenTree) -> bool {
    is_body(tree) || is_mark(Some(tree), ';')
}

/// The attribute that starts here (`#[..]` or `#![..]`), and its number of token trees.
fn attribute(trees: &[TokenTree]) -> Option<(usize, &Group)> {
    if !is_mark(trees.first(), '#') {
        return None;
    }
    let inner = usize::from(is_mark(trees.get(1), '!'));
    match trees.get(1 + inner)? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Bracket => {
            Some((2 + inner, group))
        }
        _ => None,
    }
}

fn is_documentation(attribute: &Group) -> bool {
    attribute.stream().into_iter().next().is_some_and(|tree| is_ident(&tree, "doc"))
}

/// Whether an attribute marks a test: `#[test]`, `#[cfg(test)]` and `#[cfg(all(test, ..))]` do,
/// `#[cfg(not(test))]` and `#[cfg_attr(..)]` do not.
fn marks_test(attribute: &Group) -> bool {
    let trees: Vec<TokenTree> = attribute.stream().into_iter().collect();
    match trees.as_slice() {
        [only] => is_ident(only, "test"),
        [name, TokenTree::Group(condition)] if is_ident(name, "cfg") => {
            let mut inner = Syntax::default();
            inner.take(condition.stream(), false);
            let says = |word| inner.tokens.iter().any(|t| t.ident() == Some(word));
            says("test") && !says("not")
        }
        _ => false,
    }
}

/// The function whose word `fn` comes first; `None` for a type (`fn(u8)`) or one without a body.
fn function(trees: &[TokenTree]) -> Option<Function> {
    let TokenTree::Ident(name) = trees.get(1)? else { return None };
    let TokenTree::Group(body) = trees.iter().find(|tree| ends_item(tree))? else { return None };
    let line = trees[0].span().start().line;
    let lines = body.span_close().start().line + 1 - line;
    Some(Function { name: name.to_string(), line, lines })
}

/// The name in `mod name;`.
fn module_elsewhere(trees: &[TokenTree]) -> Option<String> {
    match trees.get(1..3)? {
        [TokenTree::Ident(name), end] if is_mark(Some(end), ';') => Some(name.to_string()),
        _ => None,
    }
}
