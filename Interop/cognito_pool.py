# SPDX-License-Identifier: Apache-2.0
"""A user pool of Cognito simulated by moto, with an app client without a secret, for a device to sign in to.

    python Interop/cognito_pool.py

Prints its address. Ends when its standard input does. moto has InitiateAuth and GlobalSignOut; `cognito_calls` adds
RevokeToken and DeleteUser and checks how each call is made. It answers 500 to renewals of people whom an administrator
deleted. It treats unsigned calls as calls to us-east-1.

    GET  /control          the app client's name, the present people, and the number of each call
    POST /control/NAME     puts a person of that name there, with the password of the tests
    POST /control/-NAME    takes them away
"""

import http.server
import json
import os
import sys
import threading

import boto3
from fakes import cognito_calls
from moto.server import ThreadedMotoServer

cognito_calls.install()
moto = ThreadedMotoServer(port=0, verbose=False)
moto.start()
host, port = moto.get_host_and_port()
endpoint = f"http://127.0.0.1:{port}"
cognito = boto3.client(
    "cognito-idp", endpoint_url=endpoint, region_name="us-east-1", aws_access_key_id="AKIDEXAMPLE",
    aws_secret_access_key="secret")
POOL = cognito.create_user_pool(PoolName="people")["UserPool"]["Id"]
CLIENT = cognito.create_user_pool_client(
    UserPoolId=POOL, ClientName="app", GenerateSecret=False,
    ExplicitAuthFlows=["ALLOW_USER_PASSWORD_AUTH", "ALLOW_REFRESH_TOKEN_AUTH"])["UserPoolClient"]["ClientId"]


class Front(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def serve(self):
        name = self.path.removeprefix("/control").strip("/")
        if name.startswith("-"):
            cognito.admin_delete_user(UserPoolId=POOL, Username=name[1:])
        elif name:
            cognito.admin_create_user(UserPoolId=POOL, Username=name, MessageAction="SUPPRESS")
            cognito.admin_set_user_password(
                UserPoolId=POOL, Username=name, Password="Correct-horse-1-battery", Permanent=True)
        people = [user["Username"] for user in cognito.list_users(UserPoolId=POOL)["Users"]]
        data = json.dumps({"address": endpoint, "client": CLIENT, "people": people, "asked": cognito_calls.ASKED}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = serve


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Front)
server.daemon_threads = True
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
server.serve_forever()
