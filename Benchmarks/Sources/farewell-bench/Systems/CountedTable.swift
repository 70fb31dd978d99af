// SPDX-License-Identifier: Apache-2.0
import AsyncHTTPClient
import Farewell
import Foundation
import Hummingbird
import Logging
import NIOCore
import NIOHTTP1
import ServiceLifecycle
import Synchronization

/// A table that moto plays, behind a door that remembers when each call came.
final class CountedTable: Sendable {
    /// Where the door is.
    let address: String
    private let moto: String
    private let came = Mutex<[Double]>([])

    /// Seconds of a clock that only goes forward, in order.
    var calls: [Double] { came.withLock { $0.sorted() } }

    func forget() { came.withLock { $0 = [] } }

    private init(address: String, moto: String) {
        self.address = address
        self.moto = moto
    }

    /// Starts moto and the door, lends them, and ends both.
    static func with<Value: Sendable>(
        in world: BenchWorld, _ body: @Sendable (CountedTable) async throws -> Value
    ) async throws -> Value {
        // It says where it is as `{"endpoint": "http://…", …`.
        let python = try await ServerProcess(
            at: root.appending(path: ".venv/bin/python3"), [root.appending(path: "Interop/aws_services.py").path],
            log: world.folder.appending(path: "moto.log"), until: "\"endpoint\": \"")
        return try await ServerProcess.ending([python]) {
            try await behindDoor(to: String(python.address.prefix { $0 != "\"" }), body)
        }
    }

    /// The folder of the whole project.
    private static var root: URL { URL(filePath: #filePath).appending(path: "../../../../..").standardizedFileURL }

    private static func behindDoor<Value: Sendable>(
        to moto: String, _ body: @Sendable (CountedTable) async throws -> Value
    ) async throws -> Value {
        let quiet = Logger(label: "farewell-bench") { _ in SwiftLogNoOpLogHandler() }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        let place = Place()
        let router = Router()
        router.post("/") { request, _ in
            guard let table = place.table.withLock({ $0 }) else { throw HTTPError(.serviceUnavailable) }
            table.came.withLock { $0.append(ProcessInfo.processInfo.systemUptime) }
            let body = try await request.body.collect(upTo: 1 << 20)
            return try await table.forward(request.headers, body)
        }
        let application = Application(
            router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) }, logger: quiet)
        let group = ServiceGroup(
            configuration: .init(services: [.init(service: application)], gracefulShutdownSignals: [], logger: quiet))
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            var found = ports.makeAsyncIterator()
            guard let number = await found.next() else {
                throw FarewellError("bench.no-door", .ours, "The door before moto did not open.")
            }
            let made = CountedTable(address: "http://127.0.0.1:\(number)", moto: moto)
            place.table.withLock { $0 = made }
            let value = try await body(made)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return value
        }
    }

    /// Where the door finds the table, which knows its address only when the door is open.
    private final class Place: Sendable {
        let table = Mutex<CountedTable?>(nil)
    }

    private func forward(_ headers: HTTPFields, _ body: ByteBuffer) async throws -> Response {
        var request = HTTPClientRequest(url: moto + "/")
        request.method = .POST
        for header in headers where !["host", "content-length"].contains(header.name.canonicalName) {
            request.headers.add(name: header.name.rawName, value: header.value)
        }
        request.body = .bytes(body)
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        let data = try await answer.body.collect(upTo: 1 << 20)
        return Response(
            status: .init(code: Int(answer.status.code)), headers: [.contentType: "application/x-amz-json-1.0"],
            body: .init(byteBuffer: data))
    }

    /// Puts a user's item into the table. moto checks no signature, only its scope.
    func put(_ person: String) async throws {
        var request = HTTPClientRequest(url: moto + "/")
        request.method = .POST
        request.headers.add(name: "x-amz-target", value: "DynamoDB_20120810.PutItem")
        request.headers.add(name: "content-type", value: "application/x-amz-json-1.0")
        let scope = "Credential=AKIDEXAMPLE/20260101/eu-west-1/dynamodb/aws4_request"
        request.headers.add(
            name: "Authorization", value: "AWS4-HMAC-SHA256 \(scope), SignedHeaders=host, Signature=0")
        let item = #"{"user_id":{"S":"\#(person)"},"entitlement":{"S":"coach"}}"#
        request.body = .bytes(ByteBuffer(string: #"{"TableName":"entitlements","Item":\#(item)}"#))
        let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
        guard answer.status == .ok else {
            throw FarewellError("bench.not-put", .ours, "moto took no item: \(answer.status.code).")
        }
    }
}
