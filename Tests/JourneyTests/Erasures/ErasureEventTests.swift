// SPDX-License-Identifier: Apache-2.0

import Eventually
import Farewell
import FarewellSQL
import FarewellVerifier
import Foundation
import Logging
import NIOHTTP1
import Testing

@Suite("Events of erasures and ended sessions from a running server with a file of receivers", .serialized)
struct ErasureEventTests {
    /// A receiver of tokens, and its messages.
    private struct Reader: Sendable {
        let name: String
        let kind: SecurityEvent.Kind
        let verifier: TokenVerifier

        /// Of each person of the first test: that their tablet was signed out, and that they leave.
        var perPerson: Int { kind == .accountPurged ? 1 : 2 }

        init(_ name: String, _ audience: String, _ kind: SecurityEvent.Kind, keys: Data) throws {
            self.name = name
            self.kind = kind
            let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let trusted = try TrustedIssuer.openID(ServerPlace.issuer, keys: .fixed(keys, for: [.es256]), audiences: [audience])
            verifier = try VerifierService(
                trusting: [trusted], settings: VerifierSettings(keys: KeySetPolicy(timeout: .seconds(120))), log: log
            ).verifier
        }

        /// The token that was posted: in the form's member, or alone.
        func token(_ posted: SystemsOutside.Posted) throws -> String {
            let type = kind == .logout ? "application/x-www-form-urlencoded" : "application/secevent+jwt"
            #expect(posted.headers["content-type"] == type, "\(name)")
            guard kind == .logout else { return posted.body }
            try #require(posted.body.hasPrefix("logout_token="))
            return String(posted.body.dropFirst("logout_token=".count))
        }
    }

    private static let secret = "whsec_\(Data(repeating: 7, count: 32).base64EncodedString())"

    /// The file that names a receiver of each kind.
    private static func write(_ outside: SystemsOutside, in folder: URL) throws {
        let lines = [
            "  - {name: crm, kind: webhook, url: '\(try outside.receiver("crm"))', secret-file: hooks.secret}",
            "  - {name: partner, kind: caep, url: '\(try outside.receiver("partner"))', audience: partner}",
            "  - {name: archive, kind: risc, url: '\(try outside.receiver("archive"))', audience: archive}",
            "  - {name: forum, kind: logout, url: '\(try outside.receiver("forum"))', audience: forum-client}",
        ]
        try Data(secret.utf8).writeSecret(to: folder.appendingPathComponent("hooks.secret"))
        try Data(("endpoints:\n" + lines.joined(separator: "\n") + "\n").utf8).write(
            to: folder.appendingPathComponent("hooks.yaml"))
    }

