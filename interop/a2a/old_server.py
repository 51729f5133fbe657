"""An agent built on `a2a-sdk` 0.3, the version before 1.0. It prints its address as JSON and serves until it is stopped."""

import asyncio
import json
import logging
import socket

import uvicorn
from a2a.server.agent_execution import AgentExecutor
from a2a.server.apps import A2AStarletteApplication
from a2a.server.request_handlers import DefaultRequestHandler
from a2a.server.tasks import InMemoryTaskStore, TaskUpdater
from a2a.types import AgentCapabilities, AgentCard, DataPart, Part, TextPart
from a2a.utils import new_agent_text_message, new_task


def text(words):
    return [Part(root=TextPart(text=words))]


class Shop(AgentExecutor):
    """Answers with a message, or with a task."""

    async def execute(self, context, event_queue):
        words = context.get_user_input()
        if words.startswith("hello"):
            await event_queue.enqueue_event(new_agent_text_message(f"You said: {words}"))
            return
        task = context.current_task
        if task is None:
            task = new_task(context.message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work(updater.new_agent_message(text("looking at the calendar")))
        if words.startswith("book"):
            await updater.requires_input(updater.new_agent_message(text("To which city?")))
            return
        if words.startswith("fail"):
            await updater.failed(updater.new_agent_message(text("no flights on that day")))
            return
        await updater.add_artifact(text("Fly "), artifact_id="a-1", name="itinerary")
        await updater.add_artifact(text("to Rome."), artifact_id="a-1", append=True, last_chunk=True)
        await updater.add_artifact([Part(root=DataPart(data={"total": 420}))], name="price")
        await updater.complete()

    async def cancel(self, context, event_queue):
        raise NotImplementedError


async def main():
    logging.disable(logging.CRITICAL)
    listener = socket.create_server(("127.0.0.1", 0))
    origin = "http://127.0.0.1:%d" % listener.getsockname()[1]
    card = AgentCard(
        name="shop",
        description="Sells journeys",
        url=f"{origin}/",
        version="1.0.0",
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=["text/plain"],
        default_output_modes=["text/plain"],
        skills=[],
    )
    handler = DefaultRequestHandler(agent_executor=Shop(), task_store=InMemoryTaskStore())
    app = A2AStarletteApplication(agent_card=card, http_handler=handler).build()
    print(json.dumps({"url": origin}), flush=True)
    config = uvicorn.Config(app, log_level="critical", timeout_graceful_shutdown=1)
    await uvicorn.Server(config).serve(sockets=[listener])


if __name__ == "__main__":
    asyncio.run(main())
