// Hooks that run before the model is called, and after it has answered.

interface Message {
  role: string;
  content: string;
}

/** Tells the model whose plan it is. */
export function Create(ctx: { authorized?: { user_id?: string } }, messages: Message[]) {
  const user = ctx.authorized?.user_id ?? "someone";
  return { messages: [{ role: "system", content: `The plan is for ${user}.` }, ...messages] };
}

/** Turns the lines of the model's answer into structured data. */
export function Next(ctx: unknown, payload: { completion?: { content?: string }; error?: string }) {
  if (payload.error) {
    return null;
  }
  const lines = (payload.completion?.content ?? "").split("\n").filter((line) => line.trim() !== "");
  return { data: { steps: lines, count: lines.length } };
}
