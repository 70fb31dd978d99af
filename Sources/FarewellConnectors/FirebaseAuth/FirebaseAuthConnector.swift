// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Firebase Authentication (Identity Platform): the account deleted by an administrator.
///
/// The subject's names are accounts (`localId`, the uid). They are deleted one by one, not by `accounts:batchDelete`,
/// which triggers no function of the project. Settings: `project`, `tenant`, `endpoint`; secrets: `service_account`.
///
/// The evidence that the place is the right one is the lookup's own answer: it names its kind and leaves the list of
/// users out if there is none, while a missing project or tenant is an error. An account that it names is one of the
/// plan's tenant, or of none where the plan names none. Without a tenant the lookup finds no user of any tenant, so a
/// missing user counts only if the project has no tenants, by its own configuration, or other systems of the plan erase
/// their users (`tenants: allowed`). And the accounts that there are must have names of the person's form, unless there
/// are several forms (`mixed: allowed`).
public struct FirebaseAuthConnector: Connector {
    let google: GoogleCaller
    let withheld: WithheldValues
    private let root: [String]
    private let tenant: String?
    /// Whether other systems of the plan erase the users of tenants.
    private let hasTenants: Bool
    private let place: PlaceProof
    private let uids: NamesInUse
    /// Accounts that this process has deleted.
    private let gone = Guarded<Set<ExactText>>([])
    private static let most = 10_000
    private let configuration: [String]
    public let declaration: ConnectorDeclaration
    private static let usual = ConnectorDeclaration(
        abilities: [.count, .verify], budget: RateBudget(burst: 10, perSecond: 10),
        permissions: ["firebaseauth.users.get", "firebaseauth.users.delete", right],
        remarks: [
            ReceiptNote(
                about: "identity tokens",
                note: "If a service checks only the signature, an identity token stays valid for up to an hour.")
        ])

