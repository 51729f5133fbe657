"""Sends as many requests as its first argument says, over one connection, and prints the processor time it used."""

import http.client
import json
import os
import sys
import time
from urllib.parse import urlsplit

from shared import run


def main():
    proxy = urlsplit(os.environ["HTTP_PROXY"])
    connection = http.client.HTTPConnection(proxy.hostname, proxy.port, timeout=60)
    for number in range(int(sys.argv[1])):
        body = json.dumps({"model": "gpt-4o", "messages": [{"role": "user", "content": f"Question {number}"}]})
        headers = {"content-type": "application/json"}
        connection.request("POST", "http://api.example/v1/chat/completions", body, headers)
        connection.getresponse().read()
    print(time.process_time())


run(main)
