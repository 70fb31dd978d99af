// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A sign-out that waits for the server's answer before anything changes on the device (`SignOutPolicy.keepSignedIn`).
/// If the process ends meanwhile, the server may have ended the session: the next launch asks again.
struct AskedSignOut: Sendable {
    private let place: SealedTokenStore

    struct Request: Sendable, Equatable, Codable {
        let sessionID: String
        let scope: SignOutScope
        /// The asking process.
        let process: Int32
    }

    init(in folder: StateFolder) { place = SealedTokenStore(file: "asked", in: folder) }

    /// The request; `nil` if there is none, or it cannot be read.
    var request: Request? {
        guard case .present(let data) = place.read() else { return nil }
        return try? JSONDecoder().decode(Request.self, from: data)
    }

    func write(_ request: Request) throws { try place.write(JSONEncoder().encode(request)) }
    func remove() throws { try place.remove() }
}
