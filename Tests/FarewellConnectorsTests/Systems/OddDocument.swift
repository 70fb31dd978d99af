// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

/// A system that answers with documents that apps and their users have written.
struct OddDocument: Sendable, CustomTestStringConvertible {
    let kind: String
    var settings: [String: String] = [:]
    var name = "u1"
    /// The answer to a call, before and after the subject is erased.
    let answer: @Sendable (_ call: SystemCall, _ isGone: Bool) -> SystemReply
    /// Whether a call erases the subject.
    let erases: @Sendable (SystemCall) -> Bool

    var testDescription: String { "\(kind) \(settings["api"] ?? settings["type"] ?? "")" }

    /// Members of an object that a careful reader would not understand: names that Unicode takes for one, two members
    /// of one name, halves of surrogate pairs, numbers beyond all measure, NUL, and nesting without end.
    static let odd: String = {
        let deep = String(repeating: #"{"d":["#, count: 1_000) + String(repeating: "]}", count: 1_000)
        let digits = String(repeating: "9", count: 400)
        return #""caf\#u{e9}":1,"cafe\#u{301}":2,"a":1,"a":{"a":[]},"s":"\ud800","\udc00":"\udc00\ud800","#
            + #""n":1e999999,"m":-\#(digits).5,"z":"\u0000","":null,"deep":\#(deep)"#
    }()

    private static let object = "{\(odd)}"
    private static let noUser = SystemReply.json(404, #"{"code":404,"error_code":"user_not_found","msg":"User not found"}"#)
    private static let list = #"{"object":"list","data":[],"has_more":false}"#
    private static let when = #""readTime":"2026-01-02T03:04:05Z""#
    private static let root = "projects/p/databases/(default)/documents"
    private static let table = """
        {"Table":{"TableName":"tab","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],\
        "AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}]}}
        """

    private static func isTarget(_ call: SystemCall, _ name: String) -> Bool {
        call.header("x-amz-target")?.hasSuffix(".\(name)") == true
    }

    static let all: [OddDocument] = [
        .init(kind: "supabase-auth", settings: ["endpoint": "https://auth.example.org"]) { call, isGone in
            let user = #"{"id":"u1","user_metadata":\#(object),"identities":[\#(object)]}"#
            if call.path.hasSuffix("/admin/users") { return .json(200, #"{"users":[\#(user)]}"#) }
            return call.method == "DELETE" ? .json(200, object) : isGone ? noUser : .json(200, user)
        } erases: {
            $0.method == "DELETE"
        },
        .init(
            kind: "supabase-storage", settings: ["endpoint": "https://s.example.org", "bucket": "b", "prefix": "{person}/"]
        ) { call, isGone in
            let file = #"{"name":"x","id":"1","metadata":\#(object),"user_metadata":\#(object)}"#
            if call.path.contains("/bucket/") { return .json(200, #"{"id":"b",\#(odd)}"#) }
            if call.method == "DELETE" { return .json(200, #"[{"name":"u1/x","metadata":\#(object)}]"#) }
            if call.path.contains("/info/") { return .json(200, #"{"metadata":\#(object)}"#) }
            if call.method == "GET" { return SystemReply(status: 200, body: Array("file".utf8)) }
            let isAbove = String(decoding: call.body, as: UTF8.self).contains(#""prefix":"""#)
            return .json(200, isGone ? "[]" : isAbove ? #"[{"name":"u1","id":null}]"# : "[\(file)]")
        } erases: {
            $0.method == "DELETE"
        },
        .init(kind: "stripe", name: "cus_1") { call, isGone in
            let subscription = #"{"id":"sub_1","status":"active","customer":"cus_1","metadata":\#(object)}"#
            switch (call.method, call.path) {
            case ("DELETE", "/v1/subscriptions/sub_1"):
                return .json(200, subscription.replacing(#""status":"active""#, with: #""status":"canceled""#))
            case ("GET", "/v1/subscriptions/sub_1"): return .json(200, subscription)
            case ("GET", "/v1/subscriptions"):
                return .json(200, #"{"object":"list","data":[\#(isGone ? "" : subscription)],"has_more":false}"#)
            case ("GET", "/v1/invoices"):
                return .json(200, #"{"object":"list","data":[{"id":"in_1","customer":"cus_1","metadata":\#(object)}],"has_more":false}"#)
            case ("GET", "/v1/customers"):
                return .json(200, #"{"object":"list","data":[{"id":"cus_2","metadata":\#(object)}],"has_more":false}"#)
            default:
                let isDeleted = isGone || call.method == "DELETE"
                return .json(200, #"{"id":"cus_1","object":"customer","metadata":\#(object)\#(isDeleted ? ",\"deleted\":true" : "")}"#)
            }
        } erases: {
            $0.method == "DELETE" && $0.path == "/v1/customers/cus_1"
        },
        .init(kind: "revenuecat", settings: ["project": "p"]) { call, isGone in
            let deleted = call.method == "DELETE" ? #","deleted_at":1"# : ""
            let customer = #"{"object":"customer","id":"u1","attributes":\#(object)\#(deleted)}"#
            if call.path.hasSuffix("/customers") { return .json(200, #"{"object":"list","items":[\#(customer)]}"#) }
            if call.path.contains("/customers/u1/") { return .json(200, #"{"object":"list","items":[\#(object)]}"#) }
            return isGone ? .json(404, #"{"object":"error","type":"resource_missing","message":"m"}"#) : .json(200, customer)
        } erases: {
            $0.method == "DELETE"
        },
        .init(kind: "revenuecat", settings: ["api": "v1", "known": "team"]) { call, isGone in
            let body = #"{"subscriber":{"subscriber_attributes":\#(object)},"deleted":true}"#
            let isMissing = isGone && !call.path.hasSuffix("/team")
            return isMissing ? .json(404, #"{"code":7259,"message":"m"}"#) : .json(200, body)
        } erases: {
            $0.method == "DELETE"
        },
        .init(kind: "cognito", settings: ["region": "r", "pool": "p"]) { call, isGone in
            let attributes = #"[{"Name":"custom:a","Value":"\ud800"},{"Name":"custom:b","Value":"\u0000"}]"#
            if isTarget(call, "ListUsers") {
                return .json(200, #"{"Users":[{"Username":"u2","Attributes":\#(attributes),\#(odd)}]}"#)
            }
            let isMissing = isGone || !String(decoding: call.body, as: UTF8.self).contains(#""u1""#)
            return isMissing
                ? .json(400, #"{"__type":"UserNotFoundException"}"#)
                : .json(200, #"{"Username":"u1","UserAttributes":\#(attributes),\#(odd)}"#)
        } erases: {
            isTarget($0, "AdminDeleteUser")
        },
        .init(kind: "dynamodb", settings: ["region": "r", "table": "tab", "key": "k"]) { call, isGone in
            if isTarget(call, "DescribeTable") { return .json(200, table) }
            if isTarget(call, "BatchWriteItem") { return .json(200, #"{"UnprocessedItems":{}}"#) }
            let isMissing = isGone || !String(decoding: call.body, as: UTF8.self).contains(#""u1""#)
            return .json(200, isMissing ? #"{"Count":0,"Items":[]}"# : #"{"Count":1,"Items":[{"k":{"S":"u1"},\#(odd)}]}"#)
        } erases: {
            isTarget($0, "BatchWriteItem")
        },
        .init(kind: "firebase-auth", settings: ["project": "p"]) { call, isGone in
            if call.encodedPath.hasSuffix(":delete") { return .json(200, #"{"kind":"identitytoolkit#DeleteAccountResponse",\#(odd)}"#) }
            let isMissing = isGone || !String(decoding: call.body, as: UTF8.self).contains(#""u1""#)
            let users = isMissing ? "" : #","users":[{"localId":"u1",\#(odd)}]"#
            return .json(200, #"{"kind":"identitytoolkit#GetAccountInfoResponse"\#(users)}"#)
        } erases: {
            $0.encodedPath.hasSuffix(":delete")
        },
        .init(
            kind: "firestore", settings: ["project": "p", "collection": "teams", "field": "members", "type": "map"]
        ) { call, isGone in
            if call.encodedPath.hasSuffix("batchWrite") { return .json(200, #"{"status":[{}],"writeResults":[{}]}"#) }
            let isOwn = String(decoding: call.body, as: UTF8.self).contains("u1")
            let map = #"{"u1":{"mapValue":{"fields":\#(object)}},"other":{"mapValue":{"fields":\#(object)}}}"#
            let document = #"{"name":"\#(root)/teams/t1","fields":{"members":{"mapValue":{"fields":\#(map)}}}}"#
            return .json(200, isGone && isOwn ? "[{\(when)}]" : #"[{"document":\#(document),\#(when)}]"#)
        } erases: {
            $0.encodedPath.hasSuffix("batchWrite")
        },
        .init(kind: "firebase-storage", settings: ["bucket": "b", "prefix": "{person}/"]) { call, isGone in
            if call.method == "DELETE" { return SystemReply(status: 204) }
            if call.query.contains(where: { $0.name == "alt" }) { return SystemReply(status: 200, body: Array("file".utf8)) }
            let items = isGone ? "" : #","items":[{"name":"u1/x","generation":"1","metadata":\#(object)}]"#
            return .json(200, #"{"kind":"storage#objects"\#(items)}"#)
        } erases: {
            $0.method == "DELETE"
        },
        .init(
            kind: "realtime-database", settings: ["endpoint": "https://app.firebaseio.com", "path": "users/{person}"]
        ) { call, isGone in
            if call.method == "DELETE" { return .json(200, "null") }
            let isAbove = call.encodedPath.hasSuffix("/users.json")
            if isAbove { return .json(200, call.query.contains { $0.name == "equalTo" } ? "{}" : #"{"u0":\#(object)}"#) }
            return .json(200, isGone ? "null" : object)
        } erases: {
            $0.method == "DELETE"
        },
        .init(kind: "webhook", settings: ["endpoint": "https://127.0.0.1/erase", "allow": "127.0.0.1"]) { call, isGone in
            let message = String(decoding: call.body, as: UTF8.self)
            let isNothing = isGone || message.contains("farewell-unused-")
            let isErasing = message.contains(#""type":"erase""#)
            return .json(200, isErasing ? #"{"erased":1,\#(odd)}"# : #"{"left":\#(isNothing ? 0 : 1),\#(odd)}"#)
        } erases: {
            String(decoding: $0.body, as: UTF8.self).contains(#""type":"erase""#)
        },
    ]
}
