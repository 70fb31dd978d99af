# SPDX-License-Identifier: Apache-2.0
"""Signs operators in at the console of a running Farewell server by OpenID Connect, as they should and as they should not.

    python Interop/sign_in_operators.py secret FILE      writes the client's secret
    python Interop/sign_in_operators.py run URL PORT     is the provider on PORT (the server's console.issuer), and signs in

Every check is one line; the first that fails ends the program with status 1.
"""

import os
import re
import sys
import time
import urllib.parse

import httpx
from cryptography.hazmat.primitives.asymmetric import rsa

import plain_http  # noqa: F401
from fakes.openid import CLIENT, SECRET, Provider

REFUSED = "You were not signed in"


def check(name, holds, what=None):
    print(("ok    " if holds else "WRONG ") + name, flush=True)
    if not holds:
        print(f"      {what!r}")
        sys.exit(1)


class Browser(httpx.Client):
    """A browser of an operator's, step by step."""

    def __init__(self, url):
        super().__init__(base_url=url, timeout=120)

    def ask(self):
        self.get("/console")
        return self.get("/console/openid")

    def leave(self):
        """To the provider and back: the query of its answer."""
        asked = self.ask()
        check_quietly(asked.status_code == 303, asked.text)
        back = httpx.get(asked.headers["location"], timeout=120).headers["location"]
        return urllib.parse.urlsplit(back)

    def onward(self, back):
        """The page after the provider's answer, fetched without a cookie, as browsers do; the request that follows."""
        page = httpx.get(f"{self.base_url}".rstrip("/") + back.path + "?" + back.query, timeout=120,
                         headers={"Sec-Fetch-Site": "cross-site"})
        check_quietly(page.status_code == 200 and "set-cookie" not in page.headers, page.text)
        address = re.search(r'http-equiv="refresh" content="0;url=([^"]+)"', page.text).group(1)
        return address.replace("&amp;", "&")

    def signed_in(self):
        return self.get(self.onward(self.leave()))

    def sees(self):
        return "consoleSignIn" not in self.get("/console").text


def check_quietly(holds, what):
    if not holds:
        check("a step on the way", False, what)


def refused(name, url, provider, status=403, words=REFUSED, **changes):
    with Browser(url) as browser:
        for member, value in changes.items():
            setattr(provider, member, value)
        answer = browser.signed_in()
        check(f"{name} is refused", answer.status_code == status and words in answer.text
              and "farewell-console" not in str(answer.headers) and not browser.sees(), answer.text)
        provider.twist, provider.signer, provider.key = {}, None, "rsa-1"


