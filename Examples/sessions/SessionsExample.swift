// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation
import PowerCut

/// A small app on a command line: signs in, shows who is there, renews, signs out, deletes the account.
///
///     sessions-example SERVER FOLDER sign-up|sign-in EMAIL      (the password in FAREWELL_PASSWORD)
///     sessions-example SERVER FOLDER launch|status|renew [N]|hold SECONDS|sessions|sign-out [SCOPE]|delete|deliver
///
/// Beside its session it keeps pictures and a database in FOLDER. With FAREWELL_DIE_AFTER=n it ends itself right after
/// the nth state of a sign-out or a deletion is recorded.
@main
struct SessionsExample {
    let device: FarewellDevice
    let provider: FarewellProvider
    let folder: String
    let environment = ClientEnvironment.live { print("log: \($0)") }

    static func main() async {
        var words = CommandLine.arguments.dropFirst()
        guard words.count >= 3, let server = URL(string: words.removeFirst()) else {
            print("usage: sessions-example SERVER FOLDER VERB [WORD]")
            exit(64)
        }
        do {
            let app = try SessionsExample(server, words.removeFirst())
            try await app.run(words.removeFirst(), words.first)
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }

    init(_ server: URL, _ folder: String) throws {
        self.folder = folder
        provider = FarewellProvider(
            server, device: SessionDevice(name: "Example", platform: "Linux", appVersion: FarewellVersion.current))
        let powerCut = PowerCut()
        device = try FarewellDevice(
            provider, in: StateFolder(folder + "/state"),
            participants: [
                FolderParticipant("pictures", at: folder + "/pictures", holds: "pictures seen"),
                DatabaseParticipant("library", at: folder + "/library.sqlite", holds: "what was read"),
            ],
            environment: environment,
            observe: { step in
                print(step)
                powerCut.tick()
            })
    }

    private func run(_ verb: String, _ word: String?) async throws {
        // Before anything is shown: what a crash interrupted is finished.
        let standing = await device.launch()
        switch verb {
        case "sign-up", "sign-in":
            let email = word ?? ""
            let password = Token(ProcessInfo.processInfo.environment["FAREWELL_PASSWORD"] ?? "")
            let provider = provider
            try await device.signIn { () async throws(ProviderFailure) in
                verb == "sign-up"
                    ? try await provider.signUp(email: email, password: password)
                    : try await provider.signIn(email: email, password: password)
            }
            try leaveTraces()
            print("signed in")
        case "launch", "status":
            await device.deliver()
            switch standing {
            case .signedIn: print("signed in")
            case .signedOut(let reason): print("signed out: \(reason?.rawValue ?? "nobody was here")")
            case .unknown(let error): print("unknown: \(error.code.rawValue)")
            }
        case "renew":
            for _ in 0..<(word.flatMap(Int.init) ?? 1) {
                // As if the server had not accepted the token: it is renewed, once among all processes.
                let isFirst = Guarded(true)
                try await device.perform { _ in
                    let refuses = isFirst.withLock { first in
                        defer { first = false }
                        return first
                    }
                    let refusal = FarewellError("example.renew", .tryAgain, "Renew.")
                    if refuses { throw ProviderFailure.unauthorised(refusal) }
                }
            }
            print("renewed")
        case "hold":
            // Asks for a good session, over and over: it is renewed whenever it comes to its end.
            let (begin, long) = (environment.elapsed(), Duration.seconds(word.flatMap(Double.init) ?? 1))
            var tokens = 0
            var last: Token?
            while environment.elapsed() - begin < long || tokens < 3 {
                let token = try await device.session.accessToken
                if token != last { tokens += 1 }
                last = token
                try await environment.sleep(.milliseconds(5))
            }
            print("held \(tokens) tokens")
        case "sessions":
            let provider = provider
            for session in try await device.perform({ try await provider.sessions(of: $0) }) {
                print(session.device ?? "unnamed", session.isCurrent ? "(this one)" : "")
            }
        case "sign-out":
            let scope = word.flatMap(SignOutScope.init(rawValue:)) ?? .local
            let result = try await device.signOut(scope, patience: .seconds(10))
            print("signed out: device \(told(result.device)), server \(result.server.rawValue)")
        case "delete":
            let result = try await device.deleteAccount { print("progress: \($0.state)") }
            print("deleted: device \(told(result.device)), server \(result.server.state)")
        case "deliver": print(await device.deliver() ? "delivered" : "waiting")
        default: print("unknown verb")
        }
    }

    private func told(_ report: WipeReport) -> String { report.isClean ? "clean" : "not clean" }

    /// What an app would have after some use.
    private func leaveTraces() throws {
        try FileManager.default.createDirectory(atPath: folder + "/pictures", withIntermediateDirectories: true)
        for name in ["pictures/1.jpg", "pictures/2.jpg", "library.sqlite", "library.sqlite-wal"] {
            try Data("of the person".utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        }
    }
}
