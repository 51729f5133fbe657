//! A moment in words, always in UTC.

use agentci_plan::civil_date;

/// A moment in words, always in UTC, so that a prompt is the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Calendar {
    unix: u64,
}

const WEEKDAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

impl Calendar {
    pub(super) fn new(unix_ms: u64) -> Self {
        Self { unix: unix_ms / 1000 }
    }

    /// What stands for `$SYS.NAME`, if there is such a name.
    pub(super) fn word(self, name: &str) -> Option<String> {
        let (year, month, day) = civil_date(self.unix / 86_400);
        let (hour, minute, second) = (self.unix / 3600 % 24, self.unix / 60 % 60, self.unix % 60);
        Some(match name {
            "TIME" => format!("{hour:02}:{minute:02}:{second:02}"),
            "DATE" => format!("{year:04}-{month:02}-{day:02}"),
            "DATETIME" => format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
            "TIMEZONE" => "UTC".to_owned(),
            "WEEKDAY" => {
                let day = usize::try_from(self.unix / 86_400 % 7).unwrap_or_default();
                WEEKDAYS.get(day).copied().unwrap_or_default().to_owned()
            }
            "YEAR" => format!("{year:04}"),
            "MONTH" => format!("{month:02}"),
            "DAY" => format!("{day:02}"),
            "HOUR" => format!("{hour:02}"),
            "MINUTE" => format!("{minute:02}"),
            "SECOND" => format!("{second:02}"),
            "UNIX" => self.unix.to_string(),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_has_its_word() {
        let leap = Calendar::new(951_827_696_789);
        let word = |name| leap.word(name).unwrap();
        assert_eq!(word("DATETIME"), "2000-02-29 12:34:56");
        assert_eq!((word("DATE"), word("TIME")), ("2000-02-29".into(), "12:34:56".into()));
        assert_eq!((word("WEEKDAY"), word("TIMEZONE")), ("Tuesday".into(), "UTC".into()));
        assert_eq!([word("YEAR"), word("MONTH"), word("DAY")], ["2000", "02", "29"]);
        assert_eq!([word("HOUR"), word("MINUTE"), word("SECOND"), word("UNIX")], ["12", "34", "56", "951827696"]);
        assert_eq!(Calendar::new(0).word("WEEKDAY").unwrap(), "Thursday");
        assert_eq!(leap.word("CENTURY"), None);
    }
}
