//! Python programs.

use super::world::World;

const HELPERS: &str = "
import asyncio, http.client, socket, ssl, urllib.request
QUESTION = b'GET /raw HTTP/1.1\\r\\nhost: api.test\\r\\n\\r\\n'
def last(answer): print(answer[-5:].decode())
";

fn run(world: &World, script: &str) -> Vec<String> {
    assert_eq!(world.run(&["python3", "-c", &format!("{HELPERS}{script}")], &[]), "hello\n", "{script}");
    world.seen()
}

#[test]
fn clients_ignoring_proxy_variables_use_one_tunnel() {
    let world = World::start();
    let secure = "c = http.client.HTTPSConnection('api.test'); c.request('GET', '/a'); last(c.getresponse().read())";
    assert_eq!(run(&world, secure), ["api.test:443 GET /a HTTP/1.1"]);
    let plain = "c = http.client.HTTPConnection('127.0.0.1', 9); c.request('GET', '/b'); last(c.getresponse().read())";
    assert_eq!(run(&world, plain), ["127.0.0.1:9 GET /b HTTP/1.1"]);
    let raw = "s = socket.create_connection(('api.test', 80)); s.sendall(QUESTION); last(s.recv(999))";
    assert_eq!(run(&world, raw), ["api.test:80 GET /raw HTTP/1.1"]);
    let lower = "s = socket.socket(); s.connect(('10.1.2.3', 80)); s.sendall(QUESTION); last(s.recv(999))";
    assert_eq!(run(&world, lower), ["10.1.2.3:80 GET /raw HTTP/1.1"]);
    let secure = "s = ssl.create_default_context().wrap_socket(socket.socket(), server_hostname='api.test')
s.connect(('api.test', 443)); s.sendall(QUESTION); last(s.recv(999))";
    assert_eq!(run(&world, secure), ["api.test:443 GET /raw HTTP/1.1"]);
    let streams = "
async def main():
    reader, writer = await asyncio.open_connection('api.test', 443, ssl=True)
    writer.write(QUESTION); last(await reader.read(999)); writer.close()
asyncio.run(main())";
    assert_eq!(run(&world, streams), ["api.test:443 GET /raw HTTP/1.1"]);
}

/// The client uses the proxy of the environment by itself: one tunnel, not a tunnel in a tunnel.
#[test]
fn clients_honouring_proxy_variables_are_unchanged() {
    let world = World::start();
    let secure = run(&world, "last(urllib.request.urlopen('https://api.test/a').read())");
    assert_eq!(secure, ["api.test:443 GET /a HTTP/1.1"]);
    let plain = run(&world, "last(urllib.request.urlopen('http://api.test/b').read())");
    assert_eq!(plain, ["proxied GET http://api.test/b HTTP/1.1"]);
}

#[test]
fn unix_sockets_servers_and_datagrams_bypass_the_proxy() {
    let world = World::start();
    let script = "
import multiprocessing, os, tempfile
path = os.path.join(tempfile.mkdtemp(), 's')
server = socket.socket(socket.AF_UNIX); server.bind(path); server.listen()
client = socket.socket(socket.AF_UNIX); client.connect(path); server.accept()[0].sendall(b'hello')
answer = client.recv(9)
datagram = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); datagram.connect(('127.0.0.1', 9))
one, two = socket.socketpair(); one.sendall(b'x'); assert two.recv(1) == b'x'
last(answer)";
    assert_eq!(run(&world, script), Vec::<String>::new());
}

#[test]
fn refused_tunnel_reports_the_reason() {
    let world = World::start();
    let script = "
def says(error): assert isinstance(error, ConnectionRefusedError) and '403 not in the recording' in str(error), error
try: socket.create_connection(('refused.test', 443))
except OSError as error: says(error)
async def main():
    try: await asyncio.open_connection('refused.test', 443)
    except OSError as error: says(error); print('hello')
asyncio.run(main())";
    run(&world, script);
}

/// Without the recorder, `site` imports it, keeps it, and reports its errors; with the recorder as well.
#[test]
fn user_sitecustomize_behaves_as_without_recorder() {
    let world = World::start();
    let own = tempfile::tempdir().unwrap();
    let path = own.path().to_str().unwrap();
    let run = |code: &str| {
        std::fs::write(own.path().join("sitecustomize.py"), code).unwrap();
        let script = "import sys; m = sys.modules.get('sitecustomize'); print(getattr(m, '__file__', None))";
        let with = world.run(&["python3", "-c", script], &[("PYTHONPATH", path), ("PYTHONDONTWRITEBYTECODE", "1")]);
        let mut without = std::process::Command::new("python3");
        let without =
            without.args(["-c", script]).env("PYTHONPATH", path).env("PYTHONDONTWRITEBYTECODE", "1").output().unwrap();
        let (out, error) = (String::from_utf8_lossy(&without.stdout), String::from_utf8_lossy(&without.stderr));
        assert_eq!(with, format!("{out}{error}"), "{code}");
        with
    };
    assert!(run("print('own')").starts_with(&format!("own\n{path}/sitecustomize.py")));
    assert!(run("raise ValueError('broken')").contains("ValueError: broken"));
    assert!(run("import nothing_such").contains("nothing_such"));
    assert!(run("def broken(:").contains("SyntaxError"));
    std::fs::remove_file(own.path().join("sitecustomize.py")).unwrap();
    let none = "import sys; print([p for p in sys.path if 'agentci' in p], 'sitecustomize' in sys.modules, 'socket' in sys.modules)";
    let with = world.run(&["python3", "-S", "-c", "print(1)"], &[]);
    assert_eq!(with, "1\n");
    assert!(world.run(&["python3", "-c", none], &[("PYTHONPATH", path)]).starts_with("[]"));
}

#[test]
fn hooks_parse_as_python_3_9() {
    for source in
        [include_str!("../assets/python/sitecustomize.py"), include_str!("../assets/python/_agentci_tunnel.py")]
    {
        let check = "import ast, sys; ast.parse(sys.argv[1], feature_version=(3, 9))";
        assert!(std::process::Command::new("python3").args(["-c", check, source]).status().unwrap().success());
    }
}
