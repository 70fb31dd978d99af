// SPDX-License-Identifier: Apache-2.0

import Farewell
public import FarewellErasure
import FarewellVerifier
import Foundation

/// Whether and how a server takes erasures.
public struct ErasureSettings: Sendable {
    /// Where the plan lies; nil takes no erasures, unless a plan is handed over otherwise.
    public var plan: String?
    /// The address of the database that the plan is about; nil is the server's own.
    public var database: String?
    public var rules = ServiceRules()
    /// Seconds a lease lasts after it was last renewed.
    public var lease = 15
    /// Of each table so many rows are searched for the identifiers of whoever left; 0 searches none.
    public var deepScan = 0
    /// Seconds a call waits for an erasure to end, at most.
    public var wait = 8
    /// Other issuers, one a line: `supabase https://abc.supabase.co`, `cognito POOL CLIENT`, `firebase PROJECT`,
    /// `farewell ISSUER`, `openid ISSUER KEYS AUDIENCE`. `keys=ADDRESS` at the end says where else their keys are.
    public var issuers: [String] = []
    /// Names in the answer of `DELETE /me/account` with what they stand for.
    public var systems: [String: String] = [:]
    /// The file that says who is told of what.
    public var webhooksFile: String?
    /// Whether Apple's notifications are taken.
    public var appleEvents = Taking.off

    /// Whether something is taken.
    public enum Taking: String, Sendable, Hashable { case off, on }

    public init() {}

    /// The issuers as the verifier knows them.
    ///
    /// - Throws: `settings.wrong` for a line that cannot be read; `verifier.…` for an issuer that cannot be.
    func trusted() throws -> [TrustedIssuer] {
        try issuers.map { line in
            let all = line.split(separator: " ").map(String.init)
            let words = all.filter { !$0.hasPrefix("keys=") }
            func keys(_ algorithms: Set<SignatureAlgorithm>) throws -> IssuerKeys? {
                try all.first { $0.hasPrefix("keys=") }.map {
                    try .published(at: String($0.dropFirst("keys=".count)), for: algorithms)
                }
            }
            switch (words.first, words.count) {
            case ("supabase", 2): return try .supabase(words[1], keys: keys([.es256, .rs256]))
            case ("farewell", 2): return try .farewell(words[1], keys: keys([.es256, .edDSA]))
            case ("firebase", 2): return try .firebase(project: words[1], keys: keys([.rs256]))
            case ("cognito", 3...):
                return try .cognito(
                    pool: words[1], clients: Set(words.dropFirst(2)), uses: [.access, .id], keys: keys([.rs256]))
            case ("openid", 4...):
                let keys = try IssuerKeys.published(at: words[2], for: [.rs256, .es256])
                return try .openID(words[1], keys: keys, audiences: Set(words.dropFirst(3)))
            default:
                throw FarewellError(
                    "settings.wrong", .yoursToFix, "A line of erasures.issuers names no issuer that we know.",
                    remedy: "Write for instance `firebase my-project`; docs/operations.md lists the kinds.")
            }
        }
    }
}

@available(macOS 15, iOS 18, *)
extension ErasureSettings {
    mutating func take(_ reader: SettingsReader) throws {
        plan = try reader.text(.plan)
        database = try reader.text(.dataURL)
        rules = ServiceRules(
            graceDays: try reader.number(.graceDays) ?? rules.graceDays,
            recentSignIn: try reader.number(.recentSignIn) ?? rules.recentSignIn,
            secondLook: try reader.number(.secondLook) ?? rules.secondLook,
            batch: try reader.number(.batch) ?? rules.batch,
            concurrency: try reader.number(.concurrency) ?? rules.concurrency)
        lease = try reader.number(.lease) ?? lease
        deepScan = try reader.number(.deepScan) ?? deepScan
        wait = try reader.number(.wait) ?? wait
        issuers = try reader.list(.issuers) ?? []
        for entry in try reader.list(.systems) ?? [] {
            let parts = entry.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw FarewellError(
                    "settings.wrong", .yoursToFix, "An entry of erasures.systems is not name=place.",
                    remedy: "Write for instance cognito=identity.")
            }
            systems[parts[0]] = parts[1]
        }
        webhooksFile = try reader.text(.webhooks)
        appleEvents = try reader.text(.appleEvents).flatMap(Taking.init(rawValue:)) ?? .off
    }
}
