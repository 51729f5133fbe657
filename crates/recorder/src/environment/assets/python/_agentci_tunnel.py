"""What the recorder does to the modules of a Python program that open connections; see sitecustomize.py.

A connection to the proxy itself is left alone, so a client that uses the proxy by itself gets one tunnel, not two. A name is
handed to the proxy as it is wherever that is possible: nothing needs to be looked up here, which works without a network.
"""

import os
import re

_URL = re.match(r"http://(?:\[([^\]]+)\]|([^:/]+)):(\d+)", os.environ.get("AGENTCI_PROXY", ""))
PROXY_HOST = (_URL.group(1) or _URL.group(2)) if _URL else ""
PROXY_PORT = int(_URL.group(3)) if _URL else 0
BUNDLE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bundle.pem")

# The longest answer that a proxy may give before the tunnel is open.
_LONGEST_HEAD = 65536


_ADDRESSES = []


def _is_proxy(host, port):
    if str(port) != str(PROXY_PORT):
        return False
    if host == PROXY_HOST:
        return True
    # Its name may have been looked up already: `host.docker.internal` is connected to by address.
    if not _ADDRESSES:
        import _socket
        try:
            _ADDRESSES.extend({found[4][0] for found in _socket.getaddrinfo(PROXY_HOST, PROXY_PORT)})
        except OSError:
            _ADDRESSES.append(PROXY_HOST)
    return host in _ADDRESSES


def _text(host):
    return host.decode("ascii") if isinstance(host, (bytes, bytearray)) else str(host)


def _authority(host, port):
    host = _text(host)
    try:
        host = host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError as error:
        raise OSError("the host name %r is not one: %s" % (host, error)) from None
    host = host.split("%", 1)[0]
    return "[%s]:%d" % (host, port) if ":" in host else "%s:%d" % (host, port)


