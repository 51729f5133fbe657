"""An agent built on openai-agents. It takes a question as its argument and keeps the conversation in a database."""

import os
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from agents import Agent, Runner, SQLiteSession, function_tool
from shop import INSTRUCTIONS, OPENAI_MODEL, TOOLS

agent = Agent(
    name="shop",
    instructions=INSTRUCTIONS,
    model=OPENAI_MODEL,
    tools=[function_tool(tool) for tool in TOOLS],
)
session = SQLiteSession("ann", Path(os.environ["CONVERSATIONS"]) / "conversations.db")
print(Runner.run_sync(agent, sys.argv[1], session=session).final_output)
