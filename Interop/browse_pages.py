# SPDX-License-Identifier: Apache-2.0
"""Walks through the account pages of running servers in a headless Chromium, as people do.

    python Interop/browse_pages.py URL --grace URL --key FILE --mailbox FOLDER --marks FOLDER --pictures FOLDER EMAIL...

URL         a server whose erasures wait until the mark `asked` is in the folder of marks, where a worker is started then
--grace     a server beside it, where a request can be taken back for seven days
--key       the file with the operators' token
--mailbox   where the servers' mails arrive, a file each
--pictures  where screenshots are left
--brief     only sessions, and a deletion without a script, on one server that works by itself
EMAIL       people of the app who may be erased; at least seven (two for --brief), all with the password below

Every check is one line; the first that fails ends the program with status 1.
"""

import argparse
import importlib.resources
import json
import pathlib
import re
import sys
import time
import urllib.parse

import httpx
from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

PASSWORD = "correct horse battery staple"
PATIENCE = 120
AXE = importlib.resources.files("axe_core_python").joinpath("axe.min.js").read_text()
# A page that is just being replaced by the next: to be looked at again.
CHANGING = (NoSuchElementException, StaleElementReferenceException)
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def check(name, holds, what=None):
    print(("ok    " if holds else "WRONG ") + name, flush=True)
    if not holds:
        if what is not None:
            print(f"      {what!r}")
        sys.exit(1)


class Browser:
    """One Chromium, with and without scripts, large and small, light and dark."""

    def __init__(self, pictures):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en",
                         "--disable-background-networking", "--disable-component-update", "--no-first-run"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        service = webdriver.ChromeService(executable_path="/usr/bin/chromedriver")
        self.driver = webdriver.Chrome(options=options, service=service)
        self.driver.set_page_load_timeout(PATIENCE)
        self.pictures = pathlib.Path(pictures)
        self.hosts, self.sizes = set(), {}

    def look(self, width=1280, height=900, scheme="light", language=None):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
        self.driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
        if language:
            agent = self.driver.execute_script("return navigator.userAgent")
            self.driver.execute_cdp_cmd(
                "Emulation.setUserAgentOverride", {"userAgent": agent, "acceptLanguage": language})

    def scripts(self, run):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not run})

    def forget(self):
        self.driver.execute_cdp_cmd("Network.clearBrowserCookies", {})

    def go(self, url):
        self.driver.get(url)

    def find(self, identifier):
        return WebDriverWait(self.driver, PATIENCE).until(lambda d: d.find_element(By.ID, identifier))

    def has(self, identifier):
        return bool(self.driver.find_elements(By.ID, identifier))

    def until(self, what, holds):
        try:
            WebDriverWait(self.driver, PATIENCE, ignored_exceptions=CHANGING).until(lambda _: holds())
        except Exception:  # noqa: BLE001  whatever happened, it did not come to be
            self.picture("failed")
            check(what, False, (self.driver.current_url, self.text()[:800]))

    def heading(self, text):
        self.until(f"the page «{text}» comes", lambda: self.title() == text)

    def title(self):
        try:
            return self.driver.find_element(By.TAG_NAME, "h1").text
        except CHANGING:
            return ""

    def text(self):
        return self.driver.find_element(By.TAG_NAME, "body").text

    def path(self):
        return urllib.parse.urlsplit(self.driver.current_url).path

    def press(self, identifier):
        self.find(identifier).click()

    def write(self, identifier, text):
        field = self.find(identifier)
        field.clear()
        field.send_keys(text)

    def picture(self, name):
        self.driver.save_screenshot(str(self.pictures / f"{name}.png"))

    def sign_in(self, email, password=PASSWORD):
        self.write("email", email)
        self.write("password", password)
        self.press("signInButton")

    def cookie(self, name):
        return next((c for c in self.driver.get_cookies() if c["name"] == name), None)

    def faultless(self, name):
        """No serious finding of axe, nothing wider than the window."""
        self.driver.execute_script(AXE)
        found = self.driver.execute_async_script(
            "const done = arguments[1]; axe.run(document, {runOnly: arguments[0]}).then(done);", TAGS)
        serious = [f"{v['id']}: {[n['html'][:160] for n in v['nodes']]}" for v in found["violations"]
                   if v["impact"] in ("serious", "critical")]
        check(f"axe finds nothing serious on {name} ({len(found['passes'])} rules passed)", not serious, serious)
        wide = self.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
        check(f"{name} fits its window", wide <= 0, wide)

    def traffic(self):
        """Notes which hosts were asked, and how many bytes came."""
        for entry in self.driver.get_log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if url.startswith("http"):
                    self.hosts.add(urllib.parse.urlsplit(url).netloc)
                    self.sizes.setdefault(message["params"]["requestId"], 0)
            elif message["method"] == "Network.loadingFinished":
                if message["params"]["requestId"] in self.sizes:
                    self.sizes[message["params"]["requestId"]] = message["params"]["encodedDataLength"]
        total, self.sizes = sum(self.sizes.values()), {}
        return total


