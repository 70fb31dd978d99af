# SPDX-License-Identifier: Apache-2.0
"""Sources of AWS keys and Google tokens, and the credentials that the vendors' own tools get there.

Prints one line of JSON: {"scenarios": [{"tool", "name", "environment", "files", "lent" or "refused"}], "partitions":
[{"region", "name", "suffix"}]}, the last being botocore's own. For each scenario
botocore or google-auth looked for its credentials in that environment, with those files below HOME, and was lent that key
or token, or refused. Equal requests get equal credentials: a key is named after its caller and the way of the request. Ends
when its standard input does.
"""

import base64
import hashlib
import http.server
import importlib
import json
import os
import pathlib
import re
import sys
import tempfile
import threading
import urllib.parse

import botocore.auth
import botocore.awsrequest
import botocore.credentials
import botocore.loaders
import botocore.session
import botocore.tokens
import google.auth
import google.auth.iam
import google.auth.transport.requests
import google.oauth2.credentials
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

HOME = "/people/a"
SCOPE = "https://www.googleapis.com/auth/identitytoolkit"
END = "2100-01-01T00:00:00Z"
SIGNING = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PEM = SIGNING.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()).decode()
# The identity of a token of Google's, for any use.
PEOPLE = {}
LENT_SECRET = "s p=/+"
SECRETS = {"AKIENV": "s"}
OF_AWS = "urn:ietf:params:aws:token-type:aws4_request"


def name(*facts):
    return "LENT" + hashlib.sha1(json.dumps(facts).encode()).hexdigest()[:16].upper()


def caller(headers):
    found = re.search(r"Credential=([^/]+)/\d{8}/([^/]+)/sts/", headers.get("authorization") or "")
    return found[1] if found else None


def signed_by(subject):
    """The caller, region and contents of a signed request for GetCallerIdentity, if its signature is right."""
    request = json.loads(urllib.parse.unquote(subject))
    headers = {h["key"].lower(): h["value"] for h in request["headers"]}
    parts = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=([^/]+)/\d{8}/([^/]+)/([^/]+)/aws4_request, SignedHeaders=([^,]+), Signature=(\w{64})",
        headers["authorization"])
    key, region, service, names, signature = parts.groups()
    keys = botocore.credentials.Credentials(key, SECRETS.get(key, LENT_SECRET))
    signer = botocore.auth.SigV4Auth(keys, service, region)
    signed = botocore.awsrequest.AWSRequest(
        request["method"], request["url"], headers={n: headers[n] for n in names.split(";")})
    signed.context["timestamp"] = headers["x-amz-date"]
    wanted = signer.signature(signer.string_to_sign(signed, signer.canonical_request(signed)), signed)
    assert wanted == signature and request["method"] == "POST"
    assert headers["host"] == urllib.parse.urlsplit(request["url"]).hostname
    assert "x-amz-security-token" not in headers or "x-amz-security-token" in names.split(";")
    return [key, region, service, request["url"], headers.get("x-amz-security-token"),
            headers["x-goog-cloud-target-resource"]]


