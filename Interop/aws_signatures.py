"""Requests as they come, signed by botocore: one line of JSON each. The same seed gives the same requests."""

import datetime
import json
import random
import sys

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
characters = "abcXYZ019-._~ /+&=%$é漢🙂\"'<>,;:@!*()"


def word(least=0, most=12):
    return "".join(random.choice(characters) for _ in range(random.randint(least, most)))


def quoted(value, safe=""):
    return botocore.auth.quote(value, safe=safe + "-_.~")


for _ in range(400):
    service = random.choice(["s3", "dynamodb", "cognito-idp", "sts"])
    region = random.choice(["eu-west-1", "us-east-1", "ap-southeast-2"])
    credentials = Credentials(
        "AKID" + str(random.randint(0, 10**6)), word(8, 40), random.choice([None, word(10, 60).strip() + "x"])
    )
    moment = datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)
    moment += datetime.timedelta(seconds=random.randint(0, 10**8))
    path = "/" if service != "s3" else "/" + "/".join(word(1, 8).replace("/", "") or "x" for _ in range(random.randint(1, 4)))
    query = [] if service != "s3" else [(word(1, 6), word(0, 8)) for _ in range(random.randint(0, 4))]
    headers = [("content-type", random.choice(["application/json", "text/plain;  charset=utf-8", "a"]))]
    if random.random() < 0.5:
        headers.append(("x-amz-target", "Service." + word(1, 6).encode("ascii", "ignore").decode().strip() + "x"))
    body = word(0, 200).encode()
    host = random.choice([f"{service}.{region}.amazonaws.com", "localhost:5000", "localhost:443"])
    method = random.choice(["GET", "PUT", "POST", "DELETE"])
    url = f"https://{host}{quoted(path, '/')}"
    if query:
        url += "?" + "&".join(f"{quoted(n)}={quoted(v)}" for n, v in query)
    request = AWSRequest(method=method, url=url, headers=dict(headers), data=body)
    botocore.auth.get_current_datetime = lambda remove_tzinfo=True, at=moment: at.replace(tzinfo=None)
    signer = botocore.auth.S3SigV4Auth if service == "s3" else botocore.auth.SigV4Auth
    signer(credentials, service, region).add_auth(request)
    print(
        json.dumps(
            {
                "service": service, "region": region, "access": credentials.access_key,
                "secret": credentials.secret_key, "token": credentials.token, "now": int(moment.timestamp()),
                "method": method, "host": host, "path": path, "query": query, "headers": headers,
                "body": body.decode(), "authorization": request.headers["Authorization"],
            }
        )
    )
