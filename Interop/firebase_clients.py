# SPDX-License-Identifier: Apache-2.0
"""Google's own clients against the fakes of Firebase's services, to detect a fake that only Farewell understands.

    python Interop/firebase_clients.py ENDPOINT SERVICE_ACCOUNT_FILE

firebase-admin speaks to Authentication and the Realtime Database, google-cloud-storage to Storage, and the generated
client of google-cloud-firestore, by its REST transport, to Firestore: the hand-written one only speaks gRPC. All of them
sign in with the service account's file, except where a client takes another way for emulators. Prints one line of JSON:
the results of each.
"""

import json
import os
import sys

endpoint, path = sys.argv[1:]
host = endpoint.removeprefix("http://")
os.environ["FIREBASE_AUTH_EMULATOR_HOST"] = host
os.environ["STORAGE_EMULATOR_HOST"] = f"{endpoint}/firebase-storage"

import firebase_admin  # noqa: E402
import google.auth.transport.requests  # noqa: E402
from firebase_admin import auth, credentials, db, storage, tenant_mgt  # noqa: E402
from google.cloud.firestore_v1.services.firestore import FirestoreClient  # noqa: E402
from google.cloud.firestore_v1.services.firestore.transports import FirestoreRestTransport  # noqa: E402

import urllib.request  # noqa: E402


def settle(kind):
    with urllib.request.urlopen(urllib.request.Request(f"{endpoint}/control/settle/{kind}", method="POST")) as reply:
        return json.load(reply)


told = {}
certificate = credentials.Certificate(path)
app = firebase_admin.initialize_app(certificate, {
    "databaseURL": f"http://{host}?ns=farewell-test", "storageBucket": "farewell-test.appspot.com",
    "projectId": "farewell-test"})

# Signing in: the client's own statement, accepted by our fake.
scoped = certificate.get_credential()
scoped.refresh(google.auth.transport.requests.Request())
told["token"] = scoped.token.startswith("ya29.")

# Authentication.
[person] = settle("firebase-auth")
told["auth"] = auth.get_user(person).uid == person
told["auth list"] = {person, person + "1"} <= {user.uid for user in auth.list_users(max_results=1).iterate_all()}
auth.delete_user(person)
try:
    auth.get_user(person)
except auth.UserNotFoundError:
    told["auth gone"] = True
try:
    auth.delete_user(person)
except auth.UserNotFoundError:
    told["auth gone twice"] = True
told["auth neighbour"] = auth.get_user(person + "1").uid == person + "1"

# A tenant's users, who are not the project's; another tenant's name differs by a capital.
inside, beside, nowhere = (tenant_mgt.auth_for_tenant(name) for name in ("farewell-tenant", "farewell-tenanT", "no-tenant"))
told["tenant"] = inside.get_user(person).tenant_id == "farewell-tenant"
inside.delete_user(person)
try:
    inside.get_user(person)
except auth.UserNotFoundError:
    told["tenant gone"] = beside.get_user(person).tenant_id == "farewell-tenanT"
try:
    nowhere.get_user(person)
except auth.UserNotFoundError:
    told["tenant missing"] = False
except firebase_admin.exceptions.FirebaseError as error:
    told["tenant missing"] = "TENANT_NOT_FOUND" in str(error)

# Storage.
[person] = settle("firebase-storage")
bucket = storage.bucket(app=app)
blobs = list(bucket.list_blobs(prefix=f"users/{person}/", versions=True))
told["storage"] = sorted(blob.name.removeprefix(f"users/{person}/") for blob in blobs)
told["storage live"] = len(list(bucket.list_blobs(prefix=f"users/{person}/")))
for blob in blobs:
    # Its own retries take care of a moment of trouble.
    bucket.delete_blob(blob.name, generation=blob.generation)
told["storage gone"] = list(bucket.list_blobs(prefix=f"users/{person}/", versions=True)) == []
told["storage neighbour"] = len(list(bucket.list_blobs(prefix=f"users/{person}1/", versions=True)))

# Realtime Database.
[person] = settle("realtime-database")
place = db.reference(f"/users/{person}")
told["realtime"] = sorted(place.get(shallow=True))
place.delete()
told["realtime gone"] = place.get() is None
told["realtime query"] = list(db.reference("/users").order_by_key().equal_to(person + "1").get()) == [person + "1"]

# Firestore.
[person] = settle("firestore")
transport = FirestoreRestTransport(host=f"{host}/firestore", url_scheme="http", credentials=scoped)
client = FirestoreClient(transport=transport)
root = "projects/farewell-test/databases/(default)/documents"
user = f"{root}/users/{person}"
told["firestore collections"] = sorted(client.list_collection_ids(request={"parent": user}))
listed = client.list_documents(request={
    "parent": user, "collection_id": "chats", "show_missing": True, "mask": {"field_paths": ["__name__"]}})
told["firestore missing"] = [(d.name.rsplit("/", 1)[1], bool(d.create_time)) for d in listed]
below = [
    answer.document.name for answer in client.run_query(request={
        "parent": user, "structured_query": {
            "from_": [{"all_descendants": True}], "select": {"fields": [{"field_path": "__name__"}]},
            "order_by": [{"field": {"field_path": "__name__"}, "direction": 1}]}})
    if answer.document.name
]
told["firestore below"] = [name.removeprefix(user) for name in below]
owned = [
    answer.document.name for answer in client.run_query(request={
        "parent": root, "structured_query": {
            "from_": [{"collection_id": "orders"}], "where": {"field_filter": {
                "field": {"field_path": "owner"}, "op": "EQUAL", "value": {"string_value": person}}}}})
    if answer.document.name
]
told["firestore owned"] = [name.removeprefix(root) for name in owned] == [f"/orders/of-{person}"]
written = client.batch_write(request={
    "database": "projects/farewell-test/databases/(default)", "writes": [{"delete": name} for name in below]})
told["firestore partial"] = sorted({status.code for status in written.status})
got = list(client.batch_get_documents(request={
    "database": "projects/farewell-test/databases/(default)", "documents": [user, user + "/notes/a"]}))
told["firestore present"] = sorted(answer.found.name.removeprefix(user) for answer in got if answer.found.name)
told["firestore absent"] = sorted(answer.missing.removeprefix(user) for answer in got if answer.missing)

print(json.dumps(told, sort_keys=True))
