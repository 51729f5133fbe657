//! Finds MCP servers without a tap on systems without `/proc`: compares the output of `ps` with the settings of hosts.

use std::collections::{BTreeMap, HashMap};
use std::io::Read as _;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use super::main_file::MainCode;
use super::servers::{KnownServers, ServerSign, UntappedServer, is_tap, line};
use crate::tap::{ConfiguredServer, TapRegistry};

/// The pause between two looks. A server lives about as long as its host.
pub(super) const PAUSE: Duration = Duration::from_millis(500);
/// Timeout of a list, and the maximum number of bytes read.
const LIST_TIMEOUT: Duration = Duration::from_secs(5);
const LARGEST_LIST: u64 = 8 << 20;
const PS: &str = "/bin/ps";

/// The state between two looks.
#[derive(Debug)]
pub(super) struct ProcessListScan {
    known: KnownServers,
    root: u32,
    /// The servers found so far, by their names in the settings: the command, and the process with its ancestors.
    seen: BTreeMap<String, (Vec<String>, Vec<u32>)>,
}

impl ProcessListScan {
    pub(super) fn new(root: u32, known: KnownServers) -> Self {
        Self { known, root, seen: BTreeMap::new() }
    }

    /// Examines all processes of this machine: one line for each, with its process ID, that of its parent, and its
    /// command.
    pub(super) fn look(&mut self, list: &str) {
        let processes: BTreeMap<u32, (u32, Vec<String>)> = list.lines().filter_map(process).collect();
        let parents: HashMap<u32, u32> = processes.iter().map(|(pid, (parent, _))| (*pid, *parent)).collect();
        for (pid, (_, command)) in &processes {
            let Some(server) = self.known.configured.iter().find(|server| runs(command, server)) else { continue };
            let above: Vec<u32> = line(*pid, &parents).take_while(|above| *above != self.root).collect();
            let is_below_agent = above.last().and_then(|top| parents.get(top)) == Some(&self.root);
            let is_of_tap = |pid: &u32| processes.get(pid).is_some_and(|(_, line)| is_tap(line, &self.known.folder));
            if is_below_agent && !above.iter().any(is_of_tap) {
                self.seen.entry(server.name.clone()).or_insert((command.clone(), above));
            }
        }
    }

    /// The servers, each once.
    pub(super) fn end(self, tapped: &TapRegistry) -> Vec<UntappedServer> {
        let untapped = self.seen.into_iter().filter(|(_, (_, above))| !above.iter().any(|pid| tapped.contains(*pid)));
        untapped
            .map(|(name, (command, _))| UntappedServer {
                command,
                environment: Vec::new(),
                name: Some(name),
                sign: ServerSign::Configured,
            })
            .collect()
    }
}

/// Parses a line of the list. `ps` separates words by spaces, so a word with a space becomes several.
fn process(line: &str) -> Option<(u32, (u32, Vec<String>))> {
    let mut words = line.split_ascii_whitespace();
    let (pid, parent) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    Some((pid, (parent, words.map(str::to_owned).collect())))
}

/// Whether this is the command of a server in the settings.
fn runs(command: &[String], server: &ConfiguredServer) -> bool {
    let Some(program) = command.first() else { return false };
    let words = server.command.join(" ").split_ascii_whitespace().map(str::to_owned).collect();
    let as_listed = ConfiguredServer { name: String::new(), command: words };
    as_listed.is(command, MainCode::of(program, command).script())
}

/// Lists all processes of this machine; empty if `ps` fails.
pub(super) fn list() -> String {
    let mut ps = Command::new(PS);
    ps.args(["-A", "-ww", "-o", "pid=,ppid=,args="]).env("LC_ALL", "C");
    let Ok(mut ps) = ps.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn() else {
        return String::new();
    };
    let (said, heard) = channel();
    if let Some(out) = ps.stdout.take() {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            let _ = out.take(LARGEST_LIST).read_to_end(&mut bytes);
            let _ = said.send(String::from_utf8_lossy(&bytes).into_owned());
        });
    }
    let list = heard.recv_timeout(LIST_TIMEOUT).unwrap_or_default();
    let _ = ps.kill();
    let _ = ps.wait();
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> KnownServers {
        let server = |name: &str, command: &[&str]| ConfiguredServer {
            name: name.into(),
            command: command.iter().map(|word| (*word).to_owned()).collect(),
        };
        let configured = vec![
            server("orders", &["/opt/orders/server", "--db", "/my files/orders.db"]),
            server("notes", &["./notes.py"]),
            server("waits", &["sleep", "41.5"]),
        ];
        KnownServers { configured, folder: "/tmp/agentci-record-x".into() }
    }

    fn found(list: &str) -> Vec<String> {
        let mut listed = ProcessListScan::new(10, known());
        listed.look(list);
        listed.end(&TapRegistry::default()).into_iter().filter_map(|server| server.name).collect()
    }

    #[test]
    fn finds_configured_servers_only_among_agent_descendants() {
        let list = "    1     0 /sbin/launchd\n   10     1 /opt/host chat\n   11    10 node worker.js\n\
                    12    11 /opt/orders/server --db /my files/orders.db\n   13    10 /usr/bin/python3 ./notes.py\n";
        assert_eq!(found(list), ["notes", "orders"]);
        let of_another = list.replace("   11    10", "   11     1").replace("   13    10", "   13     1");
        assert!(found(&of_another).is_empty());
        assert!(
            found("10 1 /opt/orders/server --db /my files/orders.db\n12 10 /opt/orders/server --db /other\n")
                .is_empty()
        );
    }

    #[test]
    fn tapped_server_is_not_reported() {
        for tap in ["/usr/bin/agentci tap -- ./notes.py", "/bin/sh /tmp/agentci-record-x/bin/python3 ./notes.py"] {
            let list = format!("10 1 /opt/host\n11 10 {tap}\n12 11 python3 ./notes.py\n");
            assert!(found(&list).is_empty(), "{tap}");
        }
    }

    #[test]
    fn reads_process_list_of_this_machine() {
        let shell = "sleep 41.5 & read line; kill $!";
        let mut agent = Command::new("/bin/sh").args(["-c", shell]).stdin(Stdio::piped()).spawn().unwrap();
        let mut listed = ProcessListScan::new(agent.id(), known());
        for _ in 0..100 {
            listed.look(&list());
            if !listed.seen.is_empty() {
                break;
            }
            thread::sleep(Duration::from_millis(50));
        }
        drop(agent.stdin.take());
        agent.wait().unwrap();
        let servers = listed.end(&TapRegistry::default());
        assert_eq!(servers.iter().map(|server| server.command.join(" ")).collect::<Vec<_>>(), ["sleep 41.5"]);
    }
}
