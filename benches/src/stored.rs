//! The reports of a stored run of a million cases: what everything after the runner costs.

use std::error::Error;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use crate::measure::{Cost, megabytes, program};
use crate::row::{Bar, Row};
use crate::{Measured, Setting};

const SIZES: [usize; 2] = [100_000, 1_000_000];
/// Maximum CPU time for the larger run, in seconds.
const CPU: f64 = 100.0;
/// Maximum memory for the larger run, in megabytes.
const PEAK: f64 = 150.0;
/// Maximum memory of each additional case, in bytes.
const EACH: f64 = 100.0;
/// One of so many cases fails.
const FAILED: usize = 20_011;

pub(crate) fn measure(setting: &Setting) -> Measured {
    let [small, large] = SIZES.map(|cases| report(setting, cases));
    let (small, large) = (small?, large?);
    #[expect(clippy::cast_precision_loss, reason = "a million")]
    let each = (megabytes(large.peak) - megabytes(small.peak)) * 1e6 / (SIZES[1] - SIZES[0]) as f64;
    let name = format!("stored, {} mock cases", SIZES[1]);
    Ok(vec![
        Row::value(format!("{name}: cpu"), "s", large.cpu.as_secs_f64(), Some(Bar::Value(CPU))),
        Row::value(format!("{name}: peak memory"), "MB", megabytes(large.peak), Some(Bar::Value(PEAK))),
        Row::value("stored: memory of a further case", "B", each, Some(Bar::Value(EACH))),
    ])
}

/// The cost of all reports of a stored run.
fn report(setting: &Setting, cases: usize) -> Result<Cost, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    write_run(&folder.path().join("run.jsonl"), cases)?;
    program(setting.agentci().arg("report").arg(folder.path()).stderr(std::process::Stdio::null()))
}

/// Writes the events of mock cases, as the runner does.
fn write_run(path: &Path, cases: usize) -> Result<(), Box<dyn Error>> {
    let mut out = BufWriter::new(std::fs::File::create(path)?);
    writeln!(
        out,
        r#"{{"v":1,"type":"run_start","suite":"many","timestamp":1,"agentci_version":"0.1.0","run_id":"r","dialect":"native","mode":"replay","suite_path":"many.yaml","agent_command":[],"cases_total":{cases},"cases_left_out":0,"cases_without_agent":{cases},"git_sha":null}}"#
    )?;
    for index in 0..cases {
        let case = format!(r#""suite":"many","case_id":"c{index}","attempt":1,"timestamp":{}"#, 2 + index / 20);
        let (status, reason, failed) =
            if index % FAILED == 7 { ("fail", r#""check""#, 1) } else { ("pass", "null", 0) };
        let finding = r#"{"cause":"check","name":"contains","message":"the answer does not contain `good`"}"#;
        let findings = if failed == 1 { finding } else { "" };
        write!(
            out,
            r#"{{"v":1,"type":"task_start",{case},"task_id":"c{index}","input":{{"prompt":"hello {index}"}}}}
{{"v":1,"type":"model_call",{case},"turn":0,"request":{{"prompt":"hello {index}"}},"response":{{"content":"a few words for you","model":"m","tokens_used":5,"latency_ms":1.0,"finish_reason":"stop"}}}}
{{"v":1,"type":"usage",{case},"tokens_in":null,"tokens_out":5,"cost_usd":null}}
{{"v":1,"type":"text",{case},"turn":0,"text":"a few words for you"}}
{{"v":1,"type":"final_output",{case},"output":"a few words for you"}}
{{"v":1,"type":"trace_end",{case},"events":[{{"kind":"turn_start","us":428}},{{"kind":"model_call","us":704}},{{"kind":"usage","us":768}},{{"kind":"text","us":784}},{{"kind":"final_output","us":788}},{{"kind":"turn_end","us":794}}],"judged":[6]}}
{{"v":1,"type":"check",{case},"name":"contains","subject":"words","status":"{}","definition":"ae2c505c0ddb30ab"}}
{{"v":1,"type":"case_end",{case},"index":{index},"runs":1,"passed":{},"status":"{status}","cause":{reason},"wall_ms":{},"metrics":{{"tool_calls":0,"tool_errors":0,"tool_calls_by_name":{{}},"tool_errors_by_name":{{}},"usage":{{"tokens_in":null,"tokens_out":5,"cost_usd":null}}}},"assertions":{{"total":1,"failed":{failed}}},"findings":[{findings}],"no_agent":true,"deterministic":true,"place":{{"path":"many.yaml","line":4,"column":9,"width":2}}}}
"#,
            if failed == 1 { "failed" } else { "held" },
            failed == 0,
            index % 50,
        )?;
    }
    writeln!(
        out,
        r#"{{"v":1,"type":"run_end","suite":"many","timestamp":9,"wall_ms":8,"interrupted":false,"not_run":0}}"#
    )?;
    Ok(out.flush()?)
}
