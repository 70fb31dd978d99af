// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// The proof that the table's keys have the form of the person's.
extension DynamoDBConnector {
    /// Items of one answer, and answers that are read at most until one has a key of the plan's form.
    private static let most = 1_000
    private static let pages = 5

    func requirePlace(for request: ConnectorRequest, _ keys: Keys) async throws {
        let values = try request.names.compactMap { try keyValue(keys, $0).object?.first }
        try await place.require(values.compactMap { name(in: $1, $0, keys) }, request.record, siblings)
    }

    /// Some names in the table's or the index's keys. A table is read in the order of its keys' digests, which is that
    /// of no form.
    ///
    /// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_Scan.html
    func siblings(after name: String?) async throws -> NameSample {
        let keys = try await keys()
        var sample = NameSample()
        var after: JSONValue?
        for _ in 1...Self.pages {
            let page = try await scan(index, attribute, after: after, limit: Self.most)
            for item in page.items {
                guard let found = item[attribute]?.value?.object?.first else { continue }
                if let name = self.name(in: found.value, found.key, keys) {
                    sample.names.append(name)
                } else {
                    sample.hasOthers = true
                }
            }
            after = page.last
            if after == nil || !sample.names.isEmpty { break }
        }
        if sample.isEmpty { sample.isAllEmpty = try await isTableEmpty() }
        return sample
    }

    private func isTableEmpty() async throws -> Bool {
        guard index != nil else { return true }
        return try await scan(nil, attribute, after: nil, limit: 1).items.isEmpty
    }

    private func scan(
        _ index: String?, _ attribute: String, after: JSONValue?, limit: Int
    ) async throws -> (items: [RawJSON], last: JSONValue?) {
        var body: [String: JSONValue] = [
            "TableName": .string(table), "Limit": .integer(Int64(limit)), "ProjectionExpression": .string("#person"),
            "ExpressionAttributeNames": .object(["#person": .string(attribute)]),
        ]
        if let index { body["IndexName"] = .string(index) }
        if let after { body["ExclusiveStartKey"] = after }
        let found = try await value("Scan", body)
        guard let items = found["Items"]?.elements else {
            throw ConnectorFault.garbled(aws.system, "no answer to a scan")
        }
        return (items, try last(of: found, after: after))
    }

    /// The name in a key's value, as text; `nil` if it has not the plan's form.
    private func name(in value: JSONValue, _ kind: String, _ keys: Keys) -> String? {
        guard keys.key.kind.rawValue == kind, let text = value.string else { return nil }
        guard keys.key.kind == .bytes else { return name(inText: text) }
        guard let bytes = Data(base64Encoded: text) else { return nil }
        guard keys.key.encoding != .utf8 else { return name(inText: String(decoding: bytes, as: UTF8.self)) }
        // Bytes have a length alone.
        return bytes.hexadecimal
    }

    private func name(inText text: String) -> String? {
        guard let template else { return text }
        let beside = template.before.utf8.count + template.after.utf8.count
        guard text.hasBytePrefix(template.before), text.hasByteSuffix(template.after), text.utf8.count > beside else {
            return nil
        }
        let name = text.utf8.dropFirst(template.before.utf8.count).dropLast(template.after.utf8.count)
        return String(decoding: name, as: UTF8.self)
    }
}
