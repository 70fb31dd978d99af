// SPDX-License-Identifier: Apache-2.0
import Crypto
import Farewell
import FarewellKeys
import Foundation

/// A request for a mail to an address: stored in the same way whether or not the user exists, so that neither the
/// answer nor its time reveals it. The deliverer looks the user up.
struct MailRequest: Sendable, Codable {
    let purpose: MailPurpose
    let address: String
    /// The user who requested it, if known.
    let user: UUID?
    /// Made now, so that each attempt at delivery sends the same ones.
    let code: String
    let token: String
    /// Hashes of the requesting source, at which the digits are valid. `nil` in requests of earlier versions.
    private let network: String?
    private let device: String?
    /// The app's challenge, if it sent one, and the address to which the link leads then.
    private let challenge: String?
    private let redirect: String?

    /// Seconds for which a code is valid.
    static let life: TimeInterval = 600

    init(
        _ purpose: MailPurpose, to address: String, user: UUID?, _ permit: MailPermit,
        returning: MailReturn = MailReturn(), entropy: Entropy
    ) {
        self.purpose = purpose
        self.address = address
        self.user = user
        code = purpose.bringsCode && permit.allowsDigits ? Self.digits(from: entropy) : ""
        token = purpose.bringsCode ? Base64URL.text(entropy.bytes(32)) : ""
        network = Base64URL.text(permit.network)
        device = permit.device.map { Base64URL.text($0) }
        challenge = purpose.bringsCode ? returning.challenge?.text : nil
        redirect = challenge == nil ? nil : returning.address
    }

    /// How the link leads back to the app.
    var returning: MailReturn { MailReturn(to: redirect, challenge: challenge.map(CodeChallenge.init(stored:))) }

    /// The hash of the requesting network or session.
    func networkHash(_ keys: AuthorityKeys) -> [UInt8] {
        network.flatMap { Base64URL.bytes($0) } ?? keys.hashes(of: CallerSource()).network
    }

    /// The hash of the requesting device.
    var deviceHash: [UInt8]? { device.flatMap { Base64URL.bytes($0) } }

    /// The hash of the recipient's domain, by which deliveries are limited.
    func domainHash(_ keys: AuthorityKeys) -> [UInt8] { keys.lookupHash(Self.domain(of: address), .mailDomain) }

    /// The labels of an address's domain. Subdomains count as one domain, because their owner can make any number of
    /// them; below labels that countries share, such as `co.uk` and `com.au`, others register domains.
    static func domain(of address: String) -> [String] {
        let host = address.utf8.split(separator: UInt8(ascii: "@")).last
        let labels = (host?.split(separator: UInt8(ascii: ".")) ?? []).map { String(decoding: $0, as: UTF8.self) }
        let end = labels.suffix(2)
        let isShared = end.last?.utf8.count == 2 && end.first.map { sharedLabels.contains($0.lowercased()) } ?? false
        return labels.suffix(isShared ? 3 : 2)
    }

    /// Labels below which the registries of countries offer domains to all.
    private static let sharedLabels: Set<String> = [
        "ac", "co", "com", "edu", "go", "gob", "gov", "id", "info", "me", "ne", "net", "nom", "or", "org", "sch", "web",
    ]

    func sealed(as id: UUID, _ keys: AuthorityKeys) throws -> [UInt8] {
        try keys.seal(Array(try CanonicalJSON.data(self)), .mail, of: [id.text])
    }

    static func opened(_ sealed: [UInt8], as id: UUID, _ keys: AuthorityKeys) throws -> MailRequest {
        try JSONDecoder().decode(MailRequest.self, from: Data(try keys.open(sealed, .mail, of: [id.text])))
    }

    /// Six digits, each code equally likely.
    private static func digits(from entropy: Entropy) -> String {
        let limit = UInt32.max - UInt32.max % 1_000_000
        var number = limit
        while number >= limit { number = entropy.bytes(4).reduce(0) { $0 << 8 | UInt32($1) } }
        let digits = String(number % 1_000_000)
        return String(repeating: "0", count: 6 - digits.count) + digits
    }
}

extension AuthorityKeys {
    /// The stored hash of a code: keyed, because six digits are quickly guessed from a dump; and bound to the user, the
    /// purpose and the address.
    func hash(ofCode code: String, _ purpose: MailPurpose, address: String, user: UUID) -> [UInt8] {
        lookupHash([user.text, purpose.rawValue, address, code], .code)
    }

    func hash(ofMailToken token: String) -> [UInt8] { lookupHash(token, .mailToken) }

    func hash(ofAuthorizationCode code: String) -> [UInt8] { lookupHash(code, .authorizationCode) }

    func hash(of challenge: CodeChallenge) -> [UInt8] { lookupHash(challenge.text, .codeChallenge) }
}