def run(url, port):
    provider = Provider(port)
    with Browser(url) as browser:
        check("the console offers it", "/console/openid" in browser.get("/console").text)
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(browser.ask().headers["location"]).query))
        check("asked with state, nonce, S256 and where to come back",
              asked["client_id"] == CLIENT and asked["scope"] == "openid groups" and len(asked["nonce"]) >= 43
              and len(asked["code_challenge"]) == 43 and asked["redirect_uri"].endswith("/console/openid/answer")
              and asked["nonce"] not in asked["state"], asked)
        back = browser.leave()
        onward = browser.onward(back)
        answer = browser.get(onward)
        check("an operator signs in", answer.status_code == 303 and answer.headers["location"] == "/console" and browser.sees(),
              answer.text)
        page = browser.get("/console").text
        name = re.search(r'id="who">Signed in as operator <code>([0-9a-f]{16})</code>', page)
        check("... under a name that is no address", name and "olga" not in page and "operator-1" not in page, page)
        tokens = provider.tokens
        again = browser.get(onward)
        check("a state that was used is refused", again.status_code == 403 and "already used" in again.text
              and provider.tokens == tokens and provider.spent == 0, again.text)
        fresh = browser.leave()
        spent = dict(urllib.parse.parse_qsl(fresh.query)) | {"code": dict(urllib.parse.parse_qsl(back.query))["code"]}
        answer = browser.get("/console/openid/check?" + urllib.parse.urlencode(spent))
        check("a code that was used is refused", answer.status_code == 403 and provider.spent == 1, answer.text)

    with Browser(url) as browser, Browser(url) as other:
        other.ask()
        mine = browser.onward(browser.leave())
        check("Item 31: an answer for another browser is refused",
              other.get(mine).status_code == 403 and not other.sees())
        bare = httpx.get(url + mine, timeout=120)
        check("... and one without a browser", bare.status_code == 403 and "farewell-console" not in str(bare.headers))
        for name, changed in [("no state", ""), ("another state", "console.9999999999.x.y"), ("a state for people", "account.1.x.y")]:
            query = urllib.parse.urlencode({"code": "x", "state": changed})
            check(f"{name} is refused", browser.get("/console/openid/check?" + query).status_code == 403)
        state = dict(urllib.parse.parse_qsl(browser.leave().query))["state"]
        denied = browser.get("/console/openid/check?" + urllib.parse.urlencode({"state": state}))
        check("who changed their mind at the provider is told so", denied.status_code == 403 and REFUSED in denied.text)
        check("... and is still good to sign in", browser.signed_in().status_code == 303 and browser.sees())
        nasty = httpx.get(url + "/console/openid/answer?state=%22%3E%3Cscript%3E&code=%0d%0aX", timeout=120)
        check("an answer is shown as text", "<script>" not in nasty.text.replace('<script src="/account/script.js" defer>', ""))

    now = int(time.time())
    other_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    refused("a wrong nonce", url, provider, twist={"nonce": "0" * 43})
    refused("no nonce", url, provider, twist={"nonce": None})
    refused("another audience", url, provider, twist={"aud": "somebody-else"})
    refused("an audience of several, for another party", url, provider, twist={"aud": [CLIENT, "b"], "azp": "b"})
    refused("another issuer", url, provider, twist={"iss": "https://evil.example"})
    refused("an expired token", url, provider, twist={"iat": now - 7200, "exp": now - 3600})
    refused("a token without an end", url, provider, twist={"exp": None})
    refused("a token of another issuer", url, provider, signer=other_key)
    person = provider.person
    for name, roles in [("no role", None), ("a role of something else", ["billing"]), ("a role in another shape", {"erasures": True})]:
        refused(name, url, provider, words="have no role", person={**person, "roles": roles})
    provider.person = person
    provider.key = "ec-1"
    with Browser(url) as browser:
        check("a provider that signs by ES256 is understood", browser.signed_in().status_code == 303 and browser.sees())
    provider.key = "rsa-1"

    provider.person = {"sub": "auditor-1", "roles": "auditors"}
    with Browser(url) as browser:
        browser.signed_in()
        page = browser.get("/console").text
        check("who may look sees everything", 'id="counts"' in page and "(read only)" in page, page)
        check("... and no button but the way out",
              set(re.findall(r'<form method="post" action="([^"]+)"', page)) == {"/console/sign-out"}, page)
        token = re.search(r'name="form" value="([^"]+)"', page).group(1)
        for path in ["hold", "end-hold", "release", "redeliver"]:
            form = {"form": token, "id": "00000000-0000-4000-8000-000000000000", "reason": "x", "endpoint": "x"}
            answer = browser.post(f"/console/{path}", data=form, headers={"Sec-Fetch-Site": "same-origin"})
            check(f"... and {path} is refused", answer.status_code == 403 and "change nothing" in answer.text, answer.text)
    provider.person = person
    with Browser(url) as browser:
        back = browser.leave()
        provider.stop()
        answer = browser.get(browser.onward(back))
        check("a provider that is down gives one clear page",
              answer.status_code == 503 and "cannot be reached" in answer.text and 'id="consoleSignIn"' in answer.text, answer.text)


def never(url, port):
    """A server whose provider is absent at first, then has a bad description, then a good one."""
    with Browser(url) as browser:
        answer = browser.ask()
        check("a provider that is not there gives one clear page",
              answer.status_code == 503 and "cannot be reached" in answer.text and 'id="token"' in answer.text, answer.text)
    provider = Provider(port)
    for name, description in [
        ("of another name", {"issuer": "https://evil.example"}), ("without a token endpoint", {"token_endpoint": None}),
        ("with an endpoint elsewhere in the clear", {"token_endpoint": "http://evil.example/token"}),
        ("that knows no code", {"response_types_supported": ["token"]}),
        ("that knows no S256", {"code_challenge_methods_supported": ["plain"]}),
        ("that signs by a shared secret alone", {"id_token_signing_alg_values_supported": ["HS256", "none"]}),
    ]:
        provider.description = description
        with Browser(url) as browser:
            check(f"a provider {name} is not used", browser.ask().status_code == 503)
    provider.description = {}
    with Browser(url) as browser:
        check("and one that has come to its senses is", browser.signed_in().status_code == 303 and browser.sees())


def main():
    what, *rest = sys.argv[1:]
    if what == "secret":
        with open(rest[0], "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            file.write(SECRET + "\n")
    elif what == "never":
        never(*rest)
    else:
        run(*rest)


if __name__ == "__main__":
    main()
