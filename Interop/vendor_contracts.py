# SPDX-License-Identifier: Apache-2.0
"""Compares recorded requests with the vendors' own machine-readable contracts.

    python Interop/vendor_contracts.py < requests.jsonl
    python Interop/vendor_contracts.py serve

Each line: {"kind": …, "method": …, "path": as written, "query": [[name, value], …], "headers": [[name, value], …],
"body": base64}. Prints one line of JSON: {"checked": {kind: count}, "operations": {kind: [names]}, "faults": […],
"uncovered": [kinds without a published contract]}.

With `serve` it prints its address as one line of JSON, `{"control": …}`, answers the lines that are posted to `/check`
there, and ends when its standard input does.

AWS: botocore's service models. Google: the discovery documents in google-api-python-client. Stripe: the paths and
parameters of its Python client.
"""

import base64
import functools
import http.server
import json
import os
import pathlib
import re
import sys
import threading
import urllib.parse
import xml.etree.ElementTree as ElementTree

import botocore.session
import botocore.validate
import googleapiclient
import stripe

SESSION = botocore.session.get_session()
DOCUMENTS = pathlib.Path(googleapiclient.__file__).parent / "discovery_cache" / "documents"
GOOGLE = {
    "firestore": "firestore.v1", "firebase-storage": "storage.v1", "firebase-auth": "identitytoolkit.v1",
    "firebase-project": "identitytoolkit.v2",
    "iam": "iamcredentials.v1"}


DISCOVERED = {}


class Fault(Exception):
    pass


# MARK: AWS


def s3_operation(method, query):
    names = {name for name, _ in query}
    match method:
        case "GET" if "versions" in names:
            return "ListObjectVersions"
        case "GET" if "uploads" in names:
            return "ListMultipartUploads"
        case "GET" if "versioning" in names:
            return "GetBucketVersioning"
        case "GET" if "list-type" in names:
            return "ListObjectsV2"
        case "GET":
            return "GetObject"
        case "POST" if "delete" in names:
            return "DeleteObjects"
        case "DELETE":
            return "AbortMultipartUpload" if "uploadId" in names else "DeleteObject"
        case "HEAD":
            return "HeadObject"
    raise Fault(f"{method} {sorted(names)} is no operation")


def typed(shape, text):
    match shape.type_name:
        case "integer" | "long":
            return int(text)
        case "boolean":
            return {"true": True, "false": False}[text]
    if getattr(shape, "enum", None) and text not in shape.enum:
        raise Fault(f"{text} is none of {shape.enum}")
    return text


def xml_value(shape, element):
    """The element of a body, as parameters of the model."""
    if shape.type_name == "structure":
        value = {}
        for child in element:
            tag = child.tag.split("}")[-1]
            name, member = next(
                ((n, m) for n, m in shape.members.items()
                 if (m.serialization.get("name") or n) == tag or m.serialization.get("flattened") and n == tag),
                (None, None))
            if name is None:
                raise Fault(f"{tag} is no member of {shape.name}")
            if member.type_name == "list":
                value.setdefault(name, []).append(xml_value(member.member, child))
            else:
                value[name] = xml_value(member, child)
        return value
    return typed(shape, element.text or "")


