// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Reads every item of the subject's, in DynamoDB's own JSON, whose numbers and bytes are exact.
///
/// With an index, each item is read from the table: an index may hold only a part of it. That needs the right
/// `dynamodb:GetItem`, which an erasure does not need.
extension DynamoDBConnector: ReadingConnector {
    /// A page has at most 1 MB of items, which are longer as JSON.
    private static let limit = 16 << 20
    /// A document may have 32 levels, each of which is two levels of JSON.
    private static let depth = 96

    public func read(_ request: ConnectorRequest, into sink: any ConnectorSink) async throws {
        let keys = try await keys()
        var documents = try ExportedDocuments("\(table).json", of: aws.system, into: sink, without: withheld)
        for name in request.names {
            let person = try keyValue(keys, name)
            var after: JSONValue?
            repeat {
                let page = try await page(of: person, keys, after: after)
                for item in page.items {
                    guard let whole = index == nil ? item : try await current(item, of: person, keys) else { continue }
                    let bytes = Array(try JSONEncoder().encode(JSONValue.object(whole)))
                    try documents.add(try RawJSON(bytes, depth: Self.depth))
                }
                after = page.last
            } while after != nil
        }
        try documents.end()
    }

    private func page(
        of person: JSONValue, _ keys: Keys, after: JSONValue?
    ) async throws -> (items: [[String: JSONValue]], last: JSONValue?) {
        var body: [String: JSONValue] = [
            "TableName": .string(table), "KeyConditionExpression": .string("#person = :person"),
            "ExpressionAttributeValues": .object([":person": person]),
            "ExpressionAttributeNames": .object(["#person": .string(attribute)]),
            "ConsistentRead": .boolean(index == nil),
        ]
        if let index { body["IndexName"] = .string(index) }
        if let after { body["ExclusiveStartKey"] = after }
        let found = try await answer("Query", body)
        guard let items = found["Items"]?.array else {
            throw ConnectorFault.garbled(aws.system, "no answer to a query")
        }
        return (items.compactMap(\.object), found["LastEvaluatedKey"])
    }

    /// The item as the table has it; `nil` if it is gone, or another user's by now.
    private func current(
        _ item: [String: JSONValue], of person: JSONValue, _ keys: Keys
    ) async throws -> [String: JSONValue]? {
        let found = try await answer(
            "GetItem",
            [
                "TableName": .string(table), "ConsistentRead": .boolean(true),
                "Key": .object(item.filter { keys.names.contains($0.key) }),
            ])
        guard let whole = found["Item"]?.object, whole[attribute] == person else { return nil }
        return whole
    }

    private func answer(_ operation: String, _ body: [String: JSONValue]) async throws -> JSONValue {
        let answer = try await aws.ask(
            "DynamoDB_20120810.\(operation)", version: "1.0", body, permission: "dynamodb:\(operation)",
            limit: Self.limit, depth: Self.depth)
        guard case .value(let value) = answer else { throw ConnectorFault.garbled(aws.system, "no answer") }
        return value
    }
}
