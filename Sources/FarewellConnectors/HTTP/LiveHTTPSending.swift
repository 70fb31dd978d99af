// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Farewell
import FarewellVerifier
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

extension ConnectorWorld {
    /// The real world. `close()` closes its connections.
    public static func live(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> ConnectorWorld {
        let start = ContinuousClock.now
        var world = ConnectorWorld(
            http: LiveHTTPSending(timeout: .seconds(20)), now: { Date().timeIntervalSince1970 },
            uptime: { (ContinuousClock.now - start) / .seconds(1) },
            sleep: { try await Task.sleep(for: $0) }, environment: environment,
            read: { path in FileManager.default.contents(atPath: path).map { [UInt8]($0) } },
            resolve: { host, port in await address(of: host, port) })
        world.run = { words in await LiveProgram(words: words, environment: environment).ended() }
        return world
    }

    /// The answer of the system's resolver, on a thread that may block.
    package static func address(of host: String, _ port: Int) async -> String? {
        try? await NIOThreadPool.singleton.runIfActive {
            try SocketAddress.makeAddressResolvingHost(host, port: port).ipAddress
        }
    }
}

/// Sends calls over the network: no redirects, bounded in time from the first byte sent to the last one read.
package struct LiveHTTPSending: HTTPSending {
    let timeout: Duration
    /// Follows no redirect: the signature and the secrets are for the configured address.
    private let client: OwnHTTPClient
    /// Clients that connect to one address only, by the address and the host's name.
    private let pinned = Guarded<[String: OwnHTTPClient]>([:])
    private static let mostPinned = 64
    private static let late: [HTTPClientError] = [.deadlineExceeded, .readTimeout, .writeTimeout]

    package init(timeout: Duration, client: OwnHTTPClient = OwnHTTPClient()) {
        self.timeout = timeout
        self.client = client
    }

    package func send(_ call: SystemCall) async throws -> SystemReply {
        try await withThrowingTaskGroup(of: SystemReply?.self) { group in
            group.addTask { try await exchange(call) }
            group.addTask {
                try await Task.sleep(for: timeout)
                return nil
            }
            defer { group.cancelAll() }
            do {
                guard let reply = try await group.next() ?? nil else { throw SendingFailure.late }
                return reply
            } catch let failure as SendingFailure {
                throw failure
            } catch let error as HTTPClientError where Self.late.contains(error) {
                // The client's own clock was a moment quicker than ours.
                throw SendingFailure.late
            } catch {
                try Task.checkCancellation()
                throw ConnectionFailure(error).map(SendingFailure.unconnected) ?? SendingFailure.cut
            }
        }
    }

    package func close() async throws {
        try await client.close()
        let others = pinned.withLock { others in
            defer { others = [:] }
            return Array(others.values)
        }
        for other in others { try await other.close() }
    }

    /// The client for a call. It is unknown when unused addresses were last used, so all of them are dropped.
    private func client(for call: SystemCall) -> OwnHTTPClient {
        guard let pin = call.pin else { return client }
        let host = call.address.hostName
        return pinned.withLock { pinned in
            if let known = pinned["\(host) \(pin)"] { return known }
            if pinned.count >= Self.mostPinned { pinned = [:] }
            let made = OwnHTTPClient(pins: [host: pin])
            pinned["\(host) \(pin)"] = made
            return made
        }
    }

    private func exchange(_ call: SystemCall) async throws -> SystemReply {
        let own = client(for: call)
        // A client that is no longer kept is closed after its last use.
        defer { withExtendedLifetime(own) {} }
        var request = HTTPClientRequest(url: call.url)
        request.method = HTTPMethod(rawValue: call.method)
        for header in call.headers { request.headers.add(name: header.name, value: header.value) }
        if !call.body.isEmpty || call.method == "POST" || call.method == "PUT" {
            request.body = .bytes(ByteBuffer(bytes: call.body))
        }
        let response = try await own.client().execute(
            request, timeout: .nanoseconds(Int64(timeout / .nanoseconds(1))))
        var body: [UInt8] = []
        for try await part in response.body {
            body += part.readableBytesView
            guard body.count <= call.limit else { throw SendingFailure.tooLong }
        }
        var headers: [String: String] = [:]
        for header in response.headers where headers[header.name.lowercased()] == nil {
            headers[header.name.lowercased()] = header.value
        }
        return SystemReply(status: Int(response.status.code), headers: headers, body: body)
    }
}
