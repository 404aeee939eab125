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
