"""An agent built on LangGraph. It reads a question, or a conversation as JSON, and prints its answer."""

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from shop import INSTRUCTIONS, OPENAI_MODEL, TOOLS

tools = [tool(function) for function in TOOLS]
model = ChatOpenAI(model=OPENAI_MODEL).bind_tools(tools)


def ask(state: MessagesState):
    return {"messages": [model.invoke([("system", INSTRUCTIONS), *state["messages"]])]}


graph = StateGraph(MessagesState)
graph.add_node("model", ask)
graph.add_node("tools", ToolNode(tools, handle_tool_errors=True))
graph.add_edge(START, "model")
graph.add_conditional_edges("model", tools_condition)
graph.add_edge("tools", "model")

asked = sys.stdin.read().strip()
conversation = json.loads(asked)["messages"] if asked.startswith("{") else [{"role": "user", "content": asked}]
print(graph.compile().invoke({"messages": conversation})["messages"][-1].content)