class Front(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def serve(self):
        parts = urllib.parse.urlsplit(self.path)
        text = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        query = dict(urllib.parse.parse_qsl(parts.query))
        try:
            status, value = self.take(parts.path, query, text)
        except Exception:
            status, value = 400, {"error": "invalid_request"}
        body = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(status)
        kind = "text/xml" if body.startswith(b"<") else "text/plain" if isinstance(value, str) else "application/json"
        self.send_header("content-type", kind)
        self.send_header("metadata-flavor", "Google")
        self.send_header("x-aws-ec2-metadata-token-ttl-seconds", "21600")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def take(self, path, query, text):
        form = dict(urllib.parse.parse_qsl(text))
        match path.rstrip("/"):
            case "" if self.command == "GET":
                return 200, "metadata"
            case "/sts" | "":
                return self.role(form)
            case "/sso/federation/credentials":
                token = self.headers["x-amz-sso_bearer_token"]
                keys = self.keys("sso", token, query["role_name"], query["account_id"])
                told = {"accessKeyId": keys[0], "secretAccessKey": keys[1], "sessionToken": "t", "expiration": 4102444800000}
                return 200, {"roleCredentials": told}
            case "/container":
                return 200, self.lent("container", self.headers.get("authorization"))
            case "/latest/api/token":
                return (200, "metadata-session") if self.command == "PUT" else (405, "")
            case "/latest/meta-data/iam/security-credentials":
                return 200, "machine-role"
            case "/latest/meta-data/iam/security-credentials/machine-role":
                known = self.headers.get("x-aws-ec2-metadata-token") == "metadata-session"
                return (200, {"Code": "Success"} | self.lent("machine")) if known else (401, "")
            case "/google/token":
                return self.google(form)
            case "/latest/meta-data/placement/availability-zone":
                known = self.headers.get("x-aws-ec2-metadata-token") == "metadata-session"
                return (200, "eu-west-1b") if known else (401, "")
            case "/google/exchange":
                wanted = ["audience", "subject_token", "subject_token_type", "requested_token_type"]
                if form["subject_token_type"] == OF_AWS:
                    form["subject_token"] = signed_by(form["subject_token"])
                # An object, encoded separately.
                options = json.loads(urllib.parse.unquote(form.get("options", "null")))
                who = ["workload", *(form.get(n) for n in wanted), options, self.headers.get("authorization")]
                return 200, self.token(who, form["scope"])
            case "/google/subject":
                subject = f"subject for {self.headers.get('x-who')} {query.get('audience')}"
                return 200, {"value": subject} if query.get("format") == "json" else subject
            case "/computeMetadata/v1/instance/service-accounts/default/token":
                return 200, self.token(["machine"], query.get("scopes"))
            case "/computeMetadata/v1/instance/service-accounts/default":
                return 200, {"email": "machine@example.org", "scopes": [], "aliases": ["default"]}
        if path.endswith(":generateAccessToken"):
            body = json.loads(text)
            first = PEOPLE[self.headers["authorization"].removeprefix("Bearer ")]
            who = ["stands in", path.rsplit("/", 1)[1], first, body.get("delegates") or [], body.get("lifetime")]
            token = self.token(who, " ".join(body["scope"]))["access_token"]
            return 200, {"accessToken": token, "expireTime": END}
        return 404, {"error": "not_found"}

    def google(self, form):
        if form["grant_type"] == "refresh_token":
            who = ["user", form["refresh_token"], form.get("client_id"), form.get("client_secret"),
                   self.headers.get("authorization")]
            return 200, self.token(who, form.get("scope"))
        said = jwt.decode(
            form["assertion"], SIGNING.public_key(), algorithms=["RS256"], audience="https://oauth2.googleapis.com/token",
            options={"verify_exp": False, "verify_iat": False})
        return 200, self.token(["account", said["iss"]], said["scope"])

    def token(self, who, scope):
        token = name("google", who, scope)
        PEOPLE[token] = who
        return {"access_token": token, "expires_in": 3600, "token_type": "Bearer"}

    def keys(self, *facts):
        return name(*facts), LENT_SECRET

    def lent(self, *facts):
        identifier, secret = self.keys(*facts)
        return {"AccessKeyId": identifier, "SecretAccessKey": secret, "Token": "t", "Expiration": END}

    def role(self, form):
        session = form.get("RoleSessionName", "")
        named = session if not session.startswith(("botocore-session-", "farewell")) else None
        wanted = ["Action", "RoleArn", "ExternalId", "DurationSeconds", "WebIdentityToken"]
        if form["Action"] == "AssumeRole" and not caller(self.headers):
            return 403, "<ErrorResponse><Error><Code>MissingAuthenticationToken</Code></Error></ErrorResponse>"
        identifier, secret = self.keys("role", *(form.get(n) for n in wanted), named, caller(self.headers))
        result = form["Action"] + "Result"
        return 200, (
            f"<{form['Action']}Response xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><{result}><Credentials>"
            f"<AccessKeyId>{identifier}</AccessKeyId><SecretAccessKey>{secret}</SecretAccessKey><SessionToken>t</SessionToken>"
            f"<Expiration>{END}</Expiration></Credentials><AssumedRoleUser><Arn>a</Arn><AssumedRoleId>i</AssumedRoleId>"
            f"</AssumedRoleUser></{result}></{form['Action']}Response>")

    do_GET = do_POST = do_PUT = serve

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Front)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
ROOT = f"http://127.0.0.1:{server.server_port}"
PLACE = ROOT.removeprefix("http://")


