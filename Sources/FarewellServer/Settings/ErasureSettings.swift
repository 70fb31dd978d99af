// SPDX-License-Identifier: Apache-2.0

import Farewell
public import FarewellErasure
import FarewellVerifier
import Foundation

/// Whether and how a server takes erasures.
public struct ErasureSettings: Sendable {
    /// The path of the plan; nil accepts no erasures, unless a plan is passed in another way.
    public var plan: String?
    /// The address of the database that the plan is about; nil is the server's own.
    public var database: String?
    /// The address at which that database's server itself is listened to, where `database` is a pooler's.
    public var listenAddress: String?
    public var rules = ServiceRules()
    /// Seconds from the end to the second look, 0 for none; nil is when the longest token has expired.
    public var secondLook: Int?
    /// Seconds a lease lasts after it was last renewed.
    public var lease = 15
    /// The number of rows of each table that are searched for the subject's identifiers; 0 searches none.
    public var deepScan = 0
    /// Seconds a call waits for an erasure to end, at most.
    public var wait = 8
    /// Other issuers, one a line: `supabase https://abc.supabase.co`, `cognito POOL CLIENT`, `firebase PROJECT`,
    /// `farewell ISSUER`, `openid ISSUER KEYS AUDIENCE`, with `keys=ADDRESS`, `life=SECONDS` and, of Supabase,
    /// `iss=NAME` and `secret-file=PATH` at the end.
    public var issuers: [String] = []
    /// The secret of the one Supabase project among them that names no file of its own.
    var issuerSecret: IssuerSecret?
    /// Names in the answer of `DELETE /me/account` with what they stand for.
    public var systems: [String: String] = [:]
    /// The file that names the receivers of events.
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
        let lines = try issuers.map(IssuerLine.init)
        guard issuerSecret == nil || lines.filter(\.takesSharedSecret).count == 1 else {
            throw FarewellError(
                "settings.wrong", .yoursToFix,
                "erasures.issuer-secret belongs to one Supabase project; erasures.issuers does not name exactly one.",
                remedy: "Name the project, or give each its own: `supabase ADDRESS secret-file=PATH`.")
        }
        return try lines.map { try $0.trusted($0.takesSharedSecret ? issuerSecret : nil) }
    }
}

@available(macOS 15, iOS 18, *)
extension ErasureSettings {
    mutating func take(_ reader: SettingsReader) throws {
        plan = try reader.text(.plan)
        database = try reader.text(.dataURL)
        listenAddress = try reader.text(.dataListenURL)
        rules = ServiceRules(
            graceDays: try reader.number(.graceDays) ?? rules.graceDays,
            recentSignIn: try reader.number(.recentSignIn) ?? rules.recentSignIn,
            batch: try reader.number(.batch) ?? rules.batch,
            concurrency: try reader.number(.concurrency) ?? rules.concurrency)
        secondLook = try reader.number(.secondLook)
        lease = try reader.number(.lease) ?? lease
        deepScan = try reader.number(.deepScan) ?? deepScan
        wait = try reader.number(.wait) ?? wait
        issuers = try reader.list(.issuers) ?? []
        try takeSecret(reader)
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

    private mutating func takeSecret(_ reader: SettingsReader) throws {
        let given = try reader.text(.issuerSecret)
        let file = try reader.text(.issuerSecretFile)
        guard given == nil || file == nil else {
            throw FarewellError(
                "settings.ambiguous", .yoursToFix,
                "Both erasures.issuer-secret and erasures.issuer-secret-file are set.",
                remedy: "Keep the file: process lists do not show it.")
        }
        let setting: SettingKey = file == nil ? .issuerSecret : .issuerSecretFile
        issuerSecret = try (try file.map(SecretFile.text) ?? given).map { try IssuerSecret($0, of: setting.name) }
    }
}
