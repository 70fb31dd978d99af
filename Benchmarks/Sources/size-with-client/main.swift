// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The same as without the client, and a device that does all a device does.
struct Note: Codable { var text: String }

let url = URL(string: CommandLine.arguments.dropFirst().first ?? "") ?? URL(fileURLWithPath: "/dev/null")
let (data, _) = try await URLSession(configuration: .ephemeral).data(from: url)
try JSONEncoder().encode(Note(text: "\(data.count)")).write(to: url)

let provider = FarewellProvider(url)
let device = try FarewellDevice(
    provider, in: StateFolder(url.path + "/state"), participants: [FolderParticipant("pictures", at: url.path)])
await device.launch()
try await device.signIn { () async throws(ProviderFailure) in
    try await provider.signIn(email: "", password: Token(""))
}
for session in try await device.perform({ try await provider.sessions(of: $0) }) { print(session.id) }
for await event in device.events {
    print(event)
    try await device.signOut()
    _ = try await device.deleteAccount()
}
