//! Formats a time, always in UTC.

use agentci_plan::civil_date;

const WEEKDAYS: [&str; 7] = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"];

/// The value of `$SYS.NAME`, in UTC, so that a prompt is the same on every machine; `None` for an unknown name.
pub(super) fn word(unix_ms: u64, name: &str) -> Option<String> {
    let unix = unix_ms / 1000;
    let (year, month, day) = civil_date(unix / 86_400);
    let (hour, minute, second) = (unix / 3600 % 24, unix / 60 % 60, unix % 60);
    Some(match name {
        "TIME" => format!("{hour:02}:{minute:02}:{second:02}"),
        "DATE" => format!("{year:04}-{month:02}-{day:02}"),
        "DATETIME" => format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}"),
        "TIMEZONE" => "UTC".to_owned(),
        "WEEKDAY" => WEEKDAYS[usize::try_from(unix / 86_400 % 7).expect("it is less than 7")].to_owned(),
        "YEAR" => format!("{year:04}"),
        "MONTH" => format!("{month:02}"),
        "DAY" => format!("{day:02}"),
        "HOUR" => format!("{hour:02}"),
        "MINUTE" => format!("{minute:02}"),
        "SECOND" => format!("{second:02}"),
        "UNIX" => unix.to_string(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_date_variable_has_a_value() {
        let leap = 951_827_696_789;
        let word = |name| super::word(leap, name).unwrap();
        assert_eq!(word("DATETIME"), "2000-02-29 12:34:56");
        assert_eq!((word("DATE"), word("TIME")), ("2000-02-29".into(), "12:34:56".into()));
        assert_eq!((word("WEEKDAY"), word("TIMEZONE")), ("Tuesday".into(), "UTC".into()));
        assert_eq!([word("YEAR"), word("MONTH"), word("DAY")], ["2000", "02", "29"]);
        assert_eq!([word("HOUR"), word("MINUTE"), word("SECOND"), word("UNIX")], ["12", "34", "56", "951827696"]);
        assert_eq!(super::word(0, "WEEKDAY").unwrap(), "Thursday");
        assert_eq!(super::word(leap, "CENTURY"), None);
    }
}
