// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
@testable import FarewellErasure
@testable import FarewellKeys
@testable import FarewellServer
import FarewellSQL
@testable import FarewellSessions
import FarewellVerifier
import Foundation
import Testing

/// One thing that the product hands out to be shown again: how it is issued, and whether it is accepted.
struct Purpose: Sendable {
    let name: String
    let issue: @Sendable () async throws -> String
    let accepts: @Sendable (String) async throws -> Bool

    init(
        _ name: String, issue: @escaping @Sendable () async throws -> String,
        accepts: @escaping @Sendable (String) async throws -> Bool
    ) {
        self.name = name
        self.issue = issue
        self.accepts = accepts
    }
}

/// Every purpose there is, of one server.
struct Purposes: Sendable {
    let mount: ErasureMount
    let person: ErasureMount.Person
    let store: KeyStore
    /// A ticket that an earlier version made, and the request that it was made for.
    let former: ErasureTicket
    let asked = UUID()

    init(_ mount: ErasureMount, _ person: ErasureMount.Person) throws {
        (self.mount, self.person) = (mount, person)
        store = try KeyStore.prepared(in: StateDirectory.prepared(at: mount.folder + "/state"), now: { Date() })
        former = try ErasureTicket.asBefore(for: "k", of: asked, keys: store)
    }

    var all: [Purpose] { forms + states + sessions + erasures + mails + authorizationCodes + signatures + seals }

    private var authority: SessionAuthority { mount.server.authority }
    private var pages: AccountPages { AccountPages(server: mount.server, settings: PageSettings()) }
    private var now: Date { mount.server.world.now() }
    /// The same browser and session everywhere, so that the keys alone keep the purposes apart.
    private static let visit = "the browser", session = "the session"

    private var forms: [Purpose] {
        let (account, console) = (pages.guarding, ConsolePages(pages: pages)?.guarding)
        let guards: [(String, PageGuard?)] = [("account form", account), ("console form", console)]
        return guards.map { name, guarding in
            Purpose(name) {
                guarding?.token(visit: Self.visit, session: Self.session) ?? ""
            } accepts: {
                guarding?.isOurs($0, visit: Self.visit, session: Self.session) == true
            }
        }
    }

    private var states: [Purpose] {
        let (keys, now) = (pages.keys, now)
        let whole = SignInState.Purpose.allCases.map { purpose in
            Purpose("state of a sign-in for \(purpose)") {
                SignInState(purpose, from: now, random: "r").text(keys, visit: Self.visit)
            } accepts: {
                SignInState($0, for: [purpose], keys, visit: Self.visit, now: now) != nil
            }
        }
        let codes = SignInState.Purpose.allCases.map { purpose in
            let state = SignInState(purpose, from: now, random: "r")
            let beginning = state.text(keys, visit: Self.visit).split(separator: ".").dropLast().joined(separator: ".")
            return Purpose("code of a state for \(purpose)") {
                String(state.text(keys, visit: Self.visit).split(separator: ".").last ?? "")
            } accepts: {
                SignInState("\(beginning).\($0)", for: [purpose], keys, visit: Self.visit, now: now) != nil
            }
        }
        let state = SignInState(.console, from: now, random: "r")
        let secrets = [PageKeys.Purpose.appleNonce, .consoleNonce, .consoleVerifier].map { kind in
            Purpose("\(kind)") {
                state.secret(kind, keys, visit: Self.visit)
            } accepts: {
                $0 == state.secret(kind, keys, visit: Self.visit)
            }
        }
        return whole + codes + secrets
    }

