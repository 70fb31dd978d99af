// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

/// A service that looks people up by the names that it gave them, and lists these names.
struct NamingService: Sendable, CustomTestStringConvertible {
    let kind: String
    let settings: [String: String]
    /// The names of the people in it.
    let names: [String]
    /// A name of the same form that it does not have.
    let unknown: String
    /// Names of a person in other columns of the app's.
    let others: [String]
    let lists: @Sendable (SystemCall) -> Bool
    let list: @Sendable (_ names: [String]) -> SystemReply
    let deletes: @Sendable (SystemCall) -> Bool
    /// The answer to another call than for the list; about the person of that name, if the service has one.
    let answer: @Sendable (_ call: SystemCall, _ name: String?) -> SystemReply

    var testDescription: String { "\(kind) \(settings["tenant"] ?? settings["connected"] ?? settings["by"] ?? "")" }

    /// A service with these people, until each is deleted.
    func service(of people: [String]) -> AnsweringService {
        let left = Guarded(people)
        return AnsweringService { call in
            if lists(call) { return list(left.withLock { $0 }) }
            let text = call.encodedPath + String(decoding: call.body, as: UTF8.self)
            let name = left.withLock { people in people.first { text.contains($0) } }
            if let name, deletes(call) { left.withLock { people in people.removeAll { $0 == name } } }
            return answer(call, name)
        }
    }

    /// A connector to it, with further settings of the plan's.
    func connector(_ service: AnsweringService, _ further: [String: String] = [:]) throws -> any Connector {
        try service.emulated(kind, settings.merging(further) { $1 })
    }

    private static let uuids = ["0b0e7d1c-93f4-4c5e-8a8a-0c6f6b1d2e3f", "7d444840-9dc0-41d1-b245-5ffdce74fad2"]

    static let all: [NamingService] = [
        stripe(["account": "acct_1"]), stripe(["connected": "acct_1"]), firebase(["project": "p"]),
        firebase(["project": "p", "tenant": "t"]), revenueCat, cognito, subjects,
    ]

