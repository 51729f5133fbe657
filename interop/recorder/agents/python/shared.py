"""Code shared by the agents: the question, the tool, and error handling."""

import asyncio
import inspect
import json
import os
import urllib.parse
import urllib.request

QUESTION = os.environ.get("QUESTION", "What is the weather in Paris?")


def get_weather(city: str) -> str:
    """Tells the weather in a city."""
    address = "https://api.weather.example/weather?city=" + urllib.parse.quote(city)
    with urllib.request.urlopen(address, timeout=30) as answer:
        return f"{json.load(answer)['degrees']} degrees"


SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"], "additionalProperties": False}


def run(main):
    """Runs an agent. With SWALLOW it catches every error, as robust agents do."""
    try:
        asyncio.run(main()) if inspect.iscoroutinefunction(main) else main()
    except Exception as error:  # noqa: BLE001 - all of them
        if "SWALLOW" not in os.environ:
            raise
        print(f"error: {error}")
