// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("Supabase Auth answers 500 to a deletion")
struct SupabaseRefusalTests {
    /// An answer as the service writes it (github.com/supabase/auth, `internal/api/errors.go`).
    struct Told: Sendable, CustomTestStringConvertible {
        var body: String
        var becomes: String
        var words: String

        var testDescription: String { body }
    }

    private static let told = [
        Told(
            body: #"{"code":"23503","message":"update on \"users\" violates \"profiles_ada\"","detail":"ada@example.org"}"#,
            becomes: "connector.refused", words: "rows still refer to the user (23503)"),
        Told(body: #"{"code":"23502","message":"null"}"#, becomes: "connector.refused", words: "needs a value (23502)"),
        Told(body: #"{"code":"23514","message":"check"}"#, becomes: "connector.refused", words: "a constraint of its database fails"),
        Told(body: #"{"code":"P0001","message":"kept: ada"}"#, becomes: "connector.refused", words: "a trigger of its database"),
        Told(
            body: #"{"code":500,"msg":"Database error deleting user","hint":"The database refuses the deletion."}"#,
            becomes: "connector.refused", words: "constraint, trigger or right"),
        // A lock, a time limit, a lost connection: nothing says that it stays.
        Told(
            body: #"{"code":500,"error_code":"unexpected_failure","msg":"Database error deleting user","error_id":"1"}"#,
            becomes: "connector.unavailable", words: "unexpected_failure"),
        Told(
            body: #"{"code":500,"error_code":"unexpected_failure","msg":"Unexpected failure"}"#, becomes: "connector.unavailable",
            words: "unexpected_failure"),
        Told(body: "oops", becomes: "connector.unavailable", words: "status 500"),
    ]

    @Test("SY-3 what a key, a constraint or a trigger refuses parks with that cause; any other trouble is tried again", arguments: told)
    func refused(_ told: Told) async throws {
        let service = AnsweringService { call in
            call.method == "DELETE" ? .json(500, told.body) : .json(200, #"{"users":[]}"#)
        }
        let connector = try service.connector("supabase-auth", ["endpoint": "https://auth.example.org"])
        let error = await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"])) }
        #expect(error?.code.rawValue == told.becomes && error?.message.contains(told.words) == true, "\(String(describing: error))")
        #expect(error?.remedy?.isEmpty == false)
        #expect("\(String(describing: error))".contains("ada") == false, "an answer's sentence may name a person")
        // With a version of the interface, the service leaves the database's code out.
        #expect(service.sent.allSatisfy { $0.headers.allSatisfy { $0.name.lowercased() != "x-supabase-api-version" } })
    }
}