# MARK: AWS

BASE = """[base]
aws_access_key_id = AKIBASE
aws_secret_access_key = base/secret
"""
ROLE = "role_arn = arn:aws:iam::123456789012:role/"
PROGRAM = (
    """credential_process = echo '{"Version": 1, "AccessKeyId": "AKIPROGRAM", "SecretAccessKey": "it'\\''s",' """
    """"\\"SessionToken\\": \\"t\\"}" """)
SIGN_ON = "sso_account_id = 1\nsso_role_name = Farewell\n"
CACHED = json.dumps({"accessToken": "signed-on", "expiresAt": END, "region": "eu-west-1", "startUrl": "https://a"})


def cache(label):
    return f".aws/sso/cache/{hashlib.sha1(label.encode()).hexdigest()}.json"


def aws(what, config="", credentials=BASE, files=None, **environment):
    files = {".aws/config": config, ".aws/credentials": credentials} | (files or {})
    # Nothing of the machine that this runs on.
    environment.setdefault("AWS_EC2_METADATA_SERVICE_ENDPOINT", ROOT + "/nothing")
    fixed = {"HOME": HOME, "AWS_ENDPOINT_URL_STS": ROOT + "/sts", "AWS_ENDPOINT_URL_SSO": ROOT + "/sso",
             "AWS_DEFAULT_REGION": "eu-west-1", "AWS_METADATA_SERVICE_NUM_ATTEMPTS": "1"}
    wanted = {n: v for n, v in (fixed | environment).items() if v is not None}
    return {"tool": "aws", "name": what, "files": files, "environment": wanted}


