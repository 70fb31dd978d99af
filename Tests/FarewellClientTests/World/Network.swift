// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// The connection to the backend, which fails on request.
struct Network: SessionProvider {
    enum Weather: Sendable {
        case fine
        /// Nothing arrives.
        case down
        /// It arrives, and the answer is lost.
        case deaf
        /// 500 before anything happened.
        case failing
    }

    let backend: Backend
    let weather: @Sendable () -> Weather
    let name = "farewell"
    var policy = SignOutPolicy.clearAnyway
    var hasTickets = true

    static let offline = ProviderFailure.unavailable(FarewellError("device.offline", .tryAgain, "Not reached."))

    private func crossing<Value: Sendable>(
        _ work: () throws(ProviderFailure) -> Value
    ) async throws(ProviderFailure) -> Value {
        let weather = weather()
        await Task.yield()
        switch weather {
        case .fine: return try work()
        case .down, .failing: throw Self.offline
        case .deaf:
            _ = try work()
            throw Self.offline
        }
    }

    func renew(
        _ session: DeviceSession, nonce: String
    ) async throws(ProviderFailure) -> ProviderAnswer<DeviceSession> {
        try await crossing { () throws(ProviderFailure) in try backend.renew(session, nonce: nonce) }
    }

    func revocation(of session: DeviceSession, scope: SignOutScope) -> SessionRevocation? {
        hasTickets ? session.signOutTicket.map { SessionRevocation(ticket: $0, scope: scope) } : nil
    }

    func deliver(_ revocation: SessionRevocation) async throws(ProviderFailure) {
        try await crossing { () throws(ProviderFailure) in
            backend.revoke(ticket: revocation.ticket.reveal { $0 }, revocation.scope)
        }
    }

    func signOut(_ session: DeviceSession, scope: SignOutScope) async throws(ProviderFailure) {
        try await crossing { () throws(ProviderFailure) in
            guard backend.isAccepted(session) else {
                throw .unauthorised(FarewellError("test.401", .yoursToFix, "401"))
            }
            backend.revoke(ticket: session.signOutTicket?.reveal { $0 } ?? "", scope)
        }
    }

    func requestDeletion(
        of session: DeviceSession, _ intent: DeletionIntent
    ) async throws(ProviderFailure) -> DeletionAnswer {
        try await crossing { () throws(ProviderFailure) in try backend.delete(session, intent) }
    }

    func deletionStatus(_ intent: DeletionIntent) async throws(ProviderFailure) -> DeletionAnswer {
        try await crossing { () throws(ProviderFailure) in backend.status(intent) }
    }
}
