//! Node programs.

use super::world::World;

const HELPERS: &str = "
const http = require('http'), https = require('https'), http2 = require('http2'), net = require('net'), tls = require('tls');
const QUESTION = 'GET /raw HTTP/1.1\\r\\nhost: api.test\\r\\n\\r\\n';
const last = (answer) => console.log(String(answer).slice(-5));
const get = (module, url, options = {}) => new Promise((done, failed) => {
  const request = module.get(url, options, (answer) => {
    let text = '';
    answer.on('data', (piece) => { text += piece; }).on('end', () => done([text, request]));
  }).on('error', failed);
});
";

fn run(world: &World, script: &str) -> Vec<String> {
    let script = format!("{HELPERS}(async () => {{ {script} }})();");
    assert_eq!(world.run(&["node", "-e", &script], &[]), "hello\n", "{script}");
    world.seen()
}

#[test]
fn clients_ignoring_proxy_variables_use_one_tunnel() {
    let world = World::start();
    let fetched = run(&world, "last(await (await fetch('https://api.test/a')).text())");
    assert_eq!(fetched, ["api.test:443 GET /a HTTP/1.1"]);
    let loopback = run(&world, "last(await (await fetch('http://127.0.0.1:4999/b')).text())");
    assert_eq!(loopback, ["127.0.0.1:4999 GET /b HTTP/1.1"]);
    assert_eq!(run(&world, "last((await get(https, 'https://api.test/c'))[0])"), ["api.test:443 GET /c HTTP/1.1"]);
    assert_eq!(run(&world, "last((await get(https, 'https://10.1.2.3/d'))[0])"), ["10.1.2.3:443 GET /d HTTP/1.1"]);
    assert_eq!(
        run(&world, "last((await get(http, 'http://api.test/e', { agent: false }))[0])"),
        ["api.test:80 GET /e HTTP/1.1"]
    );
    let plain =
        "const s = net.connect(80, 'api.test'); s.write(QUESTION); s.on('data', (d) => { last(d); s.destroy(); });";
    assert_eq!(run(&world, plain), ["api.test:80 GET /raw HTTP/1.1"]);
    let secure = "const s = tls.connect(443, 'api.test', {}, () => s.write(QUESTION));
        s.on('data', (d) => { last(d); s.destroy(); });";
    assert_eq!(run(&world, secure), ["api.test:443 GET /raw HTTP/1.1"]);
    let two = "const c = http2.connect('https://api.test'); c.on('error', () => {}); c.on('close', () => console.log('hello'));
        c.request().on('error', () => {}).end();";
    assert_eq!(run(&world, two), ["api.test:443 PRI * HTTP/2.0"]);
}

#[test]
fn imports_and_worker_threads_use_the_proxy() {
    let world = World::start();
    let imported = "import { connect } from 'net';
        const s = connect({ port: 80, host: 'api.test' }, () => s.write('GET /esm HTTP/1.1\\r\\n\\r\\n'));
        s.on('data', () => s.destroy());";
    world.run(&["node", "--input-type=module", "-e", imported], &[]);
    assert_eq!(world.seen(), ["api.test:80 GET /esm HTTP/1.1"]);
    let thread = "const { Worker } = require('worker_threads');
        const code = \"fetch('https://api.test/w').then((a) => a.text()).then((t) => require('worker_threads').parentPort.postMessage(t))\";
        new Worker(code, { eval: true }).on('message', last);";
    assert_eq!(run(&world, thread), ["api.test:443 GET /w HTTP/1.1"]);
}

