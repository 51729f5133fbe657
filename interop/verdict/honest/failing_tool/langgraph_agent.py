"""LangGraph: a graph of a model and a ToolNode, which reports errors to the model."""

import sys

from langchain.chat_models import init_chat_model
from langchain.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition

tries = 0


@tool
def find_order(id: str) -> str:
    """Finds an order by its id."""
    global tries
    tries += 1
    if tries == 1:
        raise ConnectionError("the shop does not answer")
    return f"Order {id}: 60 euros, paid."


model = init_chat_model("openai:gpt-4.1").bind_tools([find_order])
graph = StateGraph(MessagesState)
graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
graph.add_node("tools", ToolNode([find_order], handle_tool_errors=True))
graph.add_edge(START, "model")
graph.add_conditional_edges("model", tools_condition)
graph.add_edge("tools", "model")
print(graph.compile().invoke({"messages": [("user", sys.argv[1])]})["messages"][-1].text)
