# SPDX-License-Identifier: Apache-2.0
"""A bucket of S3 with very many objects of one person, simulated by moto, seeded in its own process.

    python Interop/many_objects.py COUNT

Prints one line of JSON: {"endpoint": …, "bucket": "many", "names": ["u1", "u10"]}; u1 has COUNT objects, u10 three. Ends
when its standard input does.

moto copies every object of the bucket for every page, and finds the end of the last page only while that object is
still there. S3 continues after the place that a marker names, whatever is there now ("Specifies the key to start with when
listing objects in a bucket", docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectVersions.html), and so does this.
"""

import bisect
import json
import os
import sys

import boto3
from moto.core import DEFAULT_ACCOUNT_ID
from moto.s3.models import S3Backend, s3_backends
from moto.server import ThreadedMotoServer

BUCKET, NEIGHBOURS = "many", 3


def main(count):
    os.environ["MOTO_S3_CUSTOM_ENDPOINTS"] = ""
    server = ThreadedMotoServer(port=0, verbose=False)
    server.start()
    endpoint = "http://127.0.0.1:%d" % server.get_host_and_port()[1]
    client = boto3.client(
        "s3", endpoint_url=endpoint, region_name="eu-west-1", aws_access_key_id="AKIDEXAMPLE", aws_secret_access_key="s")
    client.create_bucket(Bucket=BUCKET, CreateBucketConfiguration={"LocationConstraint": "eu-west-1"})
    client.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    backend = s3_backends[DEFAULT_ACCOUNT_ID]["aws"]
    names = sorted(
        [f"users/u1/photos/2026/{n:07d}.jpg" for n in range(count)] + [f"users/u10/{n}.jpg" for n in range(NEIGHBOURS)])
    for name in names:
        backend.put_object(BUCKET, name, b"x", disable_notification=True)

    def listed(self, bucket_name, delimiter=None, key_marker=None, max_keys=1000, prefix="", version_id_marker=None):
        keys = self.get_bucket(bucket_name).keys
        found, last = [], None
        start = max(bisect.bisect_right(names, key_marker or ""), bisect.bisect_left(names, prefix))
        for name in names[start:]:
            if not name.startswith(prefix):
                break
            if name not in keys:
                continue
            if len(found) == max_keys:
                return found, [], [], last.name, last.version_id
            last = keys[name]
            last.is_latest = True
            found.append(last)
        return found, [], [], None, None

    S3Backend.list_object_versions = listed
    print(json.dumps({"endpoint": endpoint, "bucket": BUCKET, "names": ["u1", "u10"]}), flush=True)
    sys.stdin.read()
    os._exit(0)


main(int(sys.argv[1]))
