// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Farewell
import FarewellErasure
import FarewellVerifier
import Foundation
import NIOCore
import NIOHTTP1

/// Carries events over HTTP: a message for each, the same bytes and the same identifier at every try.
struct HTTPEventDelivery: EventDelivery {
    let receivers: [EventReceiver]
    /// Signs tokens; nil if no receiver gets one.
    let signer: EventSigner?
    let now: @Sendable () -> Date
    /// How long a receiver may take in all, however slowly it answers.
    let deadline: Deadline
    /// Follows no redirect: signed messages are for the configured address.
    private let client = OwnHTTPClient()

    init(
        receivers: [EventReceiver], signer: EventSigner?, now: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void, timeout: Duration = .seconds(10)
    ) {
        self.receivers = receivers
        self.signer = signer
        self.now = now
        deadline = Deadline(limit: timeout, sleep: sleep)
    }

    func close() async throws { try await client.close() }

    var endpoints: [EventEndpoint] { receivers.map(\.endpoint) }

    private static let longestAnswer = 64 << 10

    func deliver(_ event: OutgoingEvent, to name: String) async throws(DeliveryFailure) {
        try await send(to: name, isRefusal: { $0.status == 410 }) { try message(event, for: $0) }
    }

    /// Sends a receiver what is made for it.
    ///
    /// - Parameter isRefusal: Whether an answer says that another try is of no use.
    func send(
        to name: String, isRefusal: (Answer) -> Bool, _ make: (EventReceiver) throws -> HTTPClientRequest
    ) async throws(DeliveryFailure) {
        guard let receiver = receivers.first(where: { $0.name == name }) else {
            throw DeliveryFailure("the endpoint is no longer configured", isFinal: true)
        }
        let request: HTTPClientRequest
        do {
            request = try make(receiver)
        } catch {
            throw DeliveryFailure("the message could not be created", isFinal: true)
        }
        let inTime: Answer?
        do {
            inTime = try await self.answer(to: request)
        } catch {
            throw DeliveryFailure("no answer: \(ConnectionFailure.words(error))")
        }
        guard let answer = inTime else { throw DeliveryFailure("no answer within \(deadline.limit)") }
        if 200..<300 ~= answer.status { return }
        if isRefusal(answer) { throw DeliveryFailure("status \(answer.status): refused", isFinal: true) }
        throw DeliveryFailure("status \(answer.status)", retryAfter: answer.retryAfter)
    }

    /// A receiver's answer to a message.
    struct Answer: Sendable {
        let status: UInt
        let retryAfter: Double?
        let body: [UInt8]
    }

    /// - Returns: The answer; `nil` if it did not come in time.
    private func answer(to request: HTTPClientRequest) async throws -> Answer? {
        let client = try client.client()
        return try await deadline.run {
            let response = try await client.execute(request, deadline: .distantFuture)
            // It may be endless.
            let body = try await response.body.collect(upTo: Self.longestAnswer)
            let pause = response.headers.first(name: "Retry-After").flatMap {
                RetryAfter.seconds($0, now: now().timeIntervalSince1970)
            }
            return Answer(status: response.status.code, retryAfter: pause, body: Array(body.readableBytesView))
        }
    }

    // MARK: Messages

    private func message(_ event: OutgoingEvent, for receiver: EventReceiver) throws -> HTTPClientRequest {
        guard receiver.kind == .webhook else {
            return Self.request(to: receiver, carrying: try token(event, for: receiver))
        }
        return .webhook(
            to: receiver.url, id: "msg_" + event.id.replacing("/", with: "_"), at: now(), body: try Self.body(event),
            secrets: receiver.secrets)
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
        guard let signer, let subject = event.subject else { throw DeliveryFailure("unknown subject", isFinal: true) }
        let person = Self.person(subject, of: signer)
        let claims: [String: JSONValue]
        switch receiver.kind {
        case .webhook: claims = [:]
        case .caep:
            claims = Self.revoked(person, at: event.happenedAt, initiator: "user", reason: "Account erased")
        case .risc:
            claims = [
                "sub_id": person,
                "events": .object([
                    "https://schemas.openid.net/secevent/risc/event-type/account-purged": .object(["subject": person])
                ]),
            ]
        case .logout: claims = Self.loggedOut(subject)
        }
        return try token(event.id, claims, for: receiver, by: signer)
    }
}

// MARK: Tokens

extension HTTPEventDelivery {
    /// A token in its request: according to RFC 8935, 2.1, or OpenID Connect Back-Channel Logout 1.0, 2.5.
    static func request(to receiver: EventReceiver, carrying token: String) -> HTTPClientRequest {
        var request = HTTPClientRequest(url: receiver.url)
        request.method = .POST
        if receiver.kind == .logout {
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(string: "logout_token=" + token))
        } else {
            request.headers.add(name: "Content-Type", value: "application/secevent+jwt")
            request.headers.add(name: "Accept", value: "application/json")
            request.body = .bytes(ByteBuffer(string: token))
        }
        return request
    }

    /// Signs an event with issuer, audience and time.
    func token(
        _ id: String, _ told: [String: JSONValue], for receiver: EventReceiver, by signer: EventSigner
    ) throws -> String {
        let issued = Int64(now().timeIntervalSince1970)
        var claims = told
        claims["iss"] = .string(signer.issuer)
        claims["aud"] = .string(receiver.audience)
        claims["iat"] = .integer(issued)
        claims["jti"] = .string(id)
        guard receiver.kind == .logout else { return try signer.token(type: "secevent+jwt", claims) }
        // OpenID Connect Back-Channel Logout 1.0, 2.4 and 4: two minutes at most, and never a nonce.
        claims["exp"] = .integer(issued + 120)
        return try signer.token(type: "logout+jwt", claims)
    }

    /// A subject as RFC 9493 names it.
    static func person(_ subject: String, of signer: EventSigner) -> JSONValue {
        .object(["format": .string("iss_sub"), "iss": .string(signer.issuer), "sub": .string(subject)])
    }

    /// CAEP 1.0, 3.1. The initiator is `user`, `admin` or `policy`.
    static func revoked(_ whose: JSONValue, at time: Date, initiator: String, reason: String) -> [String: JSONValue] {
        [
            "sub_id": whose,
            "events": .object([
                "https://schemas.openid.net/secevent/caep/event-type/session-revoked": .object([
                    "event_timestamp": .integer(Int64(time.timeIntervalSince1970)),
                    "initiating_entity": .string(initiator), "reason_admin": .object(["en": .string(reason)]),
                ])
            ]),
        ]
    }

    /// OpenID Connect Back-Channel Logout 1.0, 2.4.
    static func loggedOut(_ subject: String) -> [String: JSONValue] {
        [
            "sub": .string(subject),
            "events": .object(["http://schemas.openid.net/event/backchannel-logout": .object([:])]),
        ]
    }
}
