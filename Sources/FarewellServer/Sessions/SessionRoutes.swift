// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird

/// The routes that the contract lacks: list and end sessions, sign out by ticket, follow revocations.
struct SessionRoutes: Sendable {
    let server: FarewellServer

    private var authority: SessionAuthority { server.authority }
    private var auth: AuthRoutes { AuthRoutes(server: server) }

    var all: [Route] { [list, end, signOut.taking(atMost: 4 << 10), RevocationRoute(server: server).route] }

    private var list: Route {
        Route(
            .get, "/v1/sessions",
            RouteOperation(
                id: "listSessions", summary: "List the signed-in user's sessions", tag: "sessions", authority: .person,
                answers: [200: .init(meaning: "The live sessions.", schema: .named("SessionList"))])
        ) { call in
            let sessions = try await authority.sessions(of: try await auth.caller(call))
            return .json(SessionList(sessions: sessions.map(SessionList.Entry.init)))
        }
    }

    private var end: Route {
        Route(
            .delete, "/v1/sessions/{id}",
            RouteOperation(
                id: "endSession", summary: "End one session of the signed-in user", tag: "sessions", authority: .person,
                parameters: [
                    .init(name: "id", place: .path, schema: .formatted("uuid"), meaning: "The identifier.")
                ], answers: [204: .init(meaning: "The session has ended.")],
                refusals: [404: ["session_not_found", "validation_failed"]])
        ) { call in
            let caller = try await auth.caller(call)
            guard let id = call.identifier("id") else {
                throw ErrorWithStatus(.notFound, call.refuse("session_id must be an UUID"))
            }
            do {
                try await authority.end(session: id, of: caller)
                call.report("session ended", of: id)
            } catch let error as FarewellError where error.code == "auth.session_not_found" {
                throw ErrorWithStatus(.notFound, error)
            }
            return Response(status: .noContent)
        }
    }

    /// As in RFC 7009: the holder of a ticket may end its session and, by scope, the user's other sessions. An unknown
    /// ticket has no session to end, so the call succeeds.
    private var signOut: Route {
        Route(
            .post, "/v1/sign-out",
            RouteOperation(
                id: "signOutByTicket",
                summary: "End a session by its sign-out ticket, even after its token has expired",
                tag: "sessions", body: .init(schema: .named("SignOut")),
                answers: [200: .init(meaning: "The session has ended, or did not exist.", schema: .anyObject)],
                refusals: [400: ["bad_json", "validation_failed"]])
        ) { call in
            let body = try await call.members()
            guard let ticket = try body.text("ticket"), !ticket.isEmpty else { throw call.refuse("ticket required") }
            let asked = try body.text("scope") ?? SignOutScope.local.rawValue
            guard let scope = SignOutScope(rawValue: asked) else { throw call.refuse("Unsupported scope") }
            if let session = try await authority.signOut(ticket: ticket, scope: scope) {
                call.report("signed out by ticket", of: session, ["scope": scope.rawValue])
            }
            return .json([String: String]())
        }
    }
}

private struct SessionList: Encodable {
    let sessions: [Entry]

    struct Entry: Encodable {
        let id: String
        let device: String?
        let platform: String?
        let app_version: String?
        let user_agent: String?
        let address: String?
        let created_at: String
        let last_seen_at: String
        let refreshed_at: String
        let not_after: String?
        let is_current: Bool

        init(_ session: Session) {
            id = session.id.text
            device = session.device.name
            platform = session.device.platform
            app_version = session.device.appVersion
            user_agent = session.device.userAgent
            address = session.device.address
            created_at = UTCTime.text(session.createdAt)
            last_seen_at = UTCTime.text(session.lastSeenAt)
            refreshed_at = UTCTime.text(session.refreshedAt)
            not_after = session.notAfter.map { UTCTime.text($0) }
            is_current = session.isCurrent
        }
    }
}
