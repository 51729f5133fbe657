/** Whether there are as many keywords as asked for. */
export function CountKeywords(output: string, input: unknown, expected: number) {
  const count = output.split(",").length;
  return { pass: count === expected, message: `${count} keywords instead of ${expected}` };
}
