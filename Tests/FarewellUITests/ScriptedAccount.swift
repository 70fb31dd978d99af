// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellClient
import FarewellUI

/// An account whose answers a test gives, one by one, and which notes what was asked for.
actor ScriptedAccount: AccountService {
    enum Call: Hashable { case signOut(SignOutScope), delete, deleteProved(String), sessions, end(String), confirm(AccountProof), sendCode }

    private(set) var calls: [Call] = []
    private var failures: [FarewellError?]
    nonisolated let scopes: Set<SignOutScope>
    nonisolated let listsSessions: Bool
    private let kinds: [IdentityProof.Kind]
    private let listed: [ListedSession]
    private let reports: [String]
    private let device: WipeReport
    private let problems: [FarewellError]
    private var gate: AsyncStream<Void>.Iterator?

    /// - Parameters:
    ///   - failures: The errors of the calls, in order; nil and everything after the last succeeds.
    ///   - device: The report of each sign-out and deletion.
    ///   - problems: The errors on the device of each sign-out and deletion.
    ///   - gate: Each call waits for one of these before it answers.
    init(
        failing failures: [FarewellError?] = [], sessions: [ListedSession] = [], reporting reports: [String] = [],
        leaving device: WipeReport = WipeReport([]), problems: [FarewellError] = [],
        gate: AsyncStream<Void>? = nil, proofs: [IdentityProof.Kind] = [.password],
        scopes: Set<SignOutScope> = Set(SignOutScope.allCases), listsSessions: Bool = true
    ) {
        kinds = proofs
        self.scopes = scopes
        self.listsSessions = listsSessions
        self.failures = failures
        listed = sessions
        self.reports = reports
        self.device = device
        self.problems = problems
        self.gate = gate?.makeAsyncIterator()
    }

    private func answer(_ call: Call) async throws {
        calls.append(call)
        let failure = failures.isEmpty ? nil : failures.removeFirst()
        if var waiting = gate {
            gate = nil
            _ = await waiting.next(isolation: #isolation)
            gate = waiting
        }
        if let failure { throw failure }
    }

    func signOut(_ scope: SignOutScope) async throws -> SignOutResult {
        try await answer(.signOut(scope))
        return SignOutResult(device: device, server: .told, problems: problems)
    }

    func deleteAccount(
        proof: Token?, _ progress: @escaping @Sendable (DeletionProgress) -> Void
    ) async throws -> DeletionResult {
        for report in reports { progress(DeletionProgress(state: report)) }
        try await answer(proof.map { .deleteProved($0.reveal { $0 }) } ?? .delete)
        let receipt = DeletionReceipt(signed: "a.b.c", page: "<p>gone</p>")
        return DeletionResult(
            server: DeletionProgress(id: "0b54", state: "done", receipt: receipt), isDone: true, device: device,
            problems: problems)
    }

    func sessions() async throws -> [ListedSession] {
        try await answer(.sessions)
        return listed
    }

    func endSession(_ id: String) async throws { try await answer(.end(id)) }

    func proofs() async -> [IdentityProof.Kind] { kinds }
    func sendCode() async throws { try await answer(.sendCode) }

    func confirm(_ proof: AccountProof) async throws -> Token? {
        try await answer(.confirm(proof))
        return Token("step-up")
    }
}

extension FarewellError {
    static let offline = FarewellError("device.offline", .tryAgain, "away")
    static let stale = FarewellError("device.recent-sign-in-needed", .yoursToFix, "old")
    static let broken = FarewellError("device.deletion-500", .tryAgain, "500")
}
