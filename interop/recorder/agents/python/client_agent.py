"""An agent without an SDK. Its argument selects the HTTP client; some of them ignore proxy variables."""

import http.client
import json
import os
import ssl
import sys
import urllib.request

from shared import QUESTION, run

HOST = "api.openai.com"
ADDRESS = f"https://{HOST}/v1/chat/completions"
BODY = {"model": "gpt-4o", "messages": [{"role": "user", "content": QUESTION}]}
HEADERS = {"authorization": f"Bearer {os.environ['OPENAI_API_KEY']}", "content-type": "application/json"}


async def of_aiohttp():
    import aiohttp

    async with aiohttp.ClientSession() as session:
        async with session.post(ADDRESS, json=BODY, headers=HEADERS) as answer:
            return await answer.json()


def of_urllib3():
    import urllib3

    pool = urllib3.PoolManager(retries=False)
    return pool.request("POST", ADDRESS, json=BODY, headers=HEADERS).json()


def of_http_client():
    connection = http.client.HTTPSConnection(HOST, timeout=30, context=ssl.create_default_context())
    connection.request("POST", "/v1/chat/completions", json.dumps(BODY), HEADERS)
    return json.load(connection.getresponse())


def of_urllib():
    request = urllib.request.Request(ADDRESS, json.dumps(BODY).encode(), HEADERS)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        return json.load(error)


def of_requests():
    import requests

    return requests.post(ADDRESS, json=BODY, headers=HEADERS, timeout=30).json()


def of_httpx():
    import httpx

    return httpx.post(ADDRESS, json=BODY, headers=HEADERS, timeout=30).json()


async def main():
    client = globals()["of_" + sys.argv[1].replace(".", "_")]
    answer = await client() if sys.argv[1] == "aiohttp" else client()
    if "error" in answer:
        raise RuntimeError(answer["error"]["message"])
    print(answer["choices"][0]["message"]["content"])


run(main)
