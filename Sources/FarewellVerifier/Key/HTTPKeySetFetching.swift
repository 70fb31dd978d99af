// SPDX-License-Identifier: Apache-2.0
public import AsyncHTTPClient
public import Foundation
import NIOCore
import NIOHTTP1

/// Key sets over HTTP.
public struct HTTPKeySetFetching: KeySetFetching {
    private let client: @Sendable () throws -> HTTPClient

    /// - Parameter client: one that is configured to follow no redirects.
    public init(client: HTTPClient) { self.init(client: { client }) }

    package init(client: @escaping @Sendable () throws -> HTTPClient) { self.client = client }

    public func keySet(at address: URL, limit: Int) async throws -> [UInt8] {
        var request = HTTPClientRequest(url: address.absoluteString)
        request.headers.add(name: "Accept", value: "application/jwk-set+json, application/json")
        let response = try await client().execute(request, timeout: .seconds(30))
        guard response.status == .ok else { throw HTTPKeySetRefusal(status: Int(response.status.code)) }
        return Array(try await response.body.collect(upTo: limit).readableBytesView)
    }
}