MACHINE = {"AWS_EC2_METADATA_SERVICE_ENDPOINT": ROOT}
CONTAINER = {"AWS_CONTAINER_CREDENTIALS_FULL_URI": ROOT + "/container", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "agent"}
AWS = [
    aws("a key of the environment goes before a role", f"[default]\n{ROLE}a\nsource_profile = base\n",
        AWS_ACCESS_KEY_ID="AKIENV", AWS_SECRET_ACCESS_KEY="s"),
    aws("half a key of the environment", AWS_ACCESS_KEY_ID="AKIENV"),
    aws("a temporary key of the environment", AWS_ACCESS_KEY_ID="AKIENV", AWS_SECRET_ACCESS_KEY="s", AWS_SESSION_TOKEN="new"),
    aws("a session token under its older name goes first", AWS_ACCESS_KEY_ID="AKIENV", AWS_SECRET_ACCESS_KEY="s",
        AWS_SESSION_TOKEN="new", AWS_SECURITY_TOKEN="old"),
    aws("a temporary key of a profile", credentials="[default]\naws_access_key_id = A\naws_secret_access_key = s\n"
        "aws_session_token = new\n"),
    aws("a session token of a profile under its older name", "[default]\naws_access_key_id = A\naws_secret_access_key = s\n"
        "aws_session_token = new\naws_security_token = old\n"),
    aws("a machine whose metadata service the profile names", f"[profile work]\nec2_metadata_service_endpoint = {ROOT}/\n",
        AWS_PROFILE="work", AWS_EC2_METADATA_SERVICE_ENDPOINT=None),
    aws("a machine without a known way to its metadata service", AWS_EC2_METADATA_SERVICE_ENDPOINT=None,
        AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE="ipv5"),
    aws("empty variables are none", f"[default]\n{ROLE}a\nsource_profile = base\n", AWS_ACCESS_KEY_ID="", AWS_SESSION_TOKEN=""),
    aws("a role for the key of another profile",
        f"[profile work]\n{ROLE}a\nsource_profile=base\nexternal_id = x;y # z\nduration_seconds = 900\nrole_session_name = erasure\n",
        AWS_PROFILE="work"),
    aws("a role for a role for a program's key",
        f"[profile one]\n{ROLE}one\nsource_profile = two\n[profile two]\n{ROLE}two\nsource_profile = three\n"
        f"[profile three]\n{PROGRAM}\n", AWS_PROFILE="one"),
    aws("a role for its own profile's key",
        f"[profile work]\n{ROLE}a\nsource_profile = work\naws_access_key_id = AKIOWN\naws_secret_access_key = s\n",
        AWS_PROFILE="work"),
    aws("roles in a circle", f"[profile one]\n{ROLE}one\nsource_profile = two\n[profile two]\n{ROLE}two\nsource_profile = one\n",
        AWS_PROFILE="one"),
    aws("a role for a profile that is not there", f"[default]\n{ROLE}a\nsource_profile = gone\n"),
    aws("a role without a key", f"[default]\n{ROLE}a\n"),
    aws("a role for two keys", f"[default]\n{ROLE}a\nsource_profile = base\ncredential_source = Environment\n"),
    aws("a role for an unknown source", f"[default]\n{ROLE}a\ncredential_source = Elsewhere\n"),
    aws("a role for the container's key", f"[default]\n{ROLE}a\ncredential_source = EcsContainer\n", **CONTAINER),
    aws("a role for the machine's key", f"[default]\n{ROLE}a\ncredential_source = Ec2InstanceMetadata\n", **MACHINE),
    aws("a program, and lines below another setting that are none of the profile",
        f"# head\n[profile work]\ns3 =\n  {ROLE}a\n  aws_access_key_id = AKINESTED\n\n{PROGRAM}\n; end\n", AWS_PROFILE="work"),
    aws("a program that fails", "[default]\ncredential_process = false\n"),
    aws("a program that writes another version", """[default]\ncredential_process = echo '{"Version": 2}'\n"""),
    aws("a key of the credentials file goes before a program", f"[profile base]\n{PROGRAM}\n", AWS_PROFILE="base"),
    aws("a program goes before a key of the config file",
        f"[default]\naws_access_key_id = AKICONFIG\naws_secret_access_key = s\n{PROGRAM}\n"),
    aws("half a key of a profile", "[default]\naws_access_key_id = AKICONFIG\n"),
    aws("a profile whose name has a space", f'[profile "my work"]\n{ROLE}a\nsource_profile = base\n', AWS_PROFILE="my work"),
    aws("a workload's token in a profile", f"[default]\n{ROLE}web\nweb_identity_token_file = {HOME}/token\n",
        files={"token": "workload-token"}),
    aws("a role of a profile goes before a workload's token of the environment", f"[default]\n{ROLE}a\nsource_profile = base\n",
        files={"token": "workload-token"}, AWS_ROLE_ARN="arn:aws:iam::1:role/web",
        AWS_WEB_IDENTITY_TOKEN_FILE=HOME + "/token"),
    aws("a role for a workload's key",
        f"[default]\n{ROLE}a\nsource_profile = web\n[profile web]\n{ROLE}web\nweb_identity_token_file = {HOME}/token\n",
        files={"token": "workload-token"}),
    aws("a role for a key of single sign-on",
        f"[default]\n{ROLE}a\nsource_profile = on\n[profile on]\nsso_session = corp\n{SIGN_ON}"
        "[sso-session corp]\nsso_region = eu-west-1\nsso_start_url = https://a\n", files={cache("corp"): CACHED}),
    aws("single sign-on without a session's name", f"[default]\nsso_start_url = https://a\nsso_region = eu-west-1\n{SIGN_ON}",
        files={cache("https://a"): CACHED}),
    aws("a profile without a key, in a container", "[profile work]\nregion = eu-west-1\n", AWS_PROFILE="work", **CONTAINER),
    aws("a profile without a key, on a machine", "[profile work]\nregion = eu-west-1\n", AWS_PROFILE="work", **MACHINE),
    aws("a key of the first tools goes before a container", credentials="", files={"old/keys":
        "AWSAccessKeyId=AKIFIRST\nAWSSecretKey = s=t\n"}, AWS_CREDENTIAL_FILE=HOME + "/old/keys", **CONTAINER),
    aws("a file of the first tools that is not there", credentials="", AWS_CREDENTIAL_FILE=HOME + "/old/gone", **CONTAINER),
    aws("a key of the second tools goes before a container", credentials="", files={".boto":
        "[Boto]\ndebug = 1\n[Credentials]\naws_access_key_id = AKISECOND\naws_secret_access_key = s\n"}, **CONTAINER),
    aws("a key of the second tools in a file elsewhere", credentials="", files={"old/boto":
        "[Credentials]\naws_access_key_id = AKIELSEWHERE\naws_secret_access_key = s\n"}, BOTO_CONFIG="~/old/boto", **CONTAINER),
    aws("half a key of the second tools", credentials="", files={".boto": "[Credentials]\naws_access_key_id = AKIHALF\n"}),
    aws("a file of the second tools without a key, in a container", credentials="", files={".boto": "[Boto]\ndebug = 1\n"},
        **CONTAINER),
    aws("a profile's key goes before one of former tools", "[default]\naws_access_key_id = A\naws_secret_access_key = s\n",
        files={"old/keys": "AWSAccessKeyId=AKIFIRST\nAWSSecretKey=s\n"}, AWS_CREDENTIAL_FILE=HOME + "/old/keys"),
    aws("a profile that is not there", AWS_PROFILE="gone", **CONTAINER),
    aws("a config file elsewhere", files={"other/config": f"[default]\n{ROLE}a\nsource_profile = base\n"},
        AWS_CONFIG_FILE="~/other/config"),
]


