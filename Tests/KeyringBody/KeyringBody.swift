// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import FarewellClientTesting
import FarewellSecretService
import Foundation

/// A process that speaks to the Secret Service of the bus it was started on, and says what it found.
///
///     keyring-body conformance | write TEXT | read | remove
///     keyring-body end FOLDER         seals a record while the process ends
@main
struct KeyringBody {
    static func main() async {
        let words = CommandLine.arguments.dropFirst()
        if words.first == "end" { return sealAtEnd() }
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

    /// Has a record sealed when the process ends: after all that is registered later for its end.
    private static func sealAtEnd() {
        atexit {
            do {
                let store = SealedTokenStore(MemoryTokenStore(), keyIn: try StateFolder(CommandLine.arguments[2]))
                try store.write(Data("record".utf8))
                if case .present(let record) = store.read() { print("opened: \(String(decoding: record, as: UTF8.self))") }
            } catch {
                print("failed: \(error)")
            }
        }
        // The library of the algorithms is first used after that, as in an app.
        print("begun: \((try? AppleNonce())?.hashed.count ?? 0)")
    }
}
