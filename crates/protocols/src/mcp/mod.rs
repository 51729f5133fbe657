//! Messages of the Model Context Protocol: results, questions to the user, headers that repeat a message, and protocol
//! violations. `agentci-mcp` is the client that sends and receives them.

mod defect;
mod elicitation;
pub mod headers;
mod result;
pub mod versions;

pub use defect::{Defect, McpFault, quote};
pub use elicitation::{AnsweredQuestion, ElicitationAction, ElicitationAnswer, ElicitationQuestion};
pub use result::{
    CallResult, MalformedResultError, Notification, PartsResult, ServerMessages, list, object, text_of_parts,
};
