"""pydantic-ai: a tool that requires approval, and a person who denies it."""

import sys

from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolDenied

agent = Agent(
    "openai-chat:gpt-4o", instructions="You help customers of a shop.", output_type=[str, DeferredToolRequests]
)


@agent.tool_plain(requires_approval=True)
def refund_order(id: str, amount: float) -> str:
    """Refunds a part of an order."""
    raise AssertionError("nobody approved this")


result = agent.run_sync(sys.argv[1])
while isinstance(result.output, DeferredToolRequests):
    denied = {call.tool_call_id: ToolDenied() for call in result.output.approvals}
    result = agent.run_sync(
        message_history=result.all_messages(), deferred_tool_results=DeferredToolResults(approvals=denied)
    )
print(result.output)
