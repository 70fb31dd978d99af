// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Reads the customer as RevenueCat describes them: by the first interface in one document, by the second with the
/// lists of subscriptions, purchases, aliases and attributes.
extension RevenueCatConnector: ReadingConnector {
    /// A list of a customer's.
    private struct Part: Sendable {
        let name: String
        let permission: String
    }

    /// Parts that need further rights come first: without them nothing is read, and the manifest lists the system as
    /// left out.
    private static let parts = [
        Part(name: "subscriptions", permission: "customer_information:subscriptions:read"),
        Part(name: "purchases", permission: "customer_information:purchases:read"),
        Part(name: "aliases", permission: "customer_information:customers:read"),
        Part(name: "attributes", permission: "customer_information:customers:read"),
    ]
    private static let page = "100"
    private static let limit = 8 << 20

    public func read(_ request: ConnectorRequest, into sink: any ConnectorSink) async throws {
        var isEmpty = true
        for name in request.names {
            guard let customer = try await found(name)?.json(from: rest.system) else { continue }
            isEmpty = false
            guard try await isOwn(name, among: request.names) else { continue }
            guard case .second = api else {
                try sink.add(customer, named: "subscriber.json", of: rest.system, without: withheld)
                continue
            }
            for part in Self.parts { try await read(part, of: name, into: sink) }
            try sink.add(customer, named: "customer.json", of: rest.system, without: withheld)
        }
        if isEmpty { try await requirePlace(for: request) }
    }

    /// https://www.revenuecat.com/docs/api-v2#tag/Customer
    private func read(_ part: Part, of customer: String, into sink: any ConnectorSink) async throws {
        let path = "\(try path(of: customer))/\(part.name)"
        var documents: ExportedDocuments?
        var last: String?
        while true {
            var query = [(name: "limit", value: Self.page)]
            if let last { query.append((name: "starting_after", value: last)) }
            let page = try await rest.ask("GET", path, query: query, permission: part.permission, limit: Self.limit)
                .json(from: rest.system)
            guard page["object"]?.string == "list", let items = page["items"]?.elements else {
                throw ConnectorFault.garbled(rest.system, "no list")
            }
            var list =
                try documents
                ?? ExportedDocuments(
                    "\(part.name).json", of: rest.system, into: sink, without: withheld)
            for item in items where try !isOut(item, of: part, sink) {
                try list.add(item)
            }
            documents = list
            guard let next = page["next_page"]?.string else { return try list.end() }
            guard let mark = Self.mark(in: next), last?.isByteEqual(to: mark) != true else {
                throw ConnectorFault.garbled(rest.system, "a list without its end")
            }
            last = mark
        }
    }

    /// Whether an attribute is a secret: its name is a value there, such as `$fcmTokens`.
    private func isOut(_ item: RawJSON, of part: Part, _ sink: any ConnectorSink) throws -> Bool {
        guard part.name == "attributes", let name = item["name"]?.string, let value = item["value"],
            withheld.isOut(name, value.beginning, in: nil)
        else { return false }
        try sink.leaveOut(.value(named: name))
        return true
    }

    /// The mark in the address of the next page: `/v2/projects/…/subscriptions?starting_after=sub1`.
    static func mark(in address: String) -> String? {
        guard let start = address.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        for pair in address[address.utf8.index(after: start)...].utf8.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2, parts[0].elementsEqual("starting_after".utf8) else { continue }
            return String(decoding: parts[1], as: UTF8.self).removingPercentEncoding
        }
        return nil
    }
}