# MARK: Google

ACCOUNT = {"type": "service_account", "client_email": "a@example.org", "private_key": PEM, "private_key_id": "k",
           "project_id": "p", "token_uri": ROOT + "/google/token"}
USER = {"type": "authorized_user", "client_id": "c", "client_secret": "s+/ ", "refresh_token": "1//r",
        "token_uri": ROOT + "/google/token"}
WORKLOAD = {"type": "external_account", "audience": "//iam.googleapis.com/projects/1/x",
            "subject_token_type": "urn:ietf:params:oauth:token-type:jwt", "token_url": ROOT + "/google/exchange"}
IMPERSONATION = ROOT + "/v1/projects/-/serviceAccounts/farewell@example.org:generateAccessToken"
AT = {"url": ROOT + "/google/subject?audience=a%20b", "headers": {"x-who": "me"}}
JSON = {"type": "json", "subject_token_field_name": "value"}

STS = "https://sts.{region}.amazonaws.com?Action=GetCallerIdentity&Version=2011-06-15"
METADATA = {"region_url": ROOT + "/latest/meta-data/placement/availability-zone",
            "url": ROOT + "/latest/meta-data/iam/security-credentials", "imdsv2_session_token_url": ROOT + "/latest/api/token"}
AWS_ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "AKIENV", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "us-east-2"}


def on_aws(without=(), kind=OF_AWS, **source):
    whole = {"environment_id": "aws1", "regional_cred_verification_url": STS} | METADATA | source
    return WORKLOAD | {"subject_token_type": kind, "credential_source": {n: v for n, v in whole.items() if n not in without}}


