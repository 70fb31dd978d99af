// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("Supabase Storage answers 400, and writes the status of an error into the body")
struct StatusInBodyTests {
    /// An error as the service writes it (github.com/supabase/storage, `src/http/error-handler.ts`).
    struct Told: Sendable, CustomTestStringConvertible {
        var status: String
        var code: String
        var message = "Something."
        var becomes: String

        var testDescription: String { "\(status) \(code)" }

        var reply: SystemReply {
            .json(400, #"{"statusCode":"\#(status)","code":"\#(code)","error":"\#(code)","message":"\#(message)"}"#)
        }
    }

    /// A bucket with two files of the person, none of which can be deleted.
    private func bucket(refusing told: Told) -> AnsweringService {
        AnsweringService { call in
            if call.method == "DELETE" { return told.reply }
            if call.path.contains("/bucket/") { return .json(200, #"{"id":"photos","name":"photos"}"#) }
            return .json(200, #"[{"name":"a.jpg","id":"1"},{"name":"b.jpg","id":"2"}]"#)
        }
    }

    @Test(
        "SY-3 a trouble that passes is tried again, and one that stays parks the erasure with its cause",
        arguments: [
            Told(status: "503", code: "DatabaseReadOnly", becomes: "connector.unavailable"),
            Told(status: "503", code: "S3Error", message: "ServiceUnavailable", becomes: "connector.unavailable"),
            Told(status: "429", code: "S3Error", message: "SlowDown", becomes: "connector.throttled"),
            Told(status: "544", code: "", becomes: "connector.unavailable"),
            Told(status: "409", code: "TransactionError", becomes: "connector.unavailable"),
            Told(status: "401", code: "", message: "jwt expired", becomes: "connector.credentials"),
            Told(status: "403", code: "S3Error", message: "AccessDenied", becomes: "connector.refused"),
            Told(status: "409", code: "ResourceReferenced", becomes: "connector.refused"),
            Told(status: "503", code: "DatabaseSchemaMismatch", becomes: "connector.refused"),
            Told(status: "400", code: "InvalidRequest", becomes: "connector.refused"),
            Told(status: "200", code: "", becomes: "connector.refused"),
            Told(status: "more", code: "", becomes: "connector.refused"),
        ])
    func status(_ told: Told) async throws {
        let service = bucket(refusing: told)
        let connector = try service.connector(
            "supabase-storage", ["endpoint": "https://storage.example.org", "bucket": "photos", "prefix": "{person}/"])
        let error = await fault { _ = try await connector.erase(.init(key: "k", names: ["u1"])) }
        #expect(error?.code.rawValue == told.becomes, "\(String(describing: error))")
        #expect(error?.message.contains(told.message) != true)
        // Only a refusal may lie in one of the files.
        let deletions = service.sent.filter { $0.method == "DELETE" }.count
        #expect(deletions == (told.becomes == "connector.refused" ? 3 : 1))
    }

    @Test("a name that is no UUID is refused as one by versions of Supabase Auth without codes, too", arguments: [400, 404])
    func noUUID(_ status: Int) async throws {
        let service = AnsweringService { _ in .json(status, #"{"code":\#(status),"msg":"user_id must be an UUID"}"#) }
        let connector = try service.connector("supabase-auth", ["endpoint": "https://auth.example.org"])
        for error in [
            await fault { _ = try await connector.verify(.init(key: "k", names: ["ada"])) },
            await fault { _ = try await connector.erase(.init(key: "k", names: ["ada"])) },
        ] {
            #expect(
                error?.code == "connector.refused" && error?.message.contains("not a user's identifier") == true,
                "\(String(describing: error))")
        }
    }

    @Test("a user who was softly deleted before is not counted as erased once more, and nothing is sent for them")
    func softlyDeletedBefore() async throws {
        let user = "0f8fad5b-d9cb-469f-a165-70867728950e"
        let service = AnsweringService { call in
            call.path.hasSuffix(user)
                ? .json(200, #"{"id":"\#(user)","deleted_at":"2026-01-02T03:04:05Z"}"#) : .json(200, #"{"users":[]}"#)
        }
        let connector = try service.connector("supabase-auth", ["endpoint": "https://auth.example.org", "delete": "soft"])
        #expect(try await connector.erase(.init(key: "k", names: [user])) == .nothingThere)
        #expect(service.sent.allSatisfy { $0.method == "GET" })
    }
}
