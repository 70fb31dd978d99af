// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import Foundation

/// Exports users' data for them: checks who may request, see and read an export. Routes and pages call this service,
/// and it contains no HTTP.
struct AccountExport: Sendable {
    let requests: ExportRequests
    let deletion: AccountDeletion
    /// How often one subject may request an export.
    let allowance: RateLimit

    // MARK: Request

    /// Requests an export of the caller's data. A recent sign-in is required, as for a deletion.
    ///
    /// - Throws: `UnprovenIdentity`; `erasure.sign-in-stale`, `erasure.step-up-invalid`; `TooManyCalls`; `export.…`.
    func request(by credentials: ErasureCredentials) async throws -> RequestedExport {
        let person = try await deletion.identity.person(credentials)
        return try await request(of: person) {
            try await deletion.proof.require(of: person, credentials, for: .requestExport)
        }
    }

    /// Requests an export of a user.
    ///
    /// - Parameter proving: Throws unless the user has proved their identity. It runs after all other checks, so that
    ///   a request beyond a limit spends no proof, and before the allowance, so that an unproved request uses none.
    func request(
        of person: ErasurePerson, proving: @Sendable () async throws -> Void = {}
    ) async throws -> RequestedExport {
        try await requests.request(person.subject, by: person.signIn) {
            if case .refused(let seconds) = allowance.look(person.subject) { throw TooManyCalls(retryAfter: seconds) }
            try await proving()
            if case .refused(let seconds) = allowance.take(person.subject) { throw TooManyCalls(retryAfter: seconds) }
        }
    }

    // MARK: Looking

    /// The caller's newest export.
    ///
    /// - Throws: `UnprovenIdentity`; `export.not-found`.
    func latest(by credentials: ErasureCredentials) async throws -> RequestedExport {
        guard let export = await requests.latest(of: try await subject(credentials)) else {
            throw ExportRequests.notFound
        }
        return export
    }

    /// An export, for its subject. Other callers get `export.not-found`, operators included.
    func export(_ id: UUID?, by credentials: ErasureCredentials) async throws -> RequestedExport {
        try await requests.export(id, of: try await subject(credentials))
    }

    /// The archive of an export, for its subject. Outside the sign-in that requested it, it needs what the request
    /// needs: another, older session may be in other hands.
    ///
    /// - Throws: `UnprovenIdentity`; `export.not-found`, `export.not-ready`; `erasure.sign-in-stale`,
    ///   `erasure.step-up-invalid`.
    func archive(_ id: UUID?, by credentials: ErasureCredentials) async throws -> ExportArchive {
        let person = try await deletion.identity.person(credentials)
        let export = try await requests.export(id, of: person.subject)
        // An unfinished one, which has no archive, spends no proof.
        if export.state == .ready, !export.isRequested(by: person) {
            try await deletion.proof.require(of: person, credentials, for: .requestExport)
        }
        return try await requests.archive(export.id, of: person.subject)
    }

    /// Removes an export, for its subject.
    func remove(_ id: UUID?, by credentials: ErasureCredentials) async throws {
        try await requests.remove(id, of: try await subject(credentials))
    }

    private func subject(_ credentials: ErasureCredentials) async throws -> String {
        try await deletion.identity.person(credentials).subject
    }
}

extension RequestedExport {
    /// Whether a user requested it in the sign-in of their present token.
    func isRequested(by person: ErasurePerson) -> Bool {
        guard let signIn, let present = person.signIn else { return false }
        return signIn.isExactly(present)
    }
}
