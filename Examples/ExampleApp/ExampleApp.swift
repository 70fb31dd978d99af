// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// The usual acts of an app with a device, as verbs of a command line: sign-up, sign-in, launch, status, renew [N],
/// sign-out [SCOPE], delete, deliver.
package struct ExampleApp: Sendable {
    /// Signs in by an address and a password, as a new or a known user.
    package typealias SigningIn =
        @Sendable (_ isNew: Bool, _ email: String, _ password: Token) async throws(ProviderFailure) -> ProviderAnswer<
            DeviceSession
        >

    private let device: FarewellDevice
    private let signingIn: SigningIn
    private let work: @Sendable () throws -> Void
    private let shown: @Sendable () throws -> String

    /// - Parameters:
    ///   - work: Leaves the traces of some use.
    ///   - shown: The shown part of them, after the words "signed in".
    package init(
        _ device: FarewellDevice, work: @escaping @Sendable () throws -> Void,
        shown: @escaping @Sendable () throws -> String = { "" }, signingIn: @escaping SigningIn
    ) {
        self.device = device
        self.work = work
        self.shown = shown
        self.signingIn = signingIn
    }

    /// - Returns: whether the verb is one of these.
    package func carryOut(_ verb: String, _ word: String?) async throws -> Bool {
        // Before anything is shown, interrupted work is finished.
        let standing = await device.launch()
        switch verb {
        case "sign-up", "sign-in": try await signIn(isNew: verb == "sign-up", word ?? "")
        case "launch", "status":
            await device.deliver()
            switch standing {
            case .signedIn: print("signed in" + (try shown()))
            case .signedOut(let reason): print("signed out: \(reason?.rawValue ?? "no user was here")")
            case .unknown(let error): print("unknown: \(error.code.rawValue)")
            }
        case "renew":
            for _ in 0..<(word.flatMap(Int.init) ?? 1) { try await renew() }
            print("renewed")
        case "sign-out":
            let scope = word.flatMap(SignOutScope.init(rawValue:)) ?? .local
            let result = try await device.signOut(scope, timeout: .seconds(10))
            print("signed out: device \(told(result.device, result.problems)), server \(result.server.rawValue)")
        case "delete":
            let result = try await device.deleteAccount { print("progress: \($0.state)") }
            print("deleted: device \(told(result.device, result.problems)), server \(result.server.state)")
        case "deliver": print(await device.deliver() ? "delivered" : "waiting")
        default: return false
        }
        return true
    }

    private func signIn(isNew: Bool, _ email: String) async throws {
        let password = Token(ProcessInfo.processInfo.environment["FAREWELL_PASSWORD"] ?? "")
        let signingIn = signingIn
        try await device.signIn { () async throws(ProviderFailure) in try await signingIn(isNew, email, password) }
        try work()
        print("signed in" + (try shown()))
    }

    /// As if the server had not accepted the token: it is renewed, once among all processes.
    private func renew() async throws {
        let isFirst = Guarded(true)
        try await device.perform { _ in
            let refuses = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            if refuses { throw ProviderFailure.unauthorised(FarewellError("example.renew", .tryAgain, "Renew.")) }
        }
    }

    private func told(_ report: WipeReport, _ problems: [FarewellError]) -> String {
        report.isClean && problems.isEmpty ? "clean" : "not clean"
    }
}
