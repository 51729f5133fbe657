"""boto3 and Amazon Bedrock: Converse, plain and as an event stream."""

import boto3
from shared import QUESTION, run


def main():
    client = boto3.client("bedrock-runtime", region_name="us-east-1")
    asked = {"modelId": "amazon.nova-lite-v1:0", "messages": [{"role": "user", "content": [{"text": QUESTION}]}]}
    print(client.converse(**asked)["output"]["message"]["content"][0]["text"])
    events = client.converse_stream(**asked)["stream"]
    print("".join(event["contentBlockDelta"]["delta"]["text"] for event in events if "contentBlockDelta" in event))


run(main)