def s3(request):
    name = s3_operation(request["method"], request["query"])
    model = SESSION.get_service_model("s3").operation_model(name)
    fixed = {n for n, _ in urllib.parse.parse_qsl(model.http["requestUri"].partition("?")[2], keep_blank_values=True)}
    inputs = {}
    for query, value in request["query"]:
        if query in fixed:
            continue
        found = [
            (n, m) for n, m in model.input_shape.members.items()
            if m.serialization.get("location") == "querystring" and m.serialization.get("name") == query]
        if not found:
            raise Fault(f"{name} has no parameter {query}")
        inputs[found[0][0]] = typed(found[0][1], value)
    path = urllib.parse.unquote(request["path"]).lstrip("/").split("/", 1)
    inputs["Bucket"] = path[0]
    if "{Key" in model.http["requestUri"]:
        inputs["Key"] = path[1]
    if request["method"] != model.http["method"]:
        raise Fault(f"{name} is a {model.http['method']}")
    known = {"content-type", "content-md5", "authorization"}
    for header, value in request["headers"]:
        member = [
            n for n, m in model.input_shape.members.items()
            if m.serialization.get("location") == "header" and m.serialization.get("name", "").lower() == header]
        if member:
            inputs[member[0]] = value
        elif header not in known:
            raise Fault(f"{name} has no header {header}")
    if request["body"]:
        inputs["Delete"] = xml_value(
            model.input_shape.members["Delete"], ElementTree.fromstring(base64.b64decode(request["body"])))
        # The digest that the operation demands.
        if not any(h == "content-md5" for h, _ in request["headers"]):
            raise Fault(f"{name} needs a digest")
    report(name, model, inputs)
    return name


def blobs(shape, value):
    """Bytes are written as base64 in JSON."""
    if shape.type_name == "blob":
        return base64.b64decode(value, validate=True)
    if shape.type_name == "structure" and isinstance(value, dict):
        return {k: blobs(shape.members[k], v) if k in shape.members else v for k, v in value.items()}
    if shape.type_name == "map" and isinstance(value, dict):
        return {k: blobs(shape.value, v) for k, v in value.items()}
    if shape.type_name == "list" and isinstance(value, list):
        return [blobs(shape.member, v) for v in value]
    return value


def report(name, model, inputs):
    found = botocore.validate.ParamValidator().validate(inputs, model.input_shape)
    if found.has_errors():
        raise Fault(f"{name}: {found.generate_report()}")


def aws_json(service):
    model = SESSION.get_service_model(service)

    def check(request):
        headers = dict(request["headers"])
        prefix, _, name = headers.get("x-amz-target", "").partition(".")
        if prefix != model.metadata["targetPrefix"]:
            raise Fault(f"the target is {prefix}")
        version = model.metadata["jsonVersion"]
        if headers.get("content-type") != f"application/x-amz-json-{version}":
            raise Fault(f"the type is {headers.get('content-type')}")
        operation = model.operation_model(name)
        if (request["method"], request["path"]) != (operation.http["method"], operation.http["requestUri"]):
            raise Fault(f"{request['method']} {request['path']}")
        report(name, operation, blobs(operation.input_shape, json.loads(base64.b64decode(request["body"]))))
        return name

    return check


def sts(request):
    """Forms, with the operation and the version of the interface in them."""
    model = SESSION.get_service_model("sts")
    form = dict(urllib.parse.parse_qsl(base64.b64decode(request["body"]).decode(), keep_blank_values=True, strict_parsing=True))
    name, version = form.pop("Action"), form.pop("Version")
    if version != model.metadata["apiVersion"]:
        raise Fault(f"the version is {version}")
    operation = model.operation_model(name)
    if (request["method"], request["path"]) != (operation.http["method"], operation.http["requestUri"]):
        raise Fault(f"{request['method']} {request['path']}")
    unknown = set(form) - set(operation.input_shape.members)
    if unknown:
        raise Fault(f"{name} has no parameters {sorted(unknown)}")
    report(name, operation, {n: typed(operation.input_shape.members[n], v) for n, v in form.items()})
    return name


def sso(request):
    operation = SESSION.get_service_model("sso").operation_model("GetRoleCredentials")
    if (request["method"], request["path"]) != (operation.http["method"], operation.http["requestUri"]):
        raise Fault(f"{request['method']} {request['path']}")
    given = {"querystring": dict(request["query"]), "header": dict(request["headers"])}
    inputs = {}
    for name, member in operation.input_shape.members.items():
        place = given[member.serialization["location"]]
        written = member.serialization["name"]
        if written in place:
            inputs[name] = place.pop(written)
    if given["querystring"]:
        raise Fault(f"no parameters {sorted(given['querystring'])}")
    report("GetRoleCredentials", operation, inputs)
    return "GetRoleCredentials"


