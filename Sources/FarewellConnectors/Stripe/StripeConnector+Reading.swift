// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Reads the customer, all subscriptions, also those that have ended, and all invoices, as Stripe describes them. An
/// erasure deletes the customer and ends the subscriptions; Stripe keeps the invoices.
extension StripeConnector: ReadingConnector {
    /// The data of a customer for an export, page by page.
    private struct Part: Sendable {
        let name: String
        let path: String
        let query: [(name: String, value: String)]
        let permission: String
        /// The list in each object of which Stripe shows the beginning, and where the whole is.
        let inner: String
    }

    private static let parts = [
        Part(
            name: "subscriptions", path: "/v1/subscriptions", query: [("status", "all")],
            permission: "Subscriptions: read", inner: "items"),
        Part(name: "invoices", path: "/v1/invoices", query: [], permission: "Invoices: read", inner: "lines"),
    ]
    /// How many objects one call reads: an invoice may have many kilobytes.
    private static let page = 20
    private static let limit = 8 << 20

    public func read(_ request: ConnectorRequest, into sink: any ConnectorSink) async throws {
        for name in request.names {
            guard let customer = try await found(name, of: request) else { continue }
            try sink.add(customer, named: "customer.json", of: rest.system, without: withheld)
            for part in Self.parts { try await read(part, of: name, into: sink) }
        }
    }

    private func read(_ part: Part, of customer: String, into sink: any ConnectorSink) async throws {
        var documents = try ExportedDocuments(
            "\(part.name).json", of: rest.system, into: sink, without: withheld)
        var cut: [String] = []
        try await each(part.path, part.query + [("customer", customer)], part.permission) { id, value in
            let owner = value["customer"]
            guard (owner?.string ?? owner?["id"]?.string)?.isByteEqual(to: customer) == true else {
                throw ConnectorFault.garbled(rest.system, "another customer's data")
            }
            try documents.add(value)
            if value[part.inner]?["has_more"]?.boolean == true { cut.append(id) }
        }
        try documents.end()
        guard !cut.isEmpty else { return }
        // Lists of which an object shows the beginning are read as a whole.
        documents = try ExportedDocuments(
            "\(part.name).\(part.inner).json", of: rest.system, into: sink, without: withheld)
        for id in cut {
            let isInvoice = part.inner == "lines"
            let path = isInvoice ? "\(part.path)/\(try rest.part(id))/lines" : "/v1/subscription_items"
            try await each(path, isInvoice ? [] : [("subscription", id)], part.permission) { _, value in
                try documents.add(value)
            }
        }
        try documents.end()
    }

    /// https://docs.stripe.com/api/pagination
    private func each(
        _ path: String, _ filter: [(name: String, value: String)], _ permission: String,
        _ body: (_ id: String, _ value: RawJSON) throws -> Void
    ) async throws {
        var last: String?
        while true {
            var query = filter + [("limit", "\(Self.page)")]
            if let last { query.append(("starting_after", last)) }
            let page = try await rest.ask("GET", path, query: query, permission: permission, limit: Self.limit)
                .json(from: rest.system)
            guard let data = page["data"]?.elements, let hasMore = page["has_more"]?.boolean else {
                throw ConnectorFault.garbled(rest.system, "no list")
            }
            let before = last
            for value in data {
                guard let id = value["id"]?.string else { throw ConnectorFault.garbled(rest.system, "no identifier") }
                try body(id, value)
                last = id
            }
            guard hasMore else { return }
            guard last != before else { throw ConnectorFault.garbled(rest.system, "an empty page before the last") }
        }
    }
}
