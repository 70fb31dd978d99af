// SPDX-License-Identifier: Apache-2.0
import ExampleApp
import Farewell
import FarewellClient
import FarewellSecretService
import Foundation

/// A command-line app for creators: signs in by Firebase, keeps pictures and drafts, signs out,
/// deletes the account by the app's own backend.
///
///     creator-example SERVER FOLDER sign-up|sign-in EMAIL      (the password in FAREWELL_PASSWORD)
///     creator-example SERVER FOLDER launch|status|renew|sign-out|delete|deliver
///
/// SERVER is the address of the fake Firebase and the backend. The token is in the Secret Service, else in an encrypted
/// file; pictures and a database with drafts are in FOLDER. With FAREWELL_DIE_AFTER=n it ends itself right after the
/// nth recorded state.
@main
struct CreatorExample {
    let device: FarewellDevice
    let provider: FirebaseProvider
    let studio: Studio

    static func main() async {
        await ExampleWords.run("creator-example") { words in
            try await CreatorExample(words.server, words.folder).run(words.verb, words.word)
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
            endingBy: SignOutEndpoint(server.appending(path: "functions/v1/sign-out")), policy: .clearAnyway,
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
        let (provider, studio) = (provider, studio)
        let app = ExampleApp(device, work: { try studio.work() }, shown: { ", \(try studio.drafts) drafts" }) {
            (isNew, email, password) async throws(ProviderFailure) in
            isNew
                ? try await provider.signUp(email: email, password: password)
                : try await provider.signIn(email: email, password: password)
        }
        if try await !app.carryOut(verb, word) { print("unknown verb") }
    }
}
