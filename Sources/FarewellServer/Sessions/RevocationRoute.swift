// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /v1/revocations`: the feed for verifiers, as server-sent events (WHATWG HTML, 9.2).
///
/// An event's `id` is its cursor with a check of its contents; a client that returns it as `Last-Event-ID` gets the
/// events that it missed. A cursor alone, the `id` of earlier versions, is accepted as well. Without it, and after an
/// event that has been deleted, the feed begins with everything that still matters, so that a new verifier refuses
/// sessions that ended before; the event `current` marks the end of this part.
struct RevocationRoute: Sendable {
    let server: FarewellServer

    private static let page = 500

    var route: Route {
        Route(
            .get, "/v1/revocations",
            RouteOperation(
                id: "followRevocations", summary: "Follow the sessions that end", tag: "sessions", authority: .follower,
                parameters: [
                    .init(
                        name: "Last-Event-ID", place: .header, schema: .text,
                        meaning: "The id of the last received event. An id that this feed never sent is answered 400.")
                ],
                answers: [
                    200: .init(meaning: "A stream of events.", schema: .named("Event"), type: "text/event-stream")
                ], refusals: [400: ["validation_failed"], 503: ["overloaded"]]),
            duration: .open
        ) { call in
            let token = try call.bearerToken()
            try await authorise(token)
            let cursor = try await cursor(call)
            guard let seat = server.followers.enter(by: call.connection) else {
                throw FarewellError("auth.overloaded", .tryAgain, "Too many followers")
            }
            return Response(
                status: .ok, headers: ServerSentEvent.fields,
                body: ResponseBody { writer in try await follow(seat, token, from: cursor, writing: &writer) })
        }
    }

    private func authorise(_ token: String) async throws {
        if let key = server.followerKey, !key.isEmpty, ConstantTime.isEqual(token.utf8, key.utf8) { return }
        _ = try await server.authority.administrator(token)
    }

    private func cursor(_ call: RouteCall) async throws -> Int64 {
        guard let text = call.headers[.lastEvent], !text.isEmpty else { return 0 }
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard let cursor = Int64(parts[0]), cursor >= 0 else { throw call.refuse("Last-Event-ID is not a cursor here") }
        let mark = parts.count > 1 ? text : nil
        guard let start = try await server.authority.resumption(after: cursor, mark: mark) else {
            throw call.refuse("Last-Event-ID is not of this feed: start again")
        }
        return start
    }

    /// Whether the token that opened the stream still permits it: its session may have ended, or its role gone.
    private func isAuthorised(_ token: String) async throws -> Bool {
        do {
            try await authorise(token)
            return true
        } catch let error as FarewellError where error.family == .yoursToFix {
            return false
        }
    }

    @concurrent
    private func follow(
        _ seat: Followers.Seat, _ token: String, from start: Int64, writing writer: inout any ResponseBodyWriter
    ) async throws {
        defer { withExtendedLifetime(seat) {} }
        var cursor = start
        var isCurrent = false
        try await writer.write(ByteBuffer(string: ": follow\n\n"))
        for try await _ in wakes(of: seat) {
            guard try await isAuthorised(token) else { break }
            var isSilent = true
            while true {
                let news = try await server.authority.revocations(after: cursor, limit: Self.page)
                for revocation in news {
                    cursor = revocation.cursor
                    isSilent = false
                }
                if !news.isEmpty { try await writer.write(ByteBuffer(string: try news.map(event).joined())) }
                if news.count < Self.page { break }
            }
            if !isCurrent {
                // All earlier revocations have been sent: from here on a verifier refuses correctly.
                isCurrent = true
                try await writer.write(
                    ByteBuffer(string: try ServerSentEvent.text(named: "current", JSONValue.object([:]))))
            } else if isSilent {
                try await writer.write(ServerSentEvent.heartbeat)
            }
        }
        try await writer.finish(nil)
    }

    /// Comes at once, at every revocation, and after each heartbeat's silence; ends when the server stops or the
    /// follower has gone.
    private func wakes(of seat: Followers.Seat) -> some AsyncSequence & Sendable {
        seat.wakes(
            server.authority.revocationWakes, each: .seconds(server.settings.heartbeat), sleep: server.world.sleep)
    }

    private func event(_ revocation: Revocation) throws -> String {
        try ServerSentEvent.text(id: server.authority.mark(of: revocation), Entry(revocation))
    }

    private struct Entry: Encodable {
        let cursor: Int64
        let issuer: String
        let session_id: String?
        let subject: String
        let revoked_at: Double
        let before: Double?
        let reason: String

        init(_ revocation: Revocation) {
            cursor = revocation.cursor
            issuer = revocation.issuer
            session_id = revocation.sessionID?.text
            subject = revocation.subject.text
            revoked_at = revocation.revokedAt.timeIntervalSince1970
            before = revocation.before?.timeIntervalSince1970
            reason = revocation.reason.rawValue
        }
    }
}
