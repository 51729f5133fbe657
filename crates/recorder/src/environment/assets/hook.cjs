// Leads every connection of a Node program through the recorder, also of clients that ignore HTTPS_PROXY.
//
// Loaded by NODE_OPTIONS=--require. The functions that open connections (net.connect, tls.connect and the one of
// http.Agent) give out a socket that first asks the proxy for a tunnel (CONNECT). All clients end up there: fetch, undici,
// http, https, http2 and the packages on top of them. A client that uses the proxy by itself is left alone, because it
// connects to the proxy. Unix sockets, servers and channels to child processes are not touched.
//
// A program that is spoken to through pipes may be an MCP server: it is started through `tap`, which finds out whether it is.
'use strict';

if (process.env.AGENTCI_PROXY) install(new URL(process.env.AGENTCI_PROXY));

function install(proxyUrl) {
  const net = require('net');
  const tls = require('tls');

  const proxy = { host: proxyUrl.hostname.replace(/^\[|\]$/g, ''), port: Number(proxyUrl.port) };
  const connectPlain = net.connect;
  const connectTls = tls.connect;
  const Tunnel = tunnelClass(net, connectPlain, proxy);

  function connect(...args) {
    const [options, listener] = normalized(args);
    const target = targetOf(options, proxy);
    if (!target) return connectPlain.apply(this, args);
    const socket = new Tunnel(target, options);
    if (listener) socket.once('connect', listener);
    if (options.timeout) socket.setTimeout(options.timeout);
    return socket;
  }

  function connectSecurely(...args) {
    const [options, listener] = normalized(args);
    const target = options.socket ? undefined : targetOf(options, proxy);
    if (!target) return connectTls.apply(this, args);
    const tunnel = new Tunnel(target, options);
    // Without a name, TLS would ask for the name of the socket, which is the proxy's.
    const servername = options.servername ?? (net.isIP(target.host) ? '' : target.host);
    // The host is still needed: the certificate is checked against it.
    const secure = connectTls.call(this, { ...options, host: target.host, servername, socket: tunnel }, listener);
    // A TLS socket on top of a stream has no addresses and no connection of its own; the tunnel's are what is asked for.
    secure._getpeername = () => tunnel._getpeername();
    secure._getsockname = () => tunnel._getsockname();
    for (const method of ['setNoDelay', 'setKeepAlive', 'ref', 'unref']) {
      secure[method] = (...values) => {
        tunnel[method](...values);
        return secure;
      };
    }
    return secure;
  }

  net.connect = connect;
  net.createConnection = connect;
  tls.connect = connectSecurely;
  // Up to Node 20 the agent of http keeps a copy of net.connect, and has the old one if another hook has loaded it already.
  // It is not loaded here: that takes time at the start of every program.
  if (process.moduleLoadList.includes('NativeModule _http_agent')) {
    const { Agent } = require('http');
    if (Agent.prototype.createConnection === connectPlain) Agent.prototype.createConnection = connect;
  }
  tapServers();
  // For `import { connect } from 'net'`.
  require('module').syncBuiltinESMExports();
}

// The forms (options), (path), (port, host) with options at the end, each with an optional listener.
function normalized(args) {
  const last = args[args.length - 1];
  const listener = typeof last === 'function' ? last : undefined;
  const [first, second] = args;
  if (first !== null && typeof first === 'object') return [first, listener];
  if (typeof first === 'string' && !/^\d+$/.test(first)) return [{ path: first }, listener];
  const options = { ...args.slice(1).find((value) => value !== null && typeof value === 'object') };
  if (first !== undefined) options.port = first;
  if (typeof second === 'string') options.host = second;
  return [options, listener];
}

// Where a connection goes, or undefined for one that is not ours: a Unix socket, the proxy itself, or options that Node
// itself has something to say about.
function targetOf(options, proxy) {
  const { path, fd, host = 'localhost', port } = options;
  if (path || (fd !== undefined && fd !== null)) return undefined;
  const number = Number(port);
  if (!Number.isInteger(number) || number < 1 || number > 65535 || typeof port === 'boolean') return undefined;
  const name = host || 'localhost';
  if (typeof name !== 'string' || /[^\x21-\x7e]/.test(name)) return undefined;
  if (name === proxy.host && number === proxy.port) return undefined;
  return { host: name, port: number };
}