# MARK: Google


def methods(resource):
    for method in resource.get("methods", {}).values():
        yield method
    for child in resource.get("resources", {}).values():
        yield from methods(child)


@functools.cache
def template(name, identifier):
    """The pattern of a method's path."""
    document = DISCOVERED[name]
    method = next(method for method in methods(document) if method["id"] == identifier)
    path = document.get("servicePath", "") + method["path"]
    pattern = ""
    for part in re.split(r"(\{\+?\w+\})", path):
        if not part.startswith("{"):
            pattern += re.escape(part)
            continue
        name = part.strip("{}").lstrip("+")
        wanted = method["parameters"].get(name, {}).get("pattern")
        # The description names the root too, where the pattern has only what lies below it.
        if wanted and "/documents`" in method["parameters"][name].get("description", ""):
            wanted = wanted.replace("/documents/[^/]+/.*$", "/documents(?:/.+)?$")
        pattern += f"(?P<{name}>{wanted.strip('^$')})" if wanted else f"(?P<{name}>" + (".+" if "+" in part else "[^/]+") + ")"
    return re.compile("/" + pattern)


def fits(document, schema, value, where):
    """Whether a value is one that a schema of a discovery document describes."""
    if "$ref" in schema:
        schema = document["schemas"][schema["$ref"]]
    match schema.get("type"):
        case "object":
            if not isinstance(value, dict):
                raise Fault(f"{where} is no object")
            for name, member in value.items():
                inner = schema.get("properties", {}).get(name) or schema.get("additionalProperties")
                if inner is None:
                    raise Fault(f"{where} has no member {name}")
                fits(document, inner, member, f"{where}.{name}")
        case "array":
            if not isinstance(value, list):
                raise Fault(f"{where} is no array")
            for place, item in enumerate(value):
                fits(document, schema["items"], item, f"{where}[{place}]")
        case "string":
            if not isinstance(value, str):
                raise Fault(f"{where} is no text")
            if "enum" in schema and value not in schema["enum"]:
                raise Fault(f"{where} is {value}, none of {schema['enum']}")
        case "integer":
            if not isinstance(value, int) or isinstance(value, bool):
                raise Fault(f"{where} is no whole number")
        case "boolean":
            if not isinstance(value, bool):
                raise Fault(f"{where} is no truth value")


def google(name):
    document = DISCOVERED[name] = json.loads((DOCUMENTS / f"{name}.json").read_text())

    def check(request):
        path = urllib.parse.unquote(request["path"])
        # The text between two slashes is one part as it is written.
        written = request["path"]
        found = [
            method for method in methods(document)
            if method["httpMethod"] == request["method"]
            and any(template(name, method["id"]).fullmatch(text) for text in (path, written))]
        if not found:
            raise Fault(f"{request['method']} {path} is no method")
        # A path may be a document's and a collection's: one of the methods must take the request as it is. Verbs after a
        # colon go before names.
        found.sort(key=lambda method: ":" not in method["path"])
        faults = []
        for method in found:
            try:
                return called(method, request)
            except Fault as fault:
                faults.append(str(fault))
        raise Fault("; ".join(faults))

    def called(method, request):
        parameters = document["parameters"] | method["parameters"]
        for query, value in request["query"]:
            if query not in parameters or parameters[query].get("location") != "query":
                raise Fault(f"{method['id']} has no parameter {query}")
            kind = parameters[query].get("type")
            if kind == "integer" and not re.fullmatch(r"\d+", value) or kind == "boolean" and value not in ("true", "false"):
                raise Fault(f"{method['id']}: {query} is {value}")
        if request["body"]:
            if "request" not in method:
                raise Fault(f"{method['id']} takes no body")
            fits(document, method["request"], json.loads(base64.b64decode(request["body"])), method["id"])
        return method["id"]

    return check


# MARK: Stripe


