// SPDX-License-Identifier: Apache-2.0

public import Farewell
import FarewellVerifier
import Foundation

/// A service of the team's own, called to erase and to verify by signed messages (Standard Webhooks 1.0).
///
/// It answers at once (200 and the outcome), or accepts (202) and either is asked again at the path it names or calls
/// back. A service that does not call back in time receives the request again, under the same key.
///
/// Settings: `endpoint`, `callback` (our own address as the service reaches it, up to and without `/v1`), `timeout`
/// (the hours in which it calls back), `allow` (networks that are not public but may be called, `10.20.0.0/16,
/// 127.0.0.1`); secrets: `secret` (`whsec_…`) and, during a rotation, `former_secret`.
public struct WebhookConnector: CalledBackConnector {
    private let system: String
    private let caller: SystemCaller
    private let address: SystemAddress
    private let gate: NetworkGate
    private let callback: String?
    /// The hours in which a service calls back that has accepted a request.
    private let timeout: Int
    private let secrets: SystemSecrets
    private let world: ConnectorWorld
    public let declaration: ConnectorDeclaration
    private static let usual = ConnectorDeclaration(
        abilities: [.count, .verify, .acceptsFirst], budget: RateBudget(burst: 20, perSecond: 20),
        permissions: ["a secret shared with the service, for signatures in both directions"])

    /// - Throws: `plan.system` when the plan does not say what it must.
    public init(_ system: SystemPlan, world: ConnectorWorld) throws {
        let settings = try SystemSettings(system, of: .webhook)
        declaration = try settings.paced(Self.usual)
        let endpoint = try settings.required("endpoint")
        guard !endpoint.contains(where: { "?#@".contains($0) }) else {
            throw settings.fault("has an address with more than a host and a path")
        }
        self.system = system.name
        self.world = world
        address = try SystemAddress(endpoint, system: system.name)
        callback = try settings["callback"].map { text in
            let own = try SystemAddress(text, system: system.name)
            return "\(own.scheme)://\(own.host)\(own.base)/v1/systems/\(PercentEncoding.text(system.name))/messages"
        }
        timeout = try settings.number("timeout", in: 1...720) ?? Self.usualTimeout
        gate = try NetworkGate(settings["allow"], of: settings, world: world)
        secrets = SystemSecrets(system, world: world)
        caller = SystemCaller(system.name, budget: declaration.budget, world: world)
    }

    // MARK: Asking

    /// Asks what is left of a user who does not exist: the service must accept the signature, and have nothing.
    public func prove() async throws -> String? {
        let unused = world.unusedName
        let found = try await left(ConnectorRequest(key: unused, names: [unused]))
        guard found ?? 0 == 0 else {
            throw ConnectorFault.misconfigured(system, "it says that data of a user who does not exist is left")
        }
        return "the service answers a signed question" + (found == nil ? ", but cannot report what is left" : "")
    }

    public func count(_ request: ConnectorRequest) async throws -> Int? { try await left(request) }

    public func verify(_ request: ConnectorRequest) async throws -> ConnectorReading {
        guard let left = try await left(request) else { return .cannotTell }
        return left == 0 ? .gone : .left(left)
    }

    /// `{"left": 0}`; `{"left": null}` if the service cannot report it.
    private func left(_ request: ConnectorRequest) async throws -> Int? {
        let reply = try await send(.verify, request)
        guard reply.status == 200, let left = try reply.json(from: system)["left"] else {
            throw ConnectorFault.garbled(system, "it does not report what is left")
        }
        if left.isNull { return nil }
        guard let count = left.integer, (0...1_000_000_000).contains(count) else {
            throw ConnectorFault.garbled(system, "it does not report what is left")
        }
        return Int(count)
    }

    public func erase(_ request: ConnectorRequest) async throws -> ConnectorAnswer {
        switch try Place(cursor: request.cursor, system: system) {
        case .next(let cursor):
            let reply = try await send(.erase, request, cursor: cursor)
            return try answer(to: reply, silence: WebhookSilence(cursor: cursor))
        case .silent(let silence):
            if let answer = try reported(in: request) { return answer }
            return try await waitOrRepeat(request, silence)
        case .waiting(let path):
            if let answer = try reported(in: request) { return answer }
            do {
                return try answer(to: try await send(.status, request, at: path), before: path)
            } catch let fault as ConnectorFault where Self.isLost(fault) {
                throw fault.anewUnlessReported
            }
        }
    }

    /// The service's message by calling back; `nil` until it arrives.
    private func reported(in request: ConnectorRequest) throws -> ConnectorAnswer? {
        guard let news = request.news else { return nil }
        return try answer(try Self.read(Array(news.utf8), from: system), hadBegun: true)
    }

    /// Whether the service no longer knows the path to poll, or refuses the question: it would do so again, and only
    /// another request helps.
    private static func isLost(_ fault: ConnectorFault) -> Bool {
        fault.isRefusal || fault.error.code == "connector.misconfigured"
    }

