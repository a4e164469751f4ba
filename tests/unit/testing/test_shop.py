"""The shop that ships as a world: what its tools do, and what they refuse."""

import pytest

from foldproof.testing import Shop


def test_an_order_is_refunded_once():
    shop = Shop()
    assert [order["order_id"] for order in shop.list_orders()] == [4021, 4022, 5310, 3977]
    assert shop.check_eligibility(5310) == {"order_id": 5310, "item": "kettle", "eligible": True}
    assert shop.create_refund(5310, "store_credit")["refund_id"] == "R1"
    assert shop.create_refund(4022)["method"] == "card"
    with pytest.raises(ValueError, match="order 5310 cannot be refunded: it is refunded already"):
        shop.create_refund(5310)
    assert shop.check_eligibility(5310)["reason"] == "it is refunded already"
    assert [(refund["order_id"], refund["method"], refund["amount"]) for refund in shop.state()["refunds"]] == [
        (5310, "store_credit", 39.5),
        (4022, "card", 59.0),
    ]


def test_what_is_too_old_or_unknown_is_refused():
    shop = Shop()
    with pytest.raises(ValueError, match="delivered 96 days ago, more than 30"):
        shop.create_refund(3977)
    with pytest.raises(LookupError, match="there is no order 1; `list_orders` shows them"):
        shop.check_eligibility(1)
    assert shop.state() == {"refunds": [], "callbacks": []}


def test_callbacks_are_part_of_the_state_and_each_shop_is_new():
    shop = Shop()
    assert shop.schedule_callback("tomorrow at 9") == {"scheduled": True, "when": "tomorrow at 9"}
    assert shop.state()["callbacks"] == [{"when": "tomorrow at 9", "topic": ""}]
    assert Shop().state() == {"refunds": [], "callbacks": []}
    shown = shop.state()
    shop.schedule_callback("at 10")
    assert len(shown["callbacks"]) == 1, "a state that was shown does not change any more"