def _question(authority):
    if any(character <= " " or character == "\x7f" for character in authority):
        raise OSError("the host name %r is not one" % authority)
    return ("CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (authority, authority)).encode("ascii")


def _whole(head, chunk, authority):
    """Whether the head of the proxy's answer is there; it is read byte by byte, since what follows is not ours."""
    if not chunk or len(head) > _LONGEST_HEAD:
        raise ConnectionRefusedError("the agentci recorder refused %s: it closed the connection" % authority)
    if not head.endswith(b"\r\n\r\n"):
        return False
    line = bytes(head).split(b"\r\n", 1)[0].decode("latin-1")
    if not re.match(r"HTTP/1\.[01] 2\d\d(\s|$)", line):
        raise ConnectionRefusedError("the agentci recorder refused %s: %s" % (authority, line))
    return True


def _open(connection, host, port):
    """Asks the proxy for a tunnel over a connected socket."""
    import _socket
    # Below TLS: of a TLS socket, its own methods would encrypt.
    receive = _socket.socket.recv
    authority = _authority(host, int(port))
    _socket.socket.sendall(connection, _question(authority))
    head = bytearray()
    while True:
        chunk = receive(connection, 1)
        head += chunk
        if _whole(head, chunk, authority):
            return


def _by_name(module, name):
    """Wraps a function like socket.create_connection."""
    original = getattr(module, name)

    def create_connection(address, *args, **kwargs):
        host, port = address[:2]
        if host is None or not str(port).isdigit() or _is_proxy(host, port):
            return original(address, *args, **kwargs)
        connection = original((PROXY_HOST, PROXY_PORT), *args, **kwargs)
        try:
            _open(connection, host, port)
        except BaseException:
            connection.close()
            raise
        return connection

    create_connection.__doc__ = original.__doc__
    create_connection.__wrapped__ = original
    setattr(module, name, create_connection)


def socket(module):
    import _socket
    streams = (module.AF_INET, module.AF_INET6)

    def led(connection, address):
        """Whether a connection of the program is one that we lead: a stream that waits until it is connected."""
        return (
            connection.family in streams
            and connection.type == module.SOCK_STREAM
            and connection.gettimeout() != 0
            and isinstance(address, tuple)
            and len(address) >= 2
            and isinstance(address[1], int)
            and not _is_proxy(address[0], address[1])
            and not (connection.family == module.AF_INET6 and _is_proxy(address[0].replace("::ffff:", ""), address[1]))
        )

    def own_address(connection):
        v4 = ":" not in PROXY_HOST
        if connection.family == module.AF_INET6 and v4:
            return ("::ffff:" + _socket.gethostbyname(PROXY_HOST), PROXY_PORT)
        return (PROXY_HOST, PROXY_PORT)

    def connect(self, address):
        if not led(self, address):
            return _socket.socket.connect(self, address)
        _socket.socket.connect(self, own_address(self))
        _open(self, address[0], address[1])
        return None

    connect.__doc__ = _socket.socket.connect.__doc__
    module.socket.connect = connect
    _by_name(module, "create_connection")


def urllib3_util_connection(module):
    # A copy of socket.create_connection of its own.
    _by_name(module, "create_connection")


def asyncio_base_events(module):
    loops = module.BaseEventLoop
    original = loops.create_connection

    async def create_connection(self, protocol_factory, host=None, port=None, **kwargs):
        plain = host is None or not str(port).isdigit() or kwargs.get("sock") is not None
        if plain or _is_proxy(host, port):
            return await original(self, protocol_factory, host, port, **kwargs)
        # These choose between the addresses of a name, and there is one address now.
        for option in ("family", "proto", "flags", "local_addr", "happy_eyeballs_delay", "interleave", "all_errors"):
            kwargs.pop(option, None)
        if kwargs.get("ssl") and kwargs.get("server_hostname") is None:
            kwargs["server_hostname"] = host
        connection = await _connected(self, host, port)
        try:
            kwargs["sock"] = connection
            return await original(self, protocol_factory, **kwargs)
        except BaseException:
            connection.close()
            raise

    create_connection.__doc__ = original.__doc__
    create_connection.__wrapped__ = original
    loops.create_connection = create_connection


async def _connected(loop, host, port):
    import socket as sockets
    (family, kind, protocol, _, address), *_ = await loop.getaddrinfo(PROXY_HOST, PROXY_PORT, type=sockets.SOCK_STREAM)
    connection = sockets.socket(family, kind, protocol)
    try:
        connection.setblocking(False)
        await loop.sock_connect(connection, address)
        authority = _authority(host, int(port))
        await loop.sock_sendall(connection, _question(authority))
        head = bytearray()
        while True:
            chunk = await loop.sock_recv(connection, 1)
            head += chunk
            if _whole(head, chunk, authority):
                return connection
    except BaseException:
        connection.close()
        raise


def anyio__core__sockets(module):
    # It looks names up by itself, so that only addresses would reach asyncio.
    original = module.connect_tcp

    async def connect_tcp(remote_host, remote_port, *, tls=False, ssl_context=None, tls_standard_compatible=True,
                          tls_hostname=None, **kwargs):
        if _is_proxy(remote_host, remote_port):
            return await original(remote_host, remote_port, tls=tls, ssl_context=ssl_context,
                                  tls_standard_compatible=tls_standard_compatible, tls_hostname=tls_hostname, **kwargs)
        stream = await original(PROXY_HOST, PROXY_PORT, **kwargs)
        try:
            authority = _authority(remote_host, int(remote_port))
            await stream.send(_question(authority))
            head = bytearray()
            try:
                while not _whole(head, head[-1:] or b"-", authority):
                    head += await stream.receive(1)
            except _end_of_stream():
                _whole(head, b"", authority)
            if not (tls or ssl_context or tls_hostname):
                return stream
            from anyio.streams.tls import TLSStream
            return await TLSStream.wrap(stream, server_side=False, hostname=tls_hostname or _text(remote_host),
                                        ssl_context=ssl_context, standard_compatible=tls_standard_compatible)
        except BaseException:
            await stream.aclose()
            raise

    connect_tcp.__doc__ = original.__doc__
    connect_tcp.__wrapped__ = original
    module.connect_tcp = connect_tcp


def _end_of_stream():
    from anyio import EndOfStream
    return EndOfStream


def aiohttp_client(module):
    # It looks names up by itself and heeds the environment only if it is told to; it is told which proxy to use instead,
    # for all that is not a Unix socket.
    sessions = module.ClientSession
    original = sessions._request

    async def _request(self, method, str_or_url, **kwargs):
        if kwargs.get("proxy") is None and getattr(self, "_default_proxy", None) is None:
            from aiohttp import TCPConnector
            if isinstance(self.connector, TCPConnector):
                host = "[%s]" % PROXY_HOST if ":" in PROXY_HOST else PROXY_HOST
                kwargs["proxy"] = "http://%s:%d" % (host, PROXY_PORT)
        return await original(self, method, str_or_url, **kwargs)

    sessions._request = _request


def certifi_core(module):
    def where():
        return BUNDLE

    def contents():
        with open(BUNDLE, encoding="ascii") as file:
            return file.read()

    module.where = where
    module.contents = contents


TAP = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tap")


def _is_there(program, options):
    """Whether a program would start, so that one that does not fails in the program's own way."""
    if os.path.dirname(program):
        return os.path.isabs(program) and os.access(program, os.X_OK)
    path = (options.get("env") or os.environ).get("PATH", "")
    folders = [folder for folder in path.split(os.pathsep) if folder]
    return any(os.access(os.path.join(folder, program), os.X_OK) for folder in folders)


def subprocess(module):
    # A program that is spoken to through pipes may be an MCP server: whether it is, the tap finds out. Programs that are found on
    # PATH have shims; this is for those that are named by their path, or found on another PATH.
    if not os.path.exists(TAP):
        return
    original = module.Popen.__init__
    unlike = ("executable", "shell", "pass_fds", "preexec_fn", "startupinfo")

    def __init__(self, args, *rest, **options):
        streams = (options.get("stdin"), options.get("stdout"))
        spoken_to = not any(stream is None or stream == module.DEVNULL for stream in streams)
        if rest or not spoken_to or any(options.get(name) for name in unlike):
            return original(self, args, *rest, **options)
        words = [args] if isinstance(args, (str, bytes, os.PathLike)) else list(args)
        try:
            words = [os.fsdecode(word) for word in words]
        except TypeError:
            return original(self, args, **options)
        if not words or not _is_there(words[0], options):
            return original(self, args, **options)
        original(self, [TAP] + words, **options)
        self.args = args
        return None

    __init__.__doc__ = original.__doc__
    __init__.__wrapped__ = original
    module.Popen.__init__ = __init__
