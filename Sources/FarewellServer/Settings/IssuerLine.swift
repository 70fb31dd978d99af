// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellVerifier

/// A line of `erasures.issuers`: a kind, its names, and options as `name=value`.
struct IssuerLine {
    private let words: [String]
    private let said: [String: String]

    /// `keys=ADDRESS`: another address of its keys. `life=SECONDS`: the lifetime of its tokens. `iss=NAME`: the name of
    /// a Supabase project in its tokens. `secret-file=PATH`: its shared secret.
    private static let options = ["keys", "life", "iss", "secret-file"]

    init(_ line: String) throws {
        var words: [String] = []
        var said: [String: String] = [:]
        for word in line.split(separator: " ").map(String.init) {
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, Self.options.contains(parts[0]) else {
                words.append(word)
                continue
            }
            guard !parts[1].isEmpty, said.updateValue(parts[1], forKey: parts[0]) == nil else { throw Self.unknown }
        }
        self.words = words
        self.said = said
    }

    /// Whether it takes the secret of `erasures.issuer-secret`.
    var takesSharedSecret: Bool { words.first == "supabase" && said["secret-file"] == nil }

    /// The issuer as the verifier knows it.
    ///
    /// - Parameter secret: The one of `erasures.issuer-secret`.
    /// - Throws: `settings.wrong`, `verifier.…`; `settings.unreadable` and `settings.unsafe` for the secret's file.
    func trusted(_ secret: IssuerSecret?) throws -> TrustedIssuer {
        let issuer = try named(secret)
        guard let text = said["life"] else { return issuer }
        guard let life = Int(text), life > 0 else { throw Self.unknown }
        return try issuer.withTokens(of: .seconds(life))
    }

    private func named(_ secret: IssuerSecret?) throws -> TrustedIssuer {
        guard words.first == "supabase" || said["iss"] == nil && said["secret-file"] == nil else { throw Self.unknown }
        switch (words.first, words.count) {
        case ("supabase", 2): return try supabase(words[1], secret)
        case ("farewell", 2): return try .farewell(words[1], keys: keys([.es256, .edDSA]))
        case ("firebase", 2): return try .firebase(project: words[1], keys: keys([.rs256]))
        case ("cognito", 3...):
            return try .cognito(
                pool: words[1], clients: Set(words.dropFirst(2)), uses: [.access, .id], keys: keys([.rs256]))
        case ("openid", 4...):
            let keys = try IssuerKeys.published(at: words[2], for: [.rs256, .es256])
            return try .openID(words[1], keys: keys, audiences: Set(words.dropFirst(3)))
        default: throw Self.unknown
        }
    }

    /// The keys that the project publishes count in any case, so that a move from the secret to keys needs no change
    /// here.
    private func supabase(_ project: String, _ shared: IssuerSecret?) throws -> TrustedIssuer {
        let published = try TrustedIssuer.supabase(project, keys: keys([.es256, .rs256]), issuer: said["iss"])
        guard let secret = try ownSecret() ?? shared else { return published }
        return try .supabase(project, keys: secret.joined(to: published.givenKeys), issuer: said["iss"])
    }

    /// The project that it names, for checks of the configuration; `nil` for other issuers.
    func project(_ shared: IssuerSecret?) throws -> SupabaseProject? {
        guard words.first == "supabase", words.count == 2 else { return nil }
        let issuer = try TrustedIssuer.supabase(words[1])
        let secret = try ownSecret() ?? (takesSharedSecret ? shared : nil)
        return SupabaseProject(
            address: String(issuer.name.dropLast("/auth/v1".utf8.count)),
            keys: said["keys"] ?? issuer.name + "/.well-known/jwks.json", secret: secret)
    }

    private func ownSecret() throws -> IssuerSecret? {
        try said["secret-file"].map { path in
            try IssuerSecret(try SecretFile.text(path), of: "secret-file of erasures.issuers")
        }
    }

    private func keys(_ algorithms: Set<SignatureAlgorithm>) throws -> IssuerKeys? {
        try said["keys"].map { try .published(at: $0, for: algorithms) }
    }

    private static let unknown = FarewellError(
        "settings.wrong", .yoursToFix, "A line of erasures.issuers names no known issuer.",
        remedy: "Write for instance `supabase https://abc.supabase.co`; docs/operations/issuers.md lists the kinds.")
}
