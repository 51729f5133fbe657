//! An agent's refusal as an error of the turn, with advice that names keys as the suite's own format does.

use agentci_plan::A2aKeys;
use agentci_protocols::a2a::A2aRefusal;

use crate::DriveError;

/// The error that a refusal of a request is.
pub(super) fn refused(refusal: &A2aRefusal, keys: A2aKeys) -> DriveError {
    let message = format!("the agent refused the request: {refusal}");
    DriveError::of_status(refusal.status.unwrap_or_default(), message, help(refusal, keys))
}

/// What to do about an agent card that cannot be fetched or read.
pub(super) fn check_card(keys: A2aKeys) -> String {
    let key = keys.card_url;
    format!("check the address of the card (`{key}`): most agents have it at `/.well-known/agent-card.json`")
}

fn help(refusal: &A2aRefusal, keys: A2aKeys) -> String {
    match (refusal.status, refusal.code, refusal.reason.as_deref()) {
        (Some(401 | 403), ..) => "check the target's `auth` and `headers`".into(),
        (_, Some(-32001), _) | (.., Some("TASK_NOT_FOUND")) => {
            "the agent has forgotten the task: check its task store".into()
        }
        (_, Some(-32004), _) | (.., Some("UNSUPPORTED_OPERATION")) => {
            "the agent does not do this: check what its card says it can".into()
        }
        (_, Some(-32005), _) | (.., Some("CONTENT_TYPE_NOT_SUPPORTED")) => {
            let key = keys.accepted_output_modes;
            format!("check `{key}` and the parts that are sent against the agent's card")
        }
        (_, Some(-32009), _) | (.., Some("VERSION_NOT_SUPPORTED")) => {
            format!("name the agent's card (`{}`): it says which version is spoken where", keys.card_url)
        }
        (_, Some(-32601), _) | (Some(404 | 405), ..) => {
            "check the address: something answers there that is not this agent".into()
        }
        _ => "look at the agent's log".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_the_keys_of_the_suites_format() {
        let refusal = |code| A2aRefusal { code: Some(code), status: None, reason: None, message: String::new() };
        for (card_url, accepted_output_modes) in
            [("card_url", "accepted_output_modes"), ("agentCardUrl", "acceptedOutputModes")]
        {
            let keys = A2aKeys { card_url, accepted_output_modes };
            assert!(help(&refusal(-32009), keys).contains(&format!("(`{card_url}`)")));
            assert!(help(&refusal(-32005), keys).contains(&format!("`{accepted_output_modes}`")));
            assert!(check_card(keys).contains(&format!("(`{card_url}`)")));
        }
    }
}
