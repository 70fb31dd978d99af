# SPDX-License-Identifier: Apache-2.0
"""Erases people by a running Farewell server with the published client `supabase`, like an app.

    python Interop/supabase_deletion.py URL PASSWORD ADDRESS ADDRESS ADDRESS [--kept]

URL       a server, without a path
PASSWORD  of all these people, who are of the app already
--kept    rows of the account prevent the deletion of its auth row alone, as without cascades

The first is erased by the function delete-account, the second by delete-user, the third by rpc("delete_auth_user"), or, with
--kept, is refused there and is erased by delete-account. Every check is one line; the first that fails ends the program
with status 1.
"""

import argparse
import sys

import httpx
from postgrest.exceptions import APIError
from supabase import ClientOptions, create_client
from supabase_auth.errors import AuthError
from supabase_functions.errors import FunctionsHttpError

import plain_http  # noqa: F401


def check(name, holds, what=None):
    print(("ok    " if holds else "WRONG ") + name, flush=True)
    if not holds:
        if what is not None:
            print(f"      {what!r}")
        sys.exit(1)


def raised(kind, call):
    try:
        call()
    except kind as error:
        return error
    return None


class App:
    """The app on one device."""

    def __init__(self, url, password):
        self.url, self.password = url, password

    def client(self):
        options = ClientOptions(auto_refresh_token=False, httpx_client=httpx.Client(timeout=240))
        return create_client(self.url, "public-anonymous-key", options)

    def signed_in(self, address):
        client = self.client()
        client.auth.sign_in_with_password({"email": address, "password": self.password})
        return client

    def refused(self, address):
        return raised(AuthError, lambda: self.signed_in(address)) is not None


def leave(app, function, address, other):
    stranger = raised(FunctionsHttpError, lambda: app.client().functions.invoke(function, {"responseType": "json"}))
    check(f"{function}: without signing in 401", stranger is not None and stranger.status == 401, stranger)
    phone, tablet = app.signed_in(address), app.signed_in(address)
    named = {"responseType": "json", "body": {"user_id": other, "email": other}}
    answer = phone.functions.invoke(function, named)
    check(f"{function}: the contract's answer", answer == {"data": {"success": True}}, answer)
    again = phone.functions.invoke(function, {"responseType": "json"})
    check(f"{function}: asked again after a lost answer, the same", again == answer, again)
    for name, client in [("phone", phone), ("tablet", tablet)]:
        check(f"{function}: the {name} is signed out", raised(AuthError, client.auth.get_user) is not None)
        check(f"{function}: … and cannot refresh", raised(AuthError, client.auth.refresh_session) is not None)
    check(f"{function}: the deleted user cannot sign in", app.refused(address))
    check(f"{function}: no other user is deleted", not app.refused(other))


def call(app, address):
    client = app.signed_in(address)
    client.rpc("delete_auth_user").execute()
    check("rpc: it answers nothing", True)
    client.rpc("delete_auth_user").execute()
    check("rpc: asked again, the same", True)
    check("rpc: the deleted user cannot sign in", app.refused(address))


def kept(app, address):
    error = raised(APIError, lambda: app.signed_in(address).rpc("delete_auth_user").execute())
    check("rpc: refused while rows of the account are there", error is not None and error.code == "23503", error)
    check("rpc: … and nothing happened", not app.refused(address))
    app.signed_in(address).functions.invoke("delete-account")
    check("rpc: the function does it all", app.refused(address))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("password")
    parser.add_argument("addresses", nargs=3)
    parser.add_argument("--kept", action="store_true")
    words = parser.parse_args()
    app = App(words.url, words.password)
    first, second, third = words.addresses
    leave(app, "delete-account", first, third)
    leave(app, "delete-user", second, third)
    unknown = raised(APIError, lambda: app.client().rpc("delete_auth_user").execute())
    check("rpc: without signing in it is refused", unknown is not None, unknown)
    (kept if words.kept else call)(app, third)


main()
