// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
@testable import FarewellErasure
@testable import FarewellServer
import FarewellVerifier
import Foundation
import Hummingbird
import HummingbirdTesting
import HTTPTypes
import Logging
import NIOCore
import Testing

@Suite("Events as they are sent")
struct EventMessageTests {
    private static let event = OutgoingEvent(
        id: "0b0e1c9c-0000-4000-8000-000000000001/erasure.done", kind: .done,
        erasure: UUID(uuidString: "0b0e1c9c-0000-4000-8000-000000000001") ?? UUID(),
        happenedAt: Date(timeIntervalSince1970: 1_763_726_400), subjectHash: "abc", subject: "person-1")

    private static let sleep: @Sendable (Duration) async throws -> Void = { try await ContinuousClock().sleep(for: $0) }

    private struct Received: Sendable {
        let headers: HTTPFields
        let body: String
    }

    /// Sends the event, or the ended session, to a real listener that answers `status`, and returns the received message.
    private func sent(
        _ kind: EventReceiver.Kind, telling told: OutgoingRevocation? = nil, secrets: [[UInt8]] = [],
        status: HTTPResponse.Status = .ok, retryAfter: String? = nil, saying answer: String = ""
    ) async throws -> (received: [Received], failure: DeliveryFailure?, signer: EventSigner) {
        let received = Guarded<[Received]>([])
        let router = Router()
        router.post("hook") { request, _ in
            let body = try await request.body.collect(upTo: 1 << 20)
            received.withLock { $0.append(Received(headers: request.headers, body: String(buffer: body))) }
            return Response(
                status: status, headers: retryAfter.map { [.retryAfter: $0] } ?? [:], body: .init(byteBuffer: .init(string: answer)))
        }
        let signer = EventSigner(P256.Signing.PrivateKey(), issuer: "https://auth.example/auth/v1")
        let failure = Guarded<DeliveryFailure?>(nil)
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)), logger: log)
            .test(.live) { client in
                let receiver = EventReceiver(
                    name: "r", kind: kind, url: "http://127.0.0.1:\(client.port ?? 0)/hook", secrets: secrets, audience: "aud-1")
                let delivery = HTTPEventDelivery(
                    receivers: [receiver], signer: signer, now: { Date(timeIntervalSince1970: 1_763_726_460) }, sleep: Self.sleep)
                do throws(DeliveryFailure) {
                    if let told {
                        try await delivery.report(told, to: "r")
                    } else {
                        try await delivery.deliver(Self.event, to: "r")
                    }
                } catch {
                    failure.withLock { $0 = error }
                }
                try await delivery.close()
            }
        return (received.withLock { $0 }, failure.withLock { $0 }, signer)
    }

    @Test("Item 47: a webhook is signed as in Standard Webhooks, by both secrets during a rotation, and names no user")
    func webhook() async throws {
        let secrets = [[UInt8](repeating: 1, count: 32), [UInt8](repeating: 2, count: 32)]
        let (received, failure, _) = try await sent(.webhook, secrets: secrets)
        let message = try #require(received.first)
        #expect(failure == nil && received.count == 1)
        let id = try #require(message.headers[HTTPFieldNames.name("webhook-id")])
        let time = try #require(message.headers[HTTPFieldNames.name("webhook-timestamp")])
        #expect(time == "1763726460" && id.hasSuffix("erasure.done"))
        let expected = secrets.map { secret in
            let code = HMAC<SHA256>.authenticationCode(
                for: Data("\(id).\(time).\(message.body)".utf8), using: SymmetricKey(data: Data(secret)))
            return "v1," + Data(code).base64EncodedString()
        }
        #expect(message.headers[HTTPFieldNames.name("webhook-signature")] == expected.joined(separator: " "))
        #expect(!message.body.contains("person-1"))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(message.body.utf8)) as? [String: Any])
        #expect(json["type"] as? String == "erasure.done" && json["timestamp"] as? String == "2025-11-21T12:00:00.000Z")
    }

    @Test("the published vector of Standard Webhooks has its stated signature")
    func vector() throws {
        let secret = try WebhookSignature.secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        let value = WebhookSignature.value(
            id: "msg_p5jXN8AQM9LWM0D4loKWxJek", timestamp: 1_614_265_330, body: Array(#"{"test": 2432232314}"#.utf8), secrets: [secret])
        #expect(value == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
        for bad in ["", "whsec_", "whsec_AAAA", "not base64 at all"] {
            #expect(throws: FarewellError.self) { try WebhookSignature.secret(bad) }
        }
    }

    @Test(
        "BX-10 session-revoked, account-purged and logout tokens: type, issuer, audience, subject, event and signature",
        arguments: EventReceiver.Kind.allCases.filter { $0 != .webhook })
    func tokens(_ kind: EventReceiver.Kind) async throws {
        let (received, failure, signer) = try await sent(kind)
        let message = try #require(received.first)
        #expect(failure == nil)
        let text = kind == .logout ? String(message.body.dropFirst("logout_token=".count)) : message.body
        #expect(
            message.headers[.contentType]
                == (kind == .logout ? "application/x-www-form-urlencoded" : "application/secevent+jwt"))
        let token = try CompactToken(text)
        #expect(token.type == (kind == .logout ? "logout+jwt" : "secevent+jwt") && token.algorithm == "ES256")
        let claims = token.unprovenClaims
        #expect(claims["iss"] == "https://auth.example/auth/v1" && claims["aud"] == "aud-1")
        #expect(claims["jti"] == .string(Self.event.id) && claims["nonce"] == nil)
        let events = try #require(claims["events"]?.object)
        let expected: [EventReceiver.Kind: String] = [
            .caep: "https://schemas.openid.net/secevent/caep/event-type/session-revoked",
            .risc: "https://schemas.openid.net/secevent/risc/event-type/account-purged",
            .logout: "http://schemas.openid.net/event/backchannel-logout",
        ]
        #expect(events.keys.map(\.self) == [expected[kind]])
        if kind == .logout {
            #expect(claims["sub"] == "person-1" && claims["exp"] == .integer(1_763_726_580))
        } else {
            #expect(claims["sub_id"]?.object?["sub"] == "person-1" && claims["sub_id"]?.object?["format"] == "iss_sub")
        }
        let x = try #require(signer.publicKey["x"].flatMap { Base64URL.bytes($0) })
        let y = try #require(signer.publicKey["y"].flatMap { Base64URL.bytes($0) })
        let key = try P256.Signing.PublicKey(x963Representation: [4] + x + y)
        #expect(key.isValidSignature(try .init(rawRepresentation: token.signature), for: Data(token.signedBytes)))
    }

    /// The end of a session of a user, or of all.
    private static func told(_ reason: SessionEnding, session: UUID?) throws -> OutgoingRevocation {
        let subject = try #require(UUID(uuidString: "0b0e1c9c-0000-4000-8000-000000000002"))
        return OutgoingRevocation(
            Revocation(
                cursor: 7, sessionID: session, subject: subject, issuer: "https://auth.example/auth/v1",
                revokedAt: Date(timeIntervalSince1970: 1_763_726_400), reason: reason))
    }

    private static let initiators: [SessionEnding: String] = [
        .signedOut: "user", .signedOutElsewhere: "user", .endedFromList: "user", .passwordChanged: "user",
        .tokenReused: "policy", .banned: "admin", .byAdministrator: "admin", .deleted: "admin",
    ]

    @Test(
        "BX-10 CAEP and back-channel logout events name user, session, time, actor and reason of an ended session, or of all sessions",
        arguments: [EventReceiver.Kind.caep, .logout], SessionEnding.allCases)
    func session(_ kind: EventReceiver.Kind, _ reason: SessionEnding) async throws {
        let session = try #require(UUID(uuidString: "0B0E1C9C-0000-4000-8000-000000000003"))
        for id in [session, nil] {
            let told = try Self.told(reason, session: id)
            let (received, failure, signer) = try await sent(kind, telling: told)
            let message = try #require(received.first)
            #expect(failure == nil && received.count == 1)
            let text = kind == .logout ? String(message.body.dropFirst("logout_token=".count)) : message.body
            let token = try CompactToken(text)
            #expect(token.type == (kind == .logout ? "logout+jwt" : "secevent+jwt") && token.keyID == signer.keyID)
            let claims = token.unprovenClaims
            #expect(claims["iss"] == "https://auth.example/auth/v1" && claims["aud"] == "aud-1" && claims["nonce"] == nil)
            #expect(claims["jti"] == .string(told.id) && claims["iat"] == .integer(1_763_726_460))
            let subject = "0b0e1c9c-0000-4000-8000-000000000002"
            if kind == .logout {
                let name: JSONValue? = id == nil ? nil : "0b0e1c9c-0000-4000-8000-000000000003"
                #expect(claims["sub"] == .string(subject) && claims["sid"] == name)
                #expect(claims["exp"] == .integer(1_763_726_580) && claims["sub_id"] == nil)
                #expect(claims["events"] == .object(["http://schemas.openid.net/event/backchannel-logout": .object([:])]))
            } else {
                let person: JSONValue = .object([
                    "format": "iss_sub", "iss": "https://auth.example/auth/v1", "sub": .string(subject),
                ])
                let named: JSONValue = .object(["format": "opaque", "id": "0b0e1c9c-0000-4000-8000-000000000003"])
                let both: JSONValue = .object(["format": "complex", "user": person, "session": named])
                #expect(claims["sub_id"] == (id == nil ? person : both) && claims["sub"] == nil && claims["exp"] == nil)
                let event = claims["events"]?["https://schemas.openid.net/secevent/caep/event-type/session-revoked"]
                let initiator = try #require(Self.initiators[reason])
                #expect(event?["event_timestamp"] == .integer(1_763_726_400) && event?["initiating_entity"] == .string(initiator))
                #expect(event?["reason_admin"]?["en"] == .string(reason.sentence))
            }
        }
    }

    @Test("400 is final for an ended-session event, and temporary for an erasure; only receivers that want session events get them")
    func refusals() async throws {
        let told = try Self.told(.signedOut, session: nil)
        #expect(try await sent(.logout, telling: told, status: .badRequest).failure?.isFinal == true)
        #expect(try await sent(.caep, telling: told, status: .gone).failure?.isFinal == true)
        #expect(try await sent(.caep, telling: told, status: .unauthorized).failure?.isFinal == false)
        #expect(try await sent(.caep, telling: told, status: .unprocessableContent).failure?.isFinal == true)
        for (error, isFinal) in [("invalid_request", true), ("invalid_key", false), ("access_denied", false), ("7", true)] {
            let refused = try await sent(.caep, telling: told, status: .badRequest, saying: #"{"err":"\#(error)"}"#).failure
            #expect(refused?.isFinal == isFinal, "\(error)")
        }
        #expect(try await sent(.caep, telling: told, status: .badRequest, saying: "<html>").failure?.isFinal == true)
        #expect(try await sent(.logout, status: .badRequest).failure?.isFinal == false)
        let receivers = EventReceiver.Kind.allCases.map {
            EventReceiver(name: $0.rawValue, kind: $0, url: "https://example.org/", secrets: [], audience: "a")
        }
        let delivery = HTTPEventDelivery(
            receivers: receivers, signer: nil, now: { Date(timeIntervalSince1970: 0) }, sleep: Self.sleep)
        #expect(delivery.readers == ["caep", "logout"])
        try await delivery.close()
    }

    @Test("F10 F13 a receiver's answer decides: accepted, retried, retried at its stated time, or final")
    func answers() async throws {
        let secrets = [[UInt8](repeating: 1, count: 32)]
        #expect(try await sent(.webhook, secrets: secrets, status: .accepted).failure == nil)
        #expect(try await sent(.webhook, secrets: secrets, status: .gone).failure?.isFinal == true)
        let busy = try await sent(.webhook, secrets: secrets, status: .serviceUnavailable, retryAfter: "120").failure
        #expect(busy?.isFinal == false && busy?.retryAfter == 120)
        for odd in ["inf", "-inf", "nan", "soon"] {
            let failure = try await sent(.webhook, secrets: secrets, status: .serviceUnavailable, retryAfter: odd).failure
            #expect(failure?.isFinal == false && failure?.retryAfter == nil, "\(odd)")
        }
        let moved = try await sent(.webhook, secrets: secrets, status: .found).failure
        #expect(moved?.reason == "status 302", "a redirect is not followed")
        let delivery = HTTPEventDelivery(
            receivers: [.init(name: "r", kind: .webhook, url: "http://127.0.0.1:1/", secrets: secrets, audience: "")], signer: nil,
            now: { Date(timeIntervalSince1970: 0) }, sleep: Self.sleep)
        func refusal(_ name: String) async -> DeliveryFailure? {
            do throws(DeliveryFailure) {
                try await delivery.deliver(Self.event, to: name)
                return nil
            } catch {
                return error
            }
        }
        #expect(await refusal("r")?.isFinal == false)
        #expect(await refusal("unknown")?.isFinal == true)
        try await delivery.close()
    }

    @Test("F13 a receiver that never answers, or answers endlessly, is dropped and tried again later", arguments: ["silent", "endless"])
    func slow(_ path: String) async throws {
        let router = Router()
        let isLeft = Guarded(false)
        router.post("silent") { _, _ -> Response in
            while !isLeft.withLock({ $0 }) { try await ContinuousClock().sleep(for: .milliseconds(20)) }
            return Response(status: .ok)
        }
        router.post("endless") { _, _ in
            Response(
                status: .ok,
                body: ResponseBody { writer in
                    while !isLeft.withLock({ $0 }) {
                        try await writer.write(ByteBuffer(string: "."))
                        try await ContinuousClock().sleep(for: .milliseconds(20))
                    }
                })
        }
        let log = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        try await Application(router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)), logger: log)
            .test(.live) { client in
                let url = "http://127.0.0.1:\(client.port ?? 0)/\(path)"
                let secrets = [[UInt8](repeating: 1, count: 32)]
                let delivery = HTTPEventDelivery(
                    receivers: [.init(name: "r", kind: .webhook, url: url, secrets: secrets, audience: "")], signer: nil,
                    now: { Date(timeIntervalSince1970: 0) }, sleep: Self.sleep, timeout: .milliseconds(500))
                let failure: DeliveryFailure?
                do throws(DeliveryFailure) {
                    try await delivery.deliver(Self.event, to: "r")
                    failure = nil
                } catch {
                    failure = error
                }
                isLeft.withLock { $0 = true }
                try await delivery.close()
                #expect(failure?.isFinal == false && failure?.reason == "no answer within 0.5 seconds")
            }
    }

    @Test("Item 45: addresses that are not plain HTTPS, or lead to private networks, are refused before any call")
    func addresses() {
        let bad = [
            "http://example.org/", "ftp://example.org/", "https://user:secret@example.org/", "https://169.254.169.254/latest",
            "https://metadata.google.internal/", "", "nonsense", "https:///x", "https://example.org/#a",
        ]
        for address in bad { #expect(throws: FarewellError.self, "\(address)") { try EventReceiver.check(address) } }
        for address in ["https://example.org/hooks?a=b", "http://127.0.0.1:80/x", "http://localhost/x"] {
            #expect(throws: Never.self) { try EventReceiver.check(address) }
        }
    }
}
