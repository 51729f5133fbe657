// Code shared by the agents: the question, the tool, and error handling.

export const question = process.env.QUESTION ?? "What is the weather in Paris?";

export async function getWeather({ city }) {
  const answer = await fetch(`https://api.weather.example/weather?city=${encodeURIComponent(city)}`);
  return `${(await answer.json()).degrees} degrees`;
}

export const schema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

/** Runs an agent. With SWALLOW it catches every error, as robust agents do. */
export async function run(main) {
  try {
    await main();
  } catch (error) {
    if (!process.env.SWALLOW) throw error;
    console.log(`error: ${error.message} ${error.responseBody ?? ""}`);
  }
}
