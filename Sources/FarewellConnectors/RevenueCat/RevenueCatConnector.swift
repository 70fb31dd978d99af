// SPDX-License-Identifier: Apache-2.0

import Farewell

/// RevenueCat, by its second API; by its first where `api` is `v1`.
///
/// The subject's names are customers (app user identifiers). Settings: `project` for the second API, `known` for the
/// first, `api`, `endpoint`; secrets: `key`, of the same API.
///
/// The first API creates a customer when it is asked whether one exists, and reports that by its status (201): such a
/// customer is deleted at once, and nothing is counted beforehand. Prefer the second.
///
/// The evidence that the place is the right one is the project's list of customers, whose names have the form of the
/// person's (`mixed: allowed` if there are several forms). The first API has no list and does not name its project, so
/// there it is a customer of the app's: one that this process has seen, or the one of the setting `known`.
public struct RevenueCatConnector: Connector {
    let rest: RESTCaller
    let api: API
    let withheld: WithheldValues
    private let place: NamesInUse
    private let known: String?
    /// Customers whose names were all found to be the subject's, with the time of that.
    let own = Guarded<[ExactText: Double]>([:])
    let uptime: @Sendable () -> Double
    public let declaration: ConnectorDeclaration

    enum API {
        case first
        case second(project: String)

        var permission: String {
            switch self {
            case .first: "a secret key of API v1"
            case .second: "customer_information:customers:read_write"
            }
        }
    }

