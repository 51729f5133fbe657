//! Turns an agent's refusal into a [`DriveError`]; the help names keys as the suite's format spells them.

use agentci_plan::A2aKeys;
use agentci_protocols::a2a::A2aRefusal;

use crate::DriveError;

pub(super) fn refused(refusal: &A2aRefusal, keys: A2aKeys) -> DriveError {
    let message = format!("the agent refused the request: {refusal}");
    DriveError::of_status(refusal.status.unwrap_or_default(), message, help(refusal, keys))
}

/// The help for an agent card that cannot be fetched or read.
pub(super) fn check_card(keys: A2aKeys) -> String {
    let key = keys.card_url;
    format!("check the URL of the agent card (`{key}`): most agents serve it at `/.well-known/agent-card.json`")
}

fn help(refusal: &A2aRefusal, keys: A2aKeys) -> String {
    match (refusal.status, refusal.code, refusal.reason.as_deref()) {
        (Some(401 | 403), ..) => "check the target's `auth` and `headers`".into(),
        (_, Some(-32001), _) | (.., Some("TASK_NOT_FOUND")) => {
            "the agent no longer has the task: check its task store".into()
        }
        (_, Some(-32004), _) | (.., Some("UNSUPPORTED_OPERATION")) => {
            "the agent does not support this operation: check the capabilities in its card".into()
        }
        (_, Some(-32005), _) | (.., Some("CONTENT_TYPE_NOT_SUPPORTED")) => {
            let key = keys.accepted_output_modes;
            format!("compare `{key}` and the parts that are sent with the agent's card")
        }
        (_, Some(-32009), _) | (.., Some("VERSION_NOT_SUPPORTED")) => {
            format!("set the agent's card (`{}`): it lists the supported versions and their URLs", keys.card_url)
        }
        (_, Some(-32601), _) | (Some(404 | 405), ..) => "check the URL: the server there is not this agent".into(),
        _ => "look at the agent's log".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_uses_the_key_names_of_the_suite_format() {
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
