"""Answers questions about the prices of orders, in the language of the question."""

import re
import sys

PRICES = {"A-17": 20.0, "A-18": 1250.5}

question = sys.argv[1]
order = re.search(r"A-\d+", question)[0]
amount = f"{PRICES[order]:,.2f}"
if question.startswith("Was"):
    amount = amount.translate(str.maketrans(",.", ".,"))
    print(f"Die Bestellung {order} hat {amount} Euro gekostet.")
else:
    print(f"Order {order} was {amount} euros.")
