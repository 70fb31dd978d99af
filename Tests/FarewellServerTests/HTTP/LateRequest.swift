// SPDX-License-Identifier: Apache-2.0

import Farewell
@testable import FarewellServer
import FarewellSQL
import Foundation
import HTTPTypes
import Testing

/// Requests that read, compute or write, of the API and of the pages.
enum LateRequest: CaseIterable, Sendable {
    case user, signIn, newPassword, erasure, account, accountSignIn

    struct Sender {
        let person: ErasureMount.Person
        var browser: MountedBrowser
    }

    var isPage: Bool { self == .account || self == .accountSignIn }

    /// The status of a request in time.
    var status: Int {
        switch self {
        case .user, .signIn, .newPassword, .account: 200
        case .erasure: 202
        case .accountSignIn: 303
        }
    }

    /// Whether it changes rows.
    var writes: Bool { self != .user && self != .account }

    func sender(_ mount: ErasureMount) async throws -> Sender {
        var sender = Sender(person: try await mount.person(), browser: MountedBrowser(mount: mount))
        guard isPage else { return sender }
        _ = try await sender.browser.open("/account")
        if self == .account { _ = try await signInOnPage(&sender) }
        return sender
    }

    func send(_ sender: inout Sender, _ mount: ErasureMount) async throws -> ErasureMount.Answer {
        let (token, email) = (sender.person.token, sender.person.email)
        switch self {
        case .user: return try await mount.ask(.get, "/auth/v1/user", token: token)
        case .signIn:
            let json = #"{"email":"\#(email)","password":"\#(ErasureMount.password)"}"#
            return try await mount.ask(.post, "/auth/v1/token?grant_type=password", json: json)
        case .newPassword:
            let json = #"{"password":"another correct horse battery","data":{"changed":"late"}}"#
            return try await mount.ask(.put, "/auth/v1/user", token: token, json: json)
        case .erasure:
            return try await mount.ask(.post, "/v1/erasures", token: token, ["Idempotency-Key": "k"])
        case .account: return try await sender.browser.open("/account")
        case .accountSignIn: return try await signInOnPage(&sender)
        }
    }

    private func signInOnPage(_ sender: inout Sender) async throws -> ErasureMount.Answer {
        let values = ["email": sender.person.email, "password": ErasureMount.password]
        return try await sender.browser.send("/account/sign-in", values)
    }

    /// The tables that count attempts: these count whether or not a request ends in time.
    private static let attempts = ["auth_password_attempts", "auth_known_sources"]

    /// How many rows each table has, and how many users have changed data.
    static func counts(_ mount: ErasureMount) async throws -> [String: Int64] {
        try await mount.database.withConnection { connection in
            let tables = try await connection.run("SELECT name FROM sqlite_master WHERE type = 'table'").rows
            let names = tables.compactMap { $0[0].text }.filter { !attempts.contains($0) }
            let each = names.map { "SELECT '\($0)', count(*) FROM \(SQLDialect.sqlite.quoted($0))" }
            let changed = "SELECT 'changed', count(*) FROM auth_users WHERE raw_user_meta_data LIKE '%late%'"
            let rows = try await connection.run(SQLStatement((each + [changed]).joined(separator: " UNION ALL "))).rows
            var counts: [String: Int64] = [:]
            for row in rows { if let name = row[0].text { counts[name] = row[1].integer } }
            return counts
        }
    }
}