// A net.Socket whose bytes travel over another socket, one to the proxy.
function tunnelClass(net, connectPlain, proxy) {
  // The longest answer that a proxy may give before the tunnel is open.
  const LONGEST_HEAD = 65536;

  return class Tunnel extends net.Socket {
    constructor(target, options) {
      super({ allowHalfOpen: options.allowHalfOpen, signal: options.signal });
      this.connecting = true;
      this._target = target;
      this._waiting = [];
      this._head = undefined;
      const { noDelay, keepAlive, keepAliveInitialDelay } = options;
      this._inner = connectPlain.call(net, { ...proxy, noDelay, keepAlive, keepAliveInitialDelay, allowHalfOpen: true });
      this._inner.once('connect', () => this._ask());
      this._inner.on('error', (error) => this.destroy(this.connecting ? unreachable(error, target, proxy) : error));
      this._inner.on('close', () => this._innerClosed());
      this._inner.on('timeout', () => {});
      if (options.onread) this._deliverInto(options.onread);
    }

    _ask() {
      const host = net.isIPv6(this._target.host) ? `[${this._target.host}]` : this._target.host;
      const authority = `${host}:${this._target.port}`;
      this._inner.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
      const onData = (chunk) => {
        this._head = this._head ? Buffer.concat([this._head, chunk]) : chunk;
        const end = this._head.indexOf('\r\n\r\n');
        if (end < 0 && this._head.length <= LONGEST_HEAD) return;
        this._inner.off('data', onData);
        this._answered(this._head.toString('latin1', 0, Math.max(end, 0)), this._head.subarray(end + 4));
        this._head = undefined;
      };
      this._inner.on('data', onData);
    }

    _answered(head, rest) {
      if (!/^HTTP\/1\.[01] 2\d\d(\s|$)/.test(head)) return this.destroy(refused(this._target, head));
      this._inner.on('data', (chunk) => this._arrived(chunk));
      this._inner.on('end', () => this.push(null));
      this._inner.pause();
      this.connecting = false;
      if (rest.length) this.push(rest);
      this.emit('connect');
      this.emit('ready');
      for (const action of this._waiting.splice(0)) action();
      // Like net.Socket: the end of the other side is noticed although nobody reads.
      if (!this.destroyed && !this.isPaused()) this.read(0);
    }

    _arrived(chunk) {
      this._unrefTimer();
      if (!this.push(chunk)) this._inner.pause();
    }

    _innerClosed() {
      if (this.destroyed) return;
      if (this.connecting) return this.destroy(refused(this._target, ''));
      // What has arrived is still to be read; after its end the socket goes by itself.
      if (!this.readableEnded) this.push(null);
      if (!this.writableFinished) this.destroy();
    }

    // For the option `onread`: the bytes are put into the caller's own buffer.
    _deliverInto({ buffer, callback }) {
      this.on('data', (chunk) => {
        for (let at = 0; at < chunk.length; ) {
          const into = typeof buffer === 'function' ? buffer() : buffer;
          const count = chunk.copy(into, 0, at);
          at += count;
          if (callback(count, into) === false) this.pause();
        }
      });
    }

    _whenOpen(action) {
      if (this.connecting) this._waiting.push(action);
      else action();
    }

    _read() {
      this._whenOpen(() => this._inner.resume());
    }

    _write(chunk, encoding, callback) {
      this._whenOpen(() => {
        this._unrefTimer();
        this._inner.write(chunk, encoding, callback);
      });
    }

    // net.Socket has one of its own, which would be preferred to _write.
    _writev(chunks, callback) {
      this._whenOpen(() => {
        this._unrefTimer();
        this._inner.cork();
        chunks.forEach(({ chunk, encoding }, index) => {
          this._inner.write(chunk, encoding, index === chunks.length - 1 ? callback : undefined);
        });
        this._inner.uncork();
      });
    }

    _final(callback) {
      this._whenOpen(() => this._inner.end(() => callback()));
    }

    _destroy(error, callback) {
      this._waiting.length = 0;
      this._failed = Boolean(error);
      this._inner.destroy();
      super._destroy(error, callback);
    }

    // Without a handle of its own net.Socket does not say whether it was closed by an error.
    emit(event, ...values) {
      return event === 'close' ? super.emit('close', this._failed) : super.emit(event, ...values);
    }

    resetAndDestroy() {
      this._inner.resetAndDestroy?.();
      return this.destroy();
    }

    setNoDelay(enable) {
      this._inner.setNoDelay(enable);
      return this;
    }

    setKeepAlive(enable, delay) {
      this._inner.setKeepAlive(enable, delay);
      return this;
    }

    ref() {
      this._inner.ref();
      return this;
    }

    unref() {
      this._inner.unref();
      return this;
    }

    get pending() {
      return this.connecting;
    }

    get bytesRead() {
      return this._inner?.bytesRead ?? 0;
    }

    get bytesWritten() {
      return this._inner?.bytesWritten ?? 0;
    }

    get bufferSize() {
      return this.writableLength;
    }

    address() {
      return this._inner.address();
    }

    // What remoteAddress, remotePort and remoteFamily show: the target when it is an address, otherwise the proxy, because
    // the name is looked up there.
    _getpeername() {
      if (this.connecting) return {};
      const address = net.isIP(this._target.host) ? this._target.host : this._inner.remoteAddress;
      return { address, port: this._target.port, family: net.isIPv6(address) ? 'IPv6' : 'IPv4' };
    }

    _getsockname() {
      return this._inner.address();
    }
  };
}

