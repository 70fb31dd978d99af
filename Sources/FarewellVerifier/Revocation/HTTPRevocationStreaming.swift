// SPDX-License-Identifier: Apache-2.0
public import AsyncHTTPClient
public import Farewell
import Foundation
import NIOCore
import NIOHTTP1

/// The feed of revocations of a Farewell server, over HTTP.
public struct HTTPRevocationStreaming: RevocationStreaming {
    private let client: @Sendable () throws -> HTTPClient
    private let address: URL
    private let bearer: String?

    /// The feed at an address such as `https://auth.example.org/v1/revocations`: HTTPS, or HTTP on the loopback
    /// interface. `bearer` is the key that the server requires from followers of its feed, if it requires one.
    ///
    /// Throws `verifier.address` for any other address.
    public init(client: HTTPClient, address: String, bearer: String? = nil) throws(FarewellError) {
        try self.init(address: address, bearer: bearer, client: { client })
    }

    init(
        address: String, bearer: String?, client: @escaping @Sendable () throws -> HTTPClient
    ) throws(FarewellError) {
        self.address = try SafeAddress.url(address)
        self.bearer = bearer
        self.client = client
    }

    public func follow(after cursor: String?, receive: @Sendable ([UInt8]) throws -> Void) async throws {
        var request = HTTPClientRequest(url: address.absoluteString)
        request.headers.add(name: "Accept", value: "text/event-stream")
        if let bearer { request.headers.add(name: "Authorization", value: "Bearer \(bearer)") }
        if let cursor { request.headers.add(name: "Last-Event-ID", value: cursor) }
        // The limit is for the head alone; how long the body may be silent is the follower's affair.
        let response = try await client().execute(request, timeout: .seconds(30))
        guard response.status == .ok,
            response.headers.first(name: "Content-Type")?.hasPrefix("text/event-stream") == true
        else { throw RevocationFeedRefusal(status: Int(response.status.code)) }
        try receive([])
        for try await piece in response.body { try receive(Array(piece.readableBytesView)) }
    }
}
