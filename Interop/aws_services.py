"""Services of AWS simulated by moto, with people in them, and a census of everything by boto3.

Prints one line of JSON: where the services and the control are. Ends when its standard input does.

    POST /settle/KIND   removes all people of that kind, adds a person and neighbours, answers the person's names
    GET /census/KIND    everything there is, entry by entry
"""

import http.server
import itertools
import json
import os
import sys
import threading
import uuid

import boto3
from moto.server import ThreadedMotoServer

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "fakes"))
from answer import alike, plain  # noqa: E402

os.environ["MOTO_S3_CUSTOM_ENDPOINTS"] = ""
server = ThreadedMotoServer(port=0, verbose=False)
server.start()
host, port = server.get_host_and_port()
endpoint = f"http://127.0.0.1:{port}"
keys = {"endpoint_url": endpoint, "region_name": "eu-west-1"}
keys |= {"aws_access_key_id": "AKIDEXAMPLE", "aws_secret_access_key": "canary-secret-key"}
cognito = boto3.client("cognito-idp", **keys)
dynamodb = boto3.client("dynamodb", **keys)
s3 = boto3.client("s3", **keys)
number = itertools.count(1)


def table(name, key, index=None, kind="S", first="S"):
    attributes = {name: "S" if number else first for number, name in enumerate(key)} | ({index: kind} if index else {})
    more = {}
    if index:
        more["GlobalSecondaryIndexes"] = [
            {
                "IndexName": "by_" + index,
                "KeySchema": [{"AttributeName": index, "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
        ]
    dynamodb.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": a, "KeyType": t} for a, t in zip(key, ["HASH", "RANGE"])],
        AttributeDefinitions=[{"AttributeName": a, "AttributeType": t} for a, t in attributes.items()],
        BillingMode="PAY_PER_REQUEST",
        **more,
    )


pool = cognito.create_user_pool(PoolName="people")["UserPool"]["Id"]
table("userprofiles", ["user_id"])
table("entitlements", ["user_id", "entitlement"])
table("orders", ["order_id"], "buyer", "N")
table("single", ["pk", "sk"])
table("binary", ["pk", "sk"], first="B")
region = {"LocationConstraint": "eu-west-1"}
s3.create_bucket(Bucket="photos", CreateBucketConfiguration=region)
s3.put_bucket_versioning(Bucket="photos", VersioningConfiguration={"Status": "Enabled"})
s3.create_bucket(Bucket="strange", CreateBucketConfiguration=region)
s3.put_bucket_versioning(Bucket="strange", VersioningConfiguration={"Status": "Enabled"})
s3.create_bucket(Bucket="plain", CreateBucketConfiguration=region)
s3.create_bucket(Bucket="held", CreateBucketConfiguration=region, ObjectLockEnabledForBucket=True)
s3.create_bucket(Bucket="locked", CreateBucketConfiguration=region, ObjectLockEnabledForBucket=True)


def settle_cognito(person):
    for user in all_users():
        cognito.admin_delete_user(UserPoolId=pool, Username=user["Username"])
    for name in [person, person + "0", person[:-1], "somebody", *alike(person)]:
        cognito.admin_create_user(
            UserPoolId=pool,
            Username=name,
            UserAttributes=[{"Name": "email", "Value": f"{name}@example.org"}],
            MessageAction="SUPPRESS",
        )
    return [person]


def all_users():
    return [user for page in cognito.get_paginator("list_users").paginate(UserPoolId=pool) for user in page["Users"]]


def subject(name):
    user = cognito.admin_get_user(UserPoolId=pool, Username=name)
    return next(a["Value"] for a in user["UserAttributes"] if a["Name"] == "sub")


def census_cognito():
    return {user["Username"]: user for user in all_users()}


def rows(name):
    return [item for page in dynamodb.get_paginator("scan").paginate(TableName=name) for item in page["Items"]]


def refill(name, key, items):
    old = [{"DeleteRequest": {"Key": {k: item[k] for k in key}}} for item in rows(name)]
    new = [{"PutRequest": {"Item": item}} for item in items]
    for requests in (old, new):
        for start in range(0, len(requests), 25):
            dynamodb.batch_write_item(RequestItems={name: requests[start : start + 25]})


def settle_entitlements(person):
    people = {person: 30, person + "0": 2, person[:-1]: 1, "somebody": 1} | dict.fromkeys(alike(person), 1)
    items = [
        {"user_id": {"S": who}, "entitlement": {"S": f"e{n}"}, "note": {"S": f"of {who}"}}
        for who, count in people.items()
        for n in range(count)
    ]
    # The person's name as the other half of another person's key.
    items.append({"user_id": {"S": "somebody"}, "entitlement": {"S": person}})
    refill("entitlements", ["user_id", "entitlement"], items)
    return [person]


def settle_userprofiles(person):
    refill("userprofiles", ["user_id"], [{"user_id": {"S": who}} for who in [person, person + "0", "somebody"]])
    return [person]


def settle_orders(person):
    mine = int(person.split("-")[1]) + 100
    buyers = [mine] * 3 + [mine * 10, mine + 1]
    refill(
        "orders",
        ["order_id"],
        [{"order_id": {"S": f"o{n}"}, "buyer": {"N": str(buyer)}} for n, buyer in enumerate(buyers)],
    )
    return [str(mine)]


def settle_single(person):
    """A table of everything: keys by template, and a neighbour whose name begins with the person's."""
    items = [{"pk": {"S": f"USER#{who}"}, "sk": {"S": f"{what}"}} for who in [person, person + "0", *alike(person)] for what in ["PROFILE", "ORDER#1"]]
    items += [{"pk": {"S": person}, "sk": {"S": "not a user"}}, {"pk": {"S": f"TEAM#{person}"}, "sk": {"S": "TEAM"}}]
    refill("single", ["pk", "sk"], items)
    return [person]


def settle_binary(person):
    """Keys of sixteen bytes."""
    people = [str(uuid.UUID(int=next(number))), str(uuid.UUID(int=next(number) + (1 << 64)))]
    items = [
        {"pk": {"B": uuid.UUID(who).bytes}, "sk": {"S": str(n)}, "of": {"S": who}} for who in people for n in range(3)]
    items.append({"pk": {"B": people[0].encode()}, "sk": {"S": "as text"}})
    refill("binary", ["pk", "sk"], items)
    return [people[0]]


def census_table(name):
    texts = [json.dumps(item, sort_keys=True, ensure_ascii=False, default=lambda b: bytes(b).hex()) for item in rows(name)]
    return {text: text for text in texts}


def versions(bucket):
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
        yield from page.get("Versions", [])
        yield from page.get("DeleteMarkers", [])


def settle_photos(person):
    old = [{"Key": v["Key"], "VersionId": v["VersionId"]} for v in versions("photos")]
    for start in range(0, len(old), 1000):
        s3.delete_objects(Bucket="photos", Delete={"Objects": old[start : start + 1000]})
    for who in [person, person + "0", person[:-1], "somebody", *alike(person)]:
        for name in ["a.jpg", "b c+d&é.jpg", "a.jpg"]:
            s3.put_object(Bucket="photos", Key=f"users/{who}/{name}", Body=f"{who} {name}".encode(), Metadata={"of": plain(who)})
        s3.delete_object(Bucket="photos", Key=f"users/{who}/a.jpg")
    s3.put_object(Bucket="photos", Key=f"users/{person}", Body=b"no folder")
    s3.put_object(Bucket="photos", Key=f"copies/users/{person}/a.jpg", Body=b"elsewhere")
    return [person]


STRANGE = [
    "a.jpg", "my photo.jpg", "a+b.jpg", "100%25.jpg", "\u0301mark.jpg", "a&b<c>.jpg", "\u00e9.jpg", "e\u0301.jpg",
    "tab\t.jpg", "q?x=1#y.jpg", "//.jpg", "\u202ertl.jpg"]


def uploads(bucket):
    for page in s3.get_paginator("list_multipart_uploads").paginate(Bucket=bucket):
        yield from page.get("Uploads", [])


def settle_strange(person, bucket="strange"):
    """Names of every kind, uploads in progress, and neighbours that differ by capitals, marks or what comes after."""
    for version in list(versions(bucket)):
        s3.delete_object(Bucket=bucket, Key=version["Key"], VersionId=version["VersionId"])
    for upload in list(uploads(bucket)):
        s3.abort_multipart_upload(Bucket=bucket, Key=upload["Key"], UploadId=upload["UploadId"])
    person = person + "\u00e9"
    neighbours = [person + "0", person + "\u0301", person[:-1] + "e\u0301", person.upper(), person[:-1] + "_", person[:-1]]
    for who in [person, *neighbours]:
        for name in STRANGE:
            s3.put_object(Bucket=bucket, Key=f"users/{who}/{name}", Body=who.encode())
        upload = s3.create_multipart_upload(Bucket=bucket, Key=f"users/{who}/video 1+.mp4")
        s3.upload_part(Bucket=bucket, Key=f"users/{who}/video 1+.mp4", UploadId=upload["UploadId"], PartNumber=1, Body=b"v")
    s3.put_object(Bucket=bucket, Key=f"users/{person}/\u0301/x", Body=b"below")
    return [person]


def hold(person):
    for name, status in [("free.jpg", "OFF"), ("held.jpg", "ON"), ("free2.jpg", "OFF")]:
        s3.put_object(Bucket="held", Key=f"users/{person}/{name}", Body=b"1", ObjectLockLegalHoldStatus=status)
    return [person]


def census_bucket(bucket):
    found = {f"{u['Key']} upload {u['UploadId']}": {"upload": u["UploadId"]} for u in uploads(bucket)}
    for version in versions(bucket):
        place = {"Key": version["Key"], "VersionId": version["VersionId"]}
        if "ETag" in version:  # A delete marker has none, and no content.
            content = s3.get_object(Bucket=bucket, **place)
            version |= {"bytes": content["Body"].read().hex(), "about": content["Metadata"]}
        found[f"{version['Key']} {version['VersionId']}"] = version
    return found


def lock(person):
    for name, until in [("a.jpg", None), ("b.jpg", "2099-12-31T00:00:00Z"), ("c.jpg", None)]:
        more = {"ObjectLockMode": "COMPLIANCE", "ObjectLockRetainUntilDate": until} if until else {}
        s3.put_object(Bucket="locked", Key=f"users/{person}/{name}", Body=b"1", **more)
    return [person]


settlers = {
    "cognito": settle_cognito,
    "subject": lambda person: [subject(settle_cognito(person)[0])],
    "entitlements": settle_entitlements,
    "userprofiles": settle_userprofiles,
    "orders": settle_orders,
    "photos": settle_photos,
    "locked": lock,
    "strange": settle_strange,
    "plain": lambda person: settle_strange(person, "plain"),
    "held": hold,
    "single": settle_single,
    "binary": settle_binary,
}
censuses = {
    "cognito": census_cognito,
    "subject": census_cognito,
    "entitlements": lambda: census_table("entitlements"),
    "userprofiles": lambda: census_table("userprofiles"),
    "orders": lambda: census_table("orders"),
    "photos": lambda: census_bucket("photos"),
    "locked": lambda: census_bucket("locked"),
    "strange": lambda: census_bucket("strange"),
    "plain": lambda: census_bucket("plain"),
    "held": lambda: census_bucket("held"),
    "single": lambda: census_table("single"),
    "binary": lambda: census_table("binary"),
}


class Control(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        kind = self.path.split("/")[-1]
        length = int(self.headers.get("content-length") or 0)
        given = self.rfile.read(length).decode()
        self.answer(settlers[kind](given or f"test-{next(number)}"))

    def do_GET(self):
        found = censuses[self.path.split("/")[-1]]()
        self.answer({plain(name): json.dumps(value, sort_keys=True, default=str) for name, value in found.items()})

    def answer(self, value):
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


control = http.server.HTTPServer(("127.0.0.1", 0), Control)
threading.Thread(target=control.serve_forever, daemon=True).start()
print(json.dumps({"endpoint": endpoint, "control": f"http://127.0.0.1:{control.server_port}", "pool": pool}), flush=True)
sys.stdin.read()
os._exit(0)