def sign_up(url, email, device):
    answer = httpx.post(
        f"{url}/auth/v1/token?grant_type=password", json={"email": email, "password": PASSWORD}, timeout=PATIENCE,
        headers={"X-Farewell-Device": device, "X-Farewell-Platform": "iOS 19.1"})
    return answer.json()["access_token"]


def accepted(url, token):
    return httpx.get(
        f"{url}/auth/v1/user", headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE).status_code == 200


def session_pages(browser, url, email):
    """SO-1 SO-2 SO-3 SO-11 SE-8 AD-1: what stands on the page of an account, and what its controls do."""
    nasty = "<img src=x onerror=alert(1)>"
    phone, tablet = sign_up(url, email, nasty), sign_up(url, email, "Tablet")
    browser.look()
    browser.traffic()
    browser.go(url + "/account")
    browser.heading("Sign in to your account")
    browser.faultless("the sign-in page")
    browser.picture("sign-in-light-desktop")
    browser.sign_in(email, "not the password")
    browser.until("a refusal is told", lambda: browser.has("problem"))
    check("what is told is where the reader is",
          browser.driver.switch_to.active_element.get_attribute("id") == "problem")
    browser.faultless("the refused sign-in")
    browser.sign_in(email)
    browser.heading("Account")
    browser.faultless("the account page")
    browser.picture("account-light-desktop")
    total = browser.traffic()
    check(f"four pages with style and script together stay below 100 KB ({total} bytes)", total < 100_000)
    check("SE-8 a device's name is text and nothing else",
          nasty in browser.text() and not browser.driver.find_elements(By.CSS_SELECTOR, "img"))
    check("SE-8 this session is marked, and has no button to end it",
          len(browser.driver.find_elements(By.CSS_SELECTOR, "#sessions .badge")) == 1)
    logout, delete = browser.find("logoutButton"), browser.find("deleteAccountButton")
    check("SO-1 the control is logoutButton, «Log Out», destructive",
          logout.text == "Log Out" and "destructive" in logout.get_attribute("class"))
    check("AD-1 the row «Delete Account» below it: name, hint, symbol and chevron",
          delete.text == "Delete Account" and delete.accessible_name == "Delete account"
          and browser.find("deleteHint").text == "Permanently deletes your account and all data"
          and delete.get_attribute("aria-describedby") == "deleteHint"
          and len(delete.find_elements(By.TAG_NAME, "svg")) == 2 and delete.location["y"] > logout.location["y"])
    browser.driver.find_element(By.CSS_SELECTOR, "#sessions button[aria-label='End the session: Tablet']").click()
    browser.until("the end of a session is told", lambda: browser.has("note"))
    check("SE-8 one session ends, the others live", not accepted(url, tablet) and accepted(url, phone))
    browser.press("logoutButton")
    browser.heading("Log out of your account?")
    check("SO-2 asked first", "You can log back in anytime." in browser.text())
    browser.faultless("the question of signing out")
    browser.press("cancelButton")
    browser.heading("Account")
    check("SO-3 cancel leaves no trace", not browser.has("note"))
    browser.press("othersButton")
    browser.press("confirmLogout")
    browser.until("all others are out", lambda: browser.has("note"))
    check("SO-5 others are out, this one is not", not accepted(url, phone) and browser.title() == "Account")
    session = browser.cookie("farewell-session")
    check("the cookie of the session: for no script, no other site",
          session["httpOnly"] and session["sameSite"] == "Strict" and session["path"] == "/", session)
    browser.driver.switch_to.new_window("tab")
    browser.go(url + "/account")
    browser.press("logoutButton")
    browser.press("confirmLogout")
    browser.until("signed out", lambda: browser.has("note"))
    check("SO-11 «You have been logged out», told as a status",
          browser.find("note").text == "You have been logged out"
          and browser.find("note").get_attribute("role") == "status")
    check("a signed-out token is dead", not accepted(url, session["value"]))
    browser.driver.back()
    browser.until("going back shows nothing of the account", lambda: browser.has("signInForm"))
    browser.driver.close()
    browser.driver.switch_to.window(browser.driver.window_handles[0])
    browser.driver.find_element(By.ID, "everywhereButton").click()
    browser.until("a tab that was left open finds itself signed out", lambda: browser.has("signInForm"))


