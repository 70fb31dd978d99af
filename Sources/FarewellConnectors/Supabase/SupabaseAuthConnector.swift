// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Supabase Auth, or whatever speaks its contract: the user deleted by an operator.
///
/// Settings: `endpoint` (up to and without `/admin`), `delete` (`hard` or `soft`); secrets: `key` (service role).
public struct SupabaseAuthConnector: Connector {
    private let rest: RESTCaller
    private let isSoft: Bool
    public let declaration: ConnectorDeclaration
    private static let usual = ConnectorDeclaration(
        abilities: [.count, .verify], budget: RateBudget(burst: 20, perSecond: 20),
        permissions: ["service_role: auth admin"],
        remarks: [
            ReceiptNote(
                about: "access tokens",
                note: "An access token stays good until it expires, where a service checks only its signature.")
        ])

    /// - Throws: `plan.system` when the plan does not say what it must.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, knows: ["endpoint", "delete"], secrets: ["key"])
        declaration = try settings.paced(Self.usual)
        isSoft = try settings.word("delete", of: ["hard", "soft"]) == "soft"
        rest = try .supabase(settings, budget: declaration.budget, world: world)
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        try await request.count(isThere)
    }

    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        try await request.erase(delete)
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        ConnectorReading(left: try await request.count(isThere))
    }

    /// - Returns: Whether there was such a user.
    private func delete(_ user: String, key: String) async throws -> Bool {
        let reply = try await rest.ask(
            "DELETE", "/admin/users/\(try rest.part(user))", .json(.object(["should_soft_delete": .boolean(isSoft)])),
            key: key, answers: [404, 500], permission: "service_role: auth admin")
        switch reply.status {
        case 404:
            try requireUserMissing(reply)
            return false
        case 500: throw try whatWentWrong(reply)
        default:
            _ = try reply.json(from: rest.system)
            return true
        }
    }

    private func isThere(_ user: String) async throws -> Bool {
        let reply = try await rest.ask(
            "GET", "/admin/users/\(try rest.part(user))", answers: [404], permission: "service_role: auth admin")
        guard reply.status == 200 else {
            try requireUserMissing(reply)
            return false
        }
        let found = try reply.json(from: rest.system)
        guard found["id"]?.string?.lowercased() == user.lowercased() else {
            throw ConnectorFault.garbled(rest.system, "no user")
        }
        // Softly deleted, a user is kept under nobody's name.
        return !(isSoft && found["deleted_at"]?.string?.isEmpty == false)
    }

    /// It answers 500 where rows of the app hold on to the user, which does not pass by itself: a key's constraint, as
    /// a rule that of `storage.objects` or of a table of profiles.
    private func whatWentWrong(_ reply: SystemReply) throws -> ConnectorFault {
        let message = try reply.json(from: rest.system)["msg"]?.string ?? ""
        guard message.hasPrefix("Database error deleting user") else {
            return .passing(rest.system, "status 500")
        }
        return .refused(
            rest.system, "a constraint of its database fails, for rows still refer to the user",
            remedy: "Erase those rows first, or give their keys ON DELETE CASCADE; then release the erasure.")
    }

    private func requireUserMissing(_ reply: SystemReply) throws {
        let answer = try reply.json(from: rest.system)
        guard (answer["error_code"] ?? answer["code"])?.string == "user_not_found" else {
            throw ConnectorFault.garbled(rest.system, "a 404 of something else")
        }
    }
}
