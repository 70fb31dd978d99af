// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// The code of docs/adopting/amplify.md, compiled.
struct AmplifyGuide {
    let region = URL(filePath: "/")
    let api = URL(filePath: "/")
    let clientID = "client"
    let container = "/container"
    let participants: [any Participant] = []

    func device() throws -> FarewellDevice {
        // region: https://cognito-idp.eu-central-1.amazonaws.com
        let device = try FarewellDevice(
            CognitoProvider(
                region, clientID: clientID,
                deletingBy: DeletionEndpoint("DELETE", api.appending(path: "me/account"))),
            in: StateFolder(container + "/account"), participants: participants)
        return device
    }

    func signIn(_ device: FarewellDevice, _ provider: CognitoProvider, username: String, password: Token) async throws {
        try await device.signIn { () async throws(ProviderFailure) in
            try await provider.signIn(username: username, password: password)
        }
    }

    func handedOver(_ device: FarewellDevice, _ session: DeviceSession) async throws {
        try await device.signIn { () async throws(ProviderFailure) in ProviderAnswer(session) }
    }
}
