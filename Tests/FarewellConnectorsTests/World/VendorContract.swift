// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellConnectors
import FarewellErasure
import FarewellTesting
import Foundation
import Testing

/// The vendors' own machine-readable contracts, held against what connectors sent (`Interop/vendor_contracts.py`).
enum VendorContract {
    /// Everything that a connector sends in a whole erasure: the harmless request, counting, erasing, reading back.
    static func requests(of bed: any ConnectorBed, kind: String, sent: () async -> [SystemCall]) async throws -> [JSONValue] {
        let person = try await bed.settle()
        await bed.inject(nil, at: 0, lasting: false)
        _ = try await bed.connector.prove()
        _ = try await bed.connector.proveRights()
        let driver = ConnectorDriver(bed.name, bed.connector, sleep: { _ in }, chance: { 0.5 })
        _ = try await driver.run(.init(key: "run/contract", names: person), from: nil) { _ in }
        return await sent().map { call in line(call, kind) }
    }

    /// Everything that a connector sends to read a person's data for an export.
    static func reading(of bed: any ConnectorBed, kind: String, sent: () async -> [SystemCall]) async throws -> [JSONValue] {
        let person = try await bed.settle()
        await bed.inject(nil, at: 0, lasting: false)
        let connector = try #require(bed.connector as? any ReadingConnector)
        try await connector.read(.init(key: "export", names: person), into: CollectingSink())
        return await sent().filter { !$0.path.hasSuffix("/token") }.map { line($0, kind) }
    }

    /// The contract of a call; `nil` if its service has none that can be read by machines.
    static func kind(of call: SystemCall) -> String? {
        let target = call.headers.first { $0.name == "x-amz-target" }?.value ?? ""
        if target.hasPrefix("DynamoDB_") { return "dynamodb" }
        if target.hasPrefix("AWSCognito") { return "cognito" }
        let tables: [ResponseTable] = [.s3, .stripe, .firebaseAuth, .firestore, .firebaseStorage]
        return tables.map(\.kind).first { $0 == call.responses.kind }
    }

