// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import Testing

@Suite("Tables of DynamoDB that know no transactions, or change", .contracts)
struct DynamoDBTransactionTests {
    private static let table = """
        {"Table":{"TableName":"t","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],\
        "AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"},{"AttributeName":"b","AttributeType":"S"}],\
        "GlobalSecondaryIndexes":[{"IndexName":"by-b","KeySchema":[{"AttributeName":"b","KeyType":"HASH"}]}]}}
        """

    private static func operation(_ call: SystemCall) -> String {
        (call.header("x-amz-target") ?? "").split(separator: ".").last.map(String.init) ?? ""
    }

    @Test("SY-2 SY-3 items that an index names are deleted one by one in a table without transactions, and another user's stays")
    func oneByOne() async throws {
        let deleted = Guarded<[String]>([])
        let service = AnsweringService { call in
            switch Self.operation(call) {
            case "DescribeTable": return .json(200, Self.table)
            case "Query":
                let items = ["1", "2", "3"].map { #"{"k":{"S":"\#($0)"}}"# }.joined(separator: ",")
                return .json(200, #"{"Count":3,"Items":[\#(items)]}"#)
            case "DeleteItem":
                let key = (try? StrictJSON.value(call.body))?["Key"]?["k"]?["S"]?.string ?? ""
                guard key != "2" else {
                    return .json(400, #"{"__type":"x#ConditionalCheckFailedException","message":"The conditional request failed"}"#)
                }
                deleted.withLock { $0.append(key) }
                return .json(200, "{}")
            default: return .json(400, #"{"__type":"x#ValidationException","message":"Transactions are not supported."}"#)
            }
        }
        let connector = try service.connector("dynamodb", ["region": "r", "table": "t", "key": "b", "index": "by-b"])
        #expect(try await connector.proveRights() == "this key may delete items")
        deleted.withLock { $0 = [] }
        #expect(try await connector.erase(.init(key: "k", names: ["u1"])) == .erased(2))
        #expect(deleted.withLock { $0 } == ["1", "3"])
        #expect(service.sent.count { Self.operation($0) == "TransactWriteItems" } == 1, "asked once more")
    }

    @Test("F15 an item that a transaction of the app has just taken is deleted later")
    func conflict() async throws {
        let conflicts = Guarded(1)
        let service = AnsweringService { call in
            switch Self.operation(call) {
            case "DescribeTable": return .json(200, Self.table)
            case "Query": return .json(200, #"{"Count":1,"Items":[{"k":{"S":"1"}}]}"#)
            case "DeleteItem":
                let left = conflicts.withLock {
                    $0 -= 1
                    return $0
                }
                return left < 0 ? .json(200, "{}") : .json(400, #"{"__type":"x#TransactionConflictException"}"#)
            default: return .json(400, #"{"__type":"x#ValidationException"}"#)
            }
        }
        let connector = try service.connector("dynamodb", ["region": "r", "table": "t", "key": "b", "index": "by-b"])
        let request = ConnectorRequest(key: "k", names: ["u1"])
        await #expect(throws: ConnectorFault.throttled("it")) { try await connector.erase(request) }
        #expect(try await connector.erase(request) == .erased(1))
    }

    @Test("SY-1 a table that was made anew with another type of key is described again after a refused query")
    func madeAnew() async throws {
        let descriptions = Guarded(0)
        let later = Self.table.replacing(#""b","AttributeType":"S""#, with: #""b","AttributeType":"N""#)
        let service = AnsweringService { call in
            switch Self.operation(call) {
            case "DescribeTable":
                let number = descriptions.withLock {
                    $0 += 1
                    return $0
                }
                return .json(200, number == 1 ? Self.table : later)
            case "Query":
                let isNumber = String(decoding: call.body, as: UTF8.self).contains(#"":person":{"N":"7"}"#)
                return isNumber
                    ? .json(200, #"{"Count":0,"Items":[]}"#)
                    : .json(400, #"{"__type":"x#ValidationException","message":"Type mismatch"}"#)
            default: return .json(200, #"{"Count":0,"Items":[]}"#)
            }
        }
        let connector = try service.connector("dynamodb", ["region": "r", "table": "t", "key": "b", "index": "by-b"])
        let request = ConnectorRequest(key: "k", names: ["7"])
        #expect(await fault { _ = try await connector.verify(request) }?.code == "connector.refused")
        #expect(try await connector.verify(request) == .gone)
        #expect(descriptions.withLock { $0 } == 2)
    }
}
