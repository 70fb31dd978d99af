// SPDX-License-Identifier: Apache-2.0
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The parts of any app: networking, JSON, files. Beside it is the same with the client.
struct Note: Codable { var text: String }

let url = URL(string: CommandLine.arguments.dropFirst().first ?? "") ?? URL(fileURLWithPath: "/dev/null")
let (data, _) = try await URLSession(configuration: .ephemeral).data(from: url)
try JSONEncoder().encode(Note(text: "\(data.count)")).write(to: url)