def gcp(what, file=None, files=None, **environment):
    files = dict(files or {}) | ({"adc.json": json.dumps(file)} if file else {})
    named = {"GOOGLE_APPLICATION_CREDENTIALS": HOME + "/adc.json"} if file else {}
    fixed = {"HOME": HOME, "NO_GCE_CHECK": "true", "GOOGLE_CLOUD_PROJECT": "p"}
    return {"tool": "google", "name": what, "files": files, "environment": fixed | named | environment}


GOOGLE = [
    gcp("a service account", ACCOUNT),
    gcp("a person who signed in", files={".config/gcloud/application_default_credentials.json": json.dumps(USER)}),
    gcp("a person of a workforce", {"type": "external_account_authorized_user", "audience": "//iam.googleapis.com/x",
        "client_id": "c", "client_secret": "s+/ ", "refresh_token": "r", "token_url": ROOT + "/google/token"}),
    gcp("a service account for which a person stands in", {"type": "impersonated_service_account", "delegates": ["d"],
        "service_account_impersonation_url": IMPERSONATION, "source_credentials": USER}),
    gcp("a service account for which another stands in", {"type": "impersonated_service_account",
        "service_account_impersonation_url": IMPERSONATION, "source_credentials": ACCOUNT}),
    gcp("a workload's token in a file", WORKLOAD | {"credential_source": {"file": HOME + "/token"}}, {"token": "subject"}),
    gcp("a workload's token as a member in a file", WORKLOAD | {"credential_source": {"file": HOME + "/t", "format": JSON}},
        {"t": '{"value": "subject"}'}),
    gcp("a workload's token at an address", WORKLOAD | {"credential_source": AT}),
    gcp("a workload's token as a member at an address, for a service account", WORKLOAD | {
        "credential_source": AT | {"url": ROOT + "/google/subject?format=json", "format": JSON},
        "service_account_impersonation_url": IMPERSONATION,
        "service_account_impersonation": {"token_lifetime_seconds": 2800}}),
    gcp("a workforce's token, and who pays", WORKLOAD | {
        "audience": "//iam.googleapis.com/locations/global/workforcePools/p/providers/q",
        "credential_source": {"file": HOME + "/token"}, "workforce_pool_user_project": "77"}, {"token": "subject"}),
    gcp("a client that says who it is", WORKLOAD | {
        "credential_source": {"file": HOME + "/token"}, "client_id": "c", "client_secret": "s+/ "}, {"token": "subject"}),
    gcp("a machine of AWS", on_aws()),
    gcp("a machine of AWS, for a service account", on_aws() | {"service_account_impersonation_url": IMPERSONATION}),
    gcp("a key of AWS in the environment", on_aws(), **AWS_ENVIRONMENT),
    gcp("a temporary key of AWS in the environment, and the older name of the region", on_aws(without=METADATA),
        AWS_ACCESS_KEY_ID="AKIENV", AWS_SECRET_ACCESS_KEY="s", AWS_DEFAULT_REGION="cn-north-1", AWS_SESSION_TOKEN="t+/="),
    gcp("half a key of AWS in the environment of a machine", on_aws(), AWS_ACCESS_KEY_ID="AKIENV", AWS_REGION="us-east-2"),
    gcp("another service of AWS's for tokens", on_aws(
        regional_cred_verification_url="https://sts-fips.us-gov-west-1.amazonaws.com/?Version=2011-06-15&Action=GetCallerIdentity"
        "&X=a%20b%2Fc"), **AWS_ENVIRONMENT),
    gcp("a machine of AWS that wants a session, without one", on_aws(without=["imdsv2_session_token_url"])),
    gcp("a machine of AWS, and no address of its role", on_aws(without=["url"])),
    gcp("a machine of AWS, and no address of its region", on_aws(without=["region_url"])),
    gcp("a machine of AWS without a role", on_aws(url=ROOT + "/nothing")),
    gcp("a version that nobody knows of the signatures of AWS", on_aws(environment_id="aws2")),
    gcp("another cloud's signature", on_aws(environment_id="azure1")),
    gcp("a signature of AWS for no address", on_aws(without=["regional_cred_verification_url"]), **AWS_ENVIRONMENT),
    gcp("a signature of AWS for an unprotected address", on_aws(regional_cred_verification_url="http://sts.amazonaws.com"),
        **AWS_ENVIRONMENT),
    gcp("a signature of AWS under another kind of token", on_aws(kind=WORKLOAD["subject_token_type"]), **AWS_ENVIRONMENT),
    gcp("a token of AWS without a signature", WORKLOAD | {"subject_token_type": OF_AWS,
        "credential_source": {"file": HOME + "/token"}}, {"token": "subject"}),
    gcp("a token's file that is not there", WORKLOAD | {"credential_source": {"file": HOME + "/gone"}}),
    gcp("a member that is not there", WORKLOAD | {"credential_source": {"file": HOME + "/t", "format": JSON}}, {"t": "{}"}),
    gcp("a program that was not allowed", WORKLOAD | {"credential_source": {"executable": {"command": "echo"}}}),
    gcp("a file and an address", WORKLOAD | {"credential_source": AT | {"file": HOME + "/token"}}, {"token": "subject"}),
    gcp("an unknown kind", {"type": "another"}),
    gcp("a machine of Google's", GCE_METADATA_HOST=PLACE, GCE_METADATA_IP=PLACE, NO_GCE_CHECK="false"),
    gcp("nobody"),
]


