// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Stripe: subscriptions cancelled, then the customer deleted.
///
/// The person's names are customers (`cus_…`). Settings: `unpaid` (`cancel`, or `refuse` while an invoice is open),
/// `endpoint`; secrets: `key`. Stripe keeps invoices and payments, as the law wants it.
public struct StripeConnector: Connector {
    private let rest: RESTCaller
    private let refusesUnpaid: Bool
    public let declaration = ConnectorDeclaration(
        abilities: [.count, .verify], budget: RateBudget(burst: 20, perSecond: 20),
        permissions: ["Customers: write", "Subscriptions: write", "Invoices: read"],
        remarks: [
            ReceiptNote(
                about: "invoices and payments",
                note: "The payment service keeps them for the time that tax and accounting law asks for.")
        ])

    /// - Throws: `plan.system` when the plan does not say what it must.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, knows: ["unpaid", "endpoint"], secrets: ["key"])
        refusesUnpaid = try settings.word("unpaid", of: ["cancel", "refuse"]) == "refuse"
        let secrets = SystemSecrets(system, world: world)
        rest = RESTCaller(
            system.name, at: try settings.address(else: "https://api.stripe.com"), budget: declaration.budget,
            world: world
        ) {
            [("Authorization", "Bearer \(try secrets.required("key"))")]
        }
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? {
        var count = 0
        for name in request.names where try await isThere(name) { count += 1 }
        return count
    }

    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        var erased = 0
        for name in request.names where try await isThere(name) {
            if refusesUnpaid { try await requirePaid(name) }
            try await cancelSubscriptions(of: name, request.key)
            let reply = try await rest.ask(
                "DELETE", "/v1/customers/\(try rest.part(name))", key: "\(request.key)/\(name)", answers: [404],
                permission: "Customers: write")
            let answer = try reply.json(from: rest.system)
            guard reply.status != 404 else { continue }
            guard answer["deleted"]?.boolean == true, answer["id"]?.string == name else {
                throw ConnectorFault.garbled(rest.system, "it does not say that the customer is deleted")
            }
            erased += 1
        }
        return erased > 0 ? .erased(erased) : .nothingThere
    }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        let left = try await count(request) ?? 0
        return left == 0 ? .gone : .left(left)
    }

    /// A customer that is deleted is still known by its identifier, and says so.
    private func isThere(_ customer: String) async throws -> Bool {
        let reply = try await rest.ask(
            "GET", "/v1/customers/\(try rest.part(customer))", answers: [404], permission: "Customers: read")
        let found = try reply.json(from: rest.system)
        if reply.status == 404 {
            // Anything may answer 404 at a wrong address; only Stripe says that it misses the customer.
            guard
                found["error"]?["code"]?.string == "resource_missing"
                    || found["error"]?["type"]?.string == "invalid_request_error"
            else { throw ConnectorFault.garbled(rest.system, "a 404 of something else") }
            return false
        }
        guard found["id"]?.string == customer, found["object"]?.string == "customer" else {
            throw ConnectorFault.garbled(rest.system, "no customer")
        }
        return found["deleted"]?.boolean != true
    }

    private func requirePaid(_ customer: String) async throws {
        let open = try await list("/v1/invoices", [("customer", customer), ("status", "open")], "Invoices: read")
        guard open.isEmpty else {
            throw ConnectorFault.refused(
                rest.system, "\(open.count) invoices are not paid",
                remedy: "Settle or void them, then release the erasure.")
        }
    }

    private func cancelSubscriptions(of customer: String, _ key: String) async throws {
        let subscriptions = try await list("/v1/subscriptions", [("customer", customer)], "Subscriptions: read")
        for subscription in subscriptions where !["canceled", "incomplete_expired"].contains(subscription.status) {
            let reply = try await rest.ask(
                "DELETE", "/v1/subscriptions/\(try rest.part(subscription.id))", key: "\(key)/\(subscription.id)",
                answers: [404], permission: "Subscriptions: write")
            let answer = try reply.json(from: rest.system)
            guard reply.status == 404 || answer["id"]?.string == subscription.id else {
                throw ConnectorFault.garbled(rest.system, "it does not say that the subscription is cancelled")
            }
        }
    }

    /// Page by page, to the last one.
    private func list(
        _ path: String, _ filter: [(name: String, value: String)], _ permission: String
    ) async throws -> [(id: String, status: String)] {
        var found: [(id: String, status: String)] = []
        while true {
            var query = filter + [("limit", "100")]
            if let last = found.last { query.append(("starting_after", last.id)) }
            let page = try await rest.object("GET", path, query: query, permission: permission)
            guard let data = page["data"]?.array, let hasMore = page["has_more"]?.boolean else {
                throw ConnectorFault.garbled(rest.system, "no list")
            }
            for item in data {
                guard let id = item["id"]?.string else { throw ConnectorFault.garbled(rest.system, "no identifier") }
                found.append((id, item["status"]?.string ?? ""))
            }
            guard hasMore, !data.isEmpty else { return found }
        }
    }
}
