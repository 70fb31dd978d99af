// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import FarewellVerifier
import Foundation
import NIOCore
import NIOHTTP1

extension HTTPClientRequest {
    /// A JSON message, signed over its identifier, its time and its body (Standard Webhooks 1.0).
    ///
    /// - Parameter secrets: Each of them signs, so that one can take over from another.
    static func webhook(
        to url: String, id: String, at time: Date, body: [UInt8], secrets: [[UInt8]]
    ) -> HTTPClientRequest {
        let timestamp = Int64(time.timeIntervalSince1970)
        var request = HTTPClientRequest(url: url)
        request.method = .POST
        request.headers.add(name: "Content-Type", value: "application/json")
        request.headers.add(name: "webhook-id", value: id)
        request.headers.add(name: "webhook-timestamp", value: String(timestamp))
        request.headers.add(
            name: "webhook-signature",
            value: WebhookSignature.value(id: id, timestamp: timestamp, body: body, secrets: secrets))
        request.body = .bytes(ByteBuffer(bytes: body))
        return request
    }
}
