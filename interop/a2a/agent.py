"""The scenarios of the agent, selected by the first word of the message."""

import asyncio

from a2a.helpers import new_data_part, new_task_from_user_message, new_text_message, new_text_part, new_url_part
from a2a.server.agent_execution import AgentExecutor
from a2a.server.tasks import TaskUpdater
from a2a.types import Part
from a2a.utils.errors import ContentTypeNotSupportedError


class Shop(AgentExecutor):
    """Answers with a message, or with a task."""

    async def execute(self, context, event_queue):
        words = context.get_user_input() or "data"
        scenario = SCENARIOS[words.split()[0]]
        if scenario in DIRECT:
            await scenario(context, event_queue)
            return
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(context.message)
            task.id, task.context_id = context.task_id, context.context_id
            await event_queue.enqueue_event(task)
        await scenario(context, TaskUpdater(event_queue, context.task_id, context.context_id))

    async def cancel(self, context, event_queue):
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


async def hello(context, queue):
    await queue.enqueue_event(new_text_message(f"You said: {context.get_user_input()}", context_id=context.context_id))


async def data(context, queue):
    """Answers with one data part that describes the received parts."""
    got = [part.WhichOneof("content") for part in context.message.parts]
    numbers = [part.data.struct_value["amount"] for part in context.message.parts if part.HasField("data")]
    answer = new_text_message("", context_id=context.context_id)
    del answer.parts[:]
    answer.parts.append(new_data_part({"parts": got, "amounts": numbers, "modes": context_modes(context)}))
    await queue.enqueue_event(answer)


def context_modes(context):
    return list(context.configuration.accepted_output_modes) if context.configuration else []


async def tell(context, queue):
    """Leaks the secret of the request in its answer."""
    headers = context.call_context.state["headers"]
    secret = headers.get("authorization", "").removeprefix("Bearer ") + headers.get("x-api-key", "")
    await queue.enqueue_event(new_text_message(f"The secret is {secret}", context_id=context.context_id))


async def refuse(context, queue):
    raise ContentTypeNotSupportedError("this agent reads no such thing")


async def crash(context, queue):
    raise RuntimeError("the oven is on fire")


async def plan(context, updater):
    await updater.start_work(updater.new_agent_message([new_text_part("looking at the calendar")]))
    for number, piece in enumerate(["Fly ", "to ", "Rome."]):
        await updater.add_artifact(
            [new_text_part(piece)], artifact_id="a-1", name="itinerary", append=number > 0, last_chunk=number == 2
        )
    await updater.add_artifact([new_data_part({"total": 420, "currency": "EUR"})], artifact_id="a-2", name="price")
    await updater.add_artifact([new_url_part("https://example.com/ticket.pdf", filename="ticket.pdf")], name="ticket")
    await updater.complete()


async def report(context, updater):
    """Replaces its artifact, and puts its answer into the last status message, where other agents use an artifact."""
    await updater.start_work()
    await updater.add_artifact([new_text_part("draft")], artifact_id="a-1", name="report")
    await updater.add_artifact([new_text_part("final")], artifact_id="a-1", name="report")
    await updater.complete(updater.new_agent_message([new_text_part("The report is ready.")]))


async def book(context, updater):
    """Waits for two answers of the user."""
    await updater.start_work()
    await updater.add_artifact([new_text_part("An offer.")], artifact_id="offer", name="offer")
    await updater.requires_input(updater.new_agent_message([new_text_part("To which city?")]))


async def city(context, updater):
    await updater.requires_auth(updater.new_agent_message([new_text_part("May I charge 42 euros?")]))


async def yes(context, updater):
    await updater.start_work()
    await updater.add_artifact([new_text_part("Booked.")], artifact_id="ticket", name="ticket")
    await updater.complete()


async def fail(context, updater):
    await updater.start_work()
    await updater.add_artifact([new_text_part("half a plan")], name="plan")
    await updater.failed(updater.new_agent_message([new_text_part("no flights on that day")]))


async def reject(context, updater):
    await updater.reject(updater.new_agent_message([new_text_part("this agent sells no weapons")]))


async def cancel(context, updater):
    await updater.cancel()


async def slow(context, updater):
    await updater.start_work(updater.new_agent_message([new_text_part("this may take a while")]))
    await asyncio.sleep(30)
    await updater.complete()


async def long(context, updater):
    """Takes long enough for the stream to be cut."""
    await updater.start_work(updater.new_agent_message([new_text_part("counting")]))
    await updater.add_artifact([new_text_part("one ")], artifact_id="count", name="count")
    await asyncio.sleep(0.5)
    await updater.add_artifact([Part(text="two")], artifact_id="count", name="count", append=True, last_chunk=True)
    await updater.complete()


DIRECT = [hello, data, tell, refuse, crash]
TASKS = [plan, report, book, city, yes, fail, reject, cancel, slow, long]
SCENARIOS = {scenario.__name__: scenario for scenario in DIRECT + TASKS}
