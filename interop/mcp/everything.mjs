// `@modelcontextprotocol/server-everything` on a free port: `everything.mjs streamableHttp` or `everything.mjs sse`.
// Prints its address, one line on standard output. INTEROP_HOME is the folder with the package.
import { Server } from "node:net";
import { pathToFileURL } from "node:url";

const transport = process.argv[2];
const path = transport === "sse" ? "/sse" : "/mcp";
const say = console.log;
console.log = console.error;

const listen = Server.prototype.listen;
Server.prototype.listen = function (_port, ready) {
  this.once("listening", () => say(`http://127.0.0.1:${this.address().port}${path}`));
  return listen.call(this, 0, "127.0.0.1", ready);
};

const folder = `${process.env.INTEROP_HOME}/node_modules/@modelcontextprotocol/server-everything`;
await import(pathToFileURL(`${folder}/dist/transports/${transport}.js`));
