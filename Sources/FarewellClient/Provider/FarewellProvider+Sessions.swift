// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

extension FarewellProvider: SessionListing {
    /// The user's live sessions, newest first.
    public func sessions(of session: DeviceSession) async throws(ProviderFailure) -> [ListedSession] {
        let answer = try await asked("GET", "v1/sessions", session)
        guard let list = answer.json?["sessions"]?.array else {
            throw .unavailable(FarewellError("device.odd-answer", .tryAgain, "The list of sessions cannot be read."))
        }
        return list.compactMap { entry in
            guard let id = entry["id"]?.string else { return nil }
            return ListedSession(
                id: id, device: entry["device"]?.string, platform: entry["platform"]?.string,
                appVersion: entry["app_version"]?.string,
                lastSeenAt: entry["last_seen_at"]?.string.flatMap(RFC3339.date),
                isCurrent: entry["is_current"]?.boolean ?? false)
        }
    }

    /// Ends one of the user's sessions. An ended one is no error.
    public func end(_ id: String, of session: DeviceSession) async throws(ProviderFailure) {
        _ = try await asked("DELETE", "v1/sessions/\(id)", session, alsoFine: 404)
    }

    func asked(
        _ method: String, _ path: String, _ session: DeviceSession, _ body: [String: JSONValue]? = nil,
        fields more: [String: String] = [:], alsoFine: Int? = nil
    ) async throws(ProviderFailure) -> HTTPExchange.Answer {
        let all = fields.merging(more) { _, new in new }
        let request = try HTTPExchange.Request.json(method, root.appending(path: path), fields: all, body)
        let answer = try await transport.ask(request.bearing(session.accessToken))
        guard answer.isSuccess || answer.status == alsoFine else { throw FarewellRefusal(answer).failure(at: .bearer) }
        return answer
    }
}
