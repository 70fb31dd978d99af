// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// Amazon DynamoDB: deletes every item of a table that belongs to the subject.
///
/// Settings: `region`, `table`, `key` (the attribute that holds the subject's name), `index` (the index with this
/// partition key; without it the table's own), `value` (the form of the name, as in single-table designs:
/// `USER#{person}`), `binary` (for a key of bytes: the name's own bytes in `utf8`, or the bytes that it encodes in
/// `base64`, `hex` or as a `uuid`), `endpoint`.
///
/// The evidence that the place is the right one is the table's own description, which names its key, and for a name
/// without items some keys of the table, which must be of its form.
public struct DynamoDBConnector: Connector {
    let aws: AWSCaller
    let table: String
    let attribute: String
    let index: String?
    let withheld: WithheldValues
    let template: NameTemplate?
    let place: NamedPlace
    private let encoding: DynamoDBKey.Encoding
    private let known = Guarded<Keys?>(nil)
    public let declaration: ConnectorDeclaration
    /// Whether the table has shown that it knows no transactions.
    let isWithoutTransactions = Guarded(false)
    /// Items of a page, which are as many as a transaction can have.
    static let page = 100

    /// - Throws: `plan.system` when the plan does not say what it must.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, of: .dynamoDB)
        table = try settings.required("table")
        attribute = try settings.required("key")
        index = settings["index"]
        template = try settings.template("value")
        let words = DynamoDBKey.Encoding.allCases.map(\.rawValue)
        encoding = DynamoDBKey.Encoding(rawValue: try settings.word("binary", of: words)) ?? .utf8
        withheld = WithheldValues(system.export, .dynamoDB, keep: [attribute])
        place = try NamedPlace(
            settings, "value", empty: "no item has this key, and the table is not empty", world: world)
        let region = try settings.required("region")
        declaration = try settings.paced(
            ConnectorDeclaration(
                abilities: [.count, .verify], budget: RateBudget(burst: 100, perSecond: 100),
                grants: Self.grants(
                    on: "arn:\(AWSPartition(region: region).name):dynamodb:\(region):*:table/\(table)", index),
                remarks: [
                    ReceiptNote(
                        about: system.name,
                        note: "Back-ups, point-in-time recovery and streams of the table keep the data for their time.")
                ]))
        aws = try AWSCaller(
            settings, service: "dynamodb", host: "dynamodb.{region}.{suffix}", responses: .dynamoDB,
            budget: declaration.budget, world: world)
    }

    private static func grants(on table: String, _ index: String?) -> [ConnectorDeclaration.Grant] {
        guard let index else {
            let operations = ["DescribeTable", "BatchWriteItem", "Query", "Scan"]
            return [.init(operations.map { "dynamodb:\($0)" }, on: table)]
        }
        return [
            .init(["dynamodb:DescribeTable", "dynamodb:DeleteItem", "dynamodb:Scan"], on: table),
            .init(["dynamodb:Query", "dynamodb:Scan"], on: "\(table)/index/\(index)"),
        ]
    }

    public func prove() async throws -> String? {
        let keys = try await keys()
        // Queries a key that does not exist, to test the right to query.
        _ = try await query(keys, keys.probe, after: nil, counting: true)
        try await place.prove(siblings)
        return "the table \(table) exists, its key is \(attribute), and it may be queried"
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? { try await counted(request) }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        ConnectorReading(left: try await counted(request))
    }

    /// One page of one name; the cursor says where the next begins.
    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        let place = try Place(cursor: request.cursor, system: aws.system)
        guard !request.names.isEmpty else { return .nothingThere }
        let keys = try await keys()
        let (values, unfit) = try request.places { try keyValue(keys, $0) }
        guard place.name < values.count else {
            if let unfit { throw unfit }
            return .nothingThere
        }
        let value = values[place.name]
        let found = try await PageMark.page(behind: place.after) {
            try await query(keys, value, after: $0, counting: false)
        }
        let items = try found.items.map { try key(of: $0, keys) }
        var others = 0
        if !items.isEmpty { self.place.sawSomething() }
        let refused = try await itemByItem(items) { items in
            if index == nil { try await delete(items) } else { others += try await deleteStill(items, of: value) }
        }
        let next =
            found.last.map { Place(name: place.name, after: $0) }
            ?? (place.name + 1 < values.count ? Place(name: place.name + 1, after: nil) : nil)
        let erased = found.items.count - refused.count - others
        let stayed = place.refused + refused.count
        if var next {
            next.refused = stayed
            return .more(erased, cursor: try next.text())
        }
        guard stayed == 0 else {
            throw ConnectorFault.refused(
                aws.system, "\(stayed.counted("item")) could not be deleted, even when tried alone"
            ).anew
        }
        if let unfit { throw unfit }
        if erased == 0 { try await requirePlace(for: request, keys) }
        return erased == 0 ? .nothingThere : .erased(erased)
    }

    // MARK: Reading

    /// The table's key, from the table's own description.
    struct Keys: Sendable {
        /// The attributes of the table's key, and their types.
        var kinds: [String: DynamoDBKey.Kind]
        var key: DynamoDBKey

        var names: Set<String> { Set(kinds.keys) }

        /// A value that no key has.
        var probe: JSONValue { key.probe }
    }

    func keys() async throws -> Keys {
        if let keys = known.withLock({ $0 }) { return keys }
        let found = try await value("DescribeTable", ["TableName": .string(table)])
        guard let description = found["Table"], let schema = description["KeySchema"]?.elements,
            let attributes = description["AttributeDefinitions"]?.elements
        else { throw ConnectorFault.garbled(aws.system, "no description of a table") }
        if let name = description["TableName"]?.string, !name.isByteEqual(to: table) {
            throw ConnectorFault.unproved(aws.system, "it describes another table")
        }
        let names = schema.compactMap { $0["AttributeName"]?.string }
        try requirePartition(of: description, schema)
        func kind(of name: String) -> DynamoDBKey.Kind? {
            let found = attributes.first { $0["AttributeName"]?.string?.isByteEqual(to: name) == true }
            return found?["AttributeType"]?.string.flatMap(DynamoDBKey.Kind.init)
        }
        guard !names.isEmpty, let own = kind(of: attribute) else {
            throw ConnectorFault.misconfigured(aws.system, "the attribute of the setting `key` is no key of the table")
        }
        let kinds = Dictionary(names.map { ($0, kind(of: $0) ?? .text) }) { first, _ in first }
        let keys = Keys(kinds: kinds, key: DynamoDBKey(kind: own, encoding: encoding))
        known.withLock { $0 = keys }
        return keys
    }

    /// The attribute must be the partition key of what is queried.
    private func requirePartition(of description: RawJSON, _ schema: [RawJSON]) throws {
        var schema = schema
        if let index {
            let indexes = ["GlobalSecondaryIndexes", "LocalSecondaryIndexes"].flatMap {
                description[$0]?.elements ?? []
            }
            let found = indexes.first { $0["IndexName"]?.string?.isByteEqual(to: index) == true }
            guard let own = found?["KeySchema"]?.elements else {
                throw ConnectorFault.misconfigured(aws.system, "the table has no index of that name")
            }
            schema = own
        }
        // A description may leave the role out if there is one key.
        let partition = schema.first { $0["KeyType"]?.string == "HASH" } ?? schema.first
        guard partition?["AttributeName"]?.string?.isByteEqual(to: attribute) == true else {
            throw ConnectorFault.misconfigured(
                aws.system, "the attribute of the setting `key` is not the partition key there")
        }
    }

    /// The subject's name as a key value.
    ///
    /// - Throws: `ConnectorFault.unproved` if the key cannot hold it: a table that no name fits is another one.
    func keyValue(_ keys: Keys, _ name: String) throws -> JSONValue {
        guard let value = keys.key.value(template?.name(of: name) ?? name) else {
            throw ConnectorFault.unproved(
                aws.system, "its key is \(keys.key.words), but the person's name is not",
                remedy: "Correct `table`, `key`, `value`, `binary` or `person` in the plan, then release the erasure.")
        }
        return value
    }

    private struct Page: Sendable {
        var items: [RawJSON] = []
        var count = 0
        var last: JSONValue?
    }

    private func query(_ keys: Keys, _ person: JSONValue, after: JSONValue?, counting: Bool) async throws -> Page {
        var body: [String: JSONValue] = [
            "TableName": .string(table), "KeyConditionExpression": .string("#person = :person"),
            "ExpressionAttributeValues": .object([":person": person]),
            // DynamoDB has no consistent reads of an index.
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
        let found: RawJSON
        do {
            found = try await value("Query", body)
        } catch let fault as ConnectorFault where fault.isRefusal {
            // The table may have been made anew with another key.
            known.withLock { $0 = nil }
            throw fault
        }
        guard let count = found["Count"]?.integer, (0...Int64(Int32.max)).contains(count),
            counting || found["Items"]?.elements != nil
        else {
            throw ConnectorFault.garbled(aws.system, "no answer to a query")
        }
        return Page(items: found["Items"]?.elements ?? [], count: Int(count), last: try last(of: found, after: after))
    }

    private func counted(_ request: ConnectorRequest) async throws -> Int {
        let keys = try await keys()
        var count = 0
        for name in request.names {
            let value = try keyValue(keys, name)
            var after: JSONValue?
            repeat {
                let page = try await query(keys, value, after: after, counting: true)
                count += page.count
                after = page.last
            } while after != nil
        }
        if count > 0 { place.sawSomething() } else { try await requirePlace(for: request, keys) }
        return count
    }

    /// The key after which the next page begins.
    func last(of page: RawJSON, after former: JSONValue?) throws -> JSONValue? {
        guard let last = page["LastEvaluatedKey"] else { return nil }
        guard let key = last.value else { throw ConnectorFault.garbled(aws.system, "the end of a page") }
        if let former, try Self.written(key) == Self.written(former) { throw ConnectorFault.samePage(aws.system) }
        return key
    }

    /// As bytes, because two keys that Unicode treats as equal are two.
    private static func written(_ key: JSONValue) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try encoder.encode(key)
    }

    /// The key of an item in the table.
    func key(of item: RawJSON, _ keys: Keys) throws -> [String: JSONValue] {
        var key: [String: JSONValue] = [:]
        for name in keys.names {
            guard let value = item[name]?.value else {
                throw ConnectorFault.garbled(aws.system, "an item without a key")
            }
            key[name] = value
        }
        return key
    }

    func value(_ operation: String, _ body: [String: JSONValue]) async throws -> RawJSON {
        let answer = try await aws.ask(
            "DynamoDB_20120810.\(operation)", version: "1.0", body, permission: "dynamodb:\(operation)")
        guard case .value(let value) = answer else { throw ConnectorFault.garbled(aws.system, "no answer") }
        return value
    }

    /// The key at which the next page begins.
    private struct Place: Sendable {
        var name: Int
        var after: JSONValue?
        /// Items that stayed so far.
        var refused = 0

        init(name: Int, after: JSONValue?) {
            self.name = name
            self.after = after
        }

        init(cursor: String?, system: String) throws {
            self.init(name: 0, after: nil)
            guard let cursor else { return }
            let value = try? StrictJSON.value(Array(cursor.utf8))
            let refused = value?["refused"]?.integer ?? 0
            guard let value, let name = value["name"]?.integer, name >= 0,
                (0...Int64(Int32.max)).contains(refused)
            else {
                throw ConnectorFault.garbled(system, "the cursor is not from Farewell")
            }
            self.name = Int(name)
            self.refused = Int(refused)
            after = value["after"]
        }

        func text() throws -> String {
            var members: [String: JSONValue] = ["name": .integer(Int64(name))]
            members["after"] = after
            if refused > 0 { members["refused"] = .integer(Int64(refused)) }
            return String(decoding: try JSONEncoder().encode(JSONValue.object(members)), as: UTF8.self)
        }
    }
}
