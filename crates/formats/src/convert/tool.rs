//! Tool calls between agents: a call becomes the target's own tool only where the tables of both
//! give every argument a place. Otherwise it keeps its name and its arguments.

use std::sync::Arc;

use session::{EventRef, Node, Shape, Slot, value};

use crate::tools::{self, Means, Tool, Tools};

/// A call in the target's own terms.
pub(crate) struct Translated {
    /// The name of the target's tool.
    pub(crate) name: &'static str,
    /// Its arguments: a JSON object.
    pub(crate) input: Vec<u8>,
    /// The names of the arguments, and those that they had.
    pub(crate) names: Arc<[(&'static str, String)]>,
}

/// The call as one of the target's own tools; `None` if it has none with a place for each argument.
pub(crate) fn translated(call: EventRef<'_>, from: &Tools, to: &Tools) -> Option<Translated> {
    let name = call.text(Slot::Name)?;
    let own = from.named(&name)?;
    let same = to.rows.iter().filter(|tool| tool.common == own.common);
    tools::input(call, |input| {
        let fit = |tool: &Tool| {
            let (input, names) = fill(input, own, tool)?;
            Some(Translated { name: tool.names.first()?, input, names: names.into() })
        };
        (input.shape() == Shape::Object && own.fits(input)).then(|| same.clone().find_map(fit))?
    })
}

/// The arguments of `input` under the target's names: each exactly once.
fn fill(input: Node<'_>, own: &Tool, tool: &Tool) -> Option<Filled> {
    let (mut json, mut names) = (vec![b'{'], Vec::new());
    let mut met: Vec<Means> = Vec::new();
    for member in input.members() {
        let name = value::unescape(member.name).into_owned();
        let means = own.argument(&name)?.means;
        // An option has no meaning that two agents share.
        if means == Means::Option || met.contains(&means) {
            return None;
        }
        let mut places = tool.arguments.iter().filter(|row| row.means == means);
        let place = places.next().filter(|row| !row.name.is_empty())?;
        if json.len() > 1 {
            json.push(b',');
        }
        value::quote(place.name, &mut json);
        json.push(b':');
        json.extend_from_slice(member.value.raw());
        met.push(means);
        names.push((place.name, name));
    }
    let mut required = tool.arguments.iter().filter(|row| row.required);
    required.all(|row| met.contains(&row.means)).then_some(())?;
    json.push(b'}');
    Some((json, names))
}

/// Arguments under other names, and the names: those of the target, and of the source.
type Filled = (Vec<u8>, Vec<(&'static str, String)>);
