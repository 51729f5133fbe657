"""The answers of the model, for all APIs."""

import secrets
from dataclasses import dataclass, field


@dataclass
class Question:
    """The relevant parts of a request."""

    text: str
    tools: list = field(default_factory=list)
    results: list = field(default_factory=list)
    stream: bool = False
    key: str = ""


@dataclass
class Said:
    """A text answer, or a tool call."""

    text: str = ""
    tool: str = ""
    arguments: dict = field(default_factory=dict)

    @property
    def pieces(self):
        """The words of the answer, as they are streamed. Long words, such as keys, are split in two."""
        words = []
        for number, word in enumerate(self.text.split(" ")):
            word = word if number == 0 else " " + word
            middle = len(word) // 2
            words += [word[:middle], word[middle:]] if len(word) > 16 else [word]
        return words


def answer(question):
    """Calls a tool once, if there is one. Every answer has a random number, which proves that the client received the answer."""
    if question.tools and not question.results:
        return Said(tool=question.tools[0], arguments={"city": "Paris"})
    number = secrets.randbelow(1_000_000)
    if question.results:
        return Said(f"Answer {number:06}: the tool said {question.results[-1]}")
    if "my key" in question.text:
        return Said(f"Answer {number:06}: your key is {question.key}")
    return Said(f"Answer {number:06} to the question: {question.text}")


def token(prefix):
    return prefix + secrets.token_hex(12)