# MARK: The vendors' own tools

# Read when the module is: this machine is asked about only where a scenario asks.
os.environ.update(GCE_METADATA_HOST=PLACE, GCE_METADATA_IP=PLACE)
importlib.import_module("google.auth.compute_engine._metadata")
google.oauth2.credentials._GOOGLE_OAUTH2_TOKEN_ENDPOINT = ROOT + "/google/token"
google.auth.iam._IAM_ENDPOINT = ROOT + "/v1/projects/-/serviceAccounts/{}:generateAccessToken"


def ask_aws(home):
    for module in (botocore.credentials.SSOProvider, botocore.tokens.SSOTokenProvider):
        module._SSO_TOKEN_CACHE_DIR = f"{home}/.aws/sso/cache"
    found = botocore.session.Session().get_credentials()
    keys = found and found.get_frozen_credentials()
    return keys and f"{keys.access_key} {keys.token or ''}"


def ask_google(_):
    found, _ = google.auth.default(scopes=[SCOPE])
    found.refresh(google.auth.transport.requests.Request())
    return found.token


def told(scenario):
    with tempfile.TemporaryDirectory() as home:
        def here(text):
            return text.replace(HOME, home)
        for path, text in scenario["files"].items():
            file = pathlib.Path(home, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(here(text))
        os.environ.clear()
        os.environ.update({"PATH": os.defpath} | {n: here(v) for n, v in scenario["environment"].items()})
        try:
            lent = (ask_aws if scenario["tool"] == "aws" else ask_google)(home)
            return {"lent": lent} if lent else {"refused": "nothing found"}
        except Exception as error:
            return {"refused": f"{type(error).__name__}: {error}"}


def partitions():
    """The regions of botocore with their partitions; a region that stands for all others has no host names of its own."""
    for partition in botocore.loaders.Loader().load_data("partitions")["partitions"]:
        for region in partition["regions"]:
            if not region.endswith("-global"):
                yield {"region": region, "name": partition["id"], "suffix": partition["outputs"]["dnsSuffix"]}


if __name__ == "__main__":
    scenarios = [s | told(s) for s in AWS + GOOGLE]
    print(json.dumps({"scenarios": scenarios, "partitions": list(partitions())}), flush=True)
    sys.stdin.read()
    os._exit(0)
