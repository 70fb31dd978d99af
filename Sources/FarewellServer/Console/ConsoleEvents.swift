// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Notifies an open console, as server-sent events, when the data that it shows has changed; the page then fetches the
/// data.
struct ConsoleEvents: Sendable {
    let followers: Followers
    let deletion: AccountDeletion
    /// Checked at each look: a session that ended meanwhile receives nothing more.
    let isSignedIn: @Sendable () async throws -> Bool
    /// The one erasure that is looked at; nil looks at all.
    let run: UUID?
    /// The mark of the data that the page shows; it was read before the first look here.
    let seen: Int?

    /// After this number of looks the browser must reconnect, and prove again that an operator signed in.
    private static let looks = 300

    /// - Throws: `auth.overloaded`.
    func answer(_ call: RouteCall) throws -> Response {
        guard let seat = followers.enter(by: call.connection) else {
            throw FarewellError("auth.overloaded", .tryAgain, "Too many followers")
        }
        return Response(
            status: .ok, headers: ServerSentEvent.fields,
            body: ResponseBody { writer in try await follow(seat, writing: &writer) })
    }

    @concurrent
    private func follow(_ seat: Followers.Seat, writing writer: inout any ResponseBodyWriter) async throws {
        defer { withExtendedLifetime(seat) {} }
        var (last, looks) = (seen, 0)
        try await writer.write(ByteBuffer(string: "retry: 2000\n\n"))
        for try await _ in deletion.wakes(of: seat) {
            guard try await isSignedIn() else { break }
            let now = try await mark()
            looks += 1
            if last != nil, now != last {
                try await writer.write(ByteBuffer(string: try ServerSentEvent.text(named: "changed", looks)))
            } else if looks % 5 == 0 {
                try await writer.write(ServerSentEvent.heartbeat)
            }
            last = now
            // However much happens, the database is queried no more often than this.
            guard looks < Self.looks, (try? await deletion.world.sleep(.seconds(2))) != nil else { break }
        }
        try await writer.finish(nil)
    }

    private func mark() async throws -> Int {
        guard let run else { return Self.mark(of: try await deletion.requests.overview()) }
        guard let erasure = try await deletion.requests.erasure(run) else { return 0 }
        return Self.mark(of: erasure, keepsAccount: try await deletion.accounts.keeps(erasure))
    }

    /// Changes when the shown data changes; a renewed lease does not count. Another server has another mark, which
    /// costs one unnecessary reload of a page.
    static func mark(of overview: ErasureOverview) -> Int {
        var overview = overview
        overview.due = overview.due.map(resting)
        for index in overview.leased.indices { overview.leased[index].leaseUntil = nil }
        return overview.hashValue
    }

    static func mark(of erasure: RequestedErasure, keepsAccount: Bool) -> Int {
        var hasher = Hasher()
        hasher.combine(resting(erasure))
        hasher.combine(keepsAccount)
        return hasher.finalize()
    }

    private static func resting(_ erasure: RequestedErasure) -> RequestedErasure {
        var erasure = erasure
        erasure.status.erasure.leaseUntil = nil
        return erasure
    }
}
