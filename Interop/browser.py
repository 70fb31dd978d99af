# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven by WebDriver: the shared part of the programs that walk through pages."""

import collections
import importlib.resources
import json
import pathlib
import sys
import urllib.parse

import httpx
import urllib3
from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException, ElementNotInteractableException, NoSuchElementException, SessionNotCreatedException,
    StaleElementReferenceException, WebDriverException)
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

import plain_http  # noqa: F401

PASSWORD = "correct horse battery staple"
PATIENCE = 600
AXE = importlib.resources.files("axe_core_python").joinpath("axe.min.js").read_text()
# A page that is just being replaced by the next: to be looked at again.
CHANGING = (
    NoSuchElementException, StaleElementReferenceException, ElementNotInteractableException, ElementClickInterceptedException)
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def check(name, holds, what=None):
    print(("ok    " if holds else "WRONG ") + name, flush=True)
    if not holds:
        if what is not None:
            print(f"      {what!r}")
        sys.exit(1)


def started(options):
    """A browser. It gives itself a minute to start, which is too short when other programs have the processors."""
    for left in range(4, -1, -1):
        try:
            return webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
        except (SessionNotCreatedException, urllib3.exceptions.HTTPError):
            if left == 0:
                raise


class Browser:
    """One Chromium, with and without scripts, large and small, light and dark."""

    def __init__(self, pictures):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        for argument in ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--lang=en",
                         "--disable-background-networking", "--disable-component-update", "--no-first-run"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        self.driver = started(options)
        # The driver's own answers, too, may take as long as a page.
        self.driver.command_executor.client_config.timeout = PATIENCE + 60
        self.driver.set_page_load_timeout(PATIENCE)
        self.pictures = pathlib.Path(pictures)
        self.hosts, self.sizes, self.events = set(), {}, collections.Counter()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

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

    def forgive(self, url):
        """Opens the address, even if no server answers, with a short wait: the browser may hang after a refused connection."""
        self.driver.set_page_load_timeout(20)
        try:
            self.driver.get(url)
        except WebDriverException:
            pass
        self.driver.set_page_load_timeout(PATIENCE)

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

    def steady(self, act):
        """Reads or acts on a page that may change meanwhile: repeats until it did not."""
        return WebDriverWait(self.driver, PATIENCE, ignored_exceptions=CHANGING).until(lambda _: (act(),))[0]

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
        self.steady(lambda: self.find(identifier).click())

    def write(self, identifier, text):
        self.steady(lambda: self.find(identifier).clear())
        self.steady(lambda: self.find(identifier).send_keys(text))

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
        self.fits(name)

    def fits(self, name):
        """Nothing is wider than the window or reaches into its margins, and headings, names, dates and identifiers break
        between words only."""
        wide = self.driver.execute_script("return document.documentElement.scrollWidth - innerWidth")
        check(f"{name} fits its window", wide <= 0, wide)
        outside = self.driver.execute_script("""
            const main = document.querySelector('main'), box = main.getBoundingClientRect(), style = getComputedStyle(main);
            const low = box.left + parseFloat(style.paddingLeft), high = box.right - parseFloat(style.paddingRight);
            return [...main.querySelectorAll('table, ul, dl, svg, img, code, button, .button')].filter(part => {
                const place = part.getBoundingClientRect();
                return place.width && !part.closest('.scroll') && (place.left < low - 1 || place.right > high + 1);
            }).map(part => part.outerHTML.slice(0, 120));""")
        check(f"nothing on {name} reaches into the margins", not outside, outside)
        cut = self.driver.execute_script("""
            return [...document.querySelectorAll('.word, .id, th, time')].filter(cell => {
                const range = document.createRange();
                range.selectNodeContents(cell);
                const lines = new Set([...range.getClientRects()].map(box => Math.round(box.top))).size;
                return lines > cell.innerText.trim().split(/\\s+/).length;
            }).map(cell => cell.innerText);""")
        check(f"no word of a heading, name or date is cut in two on {name}", not cut, cut)

    def traffic(self):
        """Records the called hosts, the received bytes, and the events of each tab."""
        for entry in self.driver.get_log("performance"):
            entry = json.loads(entry["message"])
            message = entry["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = message["params"]["request"]["url"]
                if url.startswith("http"):
                    self.hosts.add(urllib.parse.urlsplit(url).netloc)
                    self.sizes.setdefault(message["params"]["requestId"], 0)
            elif message["method"] == "Network.loadingFinished":
                if message["params"]["requestId"] in self.sizes:
                    self.sizes[message["params"]["requestId"]] = message["params"]["encodedDataLength"]
            elif message["method"] == "Network.eventSourceMessageReceived":
                self.events[entry["webview"]] += 1
        total, self.sizes = sum(self.sizes.values()), {}
        return total

    def told(self):
        """The number of events that this tab received."""
        self.traffic()
        return self.events[self.driver.current_window_handle]

    def quiet(self, own, statuses=("status of 4",)):
        """No other host was called, and the browser logged only intended refusals."""
        self.traffic()
        check("no other host was ever asked", self.hosts <= own, self.hosts)
        loud = [e["message"] for e in self.driver.get_log("browser")
                if e["level"] == "SEVERE" and not any(status in e["message"] for status in statuses)]
        check("the browser complains of nothing", not loud, loud)


def sign_up(url, email, device):
    answer = httpx.post(
        f"{url}/auth/v1/token?grant_type=password", json={"email": email, "password": PASSWORD}, timeout=PATIENCE,
        headers={"X-Farewell-Device": device, "X-Farewell-Platform": "iOS 19.1"})
    return answer.json()["access_token"]
