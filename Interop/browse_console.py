# SPDX-License-Identifier: Apache-2.0
"""Walks through the operators' console of a running server in a headless Chromium, and clicks what an operator clicks.

    python Interop/browse_console.py URL --now URL --provider PORT --hooks PORT --key FILE --marks FOLDER --pictures FOLDER
                                     TOKEN EMAIL...

URL         a server whose erasures can be taken back for seven days, and whose workers work
--now       a server beside it, where they begin at once
--provider  the port of this program's OpenID Connect provider, on localhost: another site than the console's
--hooks     the port on which it accepts events, after it has refused some permanently
--key       the file with the operators' token
--marks     `parked` is put there once an erasure waits for an operator; `mended` comes when its cause is gone
TOKEN       of a person whose erasure is blocked at present
EMAIL       people who request their erasure, and can withdraw it

Every check is one line; the first that fails ends the program with status 1.
"""

import argparse
import http.server
import pathlib
import threading
import time
import urllib.parse
import uuid

import httpx
from selenium.webdriver.common.by import By

import plain_http  # noqa: F401
from browser import PATIENCE, Browser, check, sign_up
from fakes.openid import Provider


class Hooks(http.server.BaseHTTPRequestHandler):
    """Takes events; `status` says how."""

    status, taken = 410, []

    def log_message(self, *_):
        pass

    def do_POST(self):
        Hooks.taken.append((Hooks.status, self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(Hooks.status)
        self.send_header("Content-Length", "0")
        self.end_headers()


def asked(url, token):
    """Requests a person's erasure; returns its number."""
    answer = httpx.post(f"{url}/v1/erasures", timeout=PATIENCE, headers={
        "Authorization": f"Bearer {token}", "Idempotency-Key": uuid.uuid4().hex})
    check("an erasure is asked for", answer.status_code == 202, answer.text)
    return answer.json()["id"]


def parked(url, key, number, marks):
    """Waits until an erasure is parked, has its cause removed, and returns its number."""
    end = time.monotonic() + PATIENCE
    state = None
    while state != "needs attention" and time.monotonic() < end:
        state = httpx.get(f"{url}/v1/erasures/{number}", headers={"Authorization": f"Bearer {key}"}, timeout=PATIENCE).json()["state"]
        time.sleep(0.1)
    check("an erasure that cannot go on is parked", state == "needs attention", state)
    (marks / "parked").touch()
    while not (marks / "mended").exists() and time.monotonic() < end:
        time.sleep(0.1)


def strangers(browser, url, mine):
    """For operators alone."""
    browser.look()
    browser.go(url + "/console")
    browser.until("operators sign in", lambda: browser.has("consoleSignIn"))
    browser.faultless("the console's sign-in")
    browser.picture("console-sign-in-light-desktop")
    for path in ["/console/plan.svg", "/console/runs/00000000-0000-4000-8000-000000000000"]:
        answer = httpx.get(url + path, timeout=PATIENCE)
        check(f"no stranger sees {path}", answer.status_code == 303 or "consoleSignIn" in answer.text)
    check("no stranger follows the console", httpx.get(url + "/console/events", timeout=PATIENCE).status_code == 403)
    browser.write("token", mine)
    browser.press("consoleEnter")
    browser.until("a person's token is none", lambda: browser.has("problem"))


def enter(browser, url, provider, person):
    """Signs in at the provider, whose page is of another site, and comes back."""
    provider.person = person
    browser.go(url + "/console")
    browser.press("openIDButton")
    browser.press("itsMe")
    browser.until("the runs come", lambda: browser.has("runs"))


def sees(browser, url):
    browser.faultless("the console")
    browser.picture("console-light-desktop")
    check("nothing of a person is shown", "@" not in browser.text())
    check("what needs an operator comes first", browser.steady(
        lambda: browser.find("needsHeading").location["y"] < browser.find("filter").location["y"]
        and "Parked" in browser.find("needs").text))
    browser.go(url + "/console/activity")
    browser.until("the activity comes", lambda: browser.has("paceHeading"))
    browser.faultless("the console's activity")
    for name in ["due", "pace"]:
        chart = f"#{name}Heading + .beside"
        check(f"the chart of {name} has a table beside it", browser.steady(
            lambda: browser.driver.find_element(By.CSS_SELECTOR, f"{chart} svg").get_attribute("aria-labelledby")
            == f"{name}Heading" and browser.driver.find_elements(By.CSS_SELECTOR, f"{chart} table#{name} tbody tr")))
        browser.driver.execute_script(f"window.scrollTo(0, document.querySelector('#{name}Heading').offsetTop)")
        browser.picture(f"console-{name}-light-desktop")
    check("thirty days are the scale",
          browser.steady(lambda: "30 days" in browser.driver.find_element(By.CSS_SELECTOR, "#live svg").text))
    browser.go(url + "/console/plan")
    browser.until("the plan comes", lambda: browser.has("plan"))
    browser.faultless("the console's plan")
    check("the plan is drawn", browser.driver.execute_script("return document.querySelector('#plan').naturalWidth") > 0)


def buttons(browser):
    return browser.steady(lambda: {
        button.get_attribute("id") or button.get_attribute("class").split()[-1]
        for button in browser.driver.find_elements(By.CSS_SELECTOR, "main button")})


def looks(browser, url, provider, stuck):
    """A read-only operator: everything is shown, and nothing can be pressed. The sign-in needs no script."""
    browser.scripts(False)
    enter(browser, url, provider, {"sub": "auditor", "roles": ["auditors"]})
    browser.scripts(True)
    browser.driver.refresh()
    check("the page says that the operator may only read", browser.steady(lambda: "(read only)" in browser.find("who").text))
    sees(browser, url)
    browser.go(url + "/console/delivery")
    browser.until("dead letters are shown", lambda: "410" in browser.find("letters").text)
    browser.faultless("the console's workers and events")
    browser.picture("console-delivery-light-desktop")
    browser.go(url + "/console/sessions")
    browser.until("the sessions come", lambda: browser.has("sessions"))
    browser.faultless("the console's sessions")
    check("a read-only operator has one button there", buttons(browser) == {"consoleLeave"}, buttons(browser))
    browser.go(url + "/console")
    browser.until("undelivered events need an operator", lambda: "Undelivered: crm" in browser.find("needs").text)
    check("a read-only operator has no buttons", buttons(browser) == {"filterButton", "consoleLeave"}, buttons(browser))
    browser.go(f"{url}/console/runs/{stuck}")
    browser.until("the run comes", lambda: browser.has("stepsHeading"))
    check("... nor on the page of a run", browser.has("cause") and not buttons(browser), buttons(browser))
    # The followed erasure may be newer than the page that follows it.
    cookies = {cookie["name"]: cookie["value"] for cookie in browser.driver.get_cookies()}
    seen = browser.steady(lambda: browser.find("live").get_attribute("data-seen"))
    check("the page tells what it shows", seen.lstrip("-").isdigit(), seen)
    older = {"params": {"run": stuck, "seen": str(int(seen) ^ 1)}, "cookies": cookies, "timeout": PATIENCE}
    with httpx.stream("GET", f"{url}/console/events", **older) as events:
        first = next((line for line in events.iter_lines() if line.startswith("event:")), "")
    check("a page that is older than what it begins to follow is told so", first == "event: changed", first)
    browser.faultless("a run that needs attention")
    browser.picture("console-look-run-light-desktop")
    browser.go(url + "/console")
    browser.press("consoleLeave")
    browser.until("out", lambda: browser.has("consoleSignIn"))


def releases(browser, url, stuck):
    browser.go(url + "/console?state=needs+attention")
    browser.look(1100, 800)
    check("the list shows its buttons whole in a smaller window", browser.steady(lambda: browser.driver.execute_script("""
        const buttons = [...document.querySelectorAll('#runs button')];
        return buttons.length > 0 && buttons.every(button =>
            button.getBoundingClientRect().right <= button.closest('.scroll').getBoundingClientRect().right);""")))
    browser.look()
    browser.go(f"{url}/console/runs/{stuck}")
    browser.press("release")
    browser.until("released, it goes on to its end and the page shows it untouched",
                  lambda: browser.find("runState").text == "done")
    check("nothing can be pressed on what is over", not buttons(browser), buttons(browser))


def holds(browser, url):
    """A change elsewhere is shown without a reload."""
    browser.go(url + "/console?state=grace")
    first = "#runs tbody td:nth-of-type(1)"
    states = browser.steady(lambda: {row.text for row in browser.driver.find_elements(By.CSS_SELECTOR, first)})
    check("only those in grace", states == {"grace"}, states)
    here = browser.driver.current_window_handle
    address = browser.steady(
        lambda: browser.driver.find_element(By.CSS_SELECTOR, "#runs tbody a").get_attribute("href"))
    browser.driver.switch_to.new_window("tab")
    browser.look()
    browser.go(address)
    check("a run without steps says so", browser.has("noSteps") and not browser.has("timeline"))
    browser.write("reason", "A court has asked <b>us</b> to wait.")
    browser.press("hold")
    browser.until("it is held", lambda: browser.has("holdReason"))
    check("with its reason", browser.steady(lambda: browser.find("holdReason").text) == "A court has asked <b>us</b> to wait.")
    browser.faultless("a run")
    browser.picture("console-run-light-desktop")
    browser.driver.switch_to.window(here)
    browser.until("the list that was open shows it", lambda: "held" in browser.find("runs").text)
    browser.driver.switch_to.window(browser.driver.window_handles[-1])
    browser.press("endHold")
    browser.until("it goes on", lambda: browser.has("hold"))
    browser.write("reason", "half a sen")
    before = browser.told()
    browser.driver.execute_script("""
        const form = document.querySelector('#reason').form;
        fetch(form.action, {method: 'POST', body: new URLSearchParams(new FormData(form))});""")
    browser.until("the page receives it while a user writes", lambda: browser.told() > before)
    check("what they write stays", browser.find("reason").get_attribute("value") == "half a sen")
    browser.driver.execute_script("document.activeElement.blur()")
    browser.until("and once they are done they see it", lambda: browser.has("holdReason"))
    browser.press("endHold")
    browser.until("it goes on again", lambda: browser.has("hold"))
    browser.driver.close()
    browser.driver.switch_to.window(here)
    browser.until("and that as well", lambda: "held" not in browser.find("runs").text)
    needing = "#state option[value='needs attention']"
    browser.steady(lambda: browser.driver.find_element(By.CSS_SELECTOR, needing).click())
    browser.press("filterButton")
    browser.until("the filter is in the address", lambda: "state=needs" in browser.driver.current_url)
    browser.go(url + "/console?find=zzz")
    browser.until("nothing is found", lambda: browser.has("noRuns"))


def redelivers(browser, url):
    browser.go(url + "/console/delivery")
    refused = sum(1 for status, _ in Hooks.taken if status == 410)
    Hooks.status = 204
    browser.steady(lambda: browser.driver.find_element(By.CSS_SELECTOR, "button.redeliver").click())
    browser.until("delivered again, no letter is dead", lambda: browser.find("letters").text.startswith("None"))
    browser.until("every event has arrived", lambda: sum(1 for status, _ in Hooks.taken if status == 204) >= refused)


def on_a_phone(browser, url):
    browser.look(390, 844, "dark")
    browser.go(url + "/console")
    browser.faultless("the console, dark, on a phone")
    browser.picture("console-dark-phone")
    widths = browser.driver.execute_script(
        "return [...document.querySelectorAll('#runs .word')].map(cell => cell.getClientRects()[0].width)")
    check("states stand on one line", widths and min(widths) > 40, widths)
    reach = browser.driver.execute_script("""
        return Math.max(...[...document.querySelectorAll('#runs .word:nth-of-type(1)')].map(c => c.getBoundingClientRect().right));""")
    check("and are seen without moving the table", reach <= 390, reach)
    browser.look(360, 740, "dark")
    for page in ["activity", "delivery", "sessions", "plan"]:
        browser.go(f"{url}/console/{page}")
        browser.fits(f"the console's {page} on a phone")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    for name in ["now", "provider", "hooks", "key", "marks", "pictures"]:
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("token")
    parser.add_argument("emails", nargs="+")
    given = parser.parse_args()
    pathlib.Path(given.pictures).mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    hooks = http.server.ThreadingHTTPServer(("127.0.0.1", int(given.hooks)), Hooks)
    threading.Thread(target=hooks.serve_forever, daemon=True).start()
    provider = Provider(given.provider, host="localhost")
    provider.asks = True
    key = pathlib.Path(given.key).read_text().strip()
    people = [sign_up(given.url, email, "Phone") for email in given.emails]
    for token in people:
        asked(given.url, token)
    stuck = asked(given.now, given.token)
    parked(given.url, key, stuck, pathlib.Path(given.marks))
    with Browser(given.pictures) as browser:
        strangers(browser, given.url, people[0])
        looks(browser, given.url, provider, stuck)
        enter(browser, given.url, provider, {"sub": "operator", "email": "olga@example.org", "roles": ["erasures"]})
        releases(browser, given.url, stuck)
        holds(browser, given.url)
        redelivers(browser, given.url)
        on_a_phone(browser, given.url)
        browser.press("consoleLeave")
        browser.until("out", lambda: browser.has("consoleSignIn"))
        browser.look()
        browser.write("token", key)
        browser.press("consoleEnter")
        browser.until("the operators' token opens it as well", lambda: browser.has("runs"))
        browser.quiet({urllib.parse.urlsplit(url).netloc for url in (given.url, provider.issuer)})
    print(f"took  {time.monotonic() - begin:.1f} s")


main()