    private static func stripe(_ settings: [String: String]) -> NamingService {
        NamingService(
            kind: "stripe", settings: settings, names: ["cus_NffrFeUfNV2Hib", "cus_9s6XKzkNRiz8i3"],
            unknown: "cus_QXg1o8vcGmoR32", others: ["42", "user_42", uuids[0]]
        ) {
            $0.path == "/v1/customers"
        } list: { names in
            let items = names.map { #"{"id":"\#($0)","object":"customer","livemode":true}"# }.joined(separator: ",")
            return .json(200, #"{"object":"list","data":[\#(items)],"has_more":false}"#)
        } deletes: {
            $0.method == "DELETE"
        } answer: { call, name in
            if call.path == "/v1/account" { return .json(200, #"{"object":"account","id":"acct_1"}"#) }
            if call.path == "/v1/subscriptions" { return .json(200, #"{"object":"list","data":[],"has_more":false}"#) }
            guard let name else {
                let error = #"{"code":"resource_missing","type":"invalid_request_error","message":"No such customer"}"#
                return .json(404, #"{"error":\#(error)}"#)
            }
            let end = call.method == "DELETE" ? #","deleted":true"# : ""
            return .json(200, #"{"id":"\#(name)","object":"customer"\#(end)}"#)
        }
    }

    private static func firebase(_ settings: [String: String]) -> NamingService {
        let tenant = settings["tenant"].map { #","tenantId":"\#($0)""# } ?? ""
        return NamingService(
            kind: "firebase-auth", settings: settings,
            names: ["Kx3mQ9aZt7VbN2cRf5LpW8yHs1Dg", "aB3mQ9aZt7VbN2cRf5LpW8yHs1Dq"],
            unknown: "zZ3mQ9aZt7VbN2cRf5LpW8yHs1Dw", others: ["42", "user_42", uuids[0]]
        ) {
            $0.encodedPath.hasSuffix("accounts:batchGet")
        } list: { names in
            let users = names.map { #"{"localId":"\#($0)"}"# }.joined(separator: ",")
            return .json(200, names.isEmpty ? "{}" : #"{"users":[\#(users)],"nextPageToken":"next"}"#)
        } deletes: {
            $0.encodedPath.hasSuffix("accounts:delete")
        } answer: { call, name in
            if call.encodedPath.hasSuffix("/config") { return .json(200, #"{"multiTenant":{}}"#) }
            if call.encodedPath.hasSuffix("accounts:lookup") {
                let users = name.map { #","users":[{"localId":"\#($0)"\#(tenant)}]"# } ?? ""
                return .json(200, #"{"kind":"identitytoolkit#GetAccountInfoResponse"\#(users)}"#)
            }
            return name == nil
                ? .json(400, #"{"error":{"code":400,"message":"USER_NOT_FOUND"}}"#)
                : .json(200, #"{"kind":"identitytoolkit#DeleteAccountResponse"}"#)
        }
    }

    static let revenueCat = NamingService(
        kind: "revenuecat", settings: ["project": "p"], names: uuids, unknown: "1c6f6b1d-2e3f-4c5e-8a8a-0b0e7d1c93f4",
        others: ["42", "user_42", "0B0E7D1C-93F4-4C5E-8A8A-0C6F6B1D2E3F"]
    ) {
        $0.path.hasSuffix("/customers")
    } list: { names in
        let all = names + ["$RCAnonymousID:87c1ba7c2dcf4e4d8a5f2f1d5ae1e5a1"]
        let items = all.map { #"{"object":"customer","id":"\#($0)"}"# }.joined(separator: ",")
        return .json(200, #"{"object":"list","items":[\#(items)],"next_page":null}"#)
    } deletes: {
        $0.method == "DELETE"
    } answer: { call, name in
        guard let name else {
            return .json(404, #"{"object":"error","type":"resource_missing","message":"Resource not found."}"#)
        }
        let isNames = call.path.hasSuffix("/aliases")
        return .json(
            200,
            isNames
                ? #"{"object":"list","items":[{"object":"customer.alias","id":"\#(name)"}]}"#
                : #"{"object":"customer","id":"\#(name)"\#(call.method == "DELETE" ? #","deleted_at":1"# : "")}"#)
    }

    static let cognito = NamingService(
        kind: "cognito", settings: ["region": "eu-west-1", "pool": "eu-west-1_aB3"], names: ["ada", "bob"],
        unknown: "cyd", others: ["42", "auth0|42", uuids[0]]
    ) {
        $0.header("x-amz-target")?.hasSuffix(".ListUsers") == true
    } list: { names in
        .json(200, #"{"Users":[\#(names.map { #"{"Username":"\#($0)"}"# }.joined(separator: ","))]}"#)
    } deletes: {
        $0.header("x-amz-target")?.hasSuffix(".AdminDeleteUser") == true
    } answer: { call, name in
        guard let name else { return .json(400, #"{"__type":"UserNotFoundException"}"#) }
        let isLookup = call.header("x-amz-target")?.hasSuffix(".AdminGetUser") == true
        return .json(200, isLookup ? #"{"Username":"\#(name)"}"# : "{}")
    }

    /// The same by the identifiers that the pool gives.
    private static let subjects = NamingService(
        kind: "cognito", settings: cognito.settings.merging(["by": "sub"]) { $1 }, names: uuids,
        unknown: revenueCat.unknown, others: ["42", "user42", revenueCat.others[2]]
    ) {
        cognito.lists($0) && !String(decoding: $0.body, as: UTF8.self).contains("Filter")
    } list: { names in
        .json(200, #"{"Users":[\#(names.map(user).joined(separator: ","))]}"#)
    } deletes: {
        cognito.deletes($0)
    } answer: { call, name in
        if cognito.lists(call) { return .json(200, #"{"Users":[\#(name.map(user) ?? "")]}"#) }
        return name == nil ? .json(400, #"{"__type":"UserNotFoundException"}"#) : .json(200, "{}")
    }

    private static func user(_ subject: String) -> String {
        #"{"Username":"\#(subject)","Attributes":[{"Name":"sub","Value":"\#(subject)"}]}"#
    }
}
