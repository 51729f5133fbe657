"""Compares the built-in embedder with the `tokenizers` package and numpy, with the same weights and vocabulary."""

import json
import os
import random
import subprocess
import sys
import traceback

from embed_reference import REFERENCE, TEXTS, Model, reference, tokenizer

# The Unicode planes with assigned characters, and one without.
PLANES = (0, 1, 2, 3, 4, 14, 15)
CHARACTERS = [chr(plane << 16 | low) for plane in PLANES for low in range(65536) if plane or not 0xD800 <= low < 0xE000]


def embed(texts, *arguments):
    """Runs the built-in embedder on the texts."""
    lines = "".join(json.dumps(text) + "\n" for text in texts)
    done = subprocess.run([os.environ["EMBED"], *arguments], input=lines, text=True, capture_output=True, timeout=300)
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(texts)
    return answers


def same_ids(texts):
    expected = [encoding.ids for encoding in tokenizer().encode_batch(texts)]
    different = [
        (text, theirs, ours["ids"])
        for text, theirs, ours in zip(texts, expected, embed(texts, "ids"))
        if theirs != ours["ids"]
    ]
    assert not different, f"{len(different)} texts are cut in another way, the first: {different[0]!a}"


def test_token_ids_of_unusual_texts():
    same_ids(TEXTS)


def test_token_ids_of_every_character():
    # Each character inside a word and alone, a few per text, so that no text is truncated.
    groups = [CHARACTERS[start : start + 8] for start in range(0, len(CHARACTERS), 8)]
    same_ids([" ".join(f"a{c}b {c}" for c in group) for group in groups])


def test_token_ids_of_random_mixtures():
    draw = random.Random(7)
    odd = [c for text in TEXTS for c in text]
    same_ids(["".join(draw.choices(odd, k=30) + draw.choices(CHARACTERS, k=5)) for _ in range(5_000)])


def test_vectors_match_reference_model():
    model, cut = Model(), tokenizer()
    texts = [text for text in TEXTS if len(cut.encode(text).ids) < 128]
    worst = 0
    for text, ours in zip(texts, embed(texts)):
        theirs = model.embed(cut.encode(text).ids)
        assert len(ours["vector"]) == len(theirs), ascii(text)
        worst = max([worst, *(abs(a - b) for a, b in zip(ours["vector"], theirs))])
    print(f"the largest difference is {worst:.1e}")
    assert worst < 1e-3


def test_stored_reference_is_up_to_date():
    stored = [json.loads(line) for line in REFERENCE.read_text("utf-8").splitlines()]
    made = [json.loads(line) for line in reference()]
    assert [line["text"] for line in stored] == [line["text"] for line in made], "run interop/embed_reference.py"
    for old, new in zip(stored, made):
        assert old["ids"] == new["ids"], ascii(old["text"])
        assert (old["vector"] is None) == (new["vector"] is None), ascii(old["text"])
        assert all(abs(a - b) < 1e-5 for a, b in zip(old["vector"] or [], new["vector"] or [])), ascii(old["text"])


if __name__ == "__main__":
    passed = failed = 0
    for name, test in list(globals().items()):
        if name.startswith("test_"):
            try:
                test()
                passed += 1
                print(f"ok {name}")
            except Exception:  # noqa: BLE001 - a test may fail in any way
                failed += 1
                print(f"FAILED {name}")
                traceback.print_exc()
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)
