// SPDX-License-Identifier: Apache-2.0
import ExampleApp
import Farewell
import FarewellClient
import Foundation

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
        await ExampleWords.run("sessions-example") { words in
            try await SessionsExample(words.server, words.folder).run(words.verb, words.word)
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
        let (provider, folder) = (provider, folder)
        let app = ExampleApp(device, work: { try Self.leaveTraces(in: folder) }) {
            (isNew, email, password) async throws(ProviderFailure) in
            isNew
                ? try await provider.signUp(email: email, password: password)
                : try await provider.signIn(email: email, password: password)
        }
        if try await app.carryOut(verb, word) { return }
        switch verb {
        case "hold": try await hold(.seconds(word.flatMap(Double.init) ?? 1))
        case "sessions":
            for session in try await device.perform({ try await provider.sessions(of: $0) }) {
                print(session.device ?? "unnamed", session.isCurrent ? "(this one)" : "")
            }
        default: print("unknown verb")
        }
    }

    /// Requests a valid session, over and over: it is renewed whenever it expires.
    private func hold(_ long: Duration) async throws {
        let begin = environment.elapsed()
        var tokens = 0
        var last: Token?
        while environment.elapsed() - begin < long || tokens < 3 {
            let token = try await device.session.accessToken
            if token != last { tokens += 1 }
            last = token
            try await environment.sleep(.milliseconds(20))
        }
        print("held \(tokens) tokens")
    }

    /// The traces of some use of an app.
    private static func leaveTraces(in folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder + "/pictures", withIntermediateDirectories: true)
        for name in ["pictures/1.jpg", "pictures/2.jpg", "library.sqlite", "library.sqlite-wal"] {
            try Data("of the person".utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
        }
    }
}