def delete_with_scripts(browser, url, email, marks):
    """AD-1 … AD-6 with a double click, a refresh, two tabs and going back, while the work waits and then goes on."""
    browser.forget()
    browser.look()
    browser.go(url + "/account/delete")
    browser.heading("Delete Account")
    check("BX-9 the page explains itself without the app", "without the app" in browser.text())
    browser.faultless("the way in to deletion")
    browser.sign_in(email)
    browser.until("what goes is shown", lambda: browser.has("confirmDelete"))
    message = "This will permanently remove your account, conversations, and everything I know about you. " \
        "This can't be undone."
    check("AD-2 the words before it", browser.find("deleteMessage").text == message)
    check("BX-2 what goes is counted", re.search(r"Messages \d+", browser.find("going").text), browser.text())
    browser.faultless("what goes and what stays")
    browser.picture("delete-light-desktop")
    browser.press("cancelButton")
    browser.heading("Account")
    browser.driver.back()
    browser.until("back again", lambda: browser.has("confirmDelete"))
    browser.driver.execute_script("""
        window.shown = new Promise(shown => new MutationObserver(() => shown(document.querySelector('#overlay').open))
            .observe(document.querySelector('#overlay'), {attributes: true}));
        document.querySelector('#deleteForm').addEventListener('submit', event => {
            sessionStorage.setItem('overlay', document.querySelector('#overlay').innerText + '|'
                + document.querySelector('#overlay').getAttribute('aria-label') + '|'
                + document.querySelector('#overlay').open); });""")
    ActionChains(browser.driver).double_click(browser.find("confirmDelete")).perform()
    browser.heading("Removing your account...")
    overlay = browser.driver.execute_script("return sessionStorage.getItem('overlay')")
    check("AD-4 the overlay shuts everything else off while the answer is awaited",
          overlay == "Removing your account...|Removing your account|true", overlay)
    browser.faultless("the progress page")
    browser.picture("progress-light-desktop")
    browser.driver.refresh()
    browser.heading("Removing your account...")
    browser.driver.switch_to.new_window("tab")
    browser.go(url + "/account/delete")
    browser.heading("Removing your account...")
    check("SV-9 another tab finds the same, and nobody is asked to sign in", browser.path() == "/account/delete/progress")
    browser.driver.close()
    browser.driver.switch_to.window(browser.driver.window_handles[0])
    check("AD-4 it follows without being touched", not browser.driver.find_elements(By.ID, "receiptLink"))
    (pathlib.Path(marks) / "asked").touch()
    browser.heading("Your account has been removed.")
    browser.faultless("the end")
    browser.picture("done-light-desktop")
    receipts(browser, url)
    browser.driver.back()
    check("going back does not ask for it once more", not browser.has("confirmDelete") or browser.has("signInForm"))
    browser.go(url + "/account/delete")
    browser.press("finishButton")
    browser.heading("Sign in to your account")
    check("the browser keeps nothing of it",
          not any(browser.cookie(f"farewell-{name}") for name in ["session", "ticket"]))
    browser.sign_in(email)
    browser.until("nobody signs in any more", lambda: browser.has("problem"))


