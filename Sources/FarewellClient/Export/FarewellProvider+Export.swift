// SPDX-License-Identifier: Apache-2.0
import Farewell
public import Foundation

/// Farewell's own server exports; one without `export.offering: on`, and a Supabase server, answer
/// `FarewellError.exportsOff`.
extension FarewellProvider: DataExporting {
    public func requestExport(
        of session: DeviceSession, proof: Token?
    ) async throws(ProviderFailure) -> DataExport {
        try Self.read(try await exchange("POST", "", session, Self.proving(proof), none: .exportsOff))
    }

    private static func proving(_ proof: Token?) -> [String: String] {
        var fields: [String: String] = [:]
        fields["X-Farewell-Step-Up"] = proof?.reveal { $0 }
        return fields
    }

    public func dataExport(
        _ id: String?, of session: DeviceSession
    ) async throws(ProviderFailure) -> DataExport {
        try Self.read(try await exchange("GET", id.map { "/" + $0 } ?? "", session))
    }

    public func archive(
        of export: DataExport, _ session: DeviceSession, _ piece: @escaping @Sendable (Data) throws -> Void
    ) async throws(ProviderFailure) {
        try await archive(of: export, session, proof: nil, piece)
    }

    public func archive(
        of export: DataExport, _ session: DeviceSession, proof: Token?,
        _ piece: @escaping @Sendable (Data) throws -> Void
    ) async throws(ProviderFailure) {
        let request = try request("GET", "/\(export.id)/archive", Self.proving(proof)).bearing(session.accessToken)
        let answer = try await transport.receive(request, piece)
        guard answer.isSuccess else { throw Self.failure(answer, none: .exportGone) }
    }

    public func removeExport(_ id: String, of session: DeviceSession) async throws(ProviderFailure) {
        let answer = try await transport.ask(
            try request("DELETE", "/" + id, [:]).bearing(session.accessToken))
        guard answer.isSuccess || answer.status == 404 else { throw Self.failure(answer, none: .exportGone) }
    }

    public func confirmExport(
        _ proof: IdentityProof, of session: DeviceSession
    ) async throws(ProviderFailure) -> IdentityConfirmation {
        try await confirm(proof, of: session, for: "request export")
    }

    private func exchange(
        _ method: String, _ path: String, _ session: DeviceSession, _ fields: [String: String] = [:],
        none: FarewellError = .exportGone
    ) async throws(ProviderFailure) -> HTTPExchange.Answer {
        let answer = try await transport.ask(try request(method, path, fields).bearing(session.accessToken))
        guard answer.isSuccess else { throw Self.failure(answer, none: none) }
        return answer
    }

    private func request(
        _ method: String, _ path: String, _ more: [String: String]
    ) throws(ProviderFailure) -> HTTPExchange.Request {
        try .json(method, root.appending(path: "v1/exports" + path), fields: fields.merging(more) { _, new in new })
    }

    /// - Parameter none: The meaning of the status 404.
    private static func failure(_ answer: HTTPExchange.Answer, none: FarewellError) -> ProviderFailure {
        let refusal = FarewellRefusal(answer)
        switch (refusal.code, answer.status) {
        case ("export.live", _): return .refused(.exportLive)
        case ("export.erasing", _): return .refused(.exportErasing)
        case ("export.nothing", _): return .refused(.exportNothing)
        case ("export.busy", _): return .unavailable(.exportBusy)
        case (_, 429): return .unavailable(.exportLimit)
        case (_, 404): return .refused(none)
        default: return refusal.failure(at: .bearer)
        }
    }

    private static func read(_ answer: HTTPExchange.Answer) throws(ProviderFailure) -> DataExport {
        guard let json = answer.json, let id = json["id"]?.string, isPlain(id),
            let state = json["state"]?.string.flatMap(DataExport.State.init)
        else {
            throw .unavailable(
                FarewellError("device.odd-answer", .tryAgain, "The server's answer about an export cannot be read."))
        }
        func number(_ name: String) -> Int? { json[name]?.integer.map { Int(clamping: $0) } }
        return DataExport(
            id: id, state: state, tablesDone: number("tables_done") ?? 0, tablesTotal: number("tables_total") ?? 0,
            archiveBytes: number("archive_bytes"), expiresAt: json["expires_at"]?.string.flatMap(RFC3339.date),
            cause: json["cause"]?.string)
    }

    /// Whether a number from the server can be a part of an address.
    private static func isPlain(_ id: String) -> Bool {
        !id.isEmpty && id.utf8.count <= 64
            && id.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
    }
}
