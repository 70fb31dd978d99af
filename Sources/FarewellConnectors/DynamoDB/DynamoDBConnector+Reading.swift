// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Reads every item of the subject's, in DynamoDB's own JSON, whose numbers and bytes are exact.
///
/// With an index, each item is read from the table: an index may hold only a part of it. That needs the right
/// `dynamodb:GetItem`, which an erasure does not need.
extension DynamoDBConnector: ReadingConnector {
    /// A page has at most 1 MB of items, which are longer as JSON.
    private static let limit = 16 << 20

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
                    try documents.add(whole)
                }
                after = page.last
            } while after != nil
        }
        if documents.count > 0 { place.sawSomething() } else { try await requirePlace(for: request, keys) }
        try documents.end()
    }

    private func page(
        of person: JSONValue, _ keys: Keys, after: JSONValue?
    ) async throws -> (items: [RawJSON], last: JSONValue?) {
        var body: [String: JSONValue] = [
            "TableName": .string(table), "KeyConditionExpression": .string("#person = :person"),
            "ExpressionAttributeValues": .object([":person": person]),
            "ExpressionAttributeNames": .object(["#person": .string(attribute)]),
            "ConsistentRead": .boolean(index == nil),
        ]
        if let index { body["IndexName"] = .string(index) }
        if let after { body["ExclusiveStartKey"] = after }
        let found = try await answer("Query", body)
        guard let items = found["Items"]?.elements else {
            throw ConnectorFault.garbled(aws.system, "no answer to a query")
        }
        return (items, try last(of: found, after: after))
    }

    /// The item as the table has it; `nil` if it is gone, or another user's by now.
    private func current(
        _ item: RawJSON, of person: JSONValue, _ keys: Keys
    ) async throws -> RawJSON? {
        let found = try await answer(
            "GetItem",
            [
                "TableName": .string(table), "ConsistentRead": .boolean(true),
                "Key": .object(try key(of: item, keys)),
            ])
        guard let whole = found["Item"], let (kind, name) = person.object?.first, let wanted = name.string,
            whole[attribute]?[kind]?.string?.isByteEqual(to: wanted) == true
        else { return nil }
        return whole
    }

    private func answer(_ operation: String, _ body: [String: JSONValue]) async throws -> RawJSON {
        let answer = try await aws.ask(
            "DynamoDB_20120810.\(operation)", version: "1.0", body, permission: "dynamodb:\(operation)",
            limit: Self.limit)
        guard case .value(let value) = answer else { throw ConnectorFault.garbled(aws.system, "no answer") }
        return value
    }
}
