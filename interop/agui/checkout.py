"""A shop's conversation in three turns, which `/checkout?break=order` and so on break in one way each.

| `break` | turn | what goes wrong |
|---|---|---|
| `missing` | 1 | `validate_cart` is not called |
| `order` | 1 | `get_shipping_options` comes before `validate_cart` |
| `slow` | 1 | the turn takes 1.6 seconds |
| `total`, `nototal` | 2 | `calculate_total` returns an error; is not called |
| `text`, `failed` | 2 | the text says `error`, `failed` |
| `delete` | 2 | `delete_order` is called |
| `idle` | 2 | nothing happens for 1.6 seconds after a call |
| `declined`, `twice`, `nocharge` | 3 | the card is declined; charged twice; not charged |
| `wait` | 3 | nothing happens for 1.6 seconds before the call |
| `long` | all | each turn takes 0.6 seconds |
"""

from events import Pause, called, refused, text

ADDRESS = {"street": "1 Market Street", "country": "NL"}


def checkout(run):
    broken = run.query.get("break", "")
    turns = [_opens, _ships, _pays]
    turn = run.turn()
    if not 1 <= turn <= len(turns):
        yield refused(f"this conversation has 3 turns, and {turn} messages of the user came")
        return
    if broken == "long":
        yield Pause(0.6)
    yield from turns[turn - 1](broken)


def _opens(broken):
    valid = called("validate_cart", {"cart": {"id": "c-17", "items": 2}}, {"valid": True, "items": 2})
    options = called("get_shipping_options", {"address": ADDRESS}, {"options": ["standard", "express"]})
    if broken == "slow":
        yield Pause(1.6)
    if broken == "order":
        yield [*options, *valid]
    elif broken == "missing":
        yield options
    else:
        yield [*valid, *options]
    yield text("Your cart is fine. ", "Standard or express?")


def _ships(broken):
    total = {"error": "the tax service failed"} if broken == "total" else {"total": 42.5, "currency": "EUR"}
    if broken != "nototal":
        yield called("calculate_total", {"shipping": "standard"}, total)
    if broken == "delete":
        yield called("delete_order", {"order": "o-9"}, {"deleted": True})
    if broken == "idle":
        yield Pause(1.6)
    yield text(
        {
            "text": "There was an error in the total.",
            "failed": "The shipping estimate failed.",
        }.get(broken, "With standard shipping that is 42.50 euros.")
    )


def _pays(broken):
    if broken == "wait":
        yield Pause(1.6)
    status = "declined" if broken == "declined" else "paid"
    times = {"twice": 2, "nocharge": 0}.get(broken, 1)
    for _ in range(times):
        yield called("charge_card", {"amount": 42.5, "card": {"last4": "4242"}}, {"status": status, "receipt": "r-1"})
    yield text("Thank you, your order is on its way.")
