//! Compilation of rules to atoms. Every name is resolved here, so a schema that compiles has a
//! meaning.

use std::collections::{BTreeMap, VecDeque};

use super::atom::{
    Atom, BASIC, BYTES, FALSE, FLOAT16, FLOAT32, FLOAT64, Item, Key, KeyClasses, KeyPattern,
    MapType, Member, NINT, NULL, TEXT, TRUE, TypeSet, UINT, UNDEFINED,
};
use super::syntax::{Body, Entry, Type, Type1, Type2, parse};
use super::{Schema, TextError, regexp};

/// The names that every schema may use (RFC 8610, appendix D).
const PRELUDE: &str = "
any = #  uint = #0  nint = #1  int = uint / nint  bstr = #2  bytes = bstr  tstr = #3  text = tstr
biguint = #6.2(bstr)  bignint = #6.3(bstr)  bigint = biguint / bignint  integer = int / bigint
unsigned = uint / biguint  number = int / float  float16 = #7.25  float32 = #7.26
float64 = #7.27  float16-32 = float16 / float32  float32-64 = float32 / float64
float = float16-32 / float64  false = #7.20  true = #7.21  bool = false / true  nil = #7.22
null = nil  undefined = #7.23
";

pub(super) fn compile(text: &str) -> Result<Schema, TextError> {
    let mut rules = parse(PRELUDE)?;
    let own = rules.len();
    rules.extend(parse(text)?);
    let mut bodies = BTreeMap::new();
    for rule in &rules {
        if bodies.insert(rule.name, &rule.body).is_some() {
            return Err(TextError::Twice(rule.name.to_owned()));
        }
    }
    let mut compiler = Compiler {
        bodies,
        sets: BTreeMap::new(),
        atoms: (0..BASIC).map(|_| Atom::Basic).collect(),
        names: BASIC_NAMES.iter().map(|&name| name.to_owned()).collect(),
        jobs: VecDeque::new(),
        keys: KeyClasses::default(),
    };
    for rule in &rules[own..] {
        if matches!(rule.body.body, Body::Type(_)) {
            compiler.rule(rule.name)?;
        }
    }
    compiler.finish()
}

const BASIC_NAMES: [&str; BASIC] = [
    "any",
    "uint",
    "nint",
    "bstr",
    "tstr",
    "false",
    "true",
    "null",
    "undefined",
    "float16",
    "float32",
    "float64",
];

struct Compiler<'t> {
    bodies: BTreeMap<&'t str, &'t Entry<'t>>,
    /// The sets of rules; `None` while a rule is being resolved.
    sets: BTreeMap<&'t str, Option<TypeSet>>,
    atoms: Vec<Atom>,
    names: Vec<String>,
    /// Atoms whose content is not yet compiled, because content may name the rule that contains it.
    jobs: VecDeque<(usize, Job<'t>)>,
    keys: KeyClasses,
}

#[derive(Clone, Copy)]
enum Job<'t> {
    Map(&'t [Entry<'t>]),
    Array(&'t [Entry<'t>]),
    Tagged(u64, &'t Type<'t>),
    Embedded(&'t Type2<'t>, &'t str),
}

impl<'t> Compiler<'t> {
    fn finish(mut self) -> Result<Schema, TextError> {
        while let Some((atom, job)) = self.jobs.pop_front() {
            let owner = self.names[atom].clone();
            self.atoms[atom] = match job {
                Job::Map(entries) => {
                    let mut members = Vec::new();
                    self.members(entries, &owner, &mut members)?;
                    if members.len() > MapType::MEMBERS {
                        return Err(TextError::TooLarge);
                    }
                    Atom::Map(MapType { members, takers: Vec::new(), wanted: Vec::new() })
                }
                Job::Array(entries) => {
                    let mut items = Vec::new();
                    self.items(entries, &owner, &mut items)?;
                    Atom::Array(items)
                }
                Job::Tagged(tag, types) => Atom::Tagged(tag, self.types(types, &owner)?),
                Job::Embedded(inner, owner) => Atom::Embedded(self.type2(inner, owner)?),
            };
        }
        let keys = self.keys;
        for atom in &mut self.atoms {
            if let Atom::Map(map) = atom {
                map.index(&keys);
            }
        }
        let rules = self.sets.into_iter();
        let rules = rules.filter_map(|(name, set)| Some((name.to_owned(), set?))).collect();
        Ok(Schema { atoms: self.atoms, names: self.names, rules, keys })
    }

