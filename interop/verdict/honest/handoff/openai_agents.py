"""openai-agents: a triage agent hands off to another agent.

The second argument selects the history that the other agent gets: `filtered` (without tool calls), `nested` or `whole`.
"""

import sys

from agents import Agent, RunConfig, Runner, function_tool, handoff
from agents.extensions import handoff_filters


@function_tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    return f"Order {id}: 60 euros, paid."


@function_tool
def refund_order(id: str, amount: float) -> str:
    """Refunds a part of an order."""
    return f"{amount} euros of order {id} were refunded."


history = sys.argv[2]
refunds = Agent(name="Refunds", model="gpt-4.1", instructions="You refund orders.", tools=[refund_order])
triage = Agent(
    name="Triage",
    model="gpt-4.1-mini",
    instructions="You find out what a customer wants.",
    tools=[find_order],
    handoffs=[
        handoff(
            refunds,
            tool_name_override="to_refunds",
            input_filter=handoff_filters.remove_all_tools if history == "filtered" else None,
        )
    ],
)
config = RunConfig(nest_handoff_history=history == "nested")
print(Runner.run_sync(triage, sys.argv[1], run_config=config).final_output)
