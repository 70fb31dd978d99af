// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Farewell
import FarewellEngine
import FarewellVerifier
import Foundation
import NIOCore
import NIOHTTP1

/// Carries events over HTTP: a message for each, the same bytes and the same identifier at every try.
struct HTTPCourier: EventCourier {
    let receivers: [EventReceiver]
    /// Signs tokens; nil where nobody gets one.
    let signer: EventSigner?
    let now: @Sendable () -> Date
    /// How long a receiver may take in all, however slowly it answers.
    let deadline: Deadline
    /// Follows no redirect: what is signed is for the address that was configured.
    private let client = OwnHTTPClient()

    init(
        receivers: [EventReceiver], signer: EventSigner?, now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void, patience: Duration = .seconds(10)
    ) {
        self.receivers = receivers
        self.signer = signer
        self.now = now
        deadline = Deadline(limit: patience, sleep: sleep)
    }

    func close() async throws { try await client.close() }

    var endpoints: [EventEndpoint] { receivers.map(\.endpoint) }

    private static let longestAnswer = 64 << 10

    func deliver(_ event: OutgoingEvent, to name: String) async throws(DeliveryFailure) {
        guard let receiver = receivers.first(where: { $0.name == name }) else {
            throw DeliveryFailure("the endpoint is no longer configured", isFinal: true)
        }
        let request: HTTPClientRequest
        do {
            request = try message(event, for: receiver)
        } catch {
            throw DeliveryFailure("the message could not be made", isFinal: true)
        }
        let response: HTTPClientResponse
        do {
            response = try await answer(to: request)
        } catch {
            throw DeliveryFailure("no answer: \(type(of: error))")
        }
        try Self.judge(response)
    }

    private func answer(to request: HTTPClientRequest) async throws -> HTTPClientResponse {
        let client = try client.client()
        return try await deadline.run {
            let response = try await client.execute(request, deadline: .distantFuture)
            // Read for the connection's sake; what it says is of no interest, and may be endless.
            _ = try await response.body.collect(upTo: Self.longestAnswer)
            return response
        }
    }

    private static func judge(_ response: HTTPClientResponse) throws(DeliveryFailure) {
        let status = response.status.code
        switch status {
        case 200..<300: return
        case 410: throw DeliveryFailure("status 410: gone", isFinal: true)
        default:
            throw DeliveryFailure(
                "status \(status)", retryAfter: response.headers.first(name: "Retry-After").flatMap(Double.init))
        }
    }

    // MARK: What is sent

    private func message(_ event: OutgoingEvent, for receiver: EventReceiver) throws -> HTTPClientRequest {
        var request = HTTPClientRequest(url: receiver.url)
        request.method = .POST
        switch receiver.kind {
        case .webhook:
            let body = try Self.body(event)
            let id = "msg_" + event.id.replacing("/", with: "_")
            let timestamp = Int64(now().timeIntervalSince1970)
            request.headers.add(name: "Content-Type", value: "application/json")
            request.headers.add(name: "webhook-id", value: id)
            request.headers.add(name: "webhook-timestamp", value: String(timestamp))
            request.headers.add(
                name: "webhook-signature",
                value: WebhookSignature.value(id: id, timestamp: timestamp, body: body, secrets: receiver.secrets))
            request.body = .bytes(ByteBuffer(bytes: body))
        case .caep, .risc:
            request.headers.add(name: "Content-Type", value: "application/secevent+jwt")
            request.headers.add(name: "Accept", value: "application/json")
            request.body = .bytes(ByteBuffer(string: try token(event, for: receiver)))
        case .logout:
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(string: "logout_token=" + (try token(event, for: receiver))))
        }
        return request
    }

    private static func body(_ event: OutgoingEvent) throws -> [UInt8] {
        let message: [String: JSONValue] = [
            "type": .string(event.kind.rawValue), "timestamp": .string(UTCTime.text(event.happenedAt)),
            "data": .object([
                "erasure": .string(event.erasure.text), "subject_hash": .string(event.subjectHash),
            ]),
        ]
        return Array(try CanonicalJSON.data(message))
    }

    private func token(_ event: OutgoingEvent, for receiver: EventReceiver) throws -> String {
        guard let signer, let subject = event.subject else { throw DeliveryFailure("nobody to name", isFinal: true) }
        let issued = Int64(now().timeIntervalSince1970)
        var claims: [String: JSONValue] = [
            "iss": .string(signer.issuer), "aud": .string(receiver.audience), "iat": .integer(issued),
            "jti": .string(event.id),
        ]
        let person: JSONValue = .object([
            "format": .string("iss_sub"), "iss": .string(signer.issuer), "sub": .string(subject),
        ])
        switch receiver.kind {
        case .webhook: break
        case .caep:
            claims["sub_id"] = person
            claims["events"] = .object([
                "https://schemas.openid.net/secevent/caep/event-type/session-revoked": .object([
                    "event_timestamp": .integer(Int64(event.happenedAt.timeIntervalSince1970)),
                    "initiating_entity": .string("user"), "reason_admin": .object(["en": .string("Account erased")]),
                ])
            ])
        case .risc:
            claims["sub_id"] = person
            claims["events"] = .object([
                "https://schemas.openid.net/secevent/risc/event-type/account-purged": .object(["subject": person])
            ])
        case .logout:
            claims["sub"] = .string(subject)
            // OpenID Connect Back-Channel Logout 1.0, 2.4: two minutes at most, and never a nonce.
            claims["exp"] = .integer(issued + 120)
            claims["events"] = .object(["http://schemas.openid.net/event/backchannel-logout": .object([:])])
        }
        return try signer.token(type: receiver.kind == .logout ? "logout+jwt" : "secevent+jwt", claims)
    }
}
