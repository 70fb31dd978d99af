// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Farewell
import FarewellVerifier
import Foundation
import NIOCore
import NIOHTTP1

extension ConnectorWorld {
    /// The real world. `close()` closes its connections.
    public static func live(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> ConnectorWorld {
        let start = ContinuousClock.now
        return ConnectorWorld(
            http: LiveHTTPSending(patience: .seconds(20)), now: { Date().timeIntervalSince1970 },
            uptime: { (ContinuousClock.now - start) / .seconds(1) },
            sleep: { try await Task.sleep(for: $0) }, environment: environment,
            read: { path in FileManager.default.contents(atPath: path).map { [UInt8]($0) } })
    }
}

/// Sends calls over the network: no redirects, bounded in time from the first byte sent to the last one read.
package struct LiveHTTPSending: HTTPSending {
    let patience: Duration
    /// Follows no redirect: what is signed, and the secrets in it, are for the address that was configured.
    private let client = OwnHTTPClient()

    package init(patience: Duration) { self.patience = patience }

    package func send(_ call: SystemCall) async throws -> SystemReply {
        try await withThrowingTaskGroup(of: SystemReply?.self) { group in
            group.addTask { try await exchange(call) }
            group.addTask {
                try await Task.sleep(for: patience)
                return nil
            }
            defer { group.cancelAll() }
            do {
                guard let reply = try await group.next() ?? nil else { throw SendingFailure.late }
                return reply
            } catch let failure as SendingFailure {
                throw failure
            } catch {
                try Task.checkCancellation()
                throw SendingFailure.cut
            }
        }
    }

    package func close() async throws { try await client.close() }

    private func exchange(_ call: SystemCall) async throws -> SystemReply {
        var request = HTTPClientRequest(url: call.url)
        request.method = HTTPMethod(rawValue: call.method)
        for header in call.headers { request.headers.add(name: header.name, value: header.value) }
        if !call.body.isEmpty || call.method == "POST" || call.method == "PUT" {
            request.body = .bytes(ByteBuffer(bytes: call.body))
        }
        let response = try await client.client().execute(
            request, timeout: .nanoseconds(Int64(patience / .nanoseconds(1))))
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