    private var sessions: [Purpose] {
        let (authority, keys, id) = (authority, authority.context.keys, UUID())
        let first = RefreshToken.first(session: id, entropy: keys.entropy)
        return [
            Purpose("session of the console") {
                try await mount.consoleCookie("aa", role: .operates)
            } accepts: {
                try await authority.consoleSession($0, provider: nil) != nil
            },
            Purpose("access token, which pages keep as their session") {
                person.token
            } accepts: { text in
                await Self.holds { try await authority.authenticate(text).session != nil }
            },
            Purpose("operators' token") {
                ErasureMount.operatorToken
            } accepts: { text in
                await Self.holds { try await !authority.administrator(text).isOfAPerson }
            },
            Purpose("refresh token") {
                first.text(keys)
            } accepts: { text in
                await Self.holds { try RefreshToken(text, keys).session == id }
            },
            Purpose("sign-out ticket") {
                SignOutTicket.text(for: id, keys)
            } accepts: {
                SignOutTicket.session(of: $0, keys) == id
            },
            Purpose("mark of the revocation feed") {
                String(authority.mark(of: Self.entry).split(separator: ".").last ?? "")
            } accepts: {
                authority.mark(of: Self.entry) == "1.\($0)"
            },
            Purpose("name of an operator") {
                mount.server.operatorNames.name(issuer: "i", subject: "s")
            } accepts: {
                $0 == mount.server.operatorNames.name(issuer: "i", subject: "s")
            },
        ]
    }

    private static let entry = Revocation(
        cursor: 1, sessionID: nil, subject: UUID(), issuer: "i", revokedAt: Date(timeIntervalSince1970: 0), reason: .deleted)

    private var erasures: [Purpose] {
        let (requests, subject) = (mount.requests, person.id)
        let proofs = StepUpAction.allCases.map { action in
            Purpose("proof to \(action.rawValue)") {
                try await requests.stepUp(of: subject, for: action).text
            } accepts: { text in
                await Self.holds {
                    try await requests.spend(StepUp(text), of: subject, for: action); return true
                }
            }
        }
        return proofs + [
            Purpose("ticket of an erasure") {
                try await mount.asked(by: person).ticket
            } accepts: { text in
                await Self.holds { try await requests.erasure(try ErasureTicket(text)) != nil }
            },
            Purpose("ticket of an erasure of an earlier version") {
                former.text
            } accepts: {
                ErasureTicket(for: "k", of: asked, keys: store, kept: former.hash).text == $0
            },
            Purpose("key of followers") {
                mount.server.followerKey ?? ""
            } accepts: {
                ConstantTime.isEqual($0.utf8, (mount.server.followerKey ?? "").utf8)
            },
        ]
    }

    /// The stored form of a mail's digits, which are the same for all purposes; the tokens of links, which the authority
    /// looks up; and the hashes under which something is stored.
    private var mails: [Purpose] {
        let (authority, keys, user) = (authority, authority.context.keys, UUID())
        let codes = MailPurpose.allCases.filter(\.bringsCode).map { purpose in
            let hash = { @Sendable (code: String) in
                keys.hash(ofCode: code, purpose, address: "a@example.org", user: user).hexadecimal
            }
            return Purpose("kept code to \(purpose.rawValue)") {
                hash("123456")
            } accepts: {
                $0 == hash("123456")
            }
        }
        let tokens = MailPurpose.allCases.filter(\.bringsCode).map { purpose in
            Purpose("token of a link to \(purpose.rawValue)") {
                try await Self.kept(purpose, of: person, authority)
            } accepts: { text in
                try await authority.parts.codes.matched(purpose, .token(text), CallerSource())?.user == UUID(uuidString: person.id)
            }
        }
        let lookups = LookupPurpose.allCases.map { purpose in
            let hash = { @Sendable in keys.lookupHash("123456", purpose).hexadecimal }
            return Purpose("kept hash of \(purpose.rawValue)") {
                hash()
            } accepts: {
                $0 == hash()
            }
        }
        let counters = CounterPurpose.Scope.allCases.map { scope in
            let name = { @Sendable in keys.counterName(["123456"], CounterPurpose(rule: .password, scope: scope)).hexadecimal }
            return Purpose("counter of \(scope)") {
                name()
            } accepts: {
                $0 == name()
            }
        }
        return codes + tokens + lookups + counters
    }