    fn rule(&mut self, name: &'t str) -> Result<TypeSet, TextError> {
        match self.sets.get(name) {
            Some(Some(set)) => return Ok(*set),
            Some(None) => return Err(TextError::Circular(name.to_owned())),
            None => {}
        }
        let entry = self.body(name)?;
        let Body::Type(types) = &entry.body else {
            return Err(TextError::Unsupported(entry.text.to_owned()));
        };
        self.sets.insert(name, None);
        let set = self.types(types, name)?;
        self.sets.insert(name, Some(set));
        Ok(set)
    }

    fn body(&self, name: &str) -> Result<&'t Entry<'t>, TextError> {
        self.bodies.get(name).copied().ok_or_else(|| TextError::Unknown(name.to_owned()))
    }

    fn types(&mut self, types: &'t Type<'t>, owner: &str) -> Result<TypeSet, TextError> {
        types.iter().try_fold(TypeSet::EMPTY, |set, one| Ok(set | self.type1(one, owner)?))
    }

    fn type1(&mut self, one: &'t Type1<'t>, owner: &str) -> Result<TypeSet, TextError> {
        let Some((operator, controller)) = &one.control else {
            return self.type2(&one.target, owner);
        };
        let target = self.type2(&one.target, owner)?;
        match *operator {
            "regexp" if target == TypeSet::of(TEXT) => {
                let regexp = regexp::compile(self.text_of(controller)?)?;
                self.add(Atom::Regexp(regexp), one.text)
            }
            "cbor" if target == TypeSet::of(BYTES) => {
                self.later(Job::Embedded(controller, one.text), one.text)
            }
            _ => Err(TextError::Unsupported(one.text.to_owned())),
        }
    }

    fn type2(&mut self, type2: &'t Type2<'t>, owner: &str) -> Result<TypeSet, TextError> {
        match type2 {
            Type2::Text(text) => self.add(Atom::Text(text.clone()), &format!("{text:?}")),
            Type2::Integer(n) => self.add(Atom::Integer(*n), &n.to_string()),
            Type2::Name(name) => self.rule(name),
            Type2::Choice(types) => self.types(types, owner),
            Type2::Map(entries) => self.later(Job::Map(entries), owner),
            Type2::Array(entries) => self.later(Job::Array(entries), owner),
            Type2::Tagged(tag, types) => self.later(Job::Tagged(*tag, types), owner),
            Type2::Enumeration(entries) => {
                entries.iter().try_fold(TypeSet::EMPTY, |set, entry| match &entry.body {
                    Body::Type(types) => Ok(set | self.types(types, owner)?),
                    Body::Group(_) => Err(TextError::Unsupported(entry.text.to_owned())),
                })
            }
            Type2::Any => Ok(TypeSet::ANY),
            Type2::Major(major, argument) => basic(*major, *argument).map(TypeSet::of),
        }
    }

