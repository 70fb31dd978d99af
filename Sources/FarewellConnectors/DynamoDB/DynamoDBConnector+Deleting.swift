// SPDX-License-Identifier: Apache-2.0

import Farewell

extension DynamoDBConnector {
    private static let batch = 25
    private static let right = "dynamodb:DeleteItem"

    private static func isCancellation(_ outcome: ResponseOutcome) -> Bool {
        if case .unsupported = outcome { true } else { false }
    }

    /// The outcome of one of the reasons for which a transaction was cancelled.
    private static func outcome(of reason: String) -> ResponseOutcome {
        ResponseTable.dynamoDB.line(400, code: reason).outcome
    }

    /// Unprocessed items are sent again, with growing pauses.
    func delete(_ keys: [[String: JSONValue]]) async throws {
        for start in stride(from: 0, to: keys.count, by: Self.batch) {
            var open = keys[start..<min(start + Self.batch, keys.count)].map { key in
                JSONValue.object(["DeleteRequest": .object(["Key": .object(key)])])
            }
            var attempts = StalledAttempts()
            while !open.isEmpty {
                let answer = try await value("BatchWriteItem", ["RequestItems": .object([table: .array(open)])])
                guard let unprocessed = answer["UnprocessedItems"]?.members else {
                    throw ConnectorFault.garbled(aws.system, "no answer to a batch")
                }
                // Under any other name than the table's there would be items that count as deleted.
                let written = unprocessed.flatMap { $0.value.elements ?? [$0.value] }
                let left = written.compactMap(\.value)
                guard unprocessed.allSatisfy({ $0.name.isByteEqual(to: table) && $0.value.elements != nil }),
                    left.count == written.count, left.count <= open.count
                else {
                    throw ConnectorFault.garbled(aws.system, "another answer to a batch")
                }
                guard let pause = attempts.pause(hasProgress: left.count < open.count) else {
                    throw ConnectorFault.throttled(aws.system)
                }
                if !left.isEmpty { try await aws.pause(pause) }
                open = left
            }
        }
    }

    /// Deletes items that an index names, if they are still the subject's: an index follows its table a moment later,
    /// and an item that it shows may belong to another user by now.
    ///
    /// A global table of strong consistency knows no transactions; its items are deleted one by one.
    ///
    /// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html
    ///
    /// - Returns: The number of items that are not the subject's any more, or missing.
    func deleteStill(_ keys: [[String: JSONValue]], of person: JSONValue) async throws -> Int {
        var others = 0
        if isWithoutTransactions.withLock({ $0 }) {
            for key in keys where try await !deleteAlone(key, of: person) { others += 1 }
            return others
        }
        for start in stride(from: 0, to: keys.count, by: Self.page) {
            var open = Array(keys[start..<min(start + Self.page, keys.count)])
            var attempts = StalledAttempts()
            while !open.isEmpty {
                let answer: AWSCaller.Answer
                do {
                    let deletions = open.map { JSONValue.object(["Delete": .object(deletion($0, of: person))]) }
                    answer = try await aws.ask(
                        "DynamoDB_20120810.TransactWriteItems", version: "1.0", ["TransactItems": .array(deletions)],
                        permission: Self.right, isAnswer: Self.isCancellation)
                } catch let fault as ConnectorFault where fault.isRefusal && open.count == 1 {
                    if try await !deleteAlone(open[0], of: person) { others += 1 }
                    isWithoutTransactions.withLock { $0 = true }
                    break
                }
                guard case .error(_, let canceled) = answer else { break }
                // All or none: another user's items are left out, and the others are tried again.
                let reasons = (canceled["CancellationReasons"]?.elements ?? []).map { $0["Code"]?.string ?? "" }
                guard reasons.count == open.count else {
                    throw ConnectorFault.garbled(aws.system, "a transaction that ends without its reasons")
                }
                let left = zip(open, reasons).filter { Self.outcome(of: $0.1) != .absent }.map(\.0)
                others += open.count - left.count
                guard left.count == open.count else {
                    open = left
                    continue
                }
                let lasting = reasons.first { code in
                    !["None", ""].contains(code) && ![.again, .later].contains(Self.outcome(of: code))
                }
                if let lasting {
                    throw ResponseTable.dynamoDB.fault(
                        400, code: AWSCaller.code(lasting), of: aws.system, needs: Self.right)
                }
                guard let pause = attempts.pause(hasProgress: false) else { throw ConnectorFault.throttled(aws.system) }
                try await aws.pause(pause)
            }
        }
        return others
    }

    /// Deletes one item on the same condition.
    ///
    /// https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_DeleteItem.html
    ///
    /// - Returns: Whether it was the subject's.
    private func deleteAlone(_ key: [String: JSONValue], of person: JSONValue) async throws -> Bool {
        let answer = try await aws.ask(
            "DynamoDB_20120810.DeleteItem", version: "1.0", deletion(key, of: person),
            permission: Self.right, isAnswer: { $0 == .absent })
        if case .value = answer { return true }
        return false
    }

    private func deletion(_ key: [String: JSONValue], of person: JSONValue) -> [String: JSONValue] {
        [
            "TableName": .string(table), "Key": .object(key), "ConditionExpression": .string("#person = :person"),
            "ExpressionAttributeNames": .object(["#person": .string(attribute)]),
            "ExpressionAttributeValues": .object([":person": person]),
        ]
    }
}
