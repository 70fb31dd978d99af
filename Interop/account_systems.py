# SPDX-License-Identifier: Apache-2.0
"""The systems of the example `aws`, simulated by moto and localstripe, each behind a door that can be shut.

    python Interop/account_systems.py [--vendors] [--database accounts.sqlite]

Prints one line of JSON: the doors' addresses, the pool, its app client and its keys. Ends when its standard input does.
With --vendors the fakes of `fakes/vendors.py` are behind doors as well. With --database the people made are
written into that app's table of accounts (SQLite).

    POST /person/NAME?wide=1   makes a person everywhere, with neighbours beside: their names there, and a token; with
                               `wide` they are with the other vendors as well
    POST /token/NAME?…         a token of theirs that the pool signs: use, client, life, age (of the sign-in)
    POST /sign-in/NAME         a token from the pool itself, or 403 when it has no such person
    GET  /census/NAME          their data, by system; and a digest of everything else
    POST /shut/DOOR/STATUS     the door answers that; 0 opens it
    POST /hold/before|after/N/DOORS  at each of these doors (a,b,…) the N-th call from now that changes something waits,
                               before it gets through or after
    GET  /held                 the doors at which calls wait
    POST /release              those calls are lost, and none waits any more
    GET  /calls                every call that changed something: door, what, idempotency key
    POST /key                  IAM: a user with the policy in the body, which moto enforces: their key
"""

import collections
import contextlib
import hashlib
import http.client
import http.server
import json
import os
import pathlib
import sqlite3
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid

import boto3
from moto import settings
from moto.cognitoidp.models import cognitoidp_backends
from moto.core.authorization import ActionAuthenticatorMixin
from moto.server import ThreadedMotoServer

from free_port import free_ports

FOLDER = pathlib.Path(__file__).resolve().parent
REGION, PASSWORD, ACCOUNT = "eu-west-1", "Correct-horse-1-battery", "123456789012"
STRIPE_KEY = "sk_test_canary_of_stripe"
LOCK = threading.RLock()
PEOPLE = {}


# MARK: AWS

moto = ThreadedMotoServer(port=0, verbose=False)
moto.start()
MOTO = moto.get_host_and_port()[1]
root = {"endpoint_url": f"http://127.0.0.1:{MOTO}", "region_name": REGION}
root |= {"aws_access_key_id": "AKIDEXAMPLE", "aws_secret_access_key": "canary-secret-key"}


def user(name, policy):
    """A user of IAM, and their key in boto3's terms."""
    iam = boto3.client("iam", **root)
    iam.create_user(UserName=name)
    iam.put_user_policy(UserName=name, PolicyName="own", PolicyDocument=json.dumps(policy))
    return iam.create_access_key(UserName=name)["AccessKey"]


everything = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
key = user("administrator", everything)
root |= {"aws_access_key_id": key["AccessKeyId"], "aws_secret_access_key": key["SecretAccessKey"]}
cognito, dynamodb, s3 = (boto3.client(name, **root) for name in ("cognito-idp", "dynamodb", "s3"))
POOL = cognito.create_user_pool(PoolName="people")["UserPool"]["Id"]
CLIENT = cognito.create_user_pool_client(
    UserPoolId=POOL, ClientName="app", GenerateSecret=False, ExplicitAuthFlows=["ALLOW_USER_PASSWORD_AUTH"]
)["UserPoolClient"]["ClientId"]
for table, keys in {"userprofiles": ["user_id"], "entitlements": ["user_id", "entitlement"]}.items():
    dynamodb.create_table(
        TableName=table, BillingMode="PAY_PER_REQUEST",
        KeySchema=[{"AttributeName": a, "KeyType": t} for a, t in zip(keys, ["HASH", "RANGE"])],
        AttributeDefinitions=[{"AttributeName": a, "AttributeType": "S"} for a in keys])
s3.create_bucket(Bucket="photos", CreateBucketConfiguration={"LocationConstraint": REGION})
s3.put_bucket_versioning(Bucket="photos", VersioningConfiguration={"Status": "Enabled"})