    /// Seconds until a path is polled again.
    private static let usualPause: Int64 = 30

    /// - Parameters:
    ///   - before: The path that was polled.
    ///   - silence: The wait that begins if the service is to call back.
    private func answer(
        to reply: SystemReply, before: String? = nil, silence: WebhookSilence = WebhookSilence()
    ) throws -> ConnectorAnswer {
        let value = try reply.json(from: system)
        switch reply.status {
        case 200:
            let hadBegun = before != nil || silence.repeats > 0
            return try answer(WebhookAnswer(value, from: system), hadBegun: hadBegun)
        case 202:
            if let path = try value["status"].map({ try ownPath($0) }) ?? before {
                let seconds = min(max(Double(value["after"]?.integer ?? Self.usualPause), 1), 3_600)
                return .accepted(cursor: try Place.waiting(path: path).text(), seconds: seconds)
            }
            guard callback != nil else {
                throw ConnectorFault.misconfigured(
                    system, "it reports later, but gives no address to poll and cannot call back without `callback`")
            }
            var silence = silence
            silence.since = world.now()
            // Looked at once more before the erasure rests: the report may come before this answer is stored.
            return .accepted(cursor: try Place.silent(silence).text(), seconds: 1)
        default: throw ConnectorFault.garbled(system, "status \(reply.status)")
        }
    }

