#!/usr/bin/env python3
"""`docker compose run --rm SERVICE` without a container: runs the service's command with only its variables.

Mounted folders are used in place, and the host machine has the address 127.0.0.1.
"""

import os
import subprocess
import sys

import yaml


def main():
    words = sys.argv[1:]
    assert words[:3] == ["compose", "run", "--rm"], words
    described = subprocess.run(["docker-compose", "-f", "compose.yaml", "config"], check=True, capture_output=True, text=True)
    service = yaml.safe_load(described.stdout)["services"][words[3]]
    places = [volume.split(":")[:2] for volume in service["volumes"]]

    def outside(text):
        text = str(text).replace("$$", "$").replace("host.docker.internal", "127.0.0.1")
        for source, target in places:
            text = text.replace(target, source)
        return text

    variables = {name: outside(value) for name, value in service["environment"].items()}
    command = [outside(part) for part in service["command"]]
    os.execvpe(command[0], command, {"PATH": os.environ["PATH"], **variables})


main()
