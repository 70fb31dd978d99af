// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

extension FarewellProvider {
    public func requestDeletion(
        of session: DeviceSession, _ intent: DeletionIntent
    ) async throws(ProviderFailure) -> DeletionAnswer {
        if let endpoint { return try await endpoint.request(session, intent, fields: fields, over: transport) }
        var more = ["Idempotency-Key": intent.key, "Prefer": "wait=2"]
        more["X-Farewell-Step-Up"] = intent.proof?.reveal { $0 }
        let answer = try await asked(
            "POST", "v1/erasures", session, ["ticket": .string(intent.ticket.reveal { $0 })], fields: more,
            alsoFine: 409)
        if answer.status == 409, FarewellRefusal(answer).code == "erasure.cancelled" { return .cancelled }
        guard answer.isSuccess else { throw FarewellRefusal(answer).failure(at: .bearer) }
        return try Self.read(answer)
    }

    /// - Throws: `unavailable` with a custom endpoint: only another deletion request shows whether an account is gone.
    public func deletionStatus(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer {
        if endpoint != nil { return try await CustomProvider.cannotTell(intent) }
        let answer = try await asked(intent, "")
        let refusal = FarewellRefusal(answer)
        // Only the server itself can say that it knows of none: a 404 of something in between says nothing.
        if answer.status == 404, refusal.code == "erasure.not-found" { return .unknown }
        guard answer.isSuccess else { throw refusal.failure(at: .renewal) }
        return try Self.read(answer)
    }

    public func receipt(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionReceipt? {
        guard intent.serverID != nil, endpoint == nil else { return nil }
        let answer = try await asked(intent, "/receipt")
        let signed = String(decoding: answer.body, as: UTF8.self)
        guard answer.isSuccess, Self.isSigned(signed) else { return nil }
        // The proof is the signature; the page is a kindness that a server need not have.
        let page = try? await asked(intent, "/receipt/page")
        let isPage = page?.status == 200 && page?.fields["content-type"]?.hasPrefix("text/html") == true
        return DeletionReceipt(
            signed: signed, page: page.flatMap { isPage ? String(data: $0.body, encoding: .utf8) : nil })
    }

    /// Three parts of base64url with dots between; the verifier decides whether the token is valid.
    private static func isSigned(_ text: String) -> Bool {
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { part in !part.isEmpty && part.allSatisfy(isBase64URL) }
    }

    private static func isBase64URL(_ byte: UInt8) -> Bool {
        byte.isASCIILetterOrDigit || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }

    private func asked(
        _ intent: DeletionIntent, _ path: String
    ) async throws(ProviderFailure) -> HTTPExchange.Answer {
        var fields = fields
        fields["X-Farewell-Ticket"] = intent.ticket.reveal { $0 }
        let erasure = intent.serverID.map { "v1/erasures/\($0)" } ?? "v1/erasures"
        return try await transport.send(try .json("GET", root.appending(path: erasure + path), fields: fields))
    }

    /// - Throws: `unavailable` for a body that is no such answer: nothing is concluded from it.
    private static func read(_ answer: HTTPExchange.Answer) throws(ProviderFailure) -> DeletionAnswer {
        guard let json = answer.json, let state = json["state"]?.string else {
            throw .unavailable(
                FarewellError("device.odd-answer", .tryAgain, "The server's answer about a deletion cannot be read."))
        }
        let progress = DeletionProgress(
            id: json["id"]?.string, state: state,
            graceUntil: json["grace_until"]?.string.flatMap(RFC3339.date))
        return switch ErasureState(rawValue: state) {
        case .done: .done(progress)
        case .cancelled: .cancelled
        default: .underway(progress)
        }
    }
}
