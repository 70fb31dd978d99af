// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import FarewellSecretService
import Foundation
import PowerCut

/// An app of somebody who makes things, on a command line: signs in by Firebase, keeps pictures and drafts, signs out,
/// deletes the account by the app's own backend.
///
///     creator-example SERVER FOLDER sign-up|sign-in EMAIL      (the password in FAREWELL_PASSWORD)
///     creator-example SERVER FOLDER launch|status|renew|sign-out|delete
///
/// SERVER is where Firebase's likeness and the backend are. The token is in the Secret Service, else in an encrypted
/// file; pictures and a database with drafts are in FOLDER. With FAREWELL_DIE_AFTER=n it ends itself right after the
/// nth recorded state.
@main
struct CreatorExample {
    let device: FarewellDevice
    let provider: FirebaseProvider
    let studio: Studio

    static func main() async {
        var words = CommandLine.arguments.dropFirst()
        guard words.count >= 3, let server = URL(string: words.removeFirst()) else {
            print("usage: creator-example SERVER FOLDER VERB [WORD]")
            exit(64)
        }
        do {
            let app = try CreatorExample(server, words.removeFirst())
            try await app.run(words.removeFirst(), words.first)
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }

    init(_ server: URL, _ folder: String) throws {
        let studio = Studio(folder)
        let state = try StateFolder(folder + "/state")
        let powerCut = PowerCut()
        self.studio = studio
        let backend = DeletionEndpoint("POST", server.appending(path: "functions/v1/delete-account"))
        provider = FirebaseProvider(
            apiKey: "example", deletingBy: backend,
            identity: server.appending(path: "identitytoolkit"), secureToken: server.appending(path: "securetoken"))
        device = try FarewellDevice(
            provider, in: state, store: DesktopTokenStore(service: "org.example.creator", in: state),
            participants: studio.participants, environment: .live { print("log: \($0)") },
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
            try studio.work()
            print("signed in, \(try studio.drafts) drafts")
        case "launch", "status":
            switch standing {
            case .signedIn: print("signed in, \(try studio.drafts) drafts")
            case .signedOut(let reason): print("signed out: \(reason?.rawValue ?? "nobody was here")")
            case .unknown(let error): print("unknown: \(error.code.rawValue)")
            }
        case "renew":
            let old = try await device.session
            try await device.perform { session in
                guard session.accessToken != old.accessToken else {
                    throw ProviderFailure.unauthorised(FarewellError("example.renew", .tryAgain, "Renew."))
                }
            }
            print("renewed")
        case "sign-out":
            let result = try await device.signOut(patience: .seconds(10))
            print("signed out: device \(told(result.device, result.problems)), server \(result.server.rawValue)")
        case "delete":
            let result = try await device.deleteAccount { print("progress: \($0.state)") }
            print("deleted: device \(told(result.device, result.problems)), server \(result.server.state)")
        default: print("unknown verb")
        }
    }

    private func told(_ report: WipeReport, _ problems: [FarewellError]) -> String {
        report.isClean && problems.isEmpty ? "clean" : "not clean"
    }
}