    @Test(
        "BX-10 a receiver of each kind gets one event about each erased user, verified by the server's published keys",
        arguments: SQLDialect.allCases)
    func told(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 4) { place in
            let outside = try SystemsOutside(place.place.folder)
            try Self.write(outside, in: place.place.folder)
            try await place.place.serving(place.settings("webhooks-file: hooks.yaml")) { server in
                let keys = try await server.ask(.GET, "/auth/v1/.well-known/jwks.json").body
                let readers = [
                    try Reader("partner", "partner", .sessionRevoked, keys: keys),
                    try Reader("archive", "archive", .accountPurged, keys: keys),
                    try Reader("forum", "forum-client", .logout, keys: keys),
                ]
                var identifiers: [String] = []
                for index in 0..<2 {
                    let mine = try await place.signIn(index, server)
                    let tablet = try await server.signIn(mine.email)
                    #expect(try await server.ask(.POST, "/auth/v1/logout?scope=local", token: tablet.access).status == 204)
                    // Asked once more, as when the answer was lost.
                    for _ in 1...2 {
                        let done = try await server.ask(.POST, "/functions/v1/delete-account", token: mine.access)
                        #expect(done.status == 200, "\(done)")
                    }
                    try await delivered(to: index + 1, place)
                    try await read(place)
                    for reader in readers {
                        let posted = try await outside.posted(to: reader.name)
                        try #require(posted.count == reader.perPerson * (index + 1), "\(reader.name): once for each")
                        var sessions: [String?] = []
                        for message in posted.suffix(reader.perPerson) {
                            let token = try reader.token(message)
                            let event = try await reader.verifier.verifyEvent(token)
                            #expect(event.kind == reader.kind && event.issuer == ServerPlace.issuer && !event.isRepeated)
                            #expect(event.person?.subject.lowercased() == place.key(index).lowercased(), "\(reader.name)")
                            identifiers.append("\(reader.name) \(event.id)")
                            sessions.append(event.sessionID)
                            for other in readers where other.name != reader.name {
                                await #expect(throws: TokenRefusal.audience) { try await other.verifier.verifyEvent(token) }
                            }
                            #expect(try await !server.isAccepted(token), "it opens nothing")
                        }
                        let expected: Set<String?> = reader.perPerson == 1 ? [nil] : [nil, tablet.session]
                        #expect(Set(sessions) == expected, "the erasure tells of the sessions that end with it: \(sessions)")
                    }
                }
                #expect(Set(identifiers).count == 10, "one for each message of a feed (RFC 8417, 2.2): \(identifiers)")
                try judge(try await outside.posted(to: "crm"), namesNobody: [place.key(0), place.key(1)])
            }
        }
    }

    @Test(
        "BX-10 a signed-out session is reported to caep and logout receivers once, by its name; a ban reports the other session",
        arguments: SQLDialect.allCases)
    func sessions(_ dialect: SQLDialect) async throws {
        try await ErasurePlace.with(dialect, people: 2) { place in
            let outside = try SystemsOutside(place.place.folder)
            try Self.write(outside, in: place.place.folder)
            let settings = place.settings("webhooks-file: hooks.yaml")
            try await place.place.serving(settings) { server in
                let keys = try await server.ask(.GET, "/auth/v1/.well-known/jwks.json").body
                let readers = [
                    try Reader("partner", "partner", .sessionRevoked, keys: keys),
                    try Reader("forum", "forum-client", .logout, keys: keys),
                ]
                let mine = try await place.signIn(0, server)
                let tablet = try await server.signIn(mine.email)
                #expect(try await server.ask(.POST, "/auth/v1/logout?scope=local", token: tablet.access).status == 204)
                try await judge([tablet.session], initiator: "user", readers, outside, place)
                #expect(try await server.isAccepted(mine.access))
                let banned = try await server.ask(
                    .PUT, "/auth/v1/admin/users/\(place.key(0))", token: server.serviceKey(), json: #"{"ban_duration":"24h"}"#)
                #expect(banned.status == 200, "\(banned)")
                try await judge([tablet.session, mine.session], initiator: "admin", readers, outside, place)
            }
            // After a restart it goes on where it stood.
            try await place.place.serving(settings) { server in
                let mine = try await place.signIn(1, server)
                #expect(try await server.ask(.DELETE, "/v1/sessions/\(mine.session)", token: mine.access).status == 204)
                try await read(place)
                for name in ["partner", "forum"] {
                    #expect(try await outside.posted(to: name).count == 3, "\(name)")
                }
            }
            for name in ["archive", "crm"] { #expect(try await outside.posted(to: name).isEmpty, "\(name)") }
        }
    }

    /// Each of these sessions was reported once to each reader, the last one of them just now.
    private func judge(
        _ sessions: [String], initiator: String, _ readers: [Reader], _ outside: SystemsOutside, _ place: ErasurePlace
    ) async throws {
        try await read(place)
        for reader in readers {
            let posted = try await outside.posted(to: reader.name)
            try #require(posted.count == sessions.count, "\(reader.name): once for each")
            let token = try reader.token(posted[sessions.count - 1])
            let event = try await reader.verifier.verifyEvent(token)
            #expect(event.kind == reader.kind && event.issuer == ServerPlace.issuer && !event.isRepeated)
            #expect(event.sessionID == sessions.last && event.person?.subject.lowercased() == place.key(0).lowercased())
            guard case .session(let session)? = event.revocation?.scope else {
                Issue.record("\(reader.name): it ends more than the session")
                continue
            }
            #expect(session == sessions.last)
            guard reader.kind == .sessionRevoked else { continue }
            let claims = try CompactToken(token).unprovenClaims
            let told = claims["events"]?["https://schemas.openid.net/secevent/caep/event-type/session-revoked"]
            #expect(told?["initiating_entity"] == .string(initiator) && claims["sub_id"]?["format"] == "complex")
        }
    }

    /// Waits until every reader of the feed has read all of it.
    private func read(_ place: ErasurePlace) async throws {
        let feed = place.place.dialect == .postgresql ? "auth.revocations" : "auth_revocations"
        // An entry without a cursor has not been read.
        let end = "SELECT max(coalesce(feed_cursor, 9000000000)) FROM \(feed)"
        let behind = "SELECT count(*) FROM \(place.control)revocation_readers WHERE feed_cursor < (\(end))"
        try await eventually { try await place.query(behind) == [[.integer(0)]] }
    }

    /// Waits until all receivers have taken the events of so many subjects.
    private func delivered(to count: Int, _ place: ErasurePlace) async throws {
        let kinds: [(String, Int)] = [("accounts", 1), ("archive", 1), ("crm", 3), ("forum", 1), ("partner", 1)]
        let expected = kinds.map { [SQLValue.text($0.0), .text("delivered"), .integer(Int64($0.1 * count))] }
        let deliveries = "SELECT endpoint, state, count(*) FROM \(place.control)deliveries"
        try await eventually {
            try await place.query("\(deliveries) GROUP BY endpoint, state ORDER BY endpoint, state") == expected
        }
    }

    /// The webhook's messages: signed, each once, and without any name.
    private func judge(_ messages: [SystemsOutside.Posted], namesNobody keys: [String]) throws {
        let secrets = [try WebhookSignature.secret(Self.secret)]
        var types: [String: Int] = [:]
        for message in messages {
            let time = try #require(message.headers["webhook-timestamp"])
            let now = try #require(Int64(time))
            let isSigned = WebhookSignature.isValid(
                message.headers["webhook-signature"] ?? "", id: message.headers["webhook-id"] ?? "", timestamp: time,
                body: Array(message.body.utf8), secrets: secrets, now: now)
            #expect(isSigned)
            #expect(message.headers["content-type"] == "application/json")
            #expect(keys.allSatisfy { !message.body.lowercased().contains($0.lowercased()) })
            let type = try #require(try StrictJSON.value(Array(message.body.utf8))["type"]?.string)
            types[type, default: 0] += 1
        }
        #expect(types == ["erasure.requested": 2, "erasure.begun": 2, "erasure.done": 2])
        #expect(Set(messages.compactMap { $0.headers["webhook-id"] }).count == 6)
    }
}
