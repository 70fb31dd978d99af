// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSQL
import Foundation
import NIOHTTP1
import Testing

@Suite("A token reaches only its user's data, on every route")
struct NamedPersonTests {
    /// The additions of a call beside the names of another user, and the answer to one's own token.
    private struct Call {
        let statuses: Set<Int>
        let members: String

        init(_ statuses: Int..., sending members: String = "") {
            self.statuses = Set(statuses)
            self.members = members
        }
    }

    /// All routes that a user's token opens, by their names in the description: a path that names another user is not found (404), and one
    /// without a name is about the caller.
    private static let calls: [String: Call] = [
        "getUser": Call(200), "updateUser": Call(200, sending: #","data":{"city":"Turin"}"#),
        // Where no mail is sent there are no codes.
        "reauthenticate": Call(422),
        "signOut": Call(204), "listSessions": Call(200), "endSession": Call(404),
        "previewErasure": Call(200), "requestErasure": Call(202), "cancelErasure": Call(404),
        "stepUp": Call(200, sending: #","action":"request erasure","password":"\#(SignedIn.password)""#),
        "getErasure": Call(404), "getReceipt": Call(404), "readReceipt": Call(404), "followErasure": Call(404),
        "requestExport": Call(202), "findExport": Call(404), "getExport": Call(404), "downloadExport": Call(404),
        "removeExport": Call(404),
        "deleteAccount": Call(202), "deleteUserByFunction": Call(202), "deleteMyAccount": Call(202), "deleteAuthUser": Call(202),
    ]

    /// One operation of `/openapi.json`.
    private struct Operation {
        let id: String
        let method: HTTPMethod
        let path: String
        /// The scheme of the required token; nil if it requires none.
        let scheme: String?

        var isPersons: Bool { scheme != "administrator" && scheme != "follower" }
    }

    /// Everything that asks for a token, or may be opened by one because its path names something.
    private static func operations(of server: RunningServer) async throws -> [Operation] {
        let description = try await server.ask(.GET, "/openapi.json")
        let paths = try #require(description.json["paths"] as? [String: [String: Any]], "\(description)")
        var operations: [Operation] = []
        for (path, methods) in paths.sorted(by: { $0.key < $1.key }) {
            for (method, described) in methods.sorted(by: { $0.key < $1.key }) {
                let parts = try #require(described as? [String: Any], "\(method) \(path)")
                let id = try #require(parts["operationId"] as? String, "\(method) \(path)")
                let scheme = (parts["security"] as? [[String: Any]])?.first?.keys.first
                guard scheme != nil || path.contains("{id}") else { continue }
                operations.append(Operation(id: id, method: HTTPMethod(rawValue: method.uppercased()), path: path, scheme: scheme))
            }
        }
        return operations
    }

    @Test(
        "Item 28: whatever a token opens, another user named in path, query, body and header keeps every row, on every route",
        arguments: SQLDialect.allCases)
    func everyRoute(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 4) { place in
            try await place.place.serving(place.settings("grace-days: 7") + "export: {offering: on}\n") { server in
                let (other, leaving) = (try await place.signIn(1, server), try await place.signIn(2, server))
                let asked = try await server.ask(
                    .POST, "/v1/erasures", token: leaving.access, headers: ["Idempotency-Key": "theirs"])
                let erasure = try #require(asked.json["id"] as? String, "\(asked)")
                let theirs = [place.key(1), place.key(2), other.email, leaving.email, other.session, leaving.session, erasure]
                let kept = try await place.rows(without: [0])
                for session in [other.session, leaving.session] {
                    #expect(kept.contains { $0.uppercased().contains(session.uppercased()) }, "their sessions are looked at, too")
                }

                let operations = try await Self.operations(of: server)
                #expect(Set(operations.filter(\.isPersons).map(\.id)) == Set(Self.calls.keys), "each needs a call here")
                for operation in operations {
                    let mine = try await place.signIn(0, server)
                    let answer = try await Self.ask(server, operation, by: mine, naming: other, key: place.key(1), erasure: erasure)
                    let statuses: Set<Int>? = operation.isPersons ? Self.calls[operation.id]?.statuses : [401, 403]
                    #expect(statuses?.contains(answer.status) == true, "\(operation.id) \(answer)")
                    #expect(!theirs.contains { answer.text.contains($0) }, "\(operation.id) \(answer)")
                    #expect(try await place.rows(without: [0]) == kept, "\(operation.id)")
                }

                let erasures = try await place.query("SELECT count(*) FROM \(place.control)erasures")
                #expect(erasures == [[.integer(2)]], "the leaving user requested it, and so did the holder of the token")
                let status = try await server.ask(.GET, "/v1/erasures/\(erasure)", token: leaving.access)
                #expect(status.json["state"] as? String == "grace", "\(status)")
                for person in [other, leaving] {
                    #expect(try await server.isAccepted(person.access))
                    #expect(try await server.refresh(person.refresh).status == 200)
                }
            }
        }
    }

    /// Calls with one's own token, and with another user in every place where an app might name the subject.
    private static func ask(
        _ server: RunningServer, _ operation: Operation, by mine: SignedIn, naming other: SignedIn, key: String, erasure: String
    ) async throws -> ServerAnswer {
        var named = key
        if operation.path.hasPrefix("/v1/erasures/") { named = erasure }
        if operation.path.hasPrefix("/v1/sessions/") { named = other.session }
        let path = operation.path.replacing("{id}", with: named).replacing("{endpoint}", with: key)
        #expect(!path.contains("{"), "\(operation.path) names what is not known here")
        let members = #""user_id":"\#(key)","userId":"\#(key)","subject":"\#(key)","sub":"\#(key)","id":"\#(key)""#
        return try await server.ask(
            operation.method, "\(path)?user_id=\(key)&subject=\(key)&sub=\(key)&id=\(key)&email=\(other.email)", token: mine.access,
            json: operation.method == .GET ? nil : "{\(members)\(calls[operation.id]?.members ?? "")}",
            headers: [
                "X-User-Id": key, "X-Subject": key, "X-Forwarded-User": key, "apikey": key, "Idempotency-Key": operation.id,
            ])
    }
}
