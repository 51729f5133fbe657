"""Implements the built-in embedder with numpy and the `tokenizers` package, with the same weights and vocabulary.

    python interop/embed_reference.py > fixtures/embeddings/reference.jsonl

writes the reference values for the unit tests of `crates/embed`; `embed.test.py` fails if that file is out of date.
"""

import json
import math
import struct
from pathlib import Path

import numpy as np
from tokenizers import AddedToken, Tokenizer
from tokenizers.models import WordPiece
from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer
from tokenizers.processors import TemplateProcessing

ROOT = Path(__file__).parent.parent
ASSETS = ROOT / "crates/weights/assets"
REFERENCE = ROOT / "fixtures/embeddings/reference.jsonl"

# Plain sentences, unusual characters, blank texts, a word that is too long, a text that is too long.
TEXTS = [
    "Your net pay for October is 2,431.18 dollars.",
    "The refund was approved and will arrive within five working days.",
    "I can't find any order with that number, sorry!",
    "payslips antidisestablishmentarianism xylophonist unaffordable",
    "Café naïve résumé Ångström İstanbul ǅungla ſtraße",
    "e\u0301 a\u0308\u0323 \u1e69 \ufb01nance \u2460 ½ ² ™ Ω Å",
    "日本語のテキスト、漢字 and English混在 ㍿",
    "한국어 문장 각 ᄀ ᅡ",
    "العربية: ١٢٣ ـــ שָׁלוֹם हिन्दी ไทย",
    "emoji 😀 👨‍👩‍👧 🏳️‍🌈 👍🏽 and € £ ¥ ₹ ¢ § © ® ° ± × ÷",
    "zero\u200bwidth soft\u00adhyphen bom\ufeff rtl\u202eoverride word\u2060joiner",
    "tab\tnew\nline\r\nform\ffeed vt\x0b nel\x85 null\x00 bell\x07 rep\ufffd",
    "nbsp\u00a0thin\u2009narrow\u202fideographic\u3000ogham\u1680line\u2028para\u2029end",
    "“curly” ‘quotes’ «guillemets» „low“ — – ‐ ‑ … • ‰ † ‽ ⁇ 、。・「」",
    "snake_case kebab-case CamelCase a.b.c x@y.org https://example.com/?q=1&r=2#top",
    "$ + < = > ^ ` | ~ ! \" # % & ' ( ) * , - . / : ; ? @ [ \\ ] _ { }",
    "[CLS] inside [SEP] of [MASK]ed[PAD]text [UNK] [cls] [SEPX] [[SEP]]",
    "ΣΊΣΥΦΟΣ ΌΣΟΣ Ǆ ŉ ẞ K Å",
    "𝒜𝓁𝓅𝒽𝒶 𝟘𝟙𝟚 🄰 𠀀𪜀𫝀 \U0002f800 \ue000 \U000f0000",
    "\u0378 \u0b55 \u1c80 \U0001e900 \u2e5d \u0890 \u061c \u180e",
    "a\u20dd b\u0903 c\u0300\u0301\u0302 \u0300alone \u093e",
    "ⅷ Ⅷ ① ㊀ ㋿ ㏂ ﬄ ĳ Ĳ ǉ ſ",
    "1.234,56 1'234 1 234 12:30 2026-11-15 50% 3rd #42",
    "a" * 100,
    "a" * 101 + " after",
    "é" * 60 + "e" * 60,
    "##ing ing## # ## ### un##able",
    "",
    " \t\n",
    "\u200b\u200d",
    "The quick brown fox jumps over the lazy dog. " * 20,
]


def tokenizer():
    """The tokenizer as the model's authors configured it."""
    vocabulary = {piece: id for id, piece in enumerate((ASSETS / "vocab.txt").read_text("utf-8").split("\n")[:-1])}
    made = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=100))
    made.normalizer = BertNormalizer(clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True)
    made.pre_tokenizer = BertPreTokenizer()
    marks = [AddedToken(mark, normalized=False, special=True) for mark in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")]
    made.add_special_tokens(marks)
    made.post_processor = TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 101), ("[SEP]", 102)])
    made.enable_truncation(128)
    return made


class Model:
    """Three layers of BERT, in 64-bit floats."""

    def __init__(self):
        file = (ASSETS / "model.safetensors").read_bytes()
        (length,) = struct.unpack("<Q", file[:8])
        self.header = json.loads(file[8 : 8 + length])
        self.data = file[8 + length :]
        self.words = self.matrix("embeddings.word_embeddings.weight", 384)
        self.positions = self.matrix("embeddings.position_embeddings.weight", 384)
        self.kinds = self.matrix("embeddings.token_type_embeddings.weight", 384)

    def bytes(self, name):
        start, end = self.header[name]["data_offsets"]
        return self.data[start:end]

    def vector(self, name):
        return np.frombuffer(self.bytes(name), "<f4").astype(np.float64)

    def matrix(self, name, columns):
        packed = np.frombuffer(self.bytes(name + ".q4"), np.uint8)
        numbers = np.stack([packed & 15, packed >> 4], axis=1).astype(np.float64).reshape(-1, 32) - 8
        scales = np.frombuffer(self.bytes(name + ".scales"), "<f2").astype(np.float64)
        return (numbers * scales[:, None]).reshape(-1, columns)

    def dense(self, x, name):
        return x @ self.matrix(name + ".weight", x.shape[1]).T + self.vector(name + ".bias")

    def norm(self, x, name):
        centred = x - x.mean(axis=1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
        return scaled * self.vector(name + ".weight") + self.vector(name + ".bias")

    def layer(self, x, name):
        query, key, value = (self.dense(x, f"{name}.attention.self.{part}") for part in ("query", "key", "value"))
        mixed = np.empty_like(x)
        for head in range(12):
            part = slice(head * 32, head * 32 + 32)
            scores = query[:, part] @ key[:, part].T / math.sqrt(32)
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            mixed[:, part] = weights / weights.sum(axis=1, keepdims=True) @ value[:, part]
        x = self.norm(x + self.dense(mixed, f"{name}.attention.output.dense"), f"{name}.attention.output.LayerNorm")
        wide = self.dense(x, f"{name}.intermediate.dense")
        wide = 0.5 * wide * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        return self.norm(x + self.dense(wide, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def embed(self, ids):
        """Returns the mean over all tokens, normalised to length 1; empty for a text without tokens."""
        if len(ids) == 2:
            return np.array([])
        x = self.words[ids] + self.positions[: len(ids)] + self.kinds[0]
        x = self.norm(x, "embeddings.LayerNorm")
        for index in range(3):
            x = self.layer(x, f"encoder.layer.{index}")
        mean = x.mean(axis=0)
        return mean / np.linalg.norm(mean)


def reference():
    """Yields a line per text, without a vector if the text is too long for the model: agentci embeds it in pieces."""
    cut, model = tokenizer(), Model()
    for text in TEXTS:
        ids = cut.encode(text).ids
        vector = None if len(ids) == 128 else [round(float(value), 6) for value in model.embed(ids)]
        yield json.dumps({"text": text, "ids": ids, "vector": vector})


if __name__ == "__main__":
    for line in reference():
        print(line)
