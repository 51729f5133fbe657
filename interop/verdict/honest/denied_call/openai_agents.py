"""openai-agents: a tool that needs approval, and a person who denies it."""

import sys

from agents import Agent, Runner, function_tool


@function_tool(needs_approval=True)
def refund_order(id: str, amount: float) -> str:
    """Refunds a part of an order."""
    raise AssertionError("nobody approved this")


agent = Agent(name="Shop", instructions="You help customers of a shop.", tools=[refund_order])
result = Runner.run_sync(agent, sys.argv[1])
while result.interruptions:
    state = result.to_state()
    for interruption in result.interruptions:
        state.reject(interruption)
    result = Runner.run_sync(agent, state)
print(result.final_output)