def receipts(browser, url):
    ticket = browser.cookie("farewell-ticket")["value"]
    jar = {"farewell-ticket": ticket}
    signed = httpx.get(f"{url}/account/delete/receipt.jws", cookies=jar, timeout=PATIENCE)
    readable = httpx.get(f"{url}/account/delete/receipt", cookies=jar, timeout=PATIENCE)
    check("the receipt comes signed, and to read", signed.text.count(".") == 2 and "Receipt of erasure" in readable.text
          and all("attachment" in a.headers["content-disposition"] for a in (signed, readable)))
    other = httpx.get(f"{url}/account/delete/receipt.jws", timeout=PATIENCE)
    check("without the ticket there is none", other.status_code == 303)


def delete_without_scripts(browser, url, email):
    """The same on a phone, in the dark, without a script."""
    browser.forget()
    browser.scripts(False)
    browser.look(390, 844, "dark")
    browser.go(url + "/account/delete")
    browser.picture("prove-dark-phone")
    browser.sign_in(email)
    browser.until("what goes is shown", lambda: browser.has("confirmDelete"))
    browser.picture("delete-dark-phone")
    browser.press("confirmDelete")
    end = time.monotonic() + PATIENCE
    while browser.title() != "Your account has been removed." and time.monotonic() < end:
        if browser.title() == "Removing your account..." and browser.has("lookAgain"):
            try:
                browser.press("lookAgain")
            except CHANGING:
                continue
    browser.heading("Your account has been removed.")
    browser.picture("done-dark-phone")
    browser.scripts(True)
    browser.driver.refresh()
    browser.faultless("the end, dark, on a phone")


def delete_by_keyboard(browser, url, email):
    """From the first page to the receipt with Tab and Enter alone."""
    browser.forget()
    browser.look(1280, 900)
    browser.go(url + "/account/delete")
    browser.heading("Delete Account")

    def tab_to(identifier):
        for _ in range(40):
            active = browser.driver.switch_to.active_element
            if active.get_attribute("id") == identifier:
                width = active.value_of_css_property("outline-width")
                check(f"the focus on {identifier} is seen", width != "0px", width)
                return active
            active.send_keys(Keys.TAB)
        check(f"{identifier} is reached by keyboard", False)

    browser.driver.find_element(By.TAG_NAME, "body").send_keys(Keys.TAB)
    check("the first stop skips to the content", "skip" in browser.driver.switch_to.active_element.get_attribute("class"))
    tab_to("email").send_keys(email)
    tab_to("password").send_keys(PASSWORD, Keys.ENTER)
    browser.until("what goes is shown", lambda: browser.has("confirmDelete"))
    tab_to("confirmDelete").send_keys(Keys.ENTER)
    browser.heading("Your account has been removed.")
    tab_to("receiptLink")


def delete_by_code(browser, url, email, mailbox):
    """BX-9 with nothing but an e-mail address; what is said is the same for people who are not there."""
    browser.forget()
    pages = []
    for address in ["nobody-at-all@example.org", email]:
        browser.go(url + "/account/delete")
        browser.write("codeEmail", address)
        browser.press("codeButton")
        browser.heading("Enter your code")
        source = browser.driver.page_source.replace(address, "")
        pages.append(re.sub(r'value="[^"]*"', "", source))
    check("Item 33: the page after asking for a code tells nothing", pages[0] == pages[1])
    browser.faultless("the page for the code")
    browser.picture("code-light-desktop")
    browser.write("code", "000000")
    browser.press("checkButton")
    browser.until("a wrong code is refused", lambda: browser.has("problem"))

    def code():
        for file in pathlib.Path(mailbox).iterdir():
            text = file.read_text()
            if email in text and (found := re.search(r"^ +(\d{6})$", text, re.MULTILINE)):
                return found.group(1)
        return None

    browser.until("the mail arrives", lambda: code() is not None)
    browser.write("code", code())
    browser.press("checkButton")
    browser.until("what goes is shown", lambda: browser.has("confirmDelete"))
    browser.press("confirmDelete")
    browser.heading("Your account has been removed.")


def session_ended_meanwhile(browser, url, email):
    browser.forget()
    browser.go(url + "/account/delete")
    browser.sign_in(email)
    browser.until("what goes is shown", lambda: browser.has("confirmDelete"))
    token = browser.cookie("farewell-session")["value"]
    httpx.post(f"{url}/auth/v1/logout", headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE)
    browser.press("confirmDelete")
    browser.until("who was signed out elsewhere is asked to sign in", lambda: browser.has("signInForm"))
    check("and is told why", browser.find("note").text == "You are no longer signed in. Please sign in again.")
    browser.sign_in(email)
    browser.until("and is where they were", lambda: browser.has("confirmDelete"))


