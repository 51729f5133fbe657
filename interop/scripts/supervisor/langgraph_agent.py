"""LangGraph: a supervisor whose specialists are separate graphs, called as tools."""

import sys

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition


def agent(instructions, tools):
    model = ChatOpenAI(model="gpt-4.1").bind_tools(tools)

    def ask(state: MessagesState):
        return {"messages": [model.invoke([("system", instructions), *state["messages"]])]}

    graph = StateGraph(MessagesState)
    graph.add_node("model", ask)
    graph.add_node("tools", ToolNode(tools))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile()


def answer(agent, question):
    return agent.invoke({"messages": [("user", question)]})["messages"][-1].text


@tool
def refund_order(id: str, amount: float) -> dict:
    """Refunds a part of an order, in euros."""
    return {"order": id, "refunded": amount}


@tool
def track_parcel(id: str) -> dict:
    """Says when the parcel of an order arrives."""
    return {"order": id, "arrives": "Friday"}


billing = agent("You do the billing.", [refund_order])
shipping = agent("You do the shipping.", [track_parcel])


@tool
def ask_billing(question: str) -> str:
    """Asks the billing specialist."""
    return answer(billing, question)


@tool
def ask_shipping(question: str) -> str:
    """Asks the shipping specialist."""
    return answer(shipping, question)


print(answer(agent("You supervise the specialists of a shop.", [ask_billing, ask_shipping]), sys.argv[1]))