class Stripe:
    """Paths out of the client's services, parameters out of its types. The redaction jobs are a preview, and in no
    published client."""

    folder = pathlib.Path(stripe.__file__).parent
    types = {
        ("GET", "/v1/account"): "AccountRetrieveCurrentParams",
        ("GET", "/v1/customers"): "CustomerListParams",
        ("GET", "/v1/customers/{customer}"): "CustomerRetrieveParams",
        ("DELETE", "/v1/customers/{customer}"): "CustomerDeleteParams",
        ("GET", "/v1/subscriptions"): "SubscriptionListParams",
        ("DELETE", "/v1/subscriptions/{subscription_exposed_id}"): "SubscriptionCancelParams",
        ("POST", "/v1/subscriptions/{subscription_exposed_id}"): "SubscriptionUpdateParams",
        ("GET", "/v1/invoices"): "InvoiceListParams",
        ("GET", "/v1/invoices/{invoice}/lines"): "InvoiceLineItemListParams",
        ("GET", "/v1/subscription_items"): "SubscriptionItemListParams",
    }

    def __init__(self):
        text = "".join(p.read_text() for p in self.folder.glob("_*_service.py"))
        self.paths = set(re.findall(r'"(/v1/[^"]+)"', text))

    def check(self, request):
        path = urllib.parse.unquote(request["path"])
        if path.startswith("/v1/privacy/"):
            return None
        for (method, template), name in self.types.items():
            if method == request["method"] and re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path):
                break
        else:
            raise Fault(f"{request['method']} {path} is not known")
        if template not in self.paths:
            raise Fault(f"the client has no path {template}: {sorted(p for p in self.paths if p.startswith(template[:14]))}")
        file = "_" + re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower() + ".py"
        source = (self.folder / "params" / file).read_text()
        body = source.partition(f"class {name}(")[2].partition("\nclass ")[0]
        known = set(re.findall(r"^    (\w+): ", body, re.M))
        given = [n for n, _ in request["query"]]
        if request["body"]:
            given += [n for n, _ in urllib.parse.parse_qsl(base64.b64decode(request["body"]).decode(), keep_blank_values=True)]
        for parameter in given:
            if parameter.partition("[")[0] not in known:
                raise Fault(f"{name} has no parameter {parameter}")
        return f"{method} {template}"


CHECKS = {"sts": sts, "sso": sso, "s3": s3, "dynamodb": aws_json("dynamodb"), "cognito": aws_json("cognito-idp"), "stripe": Stripe().check}
CHECKS |= {kind: google(name) for kind, name in GOOGLE.items()}


def judged(lines):
    checked, operations, faults, uncovered = {}, {}, [], set()
    for line in lines:
        request = json.loads(line)
        request["headers"] = [
            [n.lower(), v] for n, v in request["headers"]
            if n.lower() not in ("x-amz-date", "x-amz-security-token", "x-amz-content-sha256")]
        # The configuration of a project is in another version of the same interface.
        if request["kind"] == "firebase-auth" and request["path"].startswith("/v2/"):
            request["kind"] = "firebase-project"
        check = CHECKS.get(request["kind"])
        if not check:
            uncovered.add(request["kind"])
            continue
        try:
            name = check(request)
        except Fault as fault:
            faults.append(f"{request['kind']}: {fault}")
            continue
        if name:
            checked[request["kind"]] = checked.get(request["kind"], 0) + 1
            operations.setdefault(request["kind"], set()).add(name)
    found = {kind: sorted(names) for kind, names in operations.items()}
    return {"checked": checked, "operations": found, "faults": faults[:20], "uncovered": sorted(uncovered)}


class Front(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("content-length") or 0)).decode()
        try:
            status, value = 200, judged(filter(None, text.split("\n")))
        except Exception as fault:
            status, value = 200, {"faults": [f"the contracts cannot be read: {fault!r}"]}
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def serve():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Front)
    server.daemon_threads = True
    print(json.dumps({"control": f"http://127.0.0.1:{server.server_address[1]}"}), flush=True)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
    server.serve_forever()


if sys.argv[1:] == ["serve"]:
    serve()
else:
    print(json.dumps(judged(sys.stdin)))