    /// A path at the same host: no other host is accepted.
    private func ownPath(_ value: RawJSON) throws -> String {
        guard let path = value.string, path.hasPrefix("/"), !path.hasPrefix("//"), path.utf8.count <= 1_024,
            path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "#") && $0 != UInt8(ascii: "\\") })
        else { throw ConnectorFault.garbled(system, "the address to poll is not one of its paths") }
        return path
    }

    private func answer(_ answer: WebhookAnswer, hadBegun: Bool) throws -> ConnectorAnswer {
        switch answer {
        case .erased(let count, let cursor?): return .more(count, cursor: try Place.next(cursor).text())
        case .erased(0, nil): return .nothingThere
        case .erased(let count, nil): return .erased(count)
        case .acknowledged(let count): return .acknowledged(count)
        case .failed(let code, true): throw ConnectorFault.passing(system, "it says \(code)")
        case .failed(let code, false):
            let why = "it says \(code)"
            throw hadBegun ? ConnectorFault.ended(system, why) : ConnectorFault.refused(system, why)
        }
    }

    // MARK: A service that does not call back

    private static let usualTimeout = 24

    /// Rests until the service calls back. After the timeout it receives the request again, under the same key.
    private func waitOrRepeat(_ request: ConnectorRequest, _ silence: WebhookSilence) async throws -> ConnectorAnswer {
        switch silence.step(at: world.now(), timeout: Double(timeout) * 3_600) {
        case .wait(let silence, let until):
            return .resting(cursor: try Place.silent(silence).text(), until: until, why: expectation(silence))
        case .repeatRequest:
            let repeats = silence.repeats + 1
            let reply = try await send(.erase, request, cursor: silence.cursor, repeats: repeats)
            return try answer(to: reply, silence: WebhookSilence(cursor: silence.cursor, repeats: repeats))
        case .giveUp:
            throw ConnectorFault(
                FarewellError(
                    "connector.silent", .yoursToFix,
                    "The system \(system) has accepted the request to erase \(Self.times(silence)), and has not called "
                        + "back within \(timeout.counted("hour")) of the last time.",
                    remedy: "Check that the service carries out what it accepts and reaches the address of the setting "
                        + "callback, or give it more time with the setting timeout. Then release the erasure, which "
                        + "sends another request. A report that comes before continues it.")
            ).anewUnlessReported
        }
    }

    /// When the service is to call back, and what follows if it does not.
    private func expectation(_ silence: WebhookSilence) -> String {
        let due = Date(timeIntervalSince1970: (silence.since ?? world.now()) + Double(timeout) * 3_600)
        let time = UTCTime.text(due).prefix(16).replacing("T", with: " ")
        let next =
            silence.repeats < WebhookSilence.mostRepeats ? "it receives the request again" : "the erasure parks"
        return "it has accepted the request \(Self.times(silence)), and is to call back by \(time) UTC; "
            + "otherwise \(next)"
    }

    private static func times(_ silence: WebhookSilence) -> String { (silence.repeats + 1).counted("time") }

    // MARK: Messages of the service

    /// A message of the type `erased`, signed by the service as ours are by us.
    public func hear(_ message: SystemMessage) throws -> SystemNews {
        let headers = message.headers
        guard let id = headers["webhook-id"], let timestamp = headers["webhook-timestamp"],
            let signature = headers["webhook-signature"], id.utf8.count <= 256,
            WebhookSignature.isValid(
                signature, id: id, timestamp: timestamp, body: message.body, secrets: try keys(),
                now: Int64(world.now()))
        else {
            throw SystemMessage.unsigned
        }
        // Our own messages, sent back to us, are signed as well: their type is another one.
        guard let value = try? RawJSON(message.body, depth: .max), value["type"]?.string == "erased",
            let data = value["data"], let key = data["key"]?.string,
            let answer = try? WebhookAnswer(data, from: system)
        else {
            throw FarewellError(
                "erasure.message-malformed", .yoursToFix,
                "The system \(system) may not send this message.")
        }
        return SystemNews(key: key, text: try Self.text(answer.value))
    }

    // MARK: Messages

    private enum Act: String { case erase, verify, status }

    private func send(
        _ act: Act, _ request: ConnectorRequest, cursor: String? = nil, repeats: Int = 0, at path: String? = nil
    ) async throws -> SystemReply {
        var data: [String: JSONValue] = [
            "key": .string(request.key), "names": .array(request.names.map(JSONValue.string)),
        ]
        data["cursor"] = cursor.map(JSONValue.string)
        if act == .erase { data["callback"] = callback.map(JSONValue.string) }
        let now = Int64(world.now())
        let message: JSONValue = .object([
            "type": .string(act.rawValue), "data": .object(data),
            "timestamp": .string(UTCTime.text(Date(timeIntervalSince1970: Double(now)))),
        ])
        let body = Array(try Self.text(message).utf8)
        let id = Self.identifier(of: act, request.key, cursor, repeats: repeats, at: now)
        var call = SystemCall(
            "POST", address, address.base.isEmpty ? "/" : address.base,
            headers: [
                ("content-type", "application/json"), ("idempotency-key", request.key), ("webhook-id", id),
                ("webhook-timestamp", "\(now)"),
                (
                    "webhook-signature",
                    WebhookSignature.value(id: id, timestamp: now, body: body, secrets: try keys())
                ),
            ], body: body, permission: "the secret of the webhook")
        call.writtenPath = path
        call.responses = .webhook
        call.pin = try await gate.pin(address)
        return try await caller.send(call)
    }

    /// The newest first.
    private func keys() throws -> [[UInt8]] {
        do {
            return try [secrets.required("secret"), secrets.given("former_secret")].compactMap(\.self)
                .map(WebhookSignature.secret)
        } catch is FarewellError {
            throw ConnectorFault.credentials(system, needs: "a secret of the form whsec_ and 24 to 64 bytes in base64")
        }
    }

    private static func text(_ value: JSONValue) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private static func read(_ bytes: [UInt8], from system: String) throws -> WebhookAnswer {
        guard let value = try? RawJSON(bytes, depth: .max) else {
            throw ConnectorFault.garbled(system, "its report cannot be read")
        }
        return try WebhookAnswer(value, from: system)
    }

    /// For an act the same at every try, until the service has accepted it: Standard Webhooks repeats an identifier
    /// only while a delivery fails, and a receiver may drop a message whose identifier it has accepted. So the
    /// repetition of an accepted act has another one, and a question has another one each time.
    private static func identifier(
        of act: Act, _ key: String, _ cursor: String?, repeats: Int, at now: Int64
    ) -> String {
        let which = act == .erase ? cursor.map(printable).map { "_\($0.prefix(64))" } ?? "" : "_\(now)"
        let time = repeats > 0 ? "-\(repeats + 1)" : ""
        return "msg_\(printable(key))_\(act.rawValue)\(time)\(which)"
    }

    /// A key as a part of an identifier: our keys have spaces and slashes in them.
    private static func printable(_ key: String) -> String {
        String(
            decoding: key.utf8.map { $0.isASCIILetterOrDigit ? $0 : UInt8(ascii: "-") }, as: UTF8.self)
    }

    /// The point of continuation: the service's own cursor, or a pending message.
    private enum Place {
        case next(String?)
        case waiting(path: String)
        case silent(WebhookSilence)

        init(cursor: String?, system: String) throws {
            guard let cursor else {
                self = .next(nil)
                return
            }
            guard let value = try? StrictJSON.value(Array(cursor.utf8)), value.object != nil else {
                throw ConnectorFault.garbled(system, "the cursor is not from Farewell")
            }
            if let next = value["next"]?.string {
                self = .next(next)
            } else if let path = value["waiting"]?.string {
                self = .waiting(path: path)
            } else {
                self = .silent(WebhookSilence(value))
            }
        }

        func text() throws -> String {
            switch self {
            case .next(let cursor): try WebhookConnector.text(.object(["next": cursor.map(JSONValue.string) ?? .null]))
            case .waiting(let path): try WebhookConnector.text(.object(["waiting": .string(path)]))
            case .silent(let silence): try WebhookConnector.text(silence.value)
            }
        }
    }
}
