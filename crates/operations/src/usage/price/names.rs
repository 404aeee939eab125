//! Names of models as resellers and agents write them, and the names that they mean.

/// A name that may be in a table, and the tier of service that the written one says.
type Reading = (String, Option<&'static str>);

/// The names that a written one may mean, the likeliest first: itself, without what an agent or a
/// cloud adds, in the spelling of the vendor, and without its date. A name in `-fast` may be a
/// model's own, so this is tried last.
pub(super) fn readings(model: &str) -> impl Iterator<Item = Reading> {
    let bare = bare(model);
    let slow = bare.strip_suffix("-fast").or_else(|| bare.strip_suffix(":fast"));
    let slow = slow.map(spellings).unwrap_or_default();
    let names = [model.to_owned()].into_iter().chain(spellings(&bare));
    names.map(|name| (name, None)).chain(slow.into_iter().map(|name| (name, Some("fast"))))
}

/// A name without the ARN of a cloud before it, and the size of the context behind it:
/// `arn:aws:bedrock:us-east-1:000000000000:inference-profile/NAME`, `NAME[1m]`. Names of models
/// have no capitals.
fn bare(model: &str) -> String {
    let is_arn = model.starts_with("arn:");
    let name = model.rsplit_once('/').filter(|_| is_arn).map_or(model, |(_, name)| name);
    let sized = name.strip_suffix(']').and_then(|name| name.rsplit_once('['));
    sized.map_or(name, |(name, _)| name).to_ascii_lowercase()
}

/// The spellings of a name: with `-` for the point within a version, and for the `@` before a date;
/// and all of these without their date.
fn spellings(name: &str) -> Vec<String> {
    let mut names = vec![name.to_owned()];
    let changes: [fn(&str) -> Option<String>; 4] = [
        |name| Some(without_points(name)),
        |name| name.split_once('@').map(|(name, date)| format!("{name}-{date}")),
        |name| name.split_once('@').map(|(name, _)| name.to_owned()),
        |name| without_date(name).map(str::to_owned),
    ];
    for change in changes {
        let more: Vec<String> = names.iter().filter_map(|name| change(name)).collect();
        names.extend(more);
    }
    names
}

/// A name with `-` for each point between two digits: `claude-sonnet-4.6`.
fn without_points(name: &str) -> String {
    let bytes = name.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let point = |(at, c): (usize, char)| match c {
        '.' if at > 0 && is_digit(at - 1) && is_digit(at + 1) => '-',
        c => c,
    };
    name.char_indices().map(point).collect()
}

/// A name without the date at its end: `-20260205`.
fn without_date(name: &str) -> Option<&str> {
    let (name, date) = name.rsplit_once('-')?;
    (date.len() == 8 && date.starts_with("20") && date.bytes().all(|byte| byte.is_ascii_digit()))
        .then_some(name)
}

#[cfg(test)]
mod tests {
    use super::readings;

    #[test]
    fn a_name_is_read_as_resellers_write_it() {
        let reads = |model: &str, wanted: &str| {
            readings(model).find(|(name, _)| name == wanted).map(|(_, tier)| tier)
        };
        let profile = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.maker.m-1-v1:0";
        assert_eq!(reads(profile, "eu.maker.m-1-v1:0"), Some(None));
        for (model, wanted) in [
            ("Heron-Large-2.5", "heron-large-2-5"),
            ("heron-large-2.5[1m]", "heron-large-2-5"),
            ("heron-2@20260301", "heron-2-20260301"),
            ("heron-2@20260301", "heron-2"),
            ("heron-2.5-20260301", "heron-2-5"),
        ] {
            assert_eq!(reads(model, wanted), Some(None), "{model}");
        }
        assert_eq!(reads("maker/heron-2.5-fast", "maker/heron-2-5"), Some(Some("fast")));
        assert_eq!(
            readings("heron-2-fast").next().map(|(name, _)| name),
            Some("heron-2-fast".to_owned())
        );
        assert_eq!(reads("heron-2025", "heron"), None);
    }
}
