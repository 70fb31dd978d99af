// SPDX-License-Identifier: Apache-2.0

import Farewell

/// A customer's subscriptions and what they owe.
struct StripeSubscriptions: Sendable {
    let rest: RESTCaller

    /// Reads the first subscription of all, and the first invoice if they are read, and ends a subscription that does
    /// not exist.
    func proveRights(of unused: String, invoices: Bool) async throws {
        for path in invoices ? ["Subscriptions", "Invoices"] : ["Subscriptions"] {
            _ = try await rest.object(
                "GET", "/v1/\(path.lowercased())", query: [("limit", "1")], permission: "\(path): read")
        }
        let reply = try await rest.ask(
            "DELETE", "/v1/subscriptions/sub_\(unused)", key: "\(unused)/subscription", answers: [404],
            permission: "Subscriptions: write")
        if reply.status == 404 { try requireMissing(reply) }
    }

    /// - Throws: `ConnectorFault` where the 404 is another one than that of a missing subscription, such as that of a
    ///   wrong address or of the other mode.
    private func requireMissing(_ reply: SystemReply) throws {
        guard rest.line(reply).outcome != .absent else { return }
        guard !ResponseTable.stripeWords(reply).code.isEmpty else {
            throw ConnectorFault.garbled(rest.system, "a 404 from another service")
        }
        throw rest.fault(reply, needs: "Subscriptions: write")
    }

    /// - Throws: `ConnectorFault.refused` while an invoice is open.
    func requirePaid(_ customer: String) async throws {
        let open = try await list("/v1/invoices", [("customer", customer), ("status", "open")], "Invoices: read")
        guard open.isEmpty else {
            throw ConnectorFault.refused(
                rest.system, "\(open.count.counted("invoice")) \(open.count == 1 ? "is" : "are") not paid",
                remedy: "Settle or void them, then release the erasure.")
        }
    }

    /// Ends all of them at once.
    func end(of customer: String, _ key: String) async throws {
        try await oneByOne(try await living(of: customer)) { subscription in
            let reply = try await rest.ask(
                "DELETE", "/v1/subscriptions/\(try rest.part(subscription.id))", key: "\(key)/\(subscription.id)",
                answers: [404], permission: "Subscriptions: write")
            let answer = try reply.json(from: rest.system)
            guard reply.status != 404 else { return try requireMissing(reply) }
            guard answer["id"]?.string?.isByteEqual(to: subscription.id) == true, Self.hasEnded(answer) else {
                throw ConnectorFault.garbled(rest.system, "it does not say that the subscription is cancelled")
            }
        }
    }

    /// Lets all of them end with the paid period. One that Stripe refuses, such as one under a schedule, does not keep
    /// the others.
    ///
    /// - Returns: The end of the last one, in seconds since 1970; `nil` if none is left.
    func lettingEnd(of customer: String, _ key: String) async throws -> Double? {
        var last: Double?
        try await oneByOne(try await living(of: customer)) { subscription in
            var value = subscription.value
            if value["cancel_at_period_end"]?.boolean != true {
                value = try await rest.beginning(
                    "/v1/subscriptions/\(try rest.part(subscription.id))", .form([("cancel_at_period_end", "true")]),
                    key: "\(key)/\(subscription.id)/period-end", permission: "Subscriptions: write")
                guard value["cancel_at_period_end"]?.boolean == true else {
                    throw ConnectorFault.garbled(rest.system, "it does not say that the subscription ends")
                }
            }
            guard let end = Self.end(of: value) else {
                throw ConnectorFault.garbled(rest.system, "it does not say when the subscription ends")
            }
            last = max(last ?? end, end)
        }
        return last
    }

    /// The end of a subscription. Newer versions of the interface have it in each item.
    private static func end(of subscription: RawJSON) -> Double? {
        func seconds(_ value: RawJSON?) -> Double? { value?.integer.map(Double.init) }
        let items = subscription["items"]?["data"]?.elements?.compactMap { seconds($0["current_period_end"]) }.max()
        return seconds(subscription["cancel_at"]) ?? seconds(subscription["current_period_end"]) ?? items
    }

    private typealias Item = (id: String, value: RawJSON)

    /// Subscriptions or invoices that one call reads: each may have tens of kilobytes.
    private static let page = 25

    private func living(of customer: String) async throws -> [Item] {
        try await list("/v1/subscriptions", [("customer", customer)], "Subscriptions: read").filter {
            !Self.hasEnded($0.value)
        }
    }

    /// https://docs.stripe.com/api/subscriptions/object#subscription_object-status
    private static func hasEnded(_ subscription: RawJSON) -> Bool {
        ["canceled", "incomplete_expired"].contains(subscription["status"]?.string ?? "")
    }

    /// Page by page, to the last one.
    private func list(
        _ path: String, _ filter: [(name: String, value: String)], _ permission: String
    ) async throws -> [Item] {
        var found: [Item] = []
        while true {
            var query = filter + [("limit", "\(Self.page)")]
            if let last = found.last { query.append(("starting_after", last.id)) }
            let page = try await rest.object("GET", path, query: query, permission: permission)
            guard let data = page["data"]?.elements, let hasMore = page["has_more"]?.boolean else {
                throw ConnectorFault.garbled(rest.system, "no list")
            }
            for item in data {
                guard let id = item["id"]?.string else { throw ConnectorFault.garbled(rest.system, "no identifier") }
                found.append((id, item))
            }
            guard hasMore else { return found }
            let isSame = found.dropLast(data.count).last.map { $0.id == found.last?.id } ?? false
            guard !isSame else { throw ConnectorFault.samePage(rest.system) }
            guard !data.isEmpty else { throw ConnectorFault.garbled(rest.system, "an empty page before the last") }
        }
    }
}