    /// The text of a controller, or the text that it names.
    fn text_of(&self, controller: &'t Type2<'t>) -> Result<&'t str, TextError> {
        match controller {
            Type2::Text(text) => Ok(text),
            Type2::Name(name) => {
                let entry = self.body(name)?;
                match &entry.body {
                    Body::Type(types) => match types.as_slice() {
                        [Type1 { target: Type2::Text(text), control: None, .. }] => Ok(text),
                        _ => Err(TextError::Unsupported(entry.text.to_owned())),
                    },
                    Body::Group(_) => Err(TextError::Unsupported(entry.text.to_owned())),
                }
            }
            _ => Err(TextError::Unsupported("a regular expression that is no text".into())),
        }
    }

    fn add(&mut self, atom: Atom, name: &str) -> Result<TypeSet, TextError> {
        let same = self.atoms.iter().position(|known| match (known, &atom) {
            (Atom::Text(a), Atom::Text(b)) => a == b,
            (Atom::Integer(a), Atom::Integer(b)) => a == b,
            (Atom::Regexp(a), Atom::Regexp(b)) => a.as_str() == b.as_str(),
            _ => false,
        });
        let at = same.unwrap_or(self.atoms.len());
        if same.is_none() {
            if at == TypeSet::CAPACITY {
                return Err(TextError::TooLarge);
            }
            self.atoms.push(atom);
            self.names.push(name.to_owned());
        }
        Ok(TypeSet::of(at))
    }

    fn later(&mut self, job: Job<'t>, name: &str) -> Result<TypeSet, TextError> {
        let set = self.add(Atom::Basic, name)?;
        self.jobs.push_back((self.atoms.len() - 1, job));
        Ok(set)
    }

    /// The entries of a group that is inlined: `(…)` or the name of a group.
    fn inlined(&self, entry: &'t Entry<'t>) -> Result<Option<&'t [Entry<'t>]>, TextError> {
        let group = match (&entry.key, &entry.body) {
            (None, Body::Group(group)) => group,
            (None, Body::Type(types)) => match types.as_slice() {
                [Type1 { target: Type2::Name(name), control: None, .. }] => {
                    match &self.body(name)?.body {
                        Body::Group(group) => group,
                        Body::Type(_) => return Ok(None),
                    }
                }
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        if (entry.least, entry.most) != (1, 1) {
            return Err(TextError::Unsupported(entry.text.to_owned()));
        }
        Ok(Some(group))
    }

    fn items(
        &mut self,
        entries: &'t [Entry<'t>],
        owner: &str,
        items: &mut Vec<Item>,
    ) -> Result<(), TextError> {
        for entry in entries {
            match (self.inlined(entry)?, &entry.body) {
                (Some(group), _) => self.items(group, owner, items)?,
                (None, Body::Type(types)) => {
                    let set = self.types(types, owner)?;
                    items.push(Item { least: entry.least, most: entry.most, set });
                }
                _ => return Err(TextError::Unsupported(entry.text.to_owned())),
            }
        }
        Ok(())
    }

    fn members(
        &mut self,
        entries: &'t [Entry<'t>],
        owner: &str,
        members: &mut Vec<Member>,
    ) -> Result<(), TextError> {
        for entry in entries {
            match (self.inlined(entry)?, &entry.key, &entry.body) {
                (Some(group), ..) => self.members(group, owner, members)?,
                (None, Some(key), Body::Type(types)) => {
                    let mut keys = KeyPattern::default();
                    self.pattern(key, &mut keys, 0)?;
                    keys.literals.iter().for_each(|key| self.keys.name(key));
                    members.push(Member {
                        least: entry.least,
                        most: entry.most,
                        keys,
                        cut: entry.cut,
                        set: self.types(types, owner)?,
                        text: entry.text.to_owned(),
                    });
                }
                _ => return Err(TextError::Unsupported(entry.text.to_owned())),
            }
        }
        Ok(())
    }

    fn pattern(
        &self,
        key: &'t Type1<'t>,
        pattern: &mut KeyPattern,
        depth: u32,
    ) -> Result<(), TextError> {
        const DEEPEST: u32 = 32;
        if key.control.is_some() || depth > DEEPEST {
            return Err(TextError::Unsupported(key.text.to_owned()));
        }
        let mut alternatives: Vec<&'t Type<'t>> = Vec::new();
        match &key.target {
            Type2::Text(text) => pattern.literals.push(Key::Text(text.clone())),
            Type2::Integer(n) => pattern.literals.push(Key::Integer(*n)),
            Type2::Any => pattern.types |= TypeSet::ANY,
            Type2::Major(major, argument) => {
                pattern.types |= TypeSet::of(basic(*major, *argument)?);
            }
            Type2::Choice(types) => alternatives.push(types),
            Type2::Name(name) => match &self.body(name)?.body {
                Body::Type(types) => alternatives.push(types),
                Body::Group(_) => return Err(TextError::Unsupported(key.text.to_owned())),
            },
            Type2::Enumeration(entries) => {
                for entry in entries {
                    match &entry.body {
                        Body::Type(types) => alternatives.push(types),
                        Body::Group(_) => {
                            return Err(TextError::Unsupported(entry.text.to_owned()));
                        }
                    }
                }
            }
            Type2::Map(_) | Type2::Array(_) | Type2::Tagged(..) => {
                return Err(TextError::Unsupported(key.text.to_owned()));
            }
        }
        alternatives.into_iter().flatten().try_for_each(|one| self.pattern(one, pattern, depth + 1))
    }
}

fn basic(major: u8, argument: Option<u64>) -> Result<usize, TextError> {
    Ok(match (major, argument) {
        (0, None) => UINT,
        (1, None) => NINT,
        (2, None) => BYTES,
        (3, None) => TEXT,
        (7, Some(20)) => FALSE,
        (7, Some(21)) => TRUE,
        (7, Some(22)) => NULL,
        (7, Some(23)) => UNDEFINED,
        (7, Some(25)) => FLOAT16,
        (7, Some(26)) => FLOAT32,
        (7, Some(27)) => FLOAT64,
        _ => return Err(TextError::Unsupported(format!("#{major} with {argument:?}"))),
    })
}

impl MapType {
    fn index(&mut self, keys: &KeyClasses) {
        for class in 0..keys.count() {
            let mut takers = Vec::new();
            let mut wanted = TypeSet::EMPTY;
            for (i, member) in self.members.iter().enumerate() {
                if !keys.takes(&member.keys, class) {
                    continue;
                }
                takers.push(i);
                wanted |= member.set;
                if member.cut {
                    break;
                }
            }
            self.takers.push(takers);
            self.wanted.push(wanted);
        }
    }
}
