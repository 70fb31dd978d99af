// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import FarewellClientTesting
import FarewellSecretService
import Foundation

/// A process that speaks to the Secret Service of the bus it was started on, and says what it found.
///
///     keyring-body conformance | write TEXT | read | remove
@main
struct KeyringBody {
    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        let store = SecretServiceTokenStore(service: "org.example.keyring-body")
        print("available: \(SecretServiceTokenStore.isAvailable)")
        do {
            switch words.first {
            case "conformance":
                for theCase in TokenStoreConformance.cases {
                    try await theCase.run { use in
                        let again = SecretServiceTokenStore(service: "org.example.keyring-body")
                        try await use(store, again)
                        try store.remove()
                    }
                    print("kept: \(theCase)")
                }
            case "write": try store.write(Data((words.last ?? "").utf8))
            case "remove": try store.remove()
            default: break
            }
            switch store.read() {
            case .present(let record): print("present: \(String(decoding: record, as: UTF8.self))")
            case .absent: print("absent")
            case .unknown(let error): print("unknown: \(error.code.rawValue)")
            }
        } catch {
            print("failed: \((error as? FarewellError)?.code.rawValue ?? "\(error)")")
        }
    }
}
