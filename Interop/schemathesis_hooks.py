# SPDX-License-Identifier: Apache-2.0
"""Hooks of schemathesis beside the description, and a record of its cases; loaded by run_schemathesis.py.

Schemathesis reports success even if it never reached an operation, and two of its checks report that they passed
without a case. The cases are written to the file named by FAREWELL_HELD, as JSON:

    called     operations that answered a call by their own method
    enforced   operations that refused a call without a token, and one with a wrong token, which they take with a right one
    answered   operations that need a token and have served a caller
    freed      the number of requests for a user after their deletion, by status
"""

import json
import os
import uuid

import schemathesis

MAKE_PERSON = "POST /auth/v1/admin/users"


@schemathesis.hook
def map_body(context, body):
    """A softly deleted user stays visible to administrators, as the contract defines: no use after free."""
    if isinstance(body, dict) and body.get("should_soft_delete") is True:
        return {**body, "should_soft_delete": False}
    return body


@schemathesis.hook
def before_call(context, case, **kwargs):
    """Makes the user of a story one that an operator can make; intended errors stay."""
    story = case.meta is not None and case.meta.phase.name.value == "stateful" and not case.meta.generation.mode.is_negative
    if story and case.operation.label == MAKE_PERSON:
        case.body = {"email": f"p-{uuid.uuid4().hex}@example.org", "email_confirm": True}


@schemathesis.check
def code_is_described(ctx, response, case):
    """DX-2: a refusal has a code that the description lists for its operation and status."""
    codes = case.operation.definition.raw["x-error-codes"]
    code = response.headers.get("x-sb-error-code")
    if code and response.request.method == case.operation.method.upper():
        assert code[0] in codes.get(str(response.status_code), []), f"{response.status_code} {code[0]} is not described"


@schemathesis.check
class what_was_looked_at:
    """Judges nothing; every other check has judged an answer before it is written down here."""

    def __init__(self):
        self.called, self.enforced, self.answered, self.freed = set(), set(), set(), {}

    def after_response(self, ctx, response, case):
        if ctx.auth_enforced_operations is not None:
            self.enforced = ctx.auth_enforced_operations
        # Other methods than the operation's are tried on its path too.
        if response.request.method != case.operation.method.upper():
            return
        self.called.add(case.operation.label)
        # An empty requirement among them makes a token optional.
        security = case.operation.definition.raw.get("security")
        if 200 <= response.status_code < 300 and security and {} not in security:
            self.answered.add(case.operation.label)
        if response.request.method == "GET" and self.was_deleted(ctx, case):
            self.freed[response.status_code] = self.freed.get(response.status_code, 0) + 1

    @staticmethod
    def was_deleted(ctx, case):
        """Whether the same story knew the requested user, and deleted them: the case of use_after_free."""
        inside = ctx.internals

        def succeeded(one):
            answer = inside.find_response(case_id=one.id) if one is not None else None
            return answer is not None and 200 <= answer.status_code < 300

        return any(
            other.operation.method.lower() == "delete" and other.path == case.path and case.path_parameters
            and other.path_parameters == case.path_parameters
            and succeeded(other) and succeeded(inside.find_parent(case_id=other.id))
            for other in inside.find_related(case_id=case.id)
        )

    def after_run(self, ctx):
        found = {"called": sorted(self.called), "enforced": sorted(self.enforced), "answered": sorted(self.answered)}
        with open(os.environ["FAREWELL_HELD"], "w", encoding="utf-8") as file:
            json.dump({**found, "freed": self.freed}, file)
