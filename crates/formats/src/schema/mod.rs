//! JSON Schemas of the files of all dialects, and tables of their keys, both made of the shapes that the readers use.
//!
//! ```
//! let native = agentci_formats::schemas().iter().find(|file| file.name == "native").unwrap();
//! let schema = native.schema(&[]);
//! assert_eq!(schema["definitions"]["suite"]["required"], serde_json::json!(["suite", "cases"]));
//! ```

mod checks;
mod files;
mod rules;
mod table;
mod values;
mod writer;

pub use files::{SchemaFile, schemas};
pub use table::{Row, Table};
