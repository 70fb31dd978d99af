// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /v1/erasures/{id}/events`: the progress of an erasure, as server-sent events, until it comes to rest.
struct ErasureEventsRoute: Sendable {
    let followers: Followers
    let deletion: AccountDeletion

    var route: Route {
        Route(
            .get, "/v1/erasures/{id}/events",
            RouteOperation(
                id: "followErasure", summary: "Follow the progress of an erasure", tag: "erasures",
                parameters: [.erasureID, .erasureTicket],
                answers: [
                    200: .init(
                        meaning: "An event for each change; the last one reports the end.",
                        schema: .named("Event"), type: "text/event-stream")
                ], refusals: [404: ["erasure.not-found"], 503: ["overloaded"]]),
            duration: .open
        ) { call in
            let erasure = try await deletion.erasure(of: call)
            guard call.headers[.ticket] == nil else { return try following(erasure, call) }
            let credentials = call.credentials
            return try following(erasure, call) { try await deletion.stillShows(erasure, to: credentials) }
        }
    }

    /// The events of an erasure as an answer, for a caller who may see it.
    ///
    /// - Parameter mayLook: Whether the caller may still see it, asked at each look until the erasure has begun: a
    ///   token may be signed out. A ticket is always valid.
    /// - Throws: `auth.overloaded`.
    func following(
        _ erasure: RequestedErasure, _ call: RouteCall,
        while mayLook: @escaping @Sendable () async throws -> Bool = { true }
    ) throws -> Response {
        guard let seat = followers.enter(following: erasure.id, by: call.connection) else {
            throw FarewellError("auth.overloaded", .tryAgain, "Too many followers")
        }
        return Response(
            status: .ok, headers: ServerSentEvent.fields,
            body: ResponseBody { writer in try await follow(erasure, seat, while: mayLook, writing: &writer) })
    }

    @concurrent
    private func follow(
        _ erasure: RequestedErasure, _ seat: Followers.Seat, while mayLook: @Sendable () async throws -> Bool,
        writing writer: inout any ResponseBodyWriter
    ) async throws {
        defer { withExtendedLifetime(seat) {} }
        var last: ErasureView?
        var isSilentFor = 0
        for try await _ in deletion.wakes(of: seat) {
            guard let now = try await deletion.requests.erasure(erasure.id) else { break }
            if !now.state.isBegun {
                let isPermitted = try await mayLook()
                guard isPermitted else { break }
            }
            let keepsAccount = try await deletion.accounts.keeps(now)
            let view = ErasureView(now, keepsAccount: keepsAccount)
            if view != last {
                try await writer.write(ByteBuffer(string: try ServerSentEvent.text(named: "erasure", view)))
                last = view
                isSilentFor = 0
            } else {
                isSilentFor += 1
                if isSilentFor % 15 == 0 { try await writer.write(ServerSentEvent.heartbeat) }
            }
            if now.state.isAtRest, !keepsAccount { break }
        }
        try await writer.finish(nil)
    }
}