#[test]
fn tunnelled_socket_supports_keep_alive_and_socket_options() {
    let world = World::start();
    let kept = "const agent = new https.Agent({ keepAlive: true });
        await get(https, 'https://api.test/1', { agent });
        await new Promise((done) => setTimeout(done, 50));
        const [text, request] = await get(https, 'https://api.test/2', { agent });
        if (!request.reusedSocket) throw new Error('a second connection');
        agent.destroy(); last(text);";
    assert_eq!(run(&world, kept), ["api.test:443 GET /1 HTTP/1.1", "api.test:443 GET /2 HTTP/1.1"]);
    let plain = "const s = net.connect({ host: '10.1.2.3', port: 80, autoSelectFamily: true, keepAlive: true }, () => {
          s.setKeepAlive(true, 1000).setNoDelay(true);
          const seen = [s instanceof net.Socket, s.remoteAddress, s.remotePort, s.readyState, s.pending, s.localPort > 0];
          if (String(seen) !== 'true,10.1.2.3,80,open,false,true') throw new Error(seen);
          s.end();
        }).resume().on('close', (failed) => { if (failed === false) console.log('hello'); });";
    run(&world, plain);
    let slow = "const s = net.connect({ host: 'api.test', port: 80, timeout: 50 }).on('timeout', () => { s.destroy(); console.log('hello'); });";
    run(&world, slow);
    let aborted =
        "const c = new AbortController(); const p = fetch('https://api.test/', { signal: c.signal }); c.abort();
        await p.catch((error) => { if (error.name === 'AbortError') console.log('hello'); });";
    run(&world, aborted);
    let settings = "const q = https.request('https://api.test/l', { method: 'GET' }, (a) => a.on('data', last));
        q.setTimeout(5000); q.setNoDelay(true); q.setSocketKeepAlive(true); q.end();";
    assert_eq!(run(&world, settings), ["api.test:443 GET /l HTTP/1.1"]);
}

#[test]
fn refuses_certificate_for_another_host() {
    let world = World::start();
    let script = "await get(https, 'https://other.test/').catch((error) => {
        if (error.code === 'ERR_TLS_CERT_ALTNAME_INVALID') console.log('hello'); });";
    assert_eq!(run(&world, script), Vec::<String>::new());
}

#[test]
fn refused_tunnel_reports_the_recorder_and_reason() {
    let world = World::start();
    let script = "await fetch('https://refused.test/').catch((error) => {
        if (/recorder refused refused.test:443: HTTP\\/1.1 403 not in the recording/.test(error.cause.message)) console.log('hello');
        else throw error; });";
    run(&world, script);
}

#[test]
fn unix_sockets_bypass_the_proxy() {
    let world = World::start();
    let script = "const path = require('path').join(require('fs').mkdtempSync(require('os').tmpdir() + '/'), 's');
        const server = net.createServer((c) => c.end('hello')).listen(path, () => {
          net.connect(path).on('data', (d) => { server.close(); last(d); }); });";
    assert_eq!(run(&world, script), Vec::<String>::new());
}

/// A user's own preload is loaded, and a folder with a space in its name does not break the list.
#[test]
fn keeps_user_node_options() {
    let world = World::start();
    let folder = tempfile::Builder::new().prefix("with space\"").tempdir().unwrap();
    let own = folder.path().join("own.cjs");
    std::fs::write(&own, "globalThis.own = 'hello';").unwrap();
    let option = format!("--require=\"{}\"", own.to_str().unwrap().replace('"', "\\\""));
    assert_eq!(world.run(&["node", "-p", "own"], &[("NODE_OPTIONS", &option)]), "hello\n");
}

#[test]
fn hook_changes_nothing_without_a_proxy() {
    let hook = concat!(env!("CARGO_MANIFEST_DIR"), "/src/environment/assets/hook.cjs");
    let script = "console.log(require('net').connect.name, process.moduleLoadList.includes('NativeModule tls'))";
    let run = |hooked: bool| {
        let mut command = std::process::Command::new("node");
        if hooked {
            command.args(["--require", hook]);
        }
        String::from_utf8(command.env_remove("AGENTCI_PROXY").args(["-e", script]).output().unwrap().stdout).unwrap()
    };
    assert_eq!(run(true), run(false));
}
