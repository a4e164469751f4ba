"""A small shop as a world for agents: orders, refunds and callbacks, which tools look up and change."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any, Literal

from pydantic import Field

OrderId = Annotated[int, Field(description="The number of the order, without `#`.")]
Method = Annotated[Literal["card", "store_credit"], Field(description="Where the money goes.")]


@dataclass(frozen=True, slots=True)
class Order:
    """One order of the customer; the price is in euros."""

    order_id: int
    item: str
    price: float
    days_ago: int


ORDERS = (
    Order(4021, "smoothie mixer", 24.9, 12),
    Order(4022, "blender", 59.0, 9),
    Order(5310, "kettle", 39.5, 3),
    Order(3977, "toaster", 34.0, 96),
)
RETURN_DAYS = 30


class Shop:
    """The shop as one customer's agent sees it; each one made is new, with the same four orders and no refunds.

    An order is refunded once, and only within 30 days. What cannot be done raises `ValueError` or `LookupError`, which
    the model is told.
    """

    def __init__(self) -> None:
        self._orders = {order.order_id: order for order in ORDERS}
        self._refunds: list[dict[str, Any]] = []
        self._callbacks: list[dict[str, Any]] = []

    def list_orders(self) -> list[dict[str, Any]]:
        """Lists the customer's orders: number, item, price in euros, and how many days ago it was delivered."""
        return [asdict(order) for order in self._orders.values()]

    def check_eligibility(self, order_id: OrderId) -> dict[str, Any]:
        """Tells whether an order can be refunded, and if not, why. Changes nothing."""
        order = self._order(order_id)
        why = self._why_not(order)
        return {"order_id": order_id, "item": order.item, "eligible": not why, **({"reason": why} if why else {})}

    def create_refund(self, order_id: OrderId, method: Method = "card") -> dict[str, Any]:
        """Refunds the full price of an order, to the customer's card or as store credit. It cannot be undone."""
        order = self._order(order_id)
        if why := self._why_not(order):
            raise ValueError(f"order {order_id} cannot be refunded: {why}")
        refund = {"refund_id": f"R{len(self._refunds) + 1}", "order_id": order_id, "method": method}
        self._refunds.append({**refund, "amount": order.price})
        return self._refunds[-1]

    def schedule_callback(
        self,
        when: Annotated[str, Field(description="A day and a time, as the customer said it.")],
        topic: Annotated[str, Field(description="What it is about, in a few words.")] = "",
    ) -> dict[str, Any]:
        """Has somebody of the shop telephone the customer."""
        self._callbacks.append({"when": when, "topic": topic})
        return {"scheduled": True, "when": when}

    def state(self) -> dict[str, Any]:
        """The refunds and callbacks that there are, in the order in which they were made."""
        return {"refunds": list(self._refunds), "callbacks": list(self._callbacks)}

    def _order(self, order_id: int) -> Order:
        order = self._orders.get(order_id)
        if order is None:
            raise LookupError(f"there is no order {order_id}; `list_orders` shows them")
        return order

    def _why_not(self, order: Order) -> str:
        if any(refund["order_id"] == order.order_id for refund in self._refunds):
            return "it is refunded already"
        late = order.days_ago > RETURN_DAYS
        return f"it was delivered {order.days_ago} days ago, more than {RETURN_DAYS}" if late else ""