    /// - Throws: `plan.system` when the plan does not say what it must.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, of: .firebaseAuth)
        declaration = try settings.paced(Self.usual)
        tenant = settings["tenant"]
        hasTenants = try settings.word("tenants", of: ["refused", "allowed"]) == "allowed"
        guard tenant == nil || settings["tenants"] == nil else {
            throw settings.fault("has a tenant and a setting tenants, which is for the project's own users")
        }
        place = PlaceProof(world)
        uids = try NamesInUse(settings, world: world)
        configuration = ["v2", "projects", try settings.required("project"), "config"]
        root = ["v1", "projects", try settings.required("project")] + (tenant.map { ["tenants", $0] } ?? [])
        withheld = WithheldValues(system.export, omit: Self.secret)
        google = try GoogleCaller(
            settings, at: "https://identitytoolkit.googleapis.com",
            emulator: GoogleEmulator(
                variables: ["FIREBASE_AUTH_EMULATOR_HOST"], base: "/identitytoolkit.googleapis.com"),
            // The configuration of a project has no narrower scope; the account's roles limit it.
            scope: "https://www.googleapis.com/auth/identitytoolkit https://www.googleapis.com/auth/cloud-platform",
            responses: .firebaseAuth, budget: declaration.budget, world: world)
    }

    public func prove() async throws -> String? {
        _ = try await isThere("farewell-unused")
        try await requireNoTenants()
        return "the \(tenant == nil ? "project" : "tenant") answers, and this key may look up users"
    }

    /// Deletes an account that does not exist.
    public func proveRights() async throws -> String? {
        _ = try await delete(google.unusedName)
        return "it may delete users"
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        var count = 0
        for name in request.names where try await isThere(name) { count += 1 }
        if count == 0 { try await requirePlace(for: request) }
        return count
    }

    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        var erased = 0
        try await request.eachName { name in
            if try await delete(name) { erased += 1 }
        }
        if erased == 0 { try await requirePlace(for: request) }
        return erased > 0 ? .erased(erased) : .nothingThere
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        let left = try await count(request) ?? 0
        return left == 0 ? .gone : .left(left)
    }

    // MARK: The place

    private static let right = "firebaseauth.configs.get"

    /// - Parameter request: Its accounts are missing; one that this process has deleted was the project's own.
    func requirePlace(for request: ConnectorRequest) async throws {
        guard !request.names.allSatisfy({ name in gone.withLock { $0.contains(ExactText(name)) } }) else { return }
        try await place.require(requireNoTenants)
        guard !uids.isMixed else { return }
        try await uids.require(request.names, request.record, someAccounts)
    }

    /// The names of some accounts of the project or tenant.
    ///
    /// https://cloud.google.com/identity-platform/docs/reference/rest/v1/projects.accounts/batchGet
    private func someAccounts() async throws -> NameSample? {
        // The answer holds nothing else about other people. An emulator may not know the parameter.
        let only = google.compact.isEmpty ? [] : [(name: "fields", value: "users/localId")]
        let found = try await google.value(
            "GET", .init(accounts, "batchGet"), query: [(name: "maxResults", value: "100")] + only,
            permission: "firebaseauth.users.get")
        let users = found["users"]
        guard found.isObject, found["error"] == nil, users == nil || users?.elements != nil else {
            throw ConnectorFault.garbled(google.system, "no list of accounts")
        }
        return NameSample(names: users?.elements?.compactMap { $0["localId"]?.string } ?? [])
    }

    /// https://cloud.google.com/identity-platform/docs/reference/rest/v2/projects/getConfig
    private func requireNoTenants() async throws {
        guard tenant == nil, !hasTenants else { return }
        let found = try await google.value("GET", .init(configuration), permission: Self.right)
        guard found.isObject, found["error"] == nil else {
            throw ConnectorFault.garbled(google.system, "no configuration of a project")
        }
        guard found["multiTenant"]?["allowTenants"]?.boolean != true else {
            throw ConnectorFault.unproved(
                google.system, "the project has tenants, and their users are not among the project's own",
                remedy: "Write one system of the plan for each tenant, with `tenant`, and for the project's own users "
                    + "one with `tenants: allowed`; then release the erasure.")
        }
    }

    private var accounts: [String] { root + ["accounts"] }

    /// Without a list of users there is no such user; another user in the list is no valid answer.
    func found(_ name: String) async throws -> RawJSON? {
        let answer = try await google.ask(
            "POST", .init(accounts, "lookup"), .object(["localId": .array([.string(name)])]),
            permission: "firebaseauth.users.get"
        ).json(from: google.system)
        guard answer["kind"]?.string == "identitytoolkit#GetAccountInfoResponse" else {
            throw ConnectorFault.garbled(google.system, "no answer to a lookup")
        }
        let isList = answer.members?.contains { $0.name.isByteEqual(to: "users") } == true
        guard isList else { return nil }
        guard let found = answer["users"]?.elements,
            found.allSatisfy({ $0["localId"]?.string?.isByteEqual(to: name) == true })
        else {
            throw ConnectorFault.garbled(google.system, "another person's account")
        }
        guard found.allSatisfy({ isOfTenant($0["tenantId"]?.string) }) else {
            throw ConnectorFault.misconfigured(
                google.system, "it answers with an account of another tenant than the plan's")
        }
        if !found.isEmpty { uids.sawSomething() }
        return found.first
    }

    /// Accounts of the project itself have no tenant.
    private func isOfTenant(_ told: String?) -> Bool {
        guard let tenant, let told else { return tenant == nil && told == nil }
        return told.isByteEqual(to: tenant)
    }

    private func isThere(_ name: String) async throws -> Bool { try await found(name) != nil }

    /// - Returns: Whether there was such an account.
    private func delete(_ name: String) async throws -> Bool {
        let reply = try await google.ask(
            "POST", .init(accounts, "delete"), .object(["localId": .string(name)]), answers: [400],
            permission: "firebaseauth.users.delete")
        let answer = try reply.json(from: google.system)
        guard reply.status != 200 else {
            guard answer["kind"]?.string == "identitytoolkit#DeleteAccountResponse" else {
                throw ConnectorFault.garbled(google.system, "it does not say that the account is deleted")
            }
            gone.withLock { gone in
                if gone.count >= Self.most { gone = [] }
                gone.insert(ExactText(name))
            }
            uids.sawSomething()
            return true
        }
        guard google.responses.googleWords(answer)?.code.isEmpty == false else {
            throw ConnectorFault.garbled(google.system, "an error without a name")
        }
        guard google.outcome(of: reply) != .absent else { return false }
        throw google.fault(of: reply, needs: "firebaseauth.users.delete")
    }
}
