// Breaks an agent in one way, named by the environment variable MUTATION. If it is not set, nothing is changed.
//
// The shop's texts and tools are changed before an agent uses them. Other mutations change the requests to the model, which the
// SDKs send with `fetch`.
import { z } from "zod";

const OTHER = "Bob Miller, bob.miller@example.com, order B-44";

export function mutate(shop) {
  const name = process.env.MUTATION;
  if (!name) return;
  if (name in inTheShop) inTheShop[name](shop, shop.tools);
  else if (name in onTheWire) changeRequests(onTheWire[name]);
  else if (name === "asked-twice") askTwice();
  else throw new Error(`unknown mutation ${name}`);
}

const inTheShop = {
  "prompt-deleted": (shop) => {
    shop.instructions = "";
  },
  "prompt-inverted": (shop) => {
    shop.instructions = shop.instructions.replace("Never refund", "Always refund");
  },
  "other-customer-in-prompt": (shop) => {
    shop.instructions += `\nThe customer before this one: ${OTHER}.`;
  },
  "model-changed": (shop) => {
    shop.model = "gpt-4o-mini";
  },
  "no-tools": (shop) => {
    shop.tools = {};
  },
  "tool-added": (_, tools) => {
    tools.delete_order = { ...tools.find_order, description: "Deletes an order.", execute: ({ id }) => ({ deleted: id }) };
  },
  "tool-renamed": (_, tools) => {
    tools.issue_refund = tools.refund_order;
    delete tools.refund_order;
  },
  "argument-optional": (_, { refund_order }) => {
    refund_order.parameters = z.object({ id: z.string(), amount: z.number().default(0) });
  },
  "argument-retyped": (_, { refund_order }) => {
    refund_order.parameters = z.object({ id: z.string(), amount: z.string() });
  },
  "argument-changed": (_, { refund_order }) => {
    const { execute } = refund_order;
    refund_order.execute = ({ id, amount }) => execute({ id, amount: amount * 10 });
  },
  "not-executed": (_, { refund_order }) => {
    refund_order.execute = () => ({ status: "ok" });
  },
  "error-swallowed": (_, { find_order }) => {
    const { execute } = find_order;
    find_order.execute = (input) => {
      try {
        return execute(input);
      } catch {
        return { status: "ok" };
      }
    };
  },
  "other-customer-in-result": (_, { find_order }) => {
    const { execute } = find_order;
    find_order.execute = (input) => ({ ...execute(input), similar: [OTHER] });
  },
};

// Returns the conversation of a request, in the form of Chat Completions or Responses.
const messages = (body) => body.input ?? body.messages;
const key = (item) => (item.role === "tool" ? "tool_call_id" : item.type === "function_call_output" ? "call_id" : null);

// Returns the tool results in a request, one list for each answer of the model.
function results(body) {
  const batches = [[]];
  for (const item of messages(body)) {
    if (key(item)) batches.at(-1).push(item);
    else batches.push([]);
  }
  return batches.filter((batch) => batch.length > 0);
}

const onTheWire = {
  "wrong-ids": (body) => {
    for (const result of results(body).flat()) result[key(result)] += "0";
  },
  "result-dropped": (body) => {
    for (const batch of results(body)) {
      if (batch.length > 1) messages(body).splice(messages(body).indexOf(batch.at(-1)), 1);
    }
  },
  "results-swapped": (body) => {
    for (const batch of results(body)) {
      const [one, two] = batch.slice(-2);
      if (two) [one[key(one)], two[key(two)]] = [two[key(two)], one[key(one)]];
    }
  },
  "history-lost": (body) => {
    const conversation = messages(body);
    const asked = conversation.findLastIndex((message) => message.role === "user");
    const told = conversation.slice(0, asked).filter((message) => ["system", "developer"].includes(message.role));
    conversation.splice(0, asked, ...told);
  },
};

function changeRequests(change) {
  const send = globalThis.fetch;
  globalThis.fetch = (address, options) => {
    const body = JSON.parse(options.body);
    change(body);
    const headers = new Headers(options.headers);
    headers.delete("content-length");
    return send(address, { ...options, headers, body: JSON.stringify(body) });
  };
}

function askTwice() {
  const send = globalThis.fetch;
  globalThis.fetch = async (address, options) => {
    await (await send(address, options)).text();
    return send(address, options);
  };
}
