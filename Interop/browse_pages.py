# SPDX-License-Identifier: Apache-2.0
"""Walks through the account pages of running servers in a headless Chromium, as people do.

    python Interop/browse_pages.py URL --grace URL --mailbox FOLDER --marks FOLDER --pictures FOLDER EMAIL...

URL         a server whose erasures wait until the mark `asked` is in the folder of marks, where a worker is started then
--grace     a server beside it, where a request can be taken back for seven days
--mailbox   where the servers' mails arrive, a file each
--pictures  where screenshots are left
--brief     only sessions, and a deletion without a script, on one server with its own workers
--killed    only a deletion whose server is killed once the mark `asked` is there, and another started after `seen`
EMAIL       people of the app who may be erased; at least seven (two for --brief), all with the password below

Every check is one line; the first that fails ends the program with status 1.
"""

import argparse
import pathlib
import re
import time
import urllib.parse

import httpx
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

import plain_http  # noqa: F401
from browser import CHANGING, PASSWORD, PATIENCE, Browser, check, sign_up


def accepted(url, token):
    return httpx.get(
        f"{url}/auth/v1/user", headers={"Authorization": f"Bearer {token}"}, timeout=PATIENCE).status_code == 200


def session_pages(browser, url, email):
    """SO-1 SO-2 SO-3 SO-11 SE-8 AD-1: the contents of the page of an account, and its controls."""
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
    browser.look(390, 844)
    browser.fits("the deletion on a phone")
    browser.look()
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
    check("SV-9 another tab finds the same, without a sign-in", browser.path() == "/account/delete/progress")
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
    browser.until("no user signs in any more", lambda: browser.has("problem"))


def server_killed_meanwhile(browser, url, email, marks):
    """The server is killed while a page follows a deletion, and replaced: the page says so and continues automatically."""
    browser.look()
    browser.go(url + "/account/delete")
    browser.sign_in(email)
    browser.press("confirmDelete")
    browser.heading("Removing your account...")
    check("nothing is wrong yet", not browser.find("offline").is_displayed())
    (marks / "asked").touch()
    browser.until("that the server cannot be reached is told", lambda: browser.find("offline").is_displayed())
    browser.picture("server-away-light-desktop")
    browser.driver.switch_to.new_window("tab")
    browser.forgive(url + "/account/delete/progress")
    (marks / "seen").touch()

    def back():
        browser.forgive(url + "/account/delete/progress")
        return browser.title() == "Your account has been removed."

    browser.until("a tab that found no server finds the end when it looks again", back)
    browser.driver.close()
    browser.driver.switch_to.window(browser.driver.window_handles[0])
    browser.heading("Your account has been removed.")
    receipts(browser, url)


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
    """BX-9 with only an e-mail address; the answers for people without an account are the same."""
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
    """SV-7: withdrawn in time."""
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
    check("SV-7 taken back", browser.find("note").text == "You keep your account. Nothing was deleted.")


def drawn(browser, text):
    """Whether different letters look different: those that no font has are all the same box."""
    letters = sorted(set(text.replace(" ", "").lower()))
    pictures = browser.driver.execute_script("""
        const [canvas, family] = [document.createElement('canvas'), getComputedStyle(document.body).fontFamily];
        [canvas.width, canvas.height] = [40, 40];
        const pen = canvas.getContext('2d');
        pen.font = '30px ' + family;
        return arguments[0].map(letter => {
            pen.clearRect(0, 0, 40, 40);
            pen.fillText(letter, 5, 30);
            return canvas.toDataURL();
        });""", letters)
    return len(set(pictures)) == len(letters)


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
        check(f"the letters of {tag} are drawn, and no boxes in their place", drawn(browser, heading))
        browser.faultless(f"the page in {tag}")
        browser.picture(f"language-{tag}-phone")
    browser.look(1280, 900, "light", "en")


def offline(browser, url):
    """Without a connection: the page says so at once, sends nothing, and continues when it is back."""
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
        check("Item 32: in no frame, without inline code, in no cache",
              "frame-ancestors 'none'" in answer.headers["content-security-policy"]
              and "unsafe" not in answer.headers["content-security-policy"]
              and answer.headers["x-frame-options"] == "DENY" and answer.headers["cache-control"] == "no-store"
              and "access-control-allow-origin" not in client.get("/account", headers={"Origin": url}).headers)
        check("nothing is inline", not re.search(r"<style|<script>|style=|\son\w+=", answer.text))
        for path in ["/account", "/account/delete/progress", "/console"]:
            answer = client.get(path, headers={"Host": "evil.example"})
            check(f"SRV-04 {path} is not shown to another host", answer.status_code == 421 and "evil" not in answer.text)
        for fields in [{"X-Forwarded-Host": "evil.example"}, {"Forwarded": "host=evil.example"},
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
        check("Item 34: guessed codes sign no one in", all(a.status_code in (400, 429) for a in codes))


def everything(browser, given, people):
    session_pages(browser, given.url, next(people))
    languages(browser, given.url)
    offline(browser, given.url)
    delete_with_scripts(browser, given.url, next(people), given.marks)
    delete_without_scripts(browser, given.url, next(people))
    delete_by_keyboard(browser, given.url, next(people))
    delete_by_code(browser, given.url, next(people), given.mailbox)
    session_ended_meanwhile(browser, given.url, next(people))
    grace(browser, given.grace, given.emails[-1])
    taken_back(browser)
    browser.quiet({urllib.parse.urlsplit(url).netloc for url in (given.url, given.grace)})


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("--brief", action="store_true")
    parser.add_argument("--killed", action="store_true")
    for name in ["grace", "mailbox", "marks", "pictures"]:
        parser.add_argument(f"--{name}")
    parser.add_argument("emails", nargs="+")
    given = parser.parse_args()
    pathlib.Path(given.pictures).mkdir(parents=True, exist_ok=True)
    people = iter(given.emails)
    begin = time.monotonic()
    if not given.brief and not given.killed:
        hostile(given.url, next(people))
    with Browser(given.pictures) as browser:
        if given.brief:
            session_pages(browser, given.url, next(people))
            delete_without_scripts(browser, given.url, next(people))
        elif given.killed:
            server_killed_meanwhile(browser, given.url, next(people), pathlib.Path(given.marks))
        else:
            everything(browser, given, people)
    print(f"took  {time.monotonic() - begin:.1f} s")


main()