def grace(browser, url, email):
    """SV-7: taken back in time."""
    browser.forget()
    browser.go(url + "/account/delete")
    browser.sign_in(email)
    browser.until("what goes is shown", lambda: browser.has("confirmDelete"))
    check("the days are told", "You can change your mind for 7 days." in browser.text())
    browser.press("confirmDelete")
    browser.heading("Your account will be deleted")
    browser.faultless("the page in grace")
    browser.picture("grace-light-desktop")


def taken_back(browser):
    browser.press("undoButton")
    browser.heading("Account")
    check("SV-7 taken back", browser.find("note").text == "Your account stays. Nothing was deleted.")


def languages(browser, url):
    """Each language has its words, and Arabic runs from right to left."""
    browser.forget()
    for tag, heading, direction in [("de", "Konto löschen", "ltr"), ("es", "Eliminar cuenta", "ltr"),
                                    ("ja", "アカウントを削除", "ltr"), ("ar", "حذف الحساب", "rtl")]:
        browser.look(390, 844, "light", tag)
        browser.go(url + "/account/delete")
        browser.heading(heading)
        root = browser.driver.find_element(By.TAG_NAME, "html")
        check(f"{tag} is named and runs {direction}",
              root.get_attribute("lang") == tag and root.get_attribute("dir") == direction)
        browser.faultless(f"the page in {tag}")
        browser.picture(f"language-{tag}-phone")
    browser.look(1280, 900, "light", "en")


def console(browser, url, key, mine):
    """BX-9 the operator's console: for operators alone, every erasure, held and let go."""
    browser.forget()
    browser.look(1280, 900)
    browser.go(url + "/console")
    browser.until("operators sign in", lambda: browser.has("consoleSignIn"))
    browser.faultless("the console's sign-in")
    for path in ["/console/plan.svg", "/console/runs/00000000-0000-4000-8000-000000000000"]:
        answer = httpx.get(url + path, timeout=PATIENCE)
        check(f"nobody else sees {path}", answer.status_code == 303 or "consoleSignIn" in answer.text)
    browser.write("token", mine)
    browser.press("consoleEnter")
    browser.until("a person's token is none", lambda: browser.has("problem"))
    browser.write("token", key)
    browser.press("consoleEnter")
    browser.until("the runs come", lambda: browser.has("runs"))
    browser.faultless("the console")
    browser.picture("console-light-desktop")
    browser.driver.execute_script("window.scrollTo(0, document.querySelector('#dueHeading').offsetTop)")
    browser.picture("console-due-light-desktop")
    check("nothing of a person is shown", "@" not in browser.text())
    for name in ["due", "pace"]:
        chart = browser.driver.find_element(By.CSS_SELECTOR, f"#{name}Heading + .beside")
        check(f"the chart of {name} has a table beside it",
              chart.find_element(By.TAG_NAME, "svg").get_attribute("aria-labelledby") == f"{name}Heading"
              and chart.find_elements(By.CSS_SELECTOR, f"table#{name} tbody tr"))
    check("thirty days are the scale", "30 days" in browser.driver.find_element(By.CSS_SELECTOR, "#live svg").text)
    browser.driver.execute_script("window.scrollTo(0, document.querySelector('#paceHeading').offsetTop)")
    browser.picture("console-pace-light-desktop")
    live(browser, url)
    check("the plan is drawn", browser.driver.execute_script("return document.querySelector('#plan').naturalWidth") > 0)
    browser.driver.find_element(By.CSS_SELECTOR, "#state option[value=grace]").click()
    browser.press("filterButton")
    browser.until("the filter is in the address", lambda: "state=grace" in browser.driver.current_url)
    states = {row.text for row in browser.driver.find_elements(By.CSS_SELECTOR, "#runs tbody td:nth-of-type(1)")}
    check("only those in grace", states == {"grace"}, states)
    browser.driver.find_element(By.CSS_SELECTOR, "#runs a").click()
    browser.write("reason", "A court has asked <b>us</b> to wait.")
    browser.press("hold")
    browser.until("it is held", lambda: browser.has("holdReason"))
    check("with its reason", browser.find("holdReason").text == "A court has asked <b>us</b> to wait.")
    browser.faultless("a run")
    browser.picture("console-run-light-desktop")
    browser.press("endHold")
    browser.until("it goes on", lambda: browser.has("hold"))
    browser.go(url + "/console?find=zzz")
    browser.until("nothing is found", lambda: browser.has("noRuns"))
    browser.look(390, 844, "dark")
    browser.go(url + "/console")
    browser.faultless("the console, dark, on a phone")
    browser.picture("console-dark-phone")
    browser.press("consoleLeave")
    browser.until("out", lambda: browser.has("consoleSignIn"))