    /// Keeps a mail's code as its delivery does.
    ///
    /// - Returns: The token in the mail's link.
    private static func kept(
        _ purpose: MailPurpose, of person: ErasureMount.Person, _ authority: SessionAuthority
    ) async throws -> String {
        let keys = authority.context.keys
        let network = keys.hashes(of: CallerSource()).network
        let permit = MailPermit(allowsDigits: true, network: network, device: nil)
        let request = MailRequest(purpose, to: person.email, user: nil, permit, entropy: keys.entropy)
        let code = OneTimeCode(request, of: try #require(UUID(uuidString: person.id)), keys)
        let keep = authority.context.store.codes.keep(code, now: authority.now())
        #expect(try await authority.context.database.withConnection { try await $0.run(keep) }.affected == 1)
        return request.token
    }

    private var signatures: [Purpose] {
        let signer = EventSigner(P256.Signing.PrivateKey(), issuer: "i")
        let key = SigningKey(seed: Entropy.live.bytes(32))
        let list = PublicKeyList([key.publicKey])
        let hooks = ["mail", "events"].map { name in
            let secret = Entropy.live.bytes(32)
            return Purpose("signature of the hook for \(name)") {
                WebhookSignature.value(id: "1", timestamp: 1, body: [1], secrets: [secret])
            } accepts: {
                WebhookSignature.isValid($0, id: "1", timestamp: "1", body: [1], secrets: [secret], now: 1)
            }
        }
        let events = ["secevent+jwt", "logout+jwt"].map { type in
            Purpose("event of type \(type)") {
                try signer.token(type: type, [:])
            } accepts: {
                Self.isEvent($0, type, signer)
            }
        }
        let documents = [ReceiptVerifier.type, AuditHead.type, ExportSigner.type].map { type in
            Purpose("signed document of type \(type)") {
                try CompactJWS.signed(Data("{}".utf8), type: type, by: key)
            } accepts: { text in
                await Self.holds {
                    _ = try CompactJWS.opened(text, type: type, by: list); return true
                }
            }
        }
        return hooks + events + documents
    }

    private var seals: [Purpose] {
        let keys = authority.context.keys
        let ofStore = SealPurpose.allCases.map { purpose in
            Purpose("sealed \(purpose.rawValue)") {
                Base64URL.text(try keys.seal([1, 2, 3], purpose, of: ["a"]))
            } accepts: { text in
                await Self.holds { try keys.open(Base64URL.bytes(text) ?? [], purpose, of: ["a"]) == [1, 2, 3] }
            }
        }
        let (run, entropy) = (UUID(), Entropy.live)
        let master = Secret(entropy.bytes(32))
        let seal = RunSeal(run: run, masterKey: master, entropy: entropy)
        let hashed = { @Sendable in seal.keyedHash(of: .text("123456"), column: ColumnName(TableName("users"), "email")) }
        return ofStore + [
            Purpose("wrapped key of a run") {
                Base64URL.text(Array(try seal.wrappedKey()))
            } accepts: { text in
                await Self.holds {
                    let bytes = Data(Base64URL.bytes(text) ?? [])
                    _ = try RunSeal(run: run, wrappedKey: bytes, masterKey: master, entropy: entropy)
                    return true
                }
            },
            Purpose("hash of a value of a run") {
                hashed()
            } accepts: {
                $0 == hashed()
            },
            Purpose("sealed data of a run") {
                Base64URL.text(Array(try seal.seal(Data([1, 2, 3]))))
            } accepts: { text in
                await Self.holds { try seal.open(Data(Base64URL.bytes(text) ?? [])) == Data([1, 2, 3]) }
            },
        ]
    }

    private static func isEvent(_ text: String, _ type: String, _ signer: EventSigner) -> Bool {
        let parts = text.split(separator: ".").map(String.init)
        guard parts.count == 3, let header = Base64URL.bytes(parts[0]), let code = Base64URL.bytes(parts[2]),
            let members = try? StrictJSON.value(header), members["typ"]?.string == type,
            let x = signer.publicKey["x"].flatMap({ Base64URL.bytes($0) }),
            let y = signer.publicKey["y"].flatMap({ Base64URL.bytes($0) }),
            let key = try? P256.Signing.PublicKey(rawRepresentation: x + y),
            let signature = try? P256.Signing.ECDSASignature(rawRepresentation: code)
        else { return false }
        return key.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8))
    }

    /// A refusal by one of our errors is not an acceptance.
    private static func holds(_ body: () async throws -> Bool) async -> Bool {
        do {
            return try await body()
        } catch {
            return false
        }
    }
}

extension AccessTokenClaims {
    fileprivate var isOfAPerson: Bool { sessionID != nil }
}