def restricted(policy):
    # moto knows no resources but those of S3, and takes deleting many objects for something done to their bucket.
    for statement in policy["Statement"]:
        thing = statement["Resource"]
        statement["Resource"] = [thing, thing.split("/")[0]] if thing.startswith("arn:aws:s3") else "*"
    made = user(f"worker-{time.monotonic_ns()}", policy)
    settings.INITIAL_NO_AUTH_ACTION_COUNT = ActionAuthenticatorMixin.request_count = 0
    return {"id": made["AccessKeyId"], "secret": made["SecretAccessKey"]}


# MARK: Stripe, and others


[STRIPE] = free_ports()
children = [
    subprocess.Popen(
        [sys.executable, "-m", "localstripe", "--port", str(STRIPE), "--from-scratch"], stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
]


def stripe(method, path, **fields):
    # A body without any field is refused there.
    body = urllib.parse.urlencode(fields).encode() if method == "POST" else None
    query = "?" + urllib.parse.urlencode(fields) if fields and method == "GET" else ""
    request = urllib.request.Request(f"http://127.0.0.1:{STRIPE}{path}{query}", body, method=method)
    request.add_header("Authorization", f"Bearer {STRIPE_KEY}")
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def started():
    for _ in range(600):
        with contextlib.suppress(OSError):
            return stripe("GET", "/v1/customers")
        time.sleep(0.1)
    raise SystemExit("localstripe did not start")


started()
stripe("POST", "/v1/plans", **{
    "id": "free", "amount": 0, "currency": "eur", "interval": "month", "product[name]": "Kestrel"})

VENDORS = {}
if "--vendors" in sys.argv:
    child = subprocess.Popen(
        [sys.executable, str(FOLDER / "fakes" / "vendors.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    VENDORS = json.loads(child.stdout.readline())
    children.append(child)


def vendor(method, path):
    request = urllib.request.Request(f"{VENDORS['control']}/{path}", b"" if method == "POST" else None, method=method)
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


# MARK: People


def settle(name, wide=None):
    cognito.admin_create_user(
        UserPoolId=POOL, Username=name, MessageAction="SUPPRESS",
        UserAttributes=[{"Name": "email", "Value": f"{name}@example.org"}])
    cognito.admin_set_user_password(UserPoolId=POOL, Username=name, Password=PASSWORD, Permanent=True)
    attributes = cognito.admin_get_user(UserPoolId=POOL, Username=name)["UserAttributes"]
    sub = next(a["Value"] for a in attributes if a["Name"] == "sub")
    # Two neighbours: one with a name of the same form, one whose name begins with the person's.
    for who in (sub, str(uuid.uuid4()), sub + "1"):
        dynamodb.put_item(TableName="userprofiles", Item={"user_id": {"S": who}, "name": {"S": name}})
        for right in ("coach", "export", "team"):
            dynamodb.put_item(
                TableName="entitlements", Item={"user_id": {"S": who}, "entitlement": {"S": right}, "by": {"S": name}})
        for photo in ("a.jpg", "b c.jpg", "a.jpg"):
            s3.put_object(Bucket="photos", Key=f"users/{who}/{photo}", Body=f"{who} {photo}".encode())
        s3.delete_object(Bucket="photos", Key=f"users/{who}/a.jpg")
    # The person's name as the other half of another person's key.
    dynamodb.put_item(TableName="entitlements", Item={"user_id": {"S": "somebody"}, "entitlement": {"S": sub}})
    customers = [stripe("POST", "/v1/customers", email=f"{name}@example.org", name=n)["id"] for n in (name, "else")]
    for customer in customers:
        stripe("POST", "/v1/subscriptions", **{"customer": customer, "items[0][plan]": "free"})
    PEOPLE[name] = {"name": name, "sub": sub, "customer": customers[0], "token": sign_in(name)}
    if "--database" in sys.argv:
        with contextlib.closing(sqlite3.connect(sys.argv[sys.argv.index("--database") + 1])) as accounts:
            accounts.execute("INSERT INTO accounts VALUES (?, ?, ?)", (sub, customers[0], "2026-01-02T03:04:05Z"))
            accounts.commit()
    if wide:
        PEOPLE[name]["vendors"] = {kind: vendor("POST", f"settle/{kind}")[0] for kind in KINDS}
    return PEOPLE[name]


def sign_in(name):
    answer = cognito.initiate_auth(
        AuthFlow="USER_PASSWORD_AUTH", ClientId=CLIENT, AuthParameters={"USERNAME": name, "PASSWORD": PASSWORD})
    return answer["AuthenticationResult"]["AccessToken"]


def signed_token(name, use="access", client=CLIENT, life=3600, age=0):
    pool = cognitoidp_backends[ACCOUNT][REGION].user_pools[POOL]
    return pool.create_jwt(client, name, use, int(life), {"auth_time": int(time.time()) - int(age)})[0]


def entries():
    """Everything there is: (system, owner, name, what)."""
    for page in cognito.get_paginator("list_users").paginate(UserPoolId=POOL):
        for person in page["Users"]:
            yield "cognito", next(a["Value"] for a in person["Attributes"] if a["Name"] == "sub"), person["Username"], person
    for table in ("userprofiles", "entitlements"):
        for page in dynamodb.get_paginator("scan").paginate(TableName=table):
            for item in page["Items"]:
                yield f"dynamodb_{table}", item["user_id"]["S"], json.dumps(item, sort_keys=True), item
    for page in s3.get_paginator("list_object_versions").paginate(Bucket="photos"):
        for version in page.get("Versions", []) + page.get("DeleteMarkers", []):
            name = f"{version['Key']} {version['VersionId']}"
            yield "photos", version["Key"].split("/")[1], name, version.get("ETag", "delete marker")
    for customer in listed("/v1/customers"):
        yield "stripe", customer["id"], customer["id"], customer["email"]
        for subscription in listed("/v1/subscriptions", customer=customer["id"]):
            if subscription["status"] != "canceled":
                yield "stripe", customer["id"], subscription["id"], subscription["status"]
    for kind in KINDS if VENDORS else []:
        for name, text in vendor("GET", f"census/{kind}").items():
            yield kind, name.split("/")[0], name, text


def listed(path, **filters):
    found = []
    while True:
        more = {"starting_after": found[-1]["id"]} if found else {}
        page = stripe("GET", path, limit=100, **filters, **more)
        found += page["data"]
        if not page["has_more"]:
            return found


def census(name):
    person = PEOPLE[name]
    own = {person["sub"], person["customer"], *person.get("vendors", {}).values()}
    counts, others = collections.Counter(), []
    for system, owner, entry, what in entries():
        if owner in own:
            counts[system] += 1
        else:
            others.append(f"{system} {entry} {json.dumps(what, sort_keys=True, default=str)}")
    return {"own": counts, "others": hashlib.sha256("\n".join(sorted(others)).encode()).hexdigest()}


# MARK: Doors

KINDS = ["supabase-auth", "supabase-storage", "revenuecat"]
STATE = {"shut": collections.Counter(), "hold": None, "left": {}, "held": set(), "calls": []}
STATE["released"] = threading.Event()
DELETED = set()


def changes(method, path, headers):
    """The name of a call that changes something; None for a call that reads."""
    target = headers.get("x-amz-target", "").split(".")[-1]
    if target:
        return target if target in ("AdminDeleteUser", "AdminUserGlobalSignOut", "BatchWriteItem") else None
    if method == "DELETE" or (method == "POST" and "/object/list" not in path):
        return f"{method} {path}"
    return None


class Door(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def serve(self):
        door, (port, base) = self.server.door, self.server.target
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        change = changes(self.command, self.path, self.headers)
        with LOCK:
            status, hold, released = STATE["shut"][door], None, STATE["released"]
            if change:
                STATE["calls"].append([door, change, self.headers.get("idempotency-key")])
                STATE["left"][door] = STATE["left"].get(door, 0) - 1
                hold = STATE["hold"] if STATE["left"][door] == 0 else None
        if status:
            return self.answer(status, {"content-type": "application/json"}, b"{}")
        if hold == "before":
            return self.wait(door, released)
        found = self.forwarded(port, base, body)
        if hold == "after":
            return self.wait(door, released)
        self.answer(*found)

    def wait(self, door, released):
        with LOCK:
            STATE["held"].add(door)
        released.wait()
        self.close_connection = True

    def forwarded(self, port, base, body):
        peer = http.client.HTTPConnection("127.0.0.1", port)
        # The host stays as it was signed.
        peer.putrequest(self.command, base + self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            peer.putheader(name, value)
        peer.endheaders(body or None)
        reply = peer.getresponse()
        found = reply.status, dict(reply.getheaders()), reply.read()
        peer.close()
        return self.remembered(found) if self.server.door == "stripe" else found

    def remembered(self, found):
        """Stripe still knows a deleted customer, and localstripe does not (https://docs.stripe.com/api/customers/retrieve)."""
        _, _, customer = self.path.partition("/v1/customers/")
        with LOCK:
            if customer and self.command == "DELETE" and found[0] == 200:
                DELETED.add(customer)
            if self.command == "GET" and customer in DELETED:
                told = {"id": customer, "object": "customer", "deleted": True}
                return 200, {"content-type": "application/json"}, json.dumps(told).encode()
        return found

    def answer(self, status, headers, body):
        self.send_response(status)
        for name, value in headers.items():
            if name.lower() not in ("connection", "content-length", "date", "server", "transfer-encoding"):
                self.send_header(name, value)
        if self.command != "HEAD":
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_):
        pass

    do_GET = do_POST = do_DELETE = do_HEAD = serve


def opened(handler, **facts):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    for name, value in facts.items():
        setattr(server, name, value)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_address[1]}"


targets = {name: (MOTO, "") for name in ("cognito", "dynamodb_userprofiles", "dynamodb_entitlements", "photos")}
targets["stripe"] = (STRIPE, "")
if VENDORS:
    port = urllib.parse.urlsplit(VENDORS["endpoint"]).port
    targets |= {kind: (port, f"/{kind}") for kind in KINDS}
doors = {name: opened(Door, door=name, target=target) for name, target in targets.items()}


class Control(http.server.BaseHTTPRequestHandler):
    def serve(self):
        parts = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        words = parts.path.strip("/").split("/")
        try:
            status, value = 200, self.take(words, dict(urllib.parse.parse_qsl(parts.query)), body)
        except cognito.exceptions.ClientError:
            status, value = 403, None
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def take(self, words, query, body):
        match words:
            case ["person", name]:
                return settle(name, **query)
            case ["token", name]:
                return signed_token(name, **query)
            case ["sign-in", name]:
                return sign_in(name)
            case ["census", name]:
                return census(name)
            case ["key"]:
                return restricted(json.loads(body))
        with LOCK:
            match words:
                case ["shut", door, status]:
                    STATE["shut"][door] = int(status)
                case ["hold", when, number, which]:
                    STATE.update(hold=when, left=dict.fromkeys(which.split(","), int(number)), held=set())
                    STATE.update(released=threading.Event())
                case ["release"]:
                    STATE["released"].set()
                    STATE.update(hold=None, left={})
                case ["calls"]:
                    return STATE["calls"]
            return sorted(STATE["held"])

    def log_message(self, *_):
        pass

    do_GET = do_POST = serve


word = {"control": opened(Control), "pool": POOL, "client": CLIENT, "region": REGION, "stripe_key": STRIPE_KEY}
word |= {"doors": doors, "jwks": f"http://127.0.0.1:{MOTO}/{POOL}/.well-known/jwks.json"}
word |= {"vendor_key": VENDORS.get("key")}
print(json.dumps(word), flush=True)
sys.stdin.read()
for child in children:
    child.kill()
os._exit(0)