    /// - Throws: `plan.system` when the plan does not say what it must.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, of: .revenueCat)
        let isFirst = try settings.word("api", of: ["v2", "v1"]) == "v1"
        api = isFirst ? .first : .second(project: try settings.required("project"))
        place = try NamesInUse(settings, world: world)
        withheld = WithheldValues(system.export)
        known = settings["known"]
        uptime = world.uptime
        guard known == nil || isFirst else { throw settings.fault("has a setting known, which is for api: v1") }
        let usual = ConnectorDeclaration(
            abilities: isFirst ? [.verify] : [.count, .verify], budget: RateBudget(burst: 8, perSecond: 8),
            permissions: [api.permission],
            remarks: [
                ReceiptNote(
                    about: "subscriptions bought in a store",
                    note: "They belong to the App Store or Google Play and end only when they are cancelled there."),
                ReceiptNote(
                    about: "anonymous customers",
                    note: "Customers that the app made without a sign-in, and that were never joined to the subject's, "
                        + "were not looked for."),
            ])
        declaration = try settings.paced(usual)
        let secrets = SystemSecrets(system, world: world)
        rest = RESTCaller(
            system.name, at: try settings.address(else: "https://api.revenuecat.com"), budget: declaration.budget,
            world: world, responses: .revenueCat, reading: ResponseTable.revenueCatWords
        ) {
            [("Authorization", "Bearer \(try secrets.required("key"))")]
        }
    }

    public func prove() async throws -> String? {
        guard case .second(let project) = api else { return try await proveKnown() }
        _ = try await customers(of: project)
        return "the project exists, and this key may list its customers"
    }

    /// Pages of customers that are read at most until one has a name of the app's.
    private static let pages = 5

    /// The names of some customers, without those that the SDK has made: they are not the app's, and a page may have no
    /// others.
    ///
    /// https://www.revenuecat.com/docs/api-v2#tag/Customer/operation/list-customers
    private func customers(of project: String) async throws -> NameSample {
        let path = "/v2/projects/\(try rest.part(project))/customers"
        var names: [String] = []
        var last: String?
        for _ in 1...Self.pages {
            let mark = last.map { [(name: "starting_after", value: $0)] } ?? []
            let found = try await rest.object(
                "GET", path, query: [(name: "limit", value: "100")] + mark, permission: api.permission)
            guard found["object"]?.string == "list", let items = found["items"]?.elements else {
                throw ConnectorFault.garbled(rest.system, "no list of customers")
            }
            names += items.compactMap { $0["id"]?.string }.filter { !Self.isAnonymous($0) }
            guard names.isEmpty, let next = found["next_page"]?.string.flatMap(Self.mark(in:)),
                last?.isByteEqual(to: next) != true
            else { break }
            last = next
        }
        return NameSample(names: names)
    }

    /// The first API creates a customer that it does not have, which is deleted again.
    private func proveKnown() async throws -> String {
        let remedy = "Name in `known` a customer that the project has, or use the second API; then release the erasure."
        guard let known else {
            throw ConnectorFault.unproved(rest.system, "nothing shows that the key is the project's", remedy: remedy)
        }
        guard try await isThere(known) else {
            throw ConnectorFault.unproved(
                rest.system, "the key's project does not have the customer of the setting known", remedy: remedy)
        }
        return "the project has the customer of the setting known"
    }

    /// Deletes a customer who does not exist; the first interface has keys of all rights alone.
    public func proveRights() async throws -> String? {
        guard case .second = api else { return nil }
        _ = try await ask("DELETE", rest.unusedName, key: nil)
        return "it may delete customers"
    }

    /// A customer who was seen shows the project as well as its list does. An anonymous name is one of the SDK's.
    func requirePlace(for request: ConnectorRequest) async throws {
        let names = request.names.contains(where: Self.isAnonymous) ? [] : request.names
        try await place.require(names, request.record) {
            guard case .second(let project) = api else {
                _ = try await proveKnown()
                return nil
            }
            return try await customers(of: project)
        }
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        guard case .second = api else { return nil }
        let count = try await request.count { try await names(of: $0, among: request.names) != nil }
        if count == 0 { try await requirePlace(for: request) }
        return count
    }

    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        let answer = try await request.erase { try await delete($0, among: request.names, key: $1) }
        if answer == .nothingThere { try await requirePlace(for: request) }
        return answer
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        let left = try await request.count { try await isThere($0) }
        if left == 0 { try await requirePlace(for: request) }
        return ConnectorReading(left: left)
    }

    private func isThere(_ name: String) async throws -> Bool { try await found(name) != nil }

    /// The answer about a customer; `nil` when there is none.
    func found(_ name: String) async throws -> SystemReply? {
        guard let reply = try await ask("GET", name, key: nil) else { return nil }
        guard case .first = api, reply.status == 201 else { return reply }
        // Our request has created it: it is deleted until none is left.
        for _ in 1...3 where try await ask("DELETE", name, key: nil, shows: false) == nil { return nil }
        return reply
    }

    func path(of name: String) throws -> String {
        let customer = try rest.part(name)
        switch api {
        case .first: return "/v1/subscribers/\(customer)"
        case .second(let project): return "/v2/projects/\(try rest.part(project))/customers/\(customer)"
        }
    }

    /// Deletes the customer, with everything under all of the customer's names.
    ///
    /// - Parameter names: The subject's names.
    /// - Returns: Whether there was such a customer.
    private func delete(_ name: String, among names: [String], key: String?) async throws -> Bool {
        // Usually the count has just seen them.
        if !wasOwn(name) {
            guard try await isOwn(name, among: names) else { return false }
        }
        return try await ask("DELETE", name, key: key) != nil
    }

    func sawSomething() { place.sawSomething() }

    /// - Parameter shows: Whether a customer that is there shows the project; one that our request has created does
    ///   not.
    /// - Returns: The answer about the customer; `nil` when there is none.
    private func ask(
        _ method: String, _ name: String, key: String?, shows: Bool = true
    ) async throws -> SystemReply? {
        let reply = try await rest.ask(
            method, try path(of: name), key: key, answers: [404], permission: api.permission)
        guard reply.status != 404 else {
            try await requireMissing(reply)
            return nil
        }
        let answer = try reply.json(from: rest.system)
        let isSound =
            switch api {
            case .first: method == "GET" ? answer["subscriber"]?.isObject == true : answer["deleted"]?.boolean == true
            case .second: try await isCustomer(answer, name, isDeleted: method == "DELETE")
            }
        guard isSound else { throw ConnectorFault.garbled(rest.system, "no customer") }
        if shows, reply.status != 201 { place.sawSomething() }
        return reply
    }

    /// A sentence that seems to say that the project is missing may contain the customer's name: then the project's
    /// list of customers decides.
    ///
    /// - Throws: `ConnectorFault` where the 404 is another one than that of a missing customer.
    func requireMissing(_ reply: SystemReply) async throws {
        switch (rest.line(reply).outcome, api) {
        case (.absent, _): return
        case (.misconfigured, .second(let project)): _ = try await customers(of: project)
        case (.misconfigured, .first): throw rest.fault(reply, needs: api.permission)
        default: throw ConnectorFault.garbled(rest.system, "a 404 from elsewhere")
        }
    }
}