    static func line(_ call: SystemCall, _ kind: String) -> JSONValue {
        func pairs(_ list: [(name: String, value: String)]) -> JSONValue {
            .array(list.map { .array([.string($0.name), .string($0.value)]) })
        }
        // The fake is behind a path of its own.
        let base = call.address.base
        let isBehind = !base.isEmpty && base != call.encodedPath && call.encodedPath.hasPrefix(base)
        var path = isBehind ? String(call.encodedPath.dropFirst(base.count)) : call.encodedPath
        // A bucket of Amazon's is a part of the host's name.
        if kind == "s3", let bucket = call.address.host.firstMatch(of: #/^(.+)\.s3\./#)?.1 { path = "/\(bucket)\(path)" }
        return .object([
            "kind": .string(kind), "method": .string(call.method), "path": .string(path), "query": pairs(call.query),
            "headers": pairs(call.headers.filter { $0.name != "Authorization" }),
            "body": .string(Data(call.body).base64EncodedString()),
        ])
    }

    /// The result of the contracts: the number of valid requests of each kind, and their operations.
    static func check(_ requests: [JSONValue]) async throws -> JSONValue {
        let told = try await judged(requests)
        #expect(told["faults"]?.array == [], "\(told["faults"].map { "\($0)" } ?? "")")
        return told
    }

    static func judged(_ requests: [JSONValue]) async throws -> JSONValue {
        let lines = try requests.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        return try await PeerProcess.contracts.get().control("POST", "/check", lines.joined(separator: "\n"))
    }
}

extension AWSTests {
    @Suite("Requests to AWS are those of botocore's service models")
    struct AWSContractTests {
        @Test("SY-1 SY-2 SYS-11 every request of a whole erasure is valid under botocore's service models")
        func contract() async throws {
            var requests: [JSONValue] = []
            for kind in ["cognito", "subject", "entitlements", "orders", "single", "binary", "photos", "strange"] {
                let bed = try AWSBed(kind)
                let contract =
                    ["photos", "strange"].contains(kind) ? "s3" : ["cognito", "subject"].contains(kind) ? "cognito" : "dynamodb"
                requests += try await VendorContract.requests(of: bed, kind: contract) { await bed.sending.sent }
            }
            // A key that XML cannot express goes alone.
            let (alone, service, _) = try S3ListTests.bucket(["users/u1/b\u{10}c.jpg"], "amazon")
            _ = try await alone.erase(.init(key: "k", names: ["u1"]))
            requests += service.sent.map { VendorContract.line($0, "s3") }
            // Locks and holds are read, and the bucket's owner may be required.
            for kind in ["locked", "held"] {
                let bed = try AWSBed(kind) { $0.settings["owner"] = "123456789012" }
                let person = try await bed.settle()
                await bed.inject(nil, at: 0, lasting: false)
                _ = await fault { _ = try await bed.connector.erase(.init(key: "k", names: person)) }
                requests += await bed.sending.sent.map { VendorContract.line($0, "s3") }
            }
            let told = try await VendorContract.check(requests)
            let operations = told["operations"]
            let s3 = [
                "AbortMultipartUpload", "DeleteObject", "DeleteObjects", "HeadObject", "ListMultipartUploads", "ListObjectVersions",
            ]
            #expect(operations?["s3"]?.array?.compactMap(\.string) == s3)
            let dynamodb = ["BatchWriteItem", "DescribeTable", "Query", "Scan", "TransactWriteItems"]
            #expect(operations?["dynamodb"]?.array?.compactMap(\.string) == dynamodb)
            let cognito = ["AdminDeleteUser", "AdminGetUser", "AdminUserGlobalSignOut", "ListUsers"]
            #expect(operations?["cognito"]?.array?.compactMap(\.string) == cognito)
        }
    }
}

extension FirebaseTests {
    @Test("SY-1 SY-2 SYS-13 every request of a whole erasure is valid under Google's discovery documents")
    func contract() async throws {
        var requests: [JSONValue] = []
        for place in FirebaseBed.Place.allCases where place != .tree {
            let bed = try FirebaseBed(place)
            requests += try await VendorContract.requests(of: bed, kind: bed.name) {
                await bed.sending.sent.filter { !$0.path.hasSuffix("/token") }
            }
        }
        for settings in [
            ["collection": "posts", "field": "author", "type": "reference", "value": "users/{person}"],
            ["collection": "teams", "field": "list", "type": "array"], ["collection": "teams", "field": "map", "type": "map"],
        ] {
            let bed = try FirebaseBed(.field) { $0.settings.merge(settings) { $1 } }
            requests += try await VendorContract.requests(of: bed, kind: bed.name) {
                await bed.sending.sent.filter { !$0.path.hasSuffix("/token") }
            }
        }
        let told = try await VendorContract.check(requests)
        let operations = (told["operations"]?.object?.values.flatMap { $0.array?.compactMap(\.string) ?? [] } ?? []).sorted()
        #expect(
            operations.contains { $0.hasSuffix("documents.batchWrite") } && operations.contains("storage.objects.delete"), "\(operations)")
        #expect(
            operations == [
                "firestore.projects.databases.documents.batchGet", "firestore.projects.databases.documents.batchWrite",
                "firestore.projects.databases.documents.list", "firestore.projects.databases.documents.listCollectionIds",
                "firestore.projects.databases.documents.runQuery", "identitytoolkit.projects.accounts.delete",
                "identitytoolkit.projects.accounts.lookup",
                "identitytoolkit.projects.getConfig", "identitytoolkit.projects.tenants.accounts.delete",
                "identitytoolkit.projects.tenants.accounts.lookup", "storage.objects.delete", "storage.objects.list",
            ], "\(operations)")
    }
}

extension VendorTests {
    @Test("SY-1 SYS-03 every request of a whole erasure is one of Stripe's own client")
    func contract() async throws {
        let bed = try VendorBed("stripe")
        var requests = try await VendorContract.requests(of: bed, kind: "stripe") { await bed.sending.sent }
        // Another request ends subscriptions that may run to their end.
        let waiting = try VendorBed("stripe") {
            $0.settings["subscriptions"] = "period-end"
            $0.settings["unpaid"] = "refuse"
        }
        let person = try await waiting.settle()
        await waiting.inject(nil, at: 0, lasting: false)
        _ = try await waiting.connector.erase(.init(key: "k", names: person))
        requests += await waiting.sending.sent.map { VendorContract.line($0, "stripe") }
        let told = try await VendorContract.check(requests)
        let operations = told["operations"]?["stripe"]?.array?.compactMap(\.string) ?? []
        #expect(operations.count == 7, "\(operations)")
    }
}