function refused(target, head) {
  const line = head.split('\r\n', 1)[0] || 'it closed the connection';
  const error = new Error(`the agentci recorder refused ${target.host}:${target.port}: ${line}`);
  return Object.assign(error, { code: 'ECONNREFUSED', syscall: 'connect', address: target.host, port: target.port });
}

function unreachable(error, target, proxy) {
  error.message = `the agentci recorder at ${proxy.host}:${proxy.port} cannot be reached for ${target.host}:${target.port}: ${error.message}`;
  return error;
}

// Programs that are found on PATH have shims; this is for those that are named by their path, or found on another PATH. What starts
// a program is patched below `child_process`, which takes milliseconds to load and is not needed by most.
function tapServers() {
  const fs = require('fs');
  const path = require('path');
  const tap = path.join(__dirname, 'tap');
  if (!fs.existsSync(tap)) return;
  const { prototype } = processClass();
  const spawn = prototype.spawn;
  prototype.spawn = function (...values) {
    const started = startedBy(values);
    if (!isSpokenTo(started) || !isThere(started, fs, path)) return spawn.apply(this, values);
    return spawn.apply(this, tappedBy(tap, started, values));
  };
}

// What is to be started: one object up to Node 22, and its parts one after the other since a later 24. What has another form is
// not understood, and started as it is.
function startedBy(values) {
  const [first, args, , envPairs, stdio] = values;
  return first !== null && typeof first === 'object' ? first : { file: first, args, envPairs, stdio };
}

function tappedBy(tap, { file, args }, [first, , ...others]) {
  const tapped = { file: tap, args: [tap, file, ...args.slice(1)] };
  return first === file ? [tapped.file, tapped.args, ...others] : [{ ...first, ...tapped }];
}

function processClass() {
  try {
    return process.binding('process_wrap').Process;
  } catch {
    const { ChildProcess } = require('child_process');
    return new ChildProcess()._handle.constructor;
  }
}

// Input and output are pipes, and there is no channel beside them.
function isSpokenTo({ file, args, stdio }) {
  if (typeof file !== 'string' || !file || !Array.isArray(args) || !Array.isArray(stdio)) return false;
  return stdio.length <= 3 && stdio.slice(0, 2).every((stream) => stream?.type === 'pipe');
}

// One that does not start is to fail in Node's own way.
function isThere({ file, envPairs }, fs, path) {
  const starts = (program) => {
    try {
      fs.accessSync(program, fs.constants.X_OK);
      return true;
    } catch {
      return false;
    }
  };
  if (file.includes('/')) return path.isAbsolute(file) && starts(file);
  const pair = (envPairs ?? []).find((text) => text.startsWith('PATH='));
  const folders = (pair ? pair.slice(5) : (process.env.PATH ?? '')).split(':').filter(Boolean);
  return folders.some((folder) => starts(path.join(folder, file)));
}
