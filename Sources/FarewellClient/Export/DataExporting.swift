// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A backend from which users download their own data (EX-1 to EX-3).
public protocol DataExporting: SessionProvider {
    /// Requests an export.
    ///
    /// - Parameter proof: The result of `confirmExport`; `nil` if the sign-in is recent.
    /// - Throws: `recentSignInNeeded`; `refused` with `FarewellError.exportLive` and the other errors of exports.
    func requestExport(of session: DeviceSession, proof: Token?) async throws(ProviderFailure) -> DataExport

    /// An export of the user; without a number the newest one.
    ///
    /// - Throws: `refused` with `FarewellError.exportGone` if there is none.
    func dataExport(_ id: String?, of session: DeviceSession) async throws(ProviderFailure) -> DataExport

    /// Transfers the archive of a ready export.
    ///
    /// - Parameter piece: Takes the archive piece by piece.
    func archive(
        of export: DataExport, _ session: DeviceSession, _ piece: @escaping @Sendable (Data) throws -> Void
    ) async throws(ProviderFailure)

    /// Transfers the archive of a ready export, which another session of the user may have requested.
    ///
    /// - Parameters:
    ///   - proof: The result of `confirmExport`; `nil` if the sign-in is recent or the one that requested the export.
    ///   - piece: Takes the archive piece by piece.
    /// - Throws: `recentSignInNeeded`.
    func archive(
        of export: DataExport, _ session: DeviceSession, proof: Token?,
        _ piece: @escaping @Sendable (Data) throws -> Void
    ) async throws(ProviderFailure)

    /// Removes an export at the server. An export that no longer exists is no error.
    func removeExport(_ id: String, of session: DeviceSession) async throws(ProviderFailure)

    /// Checks a proof of the session's user, for an export.
    func confirmExport(
        _ proof: IdentityProof, of session: DeviceSession
    ) async throws(ProviderFailure) -> IdentityConfirmation
}

extension DataExporting {
    /// For a backend that needs no proof.
    public func archive(
        of export: DataExport, _ session: DeviceSession, proof: Token?,
        _ piece: @escaping @Sendable (Data) throws -> Void
    ) async throws(ProviderFailure) {
        try await archive(of: export, session, piece)
    }
}
