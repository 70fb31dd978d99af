# SPDX-License-Identifier: Apache-2.0
"""A project that grows under a running server: a bucket is made after the plan was."""

import json
import time
import urllib.request

from checks import check


def until(name, holds):
    end = time.monotonic() + 600
    while not holds() and time.monotonic() < end:
        time.sleep(1)
    check(name, holds())


def new_bucket(project, shell, person, server, ask):
    """Files in a bucket without a system stay until the plan has one, and no deletion is reported meanwhile."""

    def readiness():
        with urllib.request.urlopen(server + "/readyz") as answer:
            return json.load(answer)

    files = [f"chat/{person['id']}/voice.ogg", "chat/shared/voice.ogg"]
    project.sql("INSERT INTO storage.buckets (id, name) VALUES ('chat', 'chat')")
    for file in files:
        project.control(f"upload/{file}", person["id"])
    url = f"{server}/functions/v1/delete-account"
    answer = ask(url, lambda: project.token(person, "HS256"), project.facts["publishable_key"])
    check("new bucket: no deletion is reported", answer[0] in (202, 500) and "success\":true" not in answer[1], answer)
    until("new bucket: the server says so", lambda: readiness().get("erasures") == "waiting")
    found = set(project.control("files", None))
    check("new bucket: its files are there", set(files) <= found, files)
    causes = "SELECT string_agg(cause, ' ') FROM farewell.erasures WHERE state = 'needs attention'"
    until("new bucket: the cause names it", lambda: "chat" in project.sql(causes))
    status, said = shell.run("farewell init --merge")
    check("new bucket: init --merge adds its system", status == 0 and "storage-chat" in said, said)
    until("new bucket: the deletion continues", lambda: not set(files) & set(project.control("files", None)))
    until("new bucket: the server is content", lambda: "erasures" not in readiness())
