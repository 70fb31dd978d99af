# SPDX-License-Identifier: Apache-2.0
"""Stripe's own client against the fake of Stripe in `fakes/vendors.py`, to detect a fake that only Farewell understands.

    python Interop/stripe_client.py ADDRESS KEY CUSTOMER

CUSTOMER is the one that the fake has just added. Exits with status 0 if the client understood every answer.
"""

import sys

import stripe

address, key, customer = sys.argv[1:]
client = stripe.StripeClient(key, base_addresses={"api": address}, max_network_retries=0)


def expect(what, is_so):
    if not is_so:
        raise SystemExit(f"not so: {what}")


def refused(what, kind, call):
    try:
        call()
    except kind as error:
        return error
    raise SystemExit(f"not refused: {what}")


stranger = stripe.StripeClient("sk_wrong", base_addresses={"api": address}, max_network_retries=0)
refused("another key", stripe.AuthenticationError, lambda: stranger.v1.customers.retrieve(customer))
error = refused("nobody", stripe.InvalidRequestError, lambda: client.v1.customers.retrieve("cus_nobody"))
expect("a missing customer has its code", error.code == "resource_missing")

found = client.v1.customers.retrieve(customer)
expect("a customer", found.object == "customer" and found.id == customer and not getattr(found, "deleted", False))
subscriptions = list(client.v1.subscriptions.list({"customer": customer, "limit": 100}).auto_paging_iter())
expect("pages lead on to the last one", len(subscriptions) == 2 and len({s.id for s in subscriptions}) == 2)
expect("no other customer's", all(s.customer == customer for s in subscriptions))
neighbour = customer + "1"
expect("invoices are listed by status", [
    i.customer for i in client.v1.invoices.list({"customer": neighbour, "status": "open"}).auto_paging_iter()
] == [neighbour])

first = client.v1.subscriptions.update(subscriptions[0].id, {"cancel_at_period_end": True})
expect("it ends with its period", first.cancel_at_period_end and first.cancel_at > 1_800_000_000)
for subscription in subscriptions:
    expect("cancelled", client.v1.subscriptions.cancel(subscription.id).status == "canceled")
expect("the cancelled are not listed", not client.v1.subscriptions.list({"customer": customer}).data)

jobs = "/v1/privacy/redaction_jobs"
objects = {"objects": {"customers": [customer]}, "validation_behavior": "error"}


def raw(method, path, idempotency_key=None, **fields):
    options = {"idempotency_key": idempotency_key} if idempotency_key else {}
    return client.deserialize(client.raw_request(method, path, **fields, **options), api_mode="V1")


made = raw("post", jobs, "once", **objects)
expect("created, it validates itself", made.status == "validating" and made.object == "privacy.redaction_job")
expect("created again under the same key it is the same", raw("post", jobs, "once", **objects).id == made.id)
refused("a key for something else", stripe.IdempotencyError, lambda: raw("post", f"{jobs}/{made.id}/validate", "once"))
refused("run before it is ready", stripe.InvalidRequestError, lambda: raw("post", f"{jobs}/{made.id}/run"))
seen = [raw("get", f"{jobs}/{made.id}").status for _ in range(2)]
expect("it becomes ready", seen == ["validating", "ready"])
expect("it runs", raw("post", f"{jobs}/{made.id}/run").status == "redacting")
seen = [raw("get", f"{jobs}/{made.id}").status for _ in range(2)]
expect("it ends", seen == ["redacting", "succeeded"])
expect("redacted, the customer says so", client.v1.customers.retrieve(customer).redaction["status"] == "redacted")

gone = client.v1.customers.delete(customer)
expect("deleted", gone.deleted and gone.id == customer)
expect("still known as deleted", client.v1.customers.retrieve(customer).deleted)
refused("deleted twice", stripe.InvalidRequestError, lambda: client.v1.customers.delete(customer))
