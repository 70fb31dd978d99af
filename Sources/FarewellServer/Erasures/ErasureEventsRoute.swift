// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// `GET /v1/erasures/{id}/events`: how an erasure gets on, as server-sent events, until it comes to rest.
struct ErasureEventsRoute: Sendable {
    let routes: ErasureRoutes

    var route: Route {
        Route(
            .get, ErasureRoutes.root + "/{id}/events",
            RouteOperation(
                id: "followErasure", summary: "Follow how an erasure gets on", tag: "erasures",
                parameters: [ErasureRoutes.idParameter, ErasureRoutes.ticketParameter],
                answers: [
                    200: .init(
                        meaning: "An event for each change, the last one when it has come to rest.",
                        schema: .named("Event"), type: "text/event-stream")
                ]),
            duration: .open
        ) { call in
            try following(try await routes.erasure(call), call)
        }
    }

    /// The events of an erasure as an answer, for whoever may see it.
    ///
    /// - Throws: `auth.overloaded`.
    func following(_ erasure: RequestedErasure, _ call: RouteCall) throws -> Response {
        guard let seat = routes.server.erasureFollowers.enter(following: erasure.id, by: call.connection) else {
            throw FarewellError("auth.overloaded", .tryAgain, "Too many follow already")
        }
        return Response(
            status: .ok, headers: Self.fields,
            body: ResponseBody { writer in try await follow(erasure, seat, writing: &writer) })
    }

    /// What every stream of events is sent with.
    static let fields: HTTPFields = [
        .contentType: "text/event-stream; charset=utf-8", .cacheControl: "no-cache", .accelBuffering: "no",
    ]

    @concurrent
    private func follow(
        _ erasure: RequestedErasure, _ seat: Followers.Seat, writing writer: inout any ResponseBodyWriter
    ) async throws {
        defer { withExtendedLifetime(seat) {} }
        var last: ErasureView?
        var isSilentFor = 0
        for await _ in routes.wakes(of: seat) {
            guard let now = try await routes.requests.erasure(erasure.id) else { break }
            let keepsAccount = try await routes.keepsAccount(now)
            let view = ErasureView(now, keepsAccount: keepsAccount)
            if view != last {
                try await writer.write(ByteBuffer(string: Self.event(view)))
                last = view
                isSilentFor = 0
            } else {
                isSilentFor += 1
                if isSilentFor % 15 == 0 { try await writer.write(ByteBuffer(string: ": beat\n\n")) }
            }
            if now.state.isAtRest, !keepsAccount { break }
        }
        try await writer.finish(nil)
    }

    private static func event(_ view: ErasureView) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(view) else { return "" }
        return "event: erasure\ndata: \(String(decoding: data, as: UTF8.self))\n\n"
    }
}
