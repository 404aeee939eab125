//! The user's time zone: that of the variable TZ, else that of the system.

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{Timestamp, Zoned};
use session::UtcTime;

use crate::environment::Environment;

/// A time zone.
#[derive(Clone)]
pub(crate) struct Zone(TimeZone);

impl Zone {
    /// UTC.
    pub(crate) fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// The user's time zone, or UTC if `utc`. An unknown zone is UTC, as for other programs.
    pub(crate) fn of(env: &Environment<'_>, utc: bool) -> Self {
        if utc {
            return Self(TimeZone::UTC);
        }
        let Some(named) = env.machine.variables.get("TZ") else {
            return Self(TimeZone::try_system().unwrap_or(TimeZone::UTC));
        };
        let named = named.to_string_lossy();
        let name = named.trim_start_matches(':');
        let zone = TimeZone::get(name).or_else(|_| TimeZone::posix(name));
        Self(zone.unwrap_or(TimeZone::UTC))
    }

    /// The value of `TZ`, if it is no known zone.
    pub(crate) fn unknown(env: &Environment<'_>) -> Option<String> {
        let named = env.machine.variables.get("TZ")?.to_string_lossy();
        let name = named.trim_start_matches(':');
        let is_known = TimeZone::get(name).or_else(|_| TimeZone::posix(name)).is_ok();
        (!is_known && !name.is_empty()).then(|| named.into_owned())
    }

    /// Its offset from UTC at a time, in seconds east.
    pub(crate) fn offset(&self, time: UtcTime) -> i32 {
        let time = Timestamp::from_microsecond(time.0);
        time.map_or(0, |time| self.0.to_offset(time).seconds())
    }

    /// The day of a time.
    pub(crate) fn day(&self, time: UtcTime) -> Option<Date> {
        let time = Timestamp::from_microsecond(time.0).ok()?;
        Some(Zoned::new(time, self.0.clone()).date())
    }

    /// The days that a list shows together: `TODAY`, `THIS WEEK`, `2026-10`.
    pub(crate) fn group(&self, time: Option<UtcTime>, now: UtcTime) -> String {
        let (Some(day), Some(today)) = (time.and_then(|time| self.day(time)), self.day(now)) else {
            return "WITHOUT A TIME".into();
        };
        match (today - day).get_days() {
            ..=0 => "TODAY".into(),
            1 => "YESTERDAY".into(),
            2..7 => "THIS WEEK".into(),
            7..14 => "LAST WEEK".into(),
            _ => format!("{:04}-{:02}", day.year(), day.month()),
        }
    }

    /// A time to the minute: `2026-03-01 10:05`.
    pub(crate) fn moment(&self, time: UtcTime) -> String {
        let Ok(time) = Timestamp::from_microsecond(time.0) else { return String::new() };
        let time = Zoned::new(time, self.0.clone());
        time.strftime("%Y-%m-%d %H:%M").to_string()
    }

    /// The time of day to the second: `10:05:00`.
    pub(crate) fn clock(&self, time: UtcTime) -> String {
        let Ok(time) = Timestamp::from_microsecond(time.0) else { return String::new() };
        Zoned::new(time, self.0.clone()).strftime("%H:%M:%S").to_string()
    }

    /// A time to the second, with its offset: `2026-03-01 10:05:00 +0100`.
    pub(crate) fn stamp(&self, time: UtcTime) -> String {
        let Ok(time) = Timestamp::from_microsecond(time.0) else { return String::new() };
        Zoned::new(time, self.0.clone()).strftime("%Y-%m-%d %H:%M:%S %z").to_string()
    }

    /// The offset from UTC at a time, in hours and minutes: `+0100`.
    pub(crate) fn hours(&self, time: UtcTime) -> String {
        let Ok(time) = Timestamp::from_microsecond(time.0) else { return "+0000".to_owned() };
        Zoned::new(time, self.0.clone()).strftime("%z").to_string()
    }

    /// The zone's name at a time: `CET`, `+05`.
    pub(crate) fn name(&self, time: UtcTime) -> String {
        let Ok(time) = Timestamp::from_microsecond(time.0) else { return String::new() };
        Zoned::new(time, self.0.clone()).strftime("%Z").to_string()
    }

    /// The beginning of a day.
    pub(crate) fn begin(&self, day: Date) -> Option<UtcTime> {
        let begin = self.0.to_zoned(day.at(0, 0, 0, 0)).ok()?;
        Some(UtcTime(begin.timestamp().as_microsecond()))
    }

    /// A day and a time of the day.
    pub(crate) fn at(&self, text: &str) -> Option<UtcTime> {
        let time: jiff::civil::DateTime = text.parse().ok()?;
        Some(UtcTime(self.0.to_zoned(time).ok()?.timestamp().as_microsecond()))
    }
}
