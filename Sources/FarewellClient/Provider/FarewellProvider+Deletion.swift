// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

extension FarewellProvider {
    public func requestDeletion(
        of session: DeviceSession, _ intent: DeletionIntent
    ) async throws(ProviderFailure) -> DeletionAnswer {
        let answer = try await asked(
            "POST", "v1/erasures", session, ["ticket": .string(intent.ticket.reveal { $0 })],
            fields: ["Idempotency-Key": intent.key, "Prefer": "wait=2"])
        return try Self.read(answer)
    }

    public func deletionStatus(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer {
        var fields = fields
        fields["X-Farewell-Ticket"] = intent.ticket.reveal { $0 }
        let path = intent.serverID.map { "v1/erasures/\($0)" } ?? "v1/erasures"
        let answer = try await transport.send(try .json("GET", root.appending(path: path), fields: fields))
        if answer.status == 404 || answer.status == 403 { return .unknown }
        guard answer.isSuccess else { throw FarewellRefusal(answer).failure(at: .other) }
        return try Self.read(answer)
    }

    /// - Throws: `unavailable` for what is no such answer: nothing is concluded from it.
    private static func read(_ answer: HTTPExchange.Answer) throws(ProviderFailure) -> DeletionAnswer {
        guard let json = answer.json, let state = json["state"]?.string else {
            throw .unavailable(
                FarewellError("device.odd-answer", .tryAgain, "The answer to a deletion was not readable."))
        }
        let progress = DeletionProgress(
            id: json["id"]?.string, state: state,
            graceUntil: json["grace_until"]?.string.flatMap { try? Date($0, strategy: .iso8601) })
        return switch ErasureState(rawValue: state) {
        case .done: .done(progress)
        case .cancelled: .cancelled
        default: .underway(progress)
        }
    }
}
