// What is done before the model is asked, and after it answered.

interface Message {
  role: string;
  content: string;
}

/** Tells the model whose plan it is. */
export function Create(ctx: { authorized?: { user_id?: string } }, messages: Message[]) {
  const user = ctx.authorized?.user_id ?? "someone";
  return { messages: [{ role: "system", content: `The plan is for ${user}.` }, ...messages] };
}

/** Makes a structure of the lines that the model wrote. */
export function Next(ctx: unknown, payload: { completion?: { content?: string }; error?: string }) {
  if (payload.error) {
    return null;
  }
  const lines = (payload.completion?.content ?? "").split("\n").filter((line) => line.trim() !== "");
  return { data: { steps: lines, count: lines.length } };
}
