/** Checks that the number of keywords is the expected one. */
export function CountKeywords(output: string, input: unknown, expected: number) {
  const count = output.split(",").length;
  return { pass: count === expected, message: `found ${count} keywords, expected ${expected}` };
}
