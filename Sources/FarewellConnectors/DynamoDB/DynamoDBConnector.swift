// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Amazon DynamoDB: every item of a table that belongs to the person, really deleted.
///
/// Settings: `region`, `table`, `key` (the attribute that holds the person's name), `index` (the index whose partition
/// key that is; without it the table's own), `endpoint`.
public struct DynamoDBConnector: Connector {
    private let aws: AWSCaller
    private let table: String
    private let attribute: String
    private let index: String?
    private let known = Guarded<Keys?>(nil)
    public let declaration: ConnectorDeclaration
    private static let page = 100
    private static let batch = 25

    /// - Throws: `plan.system` when the plan does not say what it must.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(
            system, knows: ["region", "table", "key", "index", "endpoint"], secrets: AWSCaller.secrets)
        table = try settings.required("table")
        attribute = try settings.required("key")
        index = settings["index"]
        declaration = try settings.paced(
            ConnectorDeclaration(
                abilities: [.count, .verify], budget: RateBudget(burst: 100, perSecond: 100),
                grants: Self.grants(on: "arn:aws:dynamodb:\(try settings.required("region")):*:table/\(table)", index),
                remarks: [
                    ReceiptNote(
                        about: system.name,
                        note: "Point-in-time recovery and back-ups of the table keep what was there until they expire.")
                ]))
        aws = try AWSCaller(
            settings, service: "dynamodb", host: "dynamodb.{region}.amazonaws.com", budget: declaration.budget,
            world: world)
    }

    private static func grants(on table: String, _ index: String?) -> [ConnectorDeclaration.Grant] {
        let own = ["dynamodb:DescribeTable", "dynamodb:BatchWriteItem"]
        guard let index else { return [.init(own + ["dynamodb:Query"], on: table)] }
        return [.init(own, on: table), .init(["dynamodb:Query"], on: "\(table)/index/\(index)")]
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? { try await counted(request.names) }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        ConnectorReading(left: try await counted(request.names))
    }

    /// One page of one name; the cursor says where the next begins.
    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        let place = try Place(cursor: request.cursor, system: aws.system)
        guard place.name < request.names.count else { return .nothingThere }
        let keys = try await keys()
        let found = try await query(keys, request.names[place.name], after: place.after, counting: false)
        try await delete(found.items.map { item in item.filter { keys.names.contains($0.key) } })
        let next =
            found.last.map { Place(name: place.name, after: $0) }
            ?? (place.name + 1 < request.names.count ? Place(name: place.name + 1, after: nil) : nil)
        if let next { return .more(found.items.count, cursor: try next.text()) }
        return found.items.isEmpty ? .nothingThere : .erased(found.items.count)
    }

    // MARK: Reading

    /// The table's key, as the table itself tells it.
    private struct Keys: Sendable {
        var names: Set<String>
        /// The type of the attribute that holds the person's name: `S` or `N`.
        var type: String
    }

    private func keys() async throws -> Keys {
        if let keys = known.withLock({ $0 }) { return keys }
        let found = try await value("DescribeTable", ["TableName": .string(table)])
        guard let description = found["Table"], let schema = description["KeySchema"]?.array,
            let attributes = description["AttributeDefinitions"]?.array
        else { throw ConnectorFault.garbled(aws.system, "no description of a table") }
        let names = Set(schema.compactMap { $0["AttributeName"]?.string })
        let type = attributes.first { $0["AttributeName"]?.string == attribute }?["AttributeType"]?.string
        guard !names.isEmpty, let type, type == "S" || type == "N" else {
            throw ConnectorFault.misconfigured(aws.system, "the attribute of the setting `key` is no key of the table")
        }
        let keys = Keys(names: names, type: type)
        known.withLock { $0 = keys }
        return keys
    }

    private struct Page: Sendable {
        var items: [[String: JSONValue]] = []
        var count = 0
        var last: JSONValue?
    }

    private func query(_ keys: Keys, _ name: String, after: JSONValue?, counting: Bool) async throws -> Page {
        // Nobody whose name is no number can stand in an attribute of numbers, and asking is an error there.
        if keys.type == "N", name.wholeMatch(of: /-?[0-9]{1,38}(\.[0-9]{1,38})?/) == nil { return Page() }
        var body: [String: JSONValue] = [
            "TableName": .string(table), "KeyConditionExpression": .string("#person = :person"),
            "ExpressionAttributeValues": .object([":person": .object([keys.type: .string(name)])]),
            // Of an index DynamoDB cannot read what is certain to be the newest.
            "ConsistentRead": .boolean(index == nil),
        ]
        var names: [String: JSONValue] = ["#person": .string(attribute)]
        if counting {
            body["Select"] = .string("COUNT")
        } else {
            let projected = keys.names.sorted()
            for (number, name) in projected.enumerated() { names["#key\(number)"] = .string(name) }
            body["ProjectionExpression"] = .string(projected.indices.map { "#key\($0)" }.joined(separator: ", "))
            body["Limit"] = .integer(Int64(Self.page))
        }
        body["ExpressionAttributeNames"] = .object(names)
        if let index { body["IndexName"] = .string(index) }
        if let after { body["ExclusiveStartKey"] = after }
        let found = try await value("Query", body)
        guard let count = found["Count"]?.integer, (0...Int64(Int32.max)).contains(count),
            counting || found["Items"]?.array != nil
        else {
            throw ConnectorFault.garbled(aws.system, "no answer to a query")
        }
        return Page(
            items: found["Items"]?.array?.compactMap(\.object) ?? [], count: Int(count), last: found["LastEvaluatedKey"]
        )
    }

    private func counted(_ names: [String]) async throws -> Int {
        let keys = try await keys()
        var count = 0
        for name in names {
            var after: JSONValue?
            repeat {
                let page = try await query(keys, name, after: after, counting: true)
                count += page.count
                after = page.last
            } while after != nil
        }
        return count
    }

    private func value(_ operation: String, _ body: [String: JSONValue]) async throws -> JSONValue {
        let answer = try await aws.ask(
            "DynamoDB_20120810.\(operation)", version: "1.0", body, permission: "dynamodb:\(operation)")
        guard case .value(let value) = answer else { throw ConnectorFault.garbled(aws.system, "no answer") }
        return value
    }

    // MARK: Deleting

    /// What the table has not come to is given to it again, later and later.
    private func delete(_ keys: [[String: JSONValue]]) async throws {
        for start in stride(from: 0, to: keys.count, by: Self.batch) {
            var open = keys[start..<min(start + Self.batch, keys.count)].map { key in
                JSONValue.object(["DeleteRequest": .object(["Key": .object(key)])])
            }
            var tries = 0
            while !open.isEmpty {
                let answer = try await value("BatchWriteItem", ["RequestItems": .object([table: .array(open)])])
                guard let unprocessed = answer["UnprocessedItems"]?.object else {
                    throw ConnectorFault.garbled(aws.system, "no answer to a batch")
                }
                let left = unprocessed[table]?.array ?? []
                tries = left.count < open.count ? 0 : tries + 1
                guard tries < 5 else { throw ConnectorFault.throttled(aws.system) }
                if !left.isEmpty { try await aws.pause(0.05 * Double(1 << tries)) }
                open = left
            }
        }
    }

    /// Where the next page begins.
    private struct Place: Sendable {
        var name: Int
        var after: JSONValue?

        init(name: Int, after: JSONValue?) {
            self.name = name
            self.after = after
        }

        init(cursor: String?, system: String) throws {
            self.init(name: 0, after: nil)
            guard let cursor else { return }
            guard let value = try? StrictJSON.value(Array(cursor.utf8)), let name = value["name"]?.integer, name >= 0
            else {
                throw ConnectorFault.garbled(system, "the cursor is not one of ours")
            }
            self.name = Int(name)
            after = value["after"]
        }

        func text() throws -> String {
            var members: [String: JSONValue] = ["name": .integer(Int64(name))]
            members["after"] = after
            return String(decoding: try JSONEncoder().encode(JSONValue.object(members)), as: UTF8.self)
        }
    }
}
