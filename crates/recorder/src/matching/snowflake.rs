//! Snowflakes: numbers of 17 to 19 digits whose upper bits are their creation time. They are ids if that is the present
//! of their side; any other long number is just a number.

use super::clock::Now;

/// The epochs of Twitter and Discord, in milliseconds since 1970.
const EPOCHS: [i64; 2] = [1_288_834_974_657, 1_420_070_400_000];
/// How many bits are below the time.
const BELOW: u32 = 22;

/// Whether two numbers were both created in the present of their side.
pub(super) fn are_snowflakes(recorded: &str, sent: &str, now: (&Now, &Now)) -> bool {
    let (Some(recorded), Some(sent)) = (number(recorded), number(sent)) else { return false };
    let made = |number: i64, epoch: i64| (number >> BELOW).saturating_add(epoch);
    EPOCHS.iter().any(|epoch| now.0.is_about(made(recorded, *epoch)) && now.1.is_about(made(sent, *epoch)))
}

/// Two snowflakes at the position where two texts differ, at the same distance from the start of the unread parts.
/// Returns that distance, and their lengths.
pub(super) fn pair_over(
    recorded: (&str, usize, usize),
    sent: (&str, usize, usize),
    now: (&Now, &Now),
) -> Option<(usize, usize, usize)> {
    let (start, length) = digits_over(recorded)?;
    let (of_sent, length_sent) = digits_over(sent)?;
    let (one, other) = (&recorded.0[start..start + length], &sent.0[of_sent..of_sent + length_sent]);
    let fits = start - recorded.1 == of_sent - sent.1 && are_snowflakes(one, other, now);
    fits.then_some((start - recorded.1, length, length_sent))
}

/// The digits around a position, unless letters are next to them: their start, and their number.
fn digits_over((text, from, position): (&str, usize, usize)) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let before = bytes[from..position].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let after = bytes[position..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (start, end) = (position - before, position + after);
    let letter = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let alone = !letter(start.checked_sub(1)) && !letter(Some(end));
    (alone && start < end).then_some((start, end - start))
}

fn number(digits: &str) -> Option<i64> {
    let fits = (17..=19).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| digits.parse().ok()).flatten()
}
