"""Checks of an answer: a verdict, a verdict with a message, and a score."""

from words import APOLOGIES


def cites_its_source(output):
    return output["source"] is not None


def covers(output, input, expected):
    """Which share of the expected words the answer has."""
    missing = [words for words in expected if words not in output["answer"]]
    return {"score": 1 - len(missing) / len(expected), "reason": f"missing: {', '.join(missing) or 'nothing'}"}


def apologizes(output):
    return any(word in output["answer"].lower() for word in APOLOGIES)
