// A small shop for the Node agents: their instructions, model and tools.
import { z } from "zod";
import { mutate } from "./mutation.mjs";

export const shop = {
  model: "gpt-4o",
  instructions: `You help customers of a small shop.
Look an order up before you refund it. Never refund more than the order cost.`,
  tools: {
    find_order: {
      description: "Finds an order by its id.",
      parameters: z.object({ id: z.string() }),
      execute: ({ id }) => {
        const order = orders.find((order) => order.id === id);
        if (!order) throw new Error(`no order ${id}`);
        return order;
      },
    },
    refund_order: {
      description: "Refunds a part of an order, in euros.",
      parameters: z.object({ id: z.string(), amount: z.number() }),
      execute: ({ id, amount }) => ({ order: id, refunded: amount }),
    },
  },
};

const orders = [
  { id: "A-17", total: 60, paid: true },
  { id: "A-18", total: 35, paid: true },
];

mutate(shop);
