"""openai-agents: an input guardrail answers before the model is called, or in parallel with it (`in-parallel`)."""

import sys

from agents import Agent, GuardrailFunctionOutput, InputGuardrailTripwireTriggered, Runner, input_guardrail


@input_guardrail(run_in_parallel="in-parallel" in sys.argv)
def about_orders(context, agent, question):
    return GuardrailFunctionOutput(output_info=None, tripwire_triggered="order" not in question)


agent = Agent(name="Shop", instructions="You help customers of a shop.", input_guardrails=[about_orders])
try:
    print(Runner.run_sync(agent, sys.argv[1]).final_output)
except InputGuardrailTripwireTriggered:
    print("I can only help with orders.")