def live(browser, url):
    """What changes elsewhere is shown without being touched, and what is not there is not promised."""
    browser.go(url + "/console")
    browser.until("the runs come again", lambda: browser.has("runs"))
    row = browser.driver.find_element(By.CSS_SELECTOR, "#due tbody a")
    here, address = browser.driver.current_window_handle, row.get_attribute("href")
    browser.driver.switch_to.new_window("tab")
    browser.go(address)
    browser.write("reason", "Seen elsewhere")
    browser.press("hold")
    browser.until("it is held", lambda: browser.has("holdReason"))
    browser.driver.switch_to.window(here)
    browser.until("the list that was open shows it", lambda: "held" in browser.find("runs").text)
    browser.driver.switch_to.window(browser.driver.window_handles[-1])
    browser.press("endHold")
    browser.until("it goes on", lambda: browser.has("hold"))
    browser.driver.close()
    browser.driver.switch_to.window(here)
    browser.until("and that as well", lambda: "held" not in browser.find("runs").text)
    refused = httpx.get(url + "/console/events", timeout=PATIENCE)
    check("nobody else follows the console", refused.status_code == 403)


def offline(browser, url):
    """No connection: it is told at once, nothing is sent, and all goes on when it is back."""
    browser.forget()
    browser.go(url + "/account")
    browser.heading("Sign in to your account")
    conditions = {"offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.driver.execute_cdp_cmd("Network.enable", {})
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", conditions)
    browser.until("AD-6 the banner tells", lambda: browser.find("offline").is_displayed())
    check("AD-6 in its words",
          browser.find("offline").text == "I couldn't reach the server. Please try again when you're online.")
    browser.write("email", "somebody@example.org")
    browser.write("password", PASSWORD)
    browser.press("signInButton")
    check("nothing is sent, nothing is lost",
          browser.title() == "Sign in to your account" and browser.find("email").get_attribute("value"))
    browser.picture("offline-light-desktop")
    browser.driver.execute_cdp_cmd("Network.emulateNetworkConditions", {**conditions, "offline": False})
    browser.until("and goes when it is back", lambda: not browser.find("offline").is_displayed())
    browser.press("signInButton")
    browser.until("the same form can be sent then", lambda: browser.has("problem"))


def hostile(url, email):
    """Items 30, 31, 32, 35: forms from elsewhere, frames, forged fields, redirects."""
    with httpx.Client(base_url=url, timeout=PATIENCE) as client:
        page = client.get("/account")
        token = re.search(r'name="form" value="([^"]+)"', page.text).group(1)
        form = {"form": token, "next": "https://evil.example/", "email": email, "password": PASSWORD}
        here = {"Sec-Fetch-Site": "same-origin"}
        for name, data, fields in [
            ("a form of another site", form, {"Sec-Fetch-Site": "cross-site"}),
            ("a form of a neighbouring site", form, {"Sec-Fetch-Site": "same-site"}),
            ("a form of another origin", form, {"Origin": "https://evil.example"}),
            ("a form that names no origin", form, {}),
            ("a form without its token", {**form, "form": ""}, here),
            ("a form with another token", {**form, "form": token[:-1] + ("A" if token[-1] != "A" else "B")}, here),
        ]:
            answer = client.post("/account/sign-in", data=data, headers=fields)
            check(f"Item 31: {name} is refused", answer.status_code == 403 and "set-cookie" not in answer.headers)
        alone = httpx.post(url + "/account/sign-in", data=form, headers=here, timeout=PATIENCE)
        check("Item 31: a token without the browser it was made for is refused", alone.status_code == 403)
        answer = client.post("/account/sign-in", data=form, headers=here)
        check("a form from here is taken, and leads nowhere else",
              answer.status_code == 303 and answer.headers["location"] == "/account", answer.headers)
        answer = client.post("/account/sign-out", data=form, headers=here)
        check("a form from before the sign-in is refused after it", answer.status_code == 403)
        answer = client.get("/account")
        check("Item 32: in nobody's frame, nothing inline, kept nowhere",
              "frame-ancestors 'none'" in answer.headers["content-security-policy"]
              and "unsafe" not in answer.headers["content-security-policy"]
              and answer.headers["x-frame-options"] == "DENY" and answer.headers["cache-control"] == "no-store"
              and "access-control-allow-origin" not in client.get("/account", headers={"Origin": url}).headers)
        check("nothing is inline", not re.search(r"<style|<script>|style=|\son\w+=", answer.text))
        for fields in [{"Host": "evil.example"}, {"X-Forwarded-Host": "evil.example"}, {"Forwarded": "host=evil.example"},
                       {"X-Forwarded-Proto": "https"}]:
            answer = client.get("/account", headers=fields)
            check(f"Item 35: {next(iter(fields))} changes nothing",
                  answer.status_code == 200 and "evil" not in answer.text + str(answer.headers))
            answer = client.get("/account/delete/progress", headers=fields)
            check("nor where one is led", answer.headers.get("location") == "/account/delete", answer.headers)
        answer = client.get("/account/delete")
        check("Item 30: looking deletes nothing", answer.status_code == 200 and client.get("/account").status_code == 200)
        for path in ["/account/delete/undo", "/account/delete/finish", "/account/sessions/end", "/account/sign-out"]:
            check(f"Item 30: {path} is no link", client.get(path).status_code in (405, 200))
        strange = client.post("/account/sign-in", content=b"%FF%00=%&&&=&form=%zz" * 500, headers=here)
        check("a form that is none is refused", strange.status_code == 403)
        token = re.search(r'name="form" value="([^"]+)"', client.get("/account/sign-out").text).group(1)
        codes = [client.post(
            "/account/code/check", data={"form": token, "email": "one@example.org", "code": f"{i:06}"}, headers=here)
            for i in range(8)]
        check("Item 34: guessing codes gets nobody in", all(a.status_code in (400, 429) for a in codes))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--brief", action="store_true")
    for name in ["grace", "key", "mailbox", "marks", "pictures"]:
        parser.add_argument(f"--{name}")
    parser.add_argument("emails", nargs="+")
    given = parser.parse_args()
    pathlib.Path(given.pictures).mkdir(parents=True, exist_ok=True)
    people = iter(given.emails)
    begin = time.monotonic()
    if given.brief:
        browser = Browser(given.pictures)
        try:
            session_pages(browser, given.url, next(people))
            delete_without_scripts(browser, given.url, next(people))
        finally:
            browser.driver.quit()
        return
    hostile(given.url, next(people))
    browser = Browser(given.pictures)
    try:
        session_pages(browser, given.url, next(people))
        languages(browser, given.url)
        offline(browser, given.url)
        delete_with_scripts(browser, given.url, next(people), given.marks)
        delete_without_scripts(browser, given.url, next(people))
        delete_by_keyboard(browser, given.url, next(people))
        delete_by_code(browser, given.url, next(people), given.mailbox)
        session_ended_meanwhile(browser, given.url, next(people))
        last = given.emails[-1]
        mine = sign_up(given.url, last, "Phone")
        grace(browser, given.grace, last)
        kept = browser.driver.get_cookies()
        console(browser, given.grace, pathlib.Path(given.key).read_text().strip(), mine)
        browser.forget()
        browser.look()
        for cookie in kept:
            browser.driver.add_cookie(cookie)
        browser.go(given.grace + "/account/delete")
        taken_back(browser)
        browser.traffic()
        own = {urllib.parse.urlsplit(url).netloc for url in (given.url, given.grace)}
        check("no other host was ever asked", browser.hosts <= own, browser.hosts)
        loud = [e["message"] for e in browser.driver.get_log("browser")
                if e["level"] == "SEVERE" and "status of 4" not in e["message"]]
        check("the browser complains of nothing", not loud, loud)
    finally:
        browser.driver.quit()
    print(f"took  {time.monotonic() - begin:.1f} s")


main()
