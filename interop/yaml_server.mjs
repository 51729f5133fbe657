// A client for the YAML language server that editors use, over its standard input and output.

import { spawn } from "node:child_process";
import { join } from "node:path";

/** The timeout of a request. */
const PATIENCE_MS = 20_000;
const SETTINGS = { yaml: { validate: true, hover: true, completion: true, schemaStore: { enable: false } } };

export class YamlServer {
  #child;
  #received = Buffer.alloc(0);
  #asked = 0;
  #opened = 0;
  #waiting = new Map();

  static async start() {
    const server = new YamlServer();
    const program = join(process.env.INTEROP_HOME, "node_modules/yaml-language-server/bin/yaml-language-server");
    server.#child = spawn(process.execPath, [program, "--stdio"], { stdio: ["pipe", "pipe", "inherit"] });
    server.#child.stdout.on("data", (bytes) => server.#receive(bytes));
    const capabilities = { workspace: { configuration: true }, textDocument: { hover: { contentFormat: ["markdown"] } } };
    await server.#ask("initialize", { processId: process.pid, rootUri: null, capabilities });
    server.#send({ method: "initialized", params: {} });
    server.#send({ method: "workspace/didChangeConfiguration", params: { settings: SETTINGS } });
    return server;
  }

  stop() {
    this.#child.kill();
  }

  /** Opens a text, with a first line that names its schema; returns its URI and its errors with their lines. */
  async open(text, schema) {
    const uri = `file:///suite/${(this.#opened += 1)}.yaml`;
    const told = this.#wait(uri);
    const whole = `# yaml-language-server: $schema=file://${schema}\n${text}`;
    const textDocument = { uri, languageId: "yaml", version: 1, text: whole };
    this.#send({ method: "textDocument/didOpen", params: { textDocument } });
    const diagnostics = await told;
    return { uri, wrong: diagnostics.map((problem) => ({ line: problem.range.start.line, message: problem.message })) };
  }

  /** Returns the completions at a position of the text; lines are counted from 1. */
  async completions(uri, line, character) {
    const found = await this.#ask("textDocument/completion", { textDocument: { uri }, position: { line, character } });
    return (found.items ?? found).map((item) => item.label);
  }

  async hover(uri, line, character) {
    const found = await this.#ask("textDocument/hover", { textDocument: { uri }, position: { line, character } });
    return found.contents.value;
  }

  #ask(method, params) {
    const id = (this.#asked += 1);
    const answer = this.#wait(id);
    this.#send({ id, method, params });
    return answer;
  }

  #wait(key) {
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`the language server does not answer ${key}`)), PATIENCE_MS);
      this.#waiting.set(key, (answer) => {
        clearTimeout(late);
        this.#waiting.delete(key);
        resolve(answer);
      });
    });
  }

  #send(message) {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message });
    this.#child.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
  }

  #receive(bytes) {
    this.#received = Buffer.concat([this.#received, bytes]);
    for (;;) {
      const end = this.#received.indexOf("\r\n\r\n");
      if (end < 0) return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.#received.subarray(0, end))[1]);
      const whole = end + 4 + length;
      if (this.#received.length < whole) return;
      const message = JSON.parse(this.#received.subarray(end + 4, whole));
      this.#received = this.#received.subarray(whole);
      this.#take(message);
    }
  }

  #take({ id, method, params, result }) {
    if (method === "textDocument/publishDiagnostics") {
      this.#waiting.get(params.uri)?.(params.diagnostics);
    } else if (method !== undefined && id !== undefined) {
      const settings = () => params.items.map(({ section }) => SETTINGS[section] ?? {});
      this.#send({ id, result: method === "workspace/configuration" ? settings() : null });
    } else if (id !== undefined) {
      this.#waiting.get(id)?.(result);
    }
  }
}
