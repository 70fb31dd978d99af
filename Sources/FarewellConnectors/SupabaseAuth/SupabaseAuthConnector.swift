// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Supabase Auth, or a service with its contract: deletes the user as an operator does.
///
/// Settings: `endpoint` (up to and without `/admin`), `delete` (`hard` or `soft`); secrets: `key` (service role).
///
/// The evidence that the place is the right one: the operators' list of users, which only the role `service_role` may
/// read, and a key that is not another project's.
public struct SupabaseAuthConnector: Connector {
    let rest: RESTCaller
    let withheld: WithheldValues
    private let isSoft: Bool
    private let secrets: SystemSecrets
    private let host: String
    private let place: PlaceProof
    public let declaration: ConnectorDeclaration
    private static let usual = ConnectorDeclaration(
        abilities: [.count, .verify], budget: RateBudget(burst: 20, perSecond: 20),
        permissions: ["service_role: auth admin"],
        remarks: [
            ReceiptNote(
                about: "access tokens",
                note: "If a service checks only the signature, an access token stays valid until it expires.")
        ])

    /// - Throws: `plan.system` when the plan does not say what it must.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, of: .supabaseAuth)
        declaration = try settings.paced(Self.usual)
        isSoft = try settings.word("delete", of: ["hard", "soft"]) == "soft"
        rest = try .supabase(
            settings, budget: declaration.budget, world: world, responses: .supabaseAuth,
            reading: ResponseTable.supabaseAuthWords)
        secrets = SystemSecrets(system, world: world)
        host = try SystemAddress(try settings.required("endpoint"), system: system.name).hostName
        place = PlaceProof(world)
        withheld = WithheldValues(system.export, omit: Self.secret)
    }

    public func prove() async throws -> String? {
        try requireSeeingKey()
        // A user may write more about themself than can be read; then another one shows the project as well.
        for page in 1... {
            do {
                let found = try await rest.ask(
                    "GET", "/admin/users", query: [("page", "\(page)"), ("per_page", "1")],
                    permission: "service_role: auth admin", limit: Self.longest
                ).json(from: rest.system)
                guard found["users"]?.elements != nil else {
                    throw ConnectorFault.garbled(rest.system, "no list of users")
                }
                break
            } catch let fault as ConnectorFault where fault.isTooLong && page < 5 {
                continue
            }
        }
        return "the project answers, and this key may list its users"
    }

    /// Bytes about a user that are read at most: users write metadata of their own.
    private static let longest = 16 << 20

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        let count = try await request.count(isThere)
        if count == 0 { try await requirePlace() }
        return count
    }

    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        let answer = try await request.erase(delete)
        if answer == .nothingThere { try await requirePlace() }
        return answer
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        ConnectorReading(left: try await count(request) ?? 0)
    }

    /// A user who was seen shows the project as well as the list does.
    func requirePlace() async throws {
        try requireSeeingKey()
        guard !place.hasSeenSomething else { return }
        try await place.require { _ = try await prove() }
    }

    private func requireSeeingKey() throws {
        guard let objection = SupabaseKey(try secrets.required("key"), host: host).objection else { return }
        throw ConnectorFault.unproved(rest.system, objection)
    }

    /// - Returns: Whether there was such a user.
    private func delete(_ user: String, key: String) async throws -> Bool {
        // The service takes a user who is softly deleted for one that it deletes now.
        if isSoft, try await !isThere(user) { return false }
        let reply = try await rest.ask(
            "DELETE", "/admin/users/\(try rest.part(user))", .json(.object(["should_soft_delete": .boolean(isSoft)])),
            key: key, answers: [404, 500], permission: "service_role: auth admin")
        switch reply.status {
        case 404:
            try requireUserMissing(reply)
            return false
        case 500: throw whatWentWrong(reply)
        default:
            _ = try reply.json(from: rest.system)
            return true
        }
    }

    private func isThere(_ user: String) async throws -> Bool {
        do {
            return try await found(user) != nil
        } catch let fault as ConnectorFault where fault.isTooLong {
            // About a user who is not there the service says little.
            return true
        }
    }

    /// The user as the service describes them; `nil` if there is none.
    func found(_ user: String) async throws -> RawJSON? {
        let reply = try await rest.ask(
            "GET", "/admin/users/\(try rest.part(user))", answers: [404], permission: "service_role: auth admin",
            limit: Self.longest)
        guard reply.status == 200 else {
            try requireUserMissing(reply)
            return nil
        }
        let found = try reply.json(from: rest.system)
        guard found["id"]?.string?.lowercased().isByteEqual(to: user.lowercased()) == true else {
            throw ConnectorFault.garbled(rest.system, "no user")
        }
        place.sawSomething()
        // A softly deleted user stays without a name.
        return isSoft && found["deleted_at"]?.string?.isEmpty == false ? nil : found
    }

    /// It answers 500 if its database fails. A key's constraint, usually that of `storage.objects` or of a table of
    /// profiles, is not a temporary condition; a lock, a time limit or a lost connection is.
    private func whatWentWrong(_ reply: SystemReply) -> ConnectorFault {
        var fault = rest.fault(reply, needs: "service_role: auth admin")
        let remedy =
            switch ResponseTable.supabaseAuthWords(reply).code {
            case "23503", "23001", "23502":
                "Erase the rows that refer to the user first, or give their keys ON DELETE CASCADE; then release the "
                    + "erasure."
            case _ where fault.isRefusal:
                "Change the constraint, trigger or right, which the service's log names; then release the erasure."
            default:
                "Farewell tries again. If it stays so, look in the service's log for a time limit, a trigger or a "
                    + "right, and in older versions for rows that refer to the user."
            }
        fault.error = FarewellError(fault.error.code, fault.error.family, fault.error.message, remedy: remedy)
        return fault
    }

    private func requireUserMissing(_ reply: SystemReply) throws {
        _ = try reply.json(from: rest.system)
        let line = rest.line(reply)
        switch line.outcome {
        case .absent: return
        case .refused where ResponseTable.supabaseAuthWords(reply).code.isEmpty && line.saying == nil:
            throw ConnectorFault.garbled(rest.system, "a 404 from another service")
        default: throw rest.fault(reply, needs: "service_role: auth admin")
        }
    }
}
