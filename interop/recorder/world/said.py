"""What the model says, whichever API it is asked by."""

import secrets
from dataclasses import dataclass, field


@dataclass
class Question:
    """What matters of a request."""

    text: str
    tools: list = field(default_factory=list)
    results: list = field(default_factory=list)
    stream: bool = False
    key: str = ""


@dataclass
class Said:
    """An answer in words, or a call of a tool."""

    text: str = ""
    tool: str = ""
    arguments: dict = field(default_factory=dict)

    @property
    def pieces(self):
        """The words of the answer, as they are streamed. Long ones, such as keys, come in two pieces."""
        words = []
        for number, word in enumerate(self.text.split(" ")):
            word = word if number == 0 else " " + word
            middle = len(word) // 2
            words += [word[:middle], word[middle:]] if len(word) > 16 else [word]
        return words


def answer(question):
    """A tool is called once, if there is one. Every answer has a number that nobody can guess: who has it has seen the answer."""
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
